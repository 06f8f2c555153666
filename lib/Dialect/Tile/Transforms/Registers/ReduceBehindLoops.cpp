//===- ReduceBehindLoops.cpp - Reductions of all trips at once ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/IR/ReducedParts.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEREDUCEBEHINDLOOPS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Words of a thread, at the most, that a loop carries of one reduction.
static constexpr int64_t kMostCarriedWords = 32;
/// Parts of a larger tile, which are reduced in each trip.
static constexpr int64_t kMostParts = 2;

namespace {
/// What a loop carries, and combines in each trip with what the trip reduces.
struct Carried {
  unsigned index;
  Operation *combine;
  ReduceOp reduce;
};
} // namespace

/// What combined with any number gives that number: the op has the same bits in
/// any order. Null: it has not.
static TypedAttr getNeutral(Operation *combine, Type element) {
  Builder builder(combine->getContext());
  if (auto kind = dyn_cast<FloatType>(element); kind && kind.getWidth() >= 16) {
    const llvm::fltSemantics &semantics = kind.getFloatSemantics();
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combine))
      return builder.getFloatAttr(kind, APFloat::getQNaN(semantics));
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(combine))
      return builder.getFloatAttr(
          kind, APFloat::getInf(semantics, isa<arith::MaximumFOp>(combine)));
    return {};
  }
  if (!isa<IntegerType>(element))
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  auto make = [&](const APInt &value) -> TypedAttr {
    return builder.getIntegerAttr(element, value);
  };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combine))
    return make(APInt::getZero(bits));
  if (isa<arith::AndIOp, arith::MinUIOp>(combine))
    return make(APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(combine))
    return make(APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(combine))
    return make(APInt::getSignedMaxValue(bits));
  return {};
}

/// Whether a reduction combines by that op, and nothing else.
static bool combinesBy(ReduceOp reduce, Operation *combine) {
  Operation *op = findCombiningOp(reduce);
  return op && op->getName() == combine->getName();
}

static std::optional<Carried> match(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  Value next = loop.getYieldedValues()[index];
  Operation *combine = next.getDefiningOp();
  if (!combine || combine->getBlock() != loop.getBody() ||
      combine->getNumOperands() != 2 || !next.hasOneUse() ||
      !carried.hasOneUse() || *carried.user_begin() != combine)
    return {};
  Value other = combine->getOperand(combine->getOperand(0) == carried);
  auto reduce = other.getDefiningOp<ReduceOp>();
  // Rows are mostly along lanes, which need few steps, and few registers.
  if (!reduce || !other.hasOneUse() || reduce.getSources().size() != 1 ||
      reduce.getAxis() != 0 || reduce.getTileType().getRank() != 2 ||
      reduce->getBlock() != loop.getBody() || !combinesBy(reduce, combine) ||
      !getNeutral(combine, getElementTypeOrSelf(next)))
    return {};
  return Carried{index, combine, reduce};
}

/// What of each trip a loop is to carry; null where that has too many words.
/// Far parts of the axis are in a thread, and are combined there.
static Value chooseTerm(ReduceOp reduce, int64_t threads) {
  Value source = reduce.getSources()[0];
  auto type = cast<RankedTensorType>(source.getType());
  int64_t bytes = std::max<int64_t>(4, getElementBytes(type.getElementType()));
  int64_t words = type.getNumElements() * bytes / 4 / threads;
  if (words <= kMostCarriedWords)
    return source;
  int64_t parts = words / kMostCarriedWords;
  if (parts > kMostParts || !canReduceParts(reduce, parts))
    return {};
  return reduceFarParts(reduce, parts);
}

namespace {
struct ReduceBehindLoops
    : tilewright::tile::impl::TileReduceBehindLoopsBase<ReduceBehindLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned index = 0, count = loop.getNumRegionIterArgs();
           index < count; ++index)
        if (std::optional<Carried> carried = match(loop, index))
          loop = reduceBehind(loop, *carried);
  }

private:
  /// The loop with another number that it carries, in place of this one.
  scf::ForOp reduceBehind(scf::ForOp loop, Carried carried) {
    Value term = chooseTerm(carried.reduce, getOperation().getNumThreads());
    if (!term)
      return loop;
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    Location loc = carried.combine->getLoc();
    auto type = cast<RankedTensorType>(term.getType());
    Attribute neutral = getNeutral(carried.combine, type.getElementType());
    Value first = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(type, neutral));
    auto combine = [&](OpBuilder &builder, Value a, Value b) {
      return builder
          .create(loc, carried.combine->getName().getIdentifier(),
                  ValueRange{a, b}, a.getType())
          ->getResult(0);
    };
    auto made = cast<scf::ForOp>(**loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> sums) {
          return SmallVector<Value>{combine(builder, sums[0], term)};
        }));
    rewriter.setInsertionPointAfter(made);
    Value all = reduceLike(rewriter, carried.reduce, made.getResults().back());
    Value result = combine(rewriter, made.getInitArgs()[carried.index], all);
    made.getResult(carried.index).replaceAllUsesWith(result);
    carried.combine->getResult(0).replaceAllUsesWith(
        made.getRegionIterArg(carried.index));
    carried.combine->erase();
    carried.reduce->erase();
    return made;
  }
};
} // namespace
