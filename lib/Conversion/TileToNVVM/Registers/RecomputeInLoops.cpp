//===- RecomputeInLoops.cpp - Addresses anew where registers are short ----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/FewestKept.h"
#include "Registers/OffsetPointers.h"
#include "Registers/ProductBodies.h"
#include "Registers/Recomputer.h"
#include "Registers/Spans.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"

namespace tilewright {
#define GEN_PASS_DEF_RECOMPUTEINLOOPS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// What an iteration needs beside what it finds there: addresses and words
/// under way.
static constexpr int64_t kRegistersOfIteration = 40;
/// Where threads of `mma.sync` meet more often in an iteration, what they
/// compute anew stands between barriers, with no products to hide it.
static constexpr int64_t kMostBarriers = 2;
/// To save fewer is not worth an instruction for each in every iteration.
static constexpr int64_t kLeastSaved = 16;

/// Whether what the product adds to does not hang on the iteration: zeros.
static bool beginsSums(LoopLikeOpInterface loop, Operation &product) {
  auto isOutside = [&](Value sum) { return loop.isDefinedOutsideOfLoop(sum); };
  if (auto wgmma = dyn_cast<NVVM::WgmmaMmaAsyncOp>(product)) {
    auto sums = wgmma.getInouts().getDefiningOp<LLVM::InsertValueOp>();
    return sums && isOutside(sums.getValue());
  }
  auto type = cast<LLVM::LLVMStructType>(product.getResult(0).getType());
  return llvm::all_of(product.getOperands().take_back(type.getBody().size()),
                      isOutside);
}

namespace {

/// The loop, and what is live where it is.
class LoopRecomputer {
public:
  LoopRecomputer(LoopLikeOpInterface loop, int64_t registers)
      : loop(loop), body(loop.getLoopRegions().front()->front()),
        registers(registers) {}

  void run() {
    int64_t carried = 0;
    for (Value value : loop.getRegionIterArgs())
      carried += countWords(value);
    int64_t underWay = countWordsUnderWay();
    if (carried + countWordsOfProducts() + countAddresses() +
            std::max(kRegistersOfIteration, underWay) <=
        registers)
      return computeInSpans(loop, registers);
    auto sayFew = [&] {
      loop->setAttr(kFewRegistersAttr, UnitAttr::get(loop.getContext()));
    };
    if (underWay > kRegistersOfIteration)
      sayFew();
    moveLoopInvariantCode(loop);
    splitPointers();
    collectWanted();
    llvm::SetVector<Value> kept = findFewestKept(wanted.getArrayRef());
    if (countAllWords(wanted.getArrayRef()) -
            countAllWords(kept.getArrayRef()) <
        kLeastSaved)
      return;
    sayFew();
    wanted.set_subtract(kept);
    recompute(kept);
    computeAtStores();
  }

private:
  /// What an iteration loads on its way to shared memory, where nothing is
  /// stored before all of it is there.
  int64_t countWordsUnderWay() {
    int64_t words = 0, most = 0;
    for (Operation &op : body) {
      if (isGlobalLoad(op))
        words += countWords(op.getResult(0));
      else if (isSharedWrite(op))
        most = std::max(most, std::exchange(words, 0));
    }
    return most;
  }

  /// What the products of an iteration have beside what the loop carries: sums
  /// that begin in it, and left operands.
  int64_t countWordsOfProducts() {
    int64_t words = 0;
    llvm::SmallDenseSet<Value> left;
    for (Operation &op : body) {
      if (isProductOfFragments(op) && beginsSums(loop, op))
        words += countWords(op.getResult(0));
      left.insert_range(getLeftWords(op));
    }
    return words + static_cast<int64_t>(left.size());
  }

  /// What each iteration takes that is the same in all of them. Masks are
  /// packed (`pack-masks`), or few.
  int64_t countAddresses() {
    tile::LoopInvariants invariants(loop);
    auto isSame = [&](Value value) { return invariants.contains(value); };
    llvm::SetVector<Value> same, addresses;
    body.walk([&](Operation *op) {
      if (op->getNumResults() == 0 || !isSame(op->getResult(0)))
        collectOperands(op, isSame, same);
    });
    for (Value value : same)
      if (!value.getType().isInteger(1))
        addresses.insert(skipConstantOffsets(value));
    return countAllWords(addresses.getArrayRef());
  }

  /// Accesses take constant offsets with them.
  static Value skipConstantOffsets(Value value) {
    auto pointer = value.getDefiningOp<LLVM::GEPOp>();
    return pointer && pointer.getDynamicIndices().empty()
               ? skipConstantOffsets(pointer.getBase())
               : value;
  }

  /// What the loop and what follows it take from in front of it.
  void collectWanted() {
    body.walk([&](Operation *op) {
      collectOperands(
          op, [&](Value value) { return loop.isDefinedOutsideOfLoop(value); },
          wanted);
    });
    for (Operation &op : getFollowing())
      op.walk([&](Operation *inside) {
        collectOperands(
            inside, [&](Value value) { return isInFront(value); }, wanted);
      });
  }

  static void collectOperands(Operation *op, function_ref<bool(Value)> isTaken,
                              llvm::SetVector<Value> &found) {
    for (Value operand : op->getOperands())
      if (isTaken(operand) && !matchPattern(operand, m_Constant()))
        found.insert(operand);
  }

  /// The ops behind the loop, in its block.
  llvm::iterator_range<Block::iterator> getFollowing() {
    return {std::next(loop->getIterator()), loop->getBlock()->end()};
  }

  /// Whether it is there when the loop begins.
  bool isInFront(Value value) {
    if (!value.getParentRegion()->isAncestor(loop->getParentRegion()))
      return false;
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != loop->getBlock() ||
           op->isBeforeInBlock(loop);
  }

  /// Takes pointers that move on by the same apart: a base that moves, and the
  /// way from it to each, which is the same in all iterations.
  void splitPointers() {
    // So many elements of another type are another way.
    DenseMap<std::tuple<Value, Value, Type>, Value> bases;
    for (auto pointer :
         llvm::make_early_inc_range(body.getOps<LLVM::GEPOp>())) {
      auto place = pointer.getBase().getDefiningOp<LLVM::GEPOp>();
      if (!place || !loop.isDefinedOutsideOfLoop(place) ||
          !hasOneOffset(pointer) || !hasOneOffset(place) ||
          pointer.getElemType() != place.getElemType())
        continue;
      Value offset = pointer.getDynamicIndices().front();
      if (loop.isDefinedOutsideOfLoop(offset))
        continue;
      Value &base = bases[{place.getBase(), offset, pointer.getElemType()}];
      OpBuilder builder(pointer);
      if (!base)
        base = advance(builder, pointer, place.getBase(), offset);
      pointer.replaceAllUsesWith(
          advance(builder, pointer, base, place.getDynamicIndices().front()));
      pointer.erase();
    }
  }

  void recompute(const llvm::SetVector<Value> &kept) {
    Recomputer here(&body, body.begin(), kept);
    for (Operation &op : llvm::make_early_inc_range(body))
      here.replace(op, wanted);
    Recomputer behind(loop->getBlock(), std::next(loop->getIterator()), kept);
    for (Operation &op : llvm::make_early_inc_range(getFollowing()))
      behind.replace(op, wanted);
  }

  /// Behind the last barrier, where results are stored an element at a time:
  /// each address and mask right in front of the first op that uses it. With
  /// all of them in front of the first store, ptxas keeps more than there are
  /// registers.
  void computeAtStores() {
    if (llvm::none_of(getFollowing(), isLoweredBarrier))
      return;
    Operation *before = nullptr;
    for (Operation *op = &loop->getBlock()->back(); !isLoweredBarrier(*op);
         op = before) {
      before = op->getPrevNode();
      if (!isPure(op) || op->getNumRegions() != 0 || op->use_empty())
        continue;
      Operation *first = nullptr;
      for (Operation *user : op->getUsers()) {
        Operation *use = op->getBlock()->findAncestorOpInBlock(*user);
        if (!first || use->isBeforeInBlock(first))
          first = use;
      }
      op->moveBefore(first);
    }
  }

  LoopLikeOpInterface loop;
  Block &body;
  int64_t registers;
  /// What is taken from in front of the loop; at last without what is kept.
  llvm::SetVector<Value> wanted;
};

struct RecomputeInLoops
    : tilewright::impl::RecomputeInLoopsBase<RecomputeInLoops> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::LLVMFuncOp function) {
      int64_t registers = countRegistersPerThread(function);
      SmallVector<LoopLikeOpInterface> loops;
      // Rows that a loop carries have their own rules (`keep-in-slots`).
      function.walk([&](LoopLikeOpInterface loop) {
        if (isInnermost(loop) && hidesAddresses(loop))
          loops.push_back(loop);
      });
      for (LoopLikeOpInterface loop : loops)
        LoopRecomputer(loop, registers).run();
    });
  }

  /// Whether there are products under which addresses may be computed: by
  /// `wgmma`, of f64, or others that begin sums in each iteration, as scores.
  static bool hidesAddresses(LoopLikeOpInterface loop) {
    Block &body = loop.getLoopRegions().front()->front();
    auto hides = [](Operation &op) {
      return isMatrixProduct(op) || isa<NVVM::WgmmaMmaAsyncOp>(op);
    };
    return llvm::any_of(body, hides) ||
           (llvm::count_if(body, isLoweredBarrier) <= kMostBarriers &&
            llvm::any_of(body, [&](Operation &op) {
              return isProductOfFragments(op) && beginsSums(loop, op);
            }));
  }

  /// Whether there is no loop in it, and its body is one block.
  static bool isInnermost(LoopLikeOpInterface loop) {
    SmallVector<Region *> regions = loop.getLoopRegions();
    return regions.size() == 1 && regions.front()->hasOneBlock() &&
           !tile::anyOpIn<LoopLikeOpInterface>(*regions.front());
  }
};

} // namespace
