//===- FindExtremesFirst.cpp - The extreme one, then where it stands ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/IR/DimensionMaps.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEFINDEXTREMESFIRST
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// The last of the places along the axis, which an iota counts. None is below
/// 0, so that the lesser one is the same with a sign and without.
static std::optional<int64_t> findLastPlace(Value places, unsigned axis) {
  auto iota = stripOtherDimensions(places, axis).getDefiningOp<IotaOp>();
  if (!iota || static_cast<int64_t>(iota.getStart()) < 0)
    return std::nullopt;
  return iota.getStart() + iota.getType().getNumElements() - 1;
}

/// The extreme element along the axis, which `kind` combines.
static Value reduce(ImplicitLocOpBuilder &builder, Value tile, uint32_t axis,
                    arith::AtomicRMWKind kind) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  Type result = shape.empty() ? element : Type(type.clone(shape));
  auto made = ReduceOp::create(builder, result, tile, axis, false);
  OpBuilder::InsertionGuard guard(builder);
  Location loc = builder.getLoc();
  Block *body = builder.createBlock(&made.getCombiner(), {}, {element, element},
                                    {loc, loc});
  Value combined = arith::getReductionOp(
      kind, builder, loc, body->getArgument(0), body->getArgument(1));
  YieldOp::create(builder, combined);
  return made.getResult(0);
}

/// One result for all elements along the axis that it was reduced along.
static Value spread(ImplicitLocOpBuilder &builder, Value result,
                    RankedTensorType type, uint32_t axis) {
  type = type.clone(getElementTypeOrSelf(result));
  if (!isTileType(result.getType()))
    return SplatOp::create(builder, type, result);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  Value column = ExpandDimsOp::create(builder, type.clone(shape), result, axis);
  return BroadcastOp::create(builder, type, column);
}

/// A cast of the elements of a tile, or of a scalar.
template <typename CastOp>
static Value convert(ImplicitLocOpBuilder &builder, Value value, Type element) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return CastOp::create(builder, tile ? Type(tile.clone(element)) : element,
                        value);
}

static bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

/// Warps meet twice, for the extreme one and for its place: in each trip of a
/// loop that is more than words save.
static bool isWorthwhile(ReduceOp reduction, Type compared) {
  return isHalf(compared) || !reduction->getParentOfType<LoopLikeOpInterface>();
}

/// What is compared: halves that were made wider only to be reduced, since no
/// GPU compares floats of 8 bits.
static Value findCompared(Value values) {
  auto widening = values.getDefiningOp<arith::ExtFOp>();
  bool isOfHalves =
      widening &&
      getElementTypeOrSelf(widening.getIn()).getIntOrFloatBitWidth() > 8;
  return isOfHalves ? widening.getIn() : values;
}

static Value areEqual(ImplicitLocOpBuilder &builder, Value lhs, Value rhs) {
  if (isa<FloatType>(getElementTypeOrSelf(lhs)))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, lhs, rhs);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, lhs, rhs);
}

/// The first of the places that are chosen, along an axis. Nothing equals NaN:
/// where there is nothing else, `last` will do as well as any.
static Value findFirstPlace(ImplicitLocOpBuilder &builder, Value isChosen,
                            Value places, uint32_t axis, int64_t last) {
  auto type = cast<RankedTensorType>(places.getType());
  Value none = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(
                   type, builder.getIntegerAttr(type.getElementType(), last)));
  Value candidates = arith::SelectOp::create(builder, isChosen, places, none);
  return reduce(builder, candidates, axis, arith::AtomicRMWKind::mins);
}

static void rewrite(ReduceOp reduction) {
  auto kind = findExtremeOfPairs(reduction);
  if (!kind)
    return;
  Value values = reduction.getSources()[0], places = reduction.getSources()[1];
  uint32_t axis = reduction.getAxis();
  std::optional<int64_t> last = findLastPlace(places, axis);
  Value compared = findCompared(values);
  Type type = getElementTypeOrSelf(compared);
  if (!last || !isWorthwhile(reduction, type))
    return;
  ImplicitLocOpBuilder builder(reduction.getLoc(), reduction);
  // Halves are compared as such, and reduced as what warps can exchange.
  Type element = getElementTypeOrSelf(values);
  Value wide = isHalf(element) ? convert<arith::ExtFOp>(builder, values,
                                                        builder.getF32Type())
                               : values;
  Value best = reduce(builder, wide, axis, *kind);
  auto as = [&](Type other) {
    return other == getElementTypeOrSelf(best)
               ? best
               : convert<arith::TruncFOp>(builder, best, other);
  };
  Value everywhere = spread(builder, as(type),
                            cast<RankedTensorType>(compared.getType()), axis);
  Value place = findFirstPlace(builder, areEqual(builder, compared, everywhere),
                               places, axis, *last);
  reduction.replaceAllUsesWith(ValueRange{as(element), place});
  reduction.erase();
}

namespace {
struct FindExtremesFirst
    : tilewright::tile::impl::TileFindExtremesFirstBase<FindExtremesFirst> {
  void runOnOperation() override { getOperation().walk(rewrite); }
};
} // namespace
