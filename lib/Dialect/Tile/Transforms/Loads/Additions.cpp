//===- Additions.cpp - What all programs add to the same places -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loads/Additions.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/IR/ReducedParts.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Words of a thread, at the most, that are added up instead of their sum.
static constexpr int64_t kMostAddedWords = 16;

static bool isSum(Operation *op) {
  auto reduce = dyn_cast<CombineOpInterface>(op);
  return reduce && reduce.combinesInAnyOrder() && op->getNumOperands() == 1 &&
         isa_and_present<arith::AddIOp, arith::AddFOp>(findCombiningOp(reduce));
}

/// In how many parts a tile is small; 0: its elements are.
static int64_t countParts(Value tile, int64_t threads) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t elementBytes = getElementBytes(type.getElementType());
  // Sums of halves are rounded to halves no more often than they were.
  if (elementBytes < bytesPerWord)
    return 0;
  int64_t most = bytesPerWord * kMostAddedWords * threads;
  return std::max<int64_t>(1, type.getNumElements() * elementBytes / most);
}

/// The only store to a shared tile, of zeros, or null; others count in it, or
/// are `read`.
static LocalStoreOp findClear(AllocSharedOp tile, LocalLoadOp read) {
  LocalStoreOp clear;
  for (Operation *user : tile->getUsers()) {
    if (user == read || isa<LocalCountOp>(user))
      continue;
    auto store = dyn_cast<LocalStoreOp>(user);
    if (clear || !store || !matchPattern(store.getValue(), m_Zero()))
      return {};
    clear = store;
  }
  return clear;
}

/// The counters that an op reads: set to zero, counted with, and read, in this
/// order.
static AllocSharedOp findCounters(Operation *op) {
  auto read = dyn_cast<LocalLoadOp>(op);
  auto tile =
      read ? read.getSource().getDefiningOp<AllocSharedOp>() : AllocSharedOp();
  LocalStoreOp clear = tile ? findClear(tile, read) : LocalStoreOp();
  if (!clear || clear->getBlock() != read->getBlock())
    return {};
  bool areInOrder = llvm::all_of(tile->getUsers(), [&](Operation *user) {
    Operation *count = read->getBlock()->findAncestorOpInBlock(*user);
    return user == clear || user == read ||
           (count && clear->isBeforeInBlock(count) &&
            count->isBeforeInBlock(read));
  });
  return areInOrder ? tile : AllocSharedOp();
}

namespace {
/// Whether and how a kernel's programs may share their additions.
class Additions {
public:
  explicit Additions(KernelOp kernel) : kernel(kernel) {
    kernel.walk(
        [&](ProgramIdOp id) { getForwardSlice(id.getResult(), &ofPrograms); });
  }

  SmallVector<Addition> find() {
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (auto addition = dyn_cast<AtomicRMWOp>(op)) {
        if (!isShared(addition))
          return {};
        additions.push_back(follow(addition));
      }
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (!isAllowed(op))
        return {};
    return std::move(additions);
  }

private:
  /// Whether nobody asks what was there, and all programs add to the same
  /// places.
  bool isShared(AtomicRMWOp op) {
    return op.getKind() == AtomicKind::Add && op.use_empty() &&
           isComputedAlike(op.getPtr()) &&
           (!op.getMask() || isComputedAlike(op.getMask()));
  }

  /// Whether it is the same in all programs, and reads no memory. What a branch
  /// hands out is not followed: which way it went may be a program's own.
  bool isComputedAlike(Value value) {
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return true;
    if (ofPrograms.contains(definition))
      return false;
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    return succeeded(getBackwardSlice(value, &slice, options)) &&
           llvm::all_of(slice, [](Operation *op) {
             return op->getNumRegions() == 0 && isPure(op);
           });
  }

  Addition follow(AtomicRMWOp op) {
    Addition addition{op, op.getValue(), {}, {}};
    while (true) {
      Operation *definition = addition.term.getDefiningOp();
      if (!definition || !addition.term.hasOneUse())
        break;
      if (AllocSharedOp counters = findCounters(definition)) {
        addition.counters = counters;
        addition.term = {};
        addition.behind.push_back(definition);
        break;
      }
      if (!isSum(definition) || !(readsCounters(definition->getOperand(0)) ||
                                  isSmall(definition->getOperand(0))))
        break;
      addition.behind.push_back(definition);
      addition.term = definition->getOperand(0);
    }
    std::reverse(addition.behind.begin(), addition.behind.end());
    return addition;
  }

  bool isSmall(Value tile) {
    return countParts(tile, kernel.getNumThreads()) == 1;
  }

  static bool readsCounters(Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && value.hasOneUse() && findCounters(definition);
  }

  bool isAllowed(Operation &op) {
    if (isa<LoopLikeOpInterface>(op))
      return false;
    if (isa<RegionBranchOpInterface>(op))
      return llvm::all_of(op.getRegions(), [&](Region &region) {
        return llvm::all_of(region.getOps(),
                            [&](Operation &inner) { return isAllowed(inner); });
      });
    if (isMemoryEffectFree(&op))
      return true;
    if (isa<AtomicRMWOp>(op))
      return op.getParentOp() == kernel;
    if (isa<AllocSharedOp>(op))
      return areCounters(op.getResult(0));
    SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(&op);
    return tellsMemoryAccesses(&op) && op.getNumRegions() == 0 &&
           !accesses.empty() &&
           llvm::all_of(accesses, [&](const MemoryAccess &access) {
             return access.space == MemorySpace::Shared
                        ? areCounters(access.base)
                        : onlyReads(access);
           });
  }

  bool areCounters(Value tile) {
    return llvm::any_of(additions, [&](Addition &addition) {
      return addition.counters && addition.counters.getResult() == tile;
    });
  }

  /// Whether it reads what nobody adds to.
  bool onlyReads(const MemoryAccess &access) {
    return access.isRead && !access.isWrite && !access.talksToOthers() &&
           llvm::none_of(additions, [&](Addition &addition) {
             return mayOverlap(getRoot(access.base),
                               getRoot(addition.op.getPtr()));
           });
  }

  KernelOp kernel;
  SmallVector<Addition> additions;
  SetVector<Operation *> ofPrograms;
};
} // namespace

SmallVector<Addition> tilewright::tile::findAdditions(KernelOp kernel) {
  return Additions(kernel).find();
}

void tilewright::tile::addUpParts(Addition &addition, int64_t threads) {
  auto sum =
      addition.term ? addition.term.getDefiningOp<ReduceOp>() : ReduceOp();
  if (!sum || !addition.term.hasOneUse() || !isSum(sum) || sum.getAxis() != 0)
    return;
  int64_t parts = countParts(sum.getSources()[0], threads);
  if (parts <= 1 || !canReduceParts(sum, parts))
    return;
  addition.term = reduceFarParts(sum, parts);
  sum.getSourcesMutable().assign(addition.term);
  addition.behind.insert(addition.behind.begin(), sum);
}
