//===- IssueLoadsFirst.cpp - Loads that wait for loads --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/RowsAhead.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/PassedOps.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEISSUELOADSFIRST
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether a load is of an element a thread, whose register is kept until it is
/// used.
static bool isSmall(Operation *load) {
  auto tile = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  return !tile || tile.getNumElements() <=
                      load->getParentOfType<KernelOp>().getNumThreads();
}

namespace {
/// Loads of a program that combines rows, which wait for other loads: they come
/// behind the last row that is loaded before anything is combined.
class EarlyLoads {
public:
  explicit EarlyLoads(Block &block) : block(block) {}

  void issueFirst() {
    last = findLastRow();
    if (!last)
      return;
    SmallVector<Operation *> loads;
    for (Operation &op : llvm::make_range(std::next(last->getIterator()),
                                          block.getOperations().end()))
      if (isPlainLoad(&op) && isSmall(&op))
        loads.push_back(&op);
    for (Operation *load : loads)
      if (mayComeFirst(load))
        move(load);
  }

private:
  /// What loads last of rows before anything is combined, or null.
  Operation *findLastRow() {
    Operation *last = nullptr;
    for (Operation &op : block) {
      if (anyOpIn<CombineOpInterface>(op))
        break;
      if (anyOpIn(op, [&](Operation *nested) {
            return isPlainLoad(nested) && !isSmall(nested);
          }))
        last = &op;
    }
    return last;
  }

  /// Whether it waits for a load, and for nothing else but what is computed
  /// element by element.
  bool mayComeFirst(Operation *load) {
    slice.clear();
    if (failed(addSlice(load, slice)) || llvm::none_of(slice, isPlainLoad))
      return false;
    Value array = getRoot(getMemoryAccesses(load)[0].base);
    auto behind =
        llvm::make_range(std::next(last->getIterator()), load->getIterator());
    return llvm::all_of(slice,
                        [&](Operation *op) {
                          return op == last || op->isBeforeInBlock(last) ||
                                 isComputation(op);
                        }) &&
           llvm::none_of(
               behind, [&](Operation &op) { return keepsBehind(&op, array); });
  }

  void move(Operation *load) {
    slice.insert(load);
    for (Operation *op : slice)
      if (last->isBeforeInBlock(op)) {
        op->moveAfter(last);
        last = op;
      }
    for (Operation *op : slice)
      if (isPlainLoad(op) && isSmall(op))
        op->setAttr(kInOrderAttr, UnitAttr::get(op->getContext()));
  }

  Block &block;
  Operation *last = nullptr;
  SetVector<Operation *> slice;
};

/// Loads of a program that combines nothing: where a row's load stands behind
/// what waits for another load, whatever waits for none comes in front of it.
class FreeLoads {
public:
  explicit FreeLoads(Block &block) : block(block) {}

  void issueFirst() {
    waiting = findWaiting();
    if (!waiting)
      return;
    auto ops =
        llvm::make_range(waiting->getIterator(), block.getOperations().end());
    for (Operation &op : ops)
      behind.insert(&op);
    SmallVector<Load> small, large;
    for (Operation &op : ops) {
      if (isLoad(&op))
        if (std::optional<Load> load = findFree(&op))
          (isSmall(&op) ? small : large).push_back(*load);
      if (op.getNumRegions() > 0)
        break;
      if (!isMemoryEffectFree(&op))
        pass(&op);
    }
    // One load after the other is in front of what follows it anyway.
    if (large.empty() && !waitsItself(waiting))
      return;
    for (Load &load : small) {
      move(load);
      load.op->setAttr(kInOrderAttr, UnitAttr::get(load.op->getContext()));
    }
    for (Load &load : large)
      move(load);
  }

private:
  struct Load {
    Operation *op;
    /// What it needs, in order.
    SetVector<Operation *> slice;
  };

  static bool isLoad(Operation *op) {
    return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
           llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
             return access.space == MemorySpace::Global && !access.isWrite;
           });
  }

  /// The first op that uses what was loaded, or a load that waits itself for
  /// what goes through shared memory.
  Operation *findWaiting() {
    auto isLoaded = [](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return maker && isLoad(maker);
    };
    for (Operation &op : block)
      if (llvm::any_of(op.getOperands(), isLoaded) || waitsItself(&op))
        return &op;
    return nullptr;
  }

  static bool waitsItself(Operation *op) {
    return isLoad(op) && llvm::any_of(getMemoryAccesses(op), isOfShared);
  }

  /// Whether the load may stand in front of what waits.
  std::optional<Load> findFree(Operation *op) {
    Load load{op, {}};
    auto mayMove = [&](Operation *maker) {
      return !isLoad(maker) &&
             (!behind.contains(maker) || isComputation(maker) ||
              (maker->getNumRegions() == 0 &&
               hasSingleEffect<MemoryEffects::Allocate>(maker)));
    };
    if (failed(addSlice(op, load.slice)) || !llvm::all_of(load.slice, mayMove))
      return std::nullopt;
    SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
    bool isShared = llvm::any_of(accesses, isOfShared);
    bool isKept =
        hasPassed && ((isShared && hasPassedShared) ||
                      llvm::any_of(accesses, [&](const MemoryAccess &access) {
                        return access.space == MemorySpace::Global &&
                               (access.talksToOthers() ||
                                passed.keepBehind(getRoot(access.base)));
                      }));
    return isKept ? std::nullopt : std::optional(std::move(load));
  }

  static bool isOfShared(const MemoryAccess &access) {
    return access.space == MemorySpace::Shared;
  }

  void pass(Operation *op) {
    passed.add(op);
    hasPassed = true;
    hasPassedShared |= llvm::any_of(getMemoryAccesses(op), isOfShared);
  }

  void move(Load &load) {
    load.slice.insert(load.op);
    for (Operation *op : load.slice)
      if (behind.erase(op))
        op->moveBefore(waiting);
  }

  Block &block;
  Operation *waiting = nullptr;
  /// What waits, and all that stands behind it.
  llvm::SmallPtrSet<Operation *, 32> behind;
  /// What of that has effects, in front of the load that is looked at, if there
  /// is such; and whether some of it touches shared memory.
  PassedOps passed;
  bool hasPassed = false, hasPassedShared = false;
};

/// Rows that are loaded in front of functions of a number that is loaded, and
/// used behind them: ptxas would load them behind them too.
class RowsBesideNumbers {
public:
  explicit RowsBesideNumbers(Block &block) : block(block) {}

  void issueFirst() {
    for (Operation &op : block) {
      note(&op);
      if (isFunctionOfNumber(&op))
        while (!waiting.empty())
          waiting.pop_back_val()->setAttr(kInOrderAttr,
                                          UnitAttr::get(op.getContext()));
    }
  }

private:
  /// Rows wait until they are used.
  void note(Operation *op) {
    llvm::erase_if(waiting, [&](Operation *row) {
      return llvm::is_contained(op->getOperands(), row->getResult(0));
    });
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return loaded.contains(operand.getDefiningOp());
        }))
      loaded.insert(op);
    if (!isPlainLoad(op))
      return;
    loaded.insert(op);
    if (!isSmall(op))
      waiting.push_back(op);
  }

  bool isFunctionOfNumber(Operation *op) const {
    return isa<math::MathDialect>(op->getDialect()) && loaded.contains(op) &&
           !isTile(op->getResult(0));
  }

  Block &block;
  llvm::DenseSet<Operation *> loaded;
  SmallVector<Operation *> waiting;
};

struct IssueLoadsFirst
    : tilewright::tile::impl::TileIssueLoadsFirstBase<IssueLoadsFirst> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Block &block = kernel.getBody().front();
    if (!anyOpIn<LoopLikeOpInterface, ProductOpInterface>(kernel))
      RowsBesideNumbers(block).issueFirst();
    if (combinesRows(kernel))
      EarlyLoads(block).issueFirst();
    else if (!anyOpIn<ProductOpInterface>(kernel))
      FreeLoads(block).issueFirst();
  }
};
} // namespace
