//===- AddOnce.cpp - One addition to memory for many programs -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/Additions.h"
#include "Loads/ProgramLoop.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEADDONCE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// What a thread counts in each trip, at the most: more of it takes longer than
/// what a block does once.
static constexpr int64_t kMostCounted = 64;
/// A thread that loads one vector of small elements has too little under way.
static constexpr int64_t kVectorBytes = 16, kWordBytes = 4;

/// Nothing, as a term: -0, with which 0 is 0 and -0 is -0.
static Value makeNothing(OpBuilder &builder, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr nothing =
      isa<FloatType>(element)
          ? TypedAttr(builder.getFloatAttr(
                element,
                APFloat::getZero(cast<FloatType>(element).getFloatSemantics(),
                                 /*Negative=*/true)))
          : TypedAttr(builder.getIntegerAttr(element, 0));
  if (auto tile = dyn_cast<ShapedType>(type))
    nothing = DenseElementsAttr::get(tile, Attribute(nothing));
  return arith::ConstantOp::create(builder, loc, type, nothing);
}

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

/// Clears counters before the loop.
static void clearBefore(scf::ForOp loop, AllocSharedOp counters) {
  counters->moveBefore(loop);
  for (Operation *user : llvm::to_vector(counters->getUsers()))
    if (auto clear = dyn_cast<LocalStoreOp>(user)) {
      if (Operation *zero = clear.getValue().getDefiningOp();
          loop->isAncestor(zero))
        zero->moveBefore(loop);
      clear->moveBefore(loop);
    }
}

/// What it is computed from, computed behind the loop.
static Value makeBehind(OpBuilder &builder, scf::ForOp loop, Value value,
                        IRMapping &map) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  (void)getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    if (loop->isProperAncestor(op) && !map.contains(op->getResult(0)))
      builder.clone(*op, map);
  return map.lookupOrDefault(value);
}

namespace {
struct AddOnce : tilewright::tile::impl::TileAddOnceBase<AddOnce> {
  using TileAddOnceBase::TileAddOnceBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getPersistent() || kernel.getBlockPrograms() ||
        kernel.getClusterBlocks() || kernel.getCopyWarps() ||
        anyOpIn<NumProgramsOp>(kernel) || !isWorthALoop(kernel))
      return;
    SmallVector<Addition> additions = findAdditions(kernel);
    if (additions.empty())
      return;
    for (Addition &addition : additions)
      addUpParts(addition, kernel.getNumThreads());
    scf::ForOp loop = makeProgramLoop(kernel, /*phases=*/1, /*runsAll=*/true);
    addBehind(addUp(loop, additions), additions);
  }

private:
  /// Whether a trip has enough under way, and does no more than a block could.
  static bool isWorthALoop(KernelOp kernel) {
    int64_t bytes = 0, widest = 0, threads = kernel.getNumThreads();
    bool counts = false, countsFew = true;
    kernel.walk([&](GlobalAccessOpInterface access) {
      if (access.isStore() || !isTile(access->getResult(0)))
        return;
      RankedTensorType type = access.getTileType();
      int64_t each = getElementBytes(type.getElementType());
      bytes += each * type.getNumElements();
      widest = std::max(widest, each);
    });
    kernel.walk([&](LocalCountOp count) {
      counts = true;
      countsFew &= count.getNumbers().getType().getNumElements() <=
                   kMostCounted * threads;
    });
    // Sums of bytes take longer to compute than to load.
    return countsFew &&
           (widest >= kWordBytes ||
            ((widest > 1 || counts) && bytes > kVectorBytes * threads));
  }

  /// Has the loop, and one around it, carry sums; gives the outermost, whose
  /// numbers become those behind it.
  static scf::ForOp addUp(scf::ForOp loop,
                          MutableArrayRef<Addition> additions) {
    IRRewriter rewriter(loop.getContext());
    auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
    scf::ForOp first = outer ? outer : loop;
    rewriter.setInsertionPoint(first);
    SmallVector<Value> terms, sums;
    for (Addition &addition : additions)
      if (addition.counters) {
        clearBefore(first, addition.counters);
      } else {
        terms.push_back(addition.term);
        sums.push_back(makeNothing(rewriter, addition.op.getLoc(),
                                   addition.term.getType()));
      }
    if (terms.empty())
      return first;
    if (outer) {
      outer = carry(rewriter, outer, sums,
                    [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
                      return SmallVector<Value>(carried.begin(), carried.end());
                    });
      sums.assign(outer.getRegionIterArgs().begin(),
                  outer.getRegionIterArgs().end());
    }
    loop = carry(
        rewriter, loop, sums,
        [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> carried) {
          SmallVector<Value> next;
          for (auto [sum, term] : llvm::zip_equal(carried, terms))
            next.push_back(add(builder, loc, sum, term));
          return next;
        });
    if (outer)
      outer.getBody()->getTerminator()->setOperands(loop.getResults());
    return outer ? outer : loop;
  }

  static scf::ForOp carry(IRRewriter &rewriter, scf::ForOp loop,
                          ValueRange first, const NewYieldValuesFn &next) {
    rewriter.setInsertionPoint(loop);
    FailureOr<LoopLikeOpInterface> made = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, next);
    assert(succeeded(made) && "loops over programs carry nothing");
    return cast<scf::ForOp>(**made);
  }

  static void addBehind(scf::ForOp loop, MutableArrayRef<Addition> additions) {
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(loop);
    // Places and masks may be computed from what is added, and hang on no sum.
    IRMapping alike;
    auto sums = loop.getResults().begin();
    for (Addition &addition : additions) {
      IRMapping ofSum;
      if (addition.term)
        ofSum.map(addition.term, *sums++);
      for (Operation *op : addition.behind)
        builder.clone(*op, ofSum);
      AtomicRMWOp op = addition.op;
      IRMapping operands;
      operands.map(op.getValue(), ofSum.lookupOrDefault(op.getValue()));
      operands.map(op.getPtr(), makeBehind(builder, loop, op.getPtr(), alike));
      if (Value mask = op.getMask())
        operands.map(mask, makeBehind(builder, loop, mask, alike));
      builder.clone(*op, operands);
      addition.op->erase();
      for (Operation *op : llvm::reverse(addition.behind))
        op->erase();
    }
  }
};
} // namespace
