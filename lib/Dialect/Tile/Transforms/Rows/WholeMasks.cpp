//===- WholeMasks.cpp - When masks leave out no column --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/WholeMasks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilewright/Dialect/Tile/IR/Conjunctions.h"
#include "tilewright/Dialect/Tile/IR/DimensionMaps.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"

using namespace mlir;
using namespace tilewright::tile;

using Predicate = arith::CmpIPredicate;

static int64_t getExtent(Value tile, unsigned dim) {
  return cast<RankedTensorType>(tile.getType()).getDimSize(dim);
}

/// The scalar that all elements of a tile are.
static Value findScalar(Value tile) {
  Value source = stripDimensionMaps(tile);
  return isTile(source) ? Value() : source;
}

namespace {
/// Numbers that count up from a scalar, null for 0, and a constant.
struct Counted {
  Value start;
  int64_t first;
};
} // namespace

/// The first one of numbers that are constants, each the one before and 1.
static std::optional<int64_t> findFirst(Value tile, unsigned dim,
                                        const AxisInfoAnalysis &axes) {
  int64_t extent = getExtent(tile, dim);
  const ConstantIntRanges range = NumberRanges().get(tile);
  bool isCounted = axes.get(tile).axis(dim).contiguity >= extent &&
                   range.smax() - range.smin() == extent - 1;
  return isCounted ? std::optional(range.smin().getSExtValue()) : std::nullopt;
}

static std::optional<Counted> findCounted(Value tile, unsigned dim,
                                          const AxisInfoAnalysis &axes) {
  tile = stripOtherDimensions(tile, dim);
  if (std::optional<int64_t> first = findFirst(tile, dim, axes))
    return Counted{nullptr, *first};
  auto sum = tile.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [counting, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                                 std::pair(sum.getRhs(), sum.getLhs())}) {
    std::optional<int64_t> first = findFirst(counting, dim, axes);
    if (Value start = findScalar(other); first && start)
      return Counted{start, *first};
  }
  return std::nullopt;
}

void WholeMasks::add(const Condition &condition) {
  if (!llvm::is_contained(conditions, condition))
    conditions.push_back(condition);
}

void WholeMasks::addLeast(OpFoldResult left, int64_t extent) {
  add({Predicate::sle, nullptr, extent, left});
}

bool WholeMasks::addMask(Value mask, unsigned dim) {
  // What is left of it (getRest).
  auto isRest = [&](Value part) { return axes.isSameAlong(part, dim); };
  return llvm::all_of(takeApart(mask, isRest), [&](Value part) {
    return isRest(part) || addColumns(part, dim);
  });
}

bool WholeMasks::addColumns(Value mask, unsigned dim) {
  mask = stripOtherDimensions(mask, dim);
  if (mask.getDefiningOp<arith::AndIOp>())
    return llvm::all_of(takeApart(mask),
                        [&](Value part) { return addColumns(part, dim); });
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  return compare && addComparison(compare, dim);
}

bool WholeMasks::addComparison(arith::CmpIOp compare, unsigned dim) {
  Value columns = compare.getLhs(), other = compare.getRhs();
  Value number = findScalar(other);
  std::optional<Counted> counted = findCounted(columns, dim, axes);
  int64_t extent = getExtent(columns, dim);
  if (!counted || !number ||
      axes.get(columns).axis(dim).unwrappedRun(
          ConstantIntRanges::getStorageBitwidth(columns.getType())) < extent)
    return false;
  bool isLess = llvm::is_contained({Predicate::slt, Predicate::sle},
                                   compare.getPredicate());
  bool isMore = llvm::is_contained({Predicate::sgt, Predicate::sge},
                                   compare.getPredicate());
  add({compare.getPredicate(), counted->start,
       counted->first + (isLess ? extent - 1 : 0), number});
  return isLess || isMore;
}

bool WholeMasks::mayHold() const {
  return llvm::none_of(conditions, [&](const Condition &less) {
    return less.predicate == Predicate::slt &&
           llvm::any_of(conditions, [&](const Condition &more) {
             return more.predicate == Predicate::sge &&
                    more.start == less.start && more.number == less.number;
           });
  });
}

Value WholeMasks::emit(ImplicitLocOpBuilder &builder) const {
  Operation *place = &*builder.getInsertionPoint();
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->getBlock() != place->getBlock() ||
           op->isBeforeInBlock(place);
  };
  Value all;
  for (const Condition &condition : conditions) {
    auto number = dyn_cast<Value>(condition.number);
    if ((number && !isKnown(number)) ||
        (condition.start && !isKnown(condition.start)))
      return nullptr;
    Type type = number ? number.getType() : builder.getIndexType();
    if (!number)
      number = arith::ConstantOp::create(
          builder,
          builder.getIntegerAttr(type, *getConstantIntValue(condition.number)));
    Value column = arith::ConstantOp::create(
        builder, builder.getIntegerAttr(type, condition.distance));
    // It does not wrap around: no column does.
    if (condition.start)
      column = arith::AddIOp::create(builder, condition.start, column);
    Value holds =
        arith::CmpIOp::create(builder, condition.predicate, column, number);
    all = all ? arith::AndIOp::create(builder, all, holds) : holds;
  }
  return all;
}

SmallVector<Value> WholeMasks::getRest(Value mask, unsigned dim) const {
  auto isRest = [&](Value part) { return axes.isSameAlong(part, dim); };
  SmallVector<Value> parts = takeApart(mask, isRest);
  llvm::erase_if(parts, [&](Value part) { return !isRest(part); });
  return parts;
}
