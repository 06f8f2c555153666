//===- ComparePlaces.cpp - One element of a row, by its place -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOMPAREPLACES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// A tile whose elements another one has under other coordinates.
struct Renamed {
  /// From the other one to it.
  SmallVector<Operation *> ops;
  Value source;
  /// For each dimension of the other one that of the source.
  SmallVector<std::optional<unsigned>> dims;
};
} // namespace

/// The source may be a scalar, or a constant tile of one number.
static Renamed stripRenaming(Value tile) {
  Renamed renamed{{}, tile, {}};
  unsigned rank = cast<RankedTensorType>(tile.getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    renamed.dims.push_back(dim);
  while (auto op = renamed.source.getDefiningOp<DimensionMapOpInterface>()) {
    for (std::optional<unsigned> &dim : renamed.dims)
      if (dim)
        dim = op.getSourceDim(*dim);
    renamed.ops.push_back(op);
    renamed.source = op->getOperand(0);
    if (!isTileType(renamed.source.getType()))
      break;
  }
  return renamed;
}

/// A tile of the same elements of `source`, of another type.
static Value rename(ImplicitLocOpBuilder &builder, const Renamed &renamed,
                    Value source) {
  Type element = getElementTypeOrSelf(source.getType());
  for (Operation *op : llvm::reverse(renamed.ops)) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), source);
    Operation *clone = builder.clone(*op, mapping);
    auto type = cast<RankedTensorType>(clone->getResult(0).getType());
    clone->getResult(0).setType(type.clone(element));
    source = clone->getResult(0);
  }
  return source;
}

namespace {
/// What a count is to be for a function of it to be some number: the number is
/// taken through the function backwards.
class Equation {
public:
  /// `number`: a scalar or a tile.
  Equation(ImplicitLocOpBuilder &builder, Value number)
      : builder(builder), number(number) {}

  /// Returns the iota that `tile` is a function of, if it is one that can be
  /// solved.
  IotaOp solve(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op)
      return nullptr;
    if (auto iota = dyn_cast<IotaOp>(op))
      return finish(iota) ? iota : nullptr;
    return undo(op) ? solve(op->getOperand(counting)) : nullptr;
  }

  /// Whether the function is more than the count itself.
  bool isWorthwhile() const { return numSteps > 0; }

  /// The count; one that there is not, where no count is right.
  Value getCount() const { return number; }

private:
  bool undo(Operation *op) {
    ++numSteps;
    counting = 0;
    if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return undoExtension(op);
    if (isa<arith::SubIOp>(op))
      return undoSum<arith::AddIOp>(op);
    if (!isa<arith::AddIOp, arith::AndIOp>(op))
      return false;
    // Either operand may be the same everywhere.
    if (!getUniform(op->getOperand(1)))
      counting = 1;
    return isa<arith::AddIOp>(op) ? undoSum<arith::SubIOp>(op) : undoMask(op);
  }

  /// Modulo 2^n there is no question of overflow.
  template <typename Inverse> bool undoSum(Operation *op) {
    Value term = getUniform(op->getOperand(1 - counting));
    if (!term)
      return false;
    number = builder.createOrFold<Inverse>(number, spread(term));
    return true;
  }

  bool undoExtension(Operation *op) {
    if (mask)
      return false;
    Type narrow = getElementTypeOrSelf(op->getOperand(0).getType());
    Value wide = number;
    number = builder.createOrFold<arith::TruncIOp>(withElement(narrow), wide);
    Value again =
        isa<arith::ExtSIOp>(op)
            ? builder.createOrFold<arith::ExtSIOp>(wide.getType(), number)
            : builder.createOrFold<arith::ExtUIOp>(wide.getType(), number);
    require(arith::CmpIPredicate::eq, again, wide);
    return true;
  }

  /// Low bits; what they are of counts modulo a power of two from here on.
  bool undoMask(Operation *op) {
    Value bits = getUniform(op->getOperand(1 - counting));
    APInt low;
    if (mask || !bits || !matchPattern(bits, m_ConstantInt(&low)) ||
        !low.isMask())
      return false;
    mask = bits;
    require(arith::CmpIPredicate::ule, number, spread(bits));
    return true;
  }

  bool finish(IotaOp iota) {
    auto type = cast<RankedTensorType>(iota.getType());
    unsigned bits =
        ConstantIntRanges::getStorageBitwidth(type.getElementType());
    APInt start(bits, iota.getStart(), /*isSigned=*/true), none = start - 1;
    if (mask) {
      APInt low;
      matchPattern(mask, m_ConstantInt(&low));
      if (!start.isZero() || low.ult(type.getNumElements() - 1))
        return false;
      number = builder.createOrFold<arith::AndIOp>(number, spread(mask));
    }
    // Where a tile has all numbers of its type, there is none besides.
    if (isRight && bits < 64 && type.getNumElements() >> bits)
      return false;
    if (isRight)
      number = builder.createOrFold<arith::SelectOp>(
          isRight, number,
          spread(arith::ConstantOp::create(
              builder, builder.getIntegerAttr(type.getElementType(), none))));
    return true;
  }

  void require(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    Value holds = builder.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
    isRight =
        isRight ? builder.createOrFold<arith::AndIOp>(isRight, holds) : holds;
  }

  /// The number that a tile has everywhere, or null.
  Value getUniform(Value tile) {
    Renamed renamed = stripRenaming(tile);
    if (!isTileType(renamed.source.getType()))
      return renamed.source;
    DenseElementsAttr constant;
    if (!matchPattern(renamed.source, m_Constant(&constant)) ||
        !constant.isSplat())
      return nullptr;
    return arith::ConstantOp::create(
        builder, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  }

  Type withElement(Type element) {
    auto tile = dyn_cast<RankedTensorType>(number.getType());
    return tile ? Type(tile.clone(element)) : element;
  }

  /// A scalar for each number that is looked for.
  Value spread(Value scalar) {
    Type type = withElement(scalar.getType());
    return isTileType(type) ? Value(SplatOp::create(builder, type, scalar))
                            : scalar;
  }

  ImplicitLocOpBuilder &builder;
  Value number;
  /// Where that is not true, there is no such count; null: it is.
  Value isRight;
  /// Low bits that alone count; null: all do.
  Value mask;
  unsigned counting = 0;
  unsigned numSteps = 0;
};

struct ComparePlaces
    : tilewright::tile::impl::TileComparePlacesBase<ComparePlaces> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> compares;
    getOperation().walk([&](arith::CmpIOp op) {
      using P = arith::CmpIPredicate;
      if (isTileType(op.getType()) &&
          (op.getPredicate() == P::eq || op.getPredicate() == P::ne))
        compares.push_back(op);
    });
    for (arith::CmpIOp op : compares)
      if (!rewrite(op, op.getLhs(), op.getRhs()))
        rewrite(op, op.getRhs(), op.getLhs());
  }

private:
  /// Whether no dimension along which one counts is one of the other.
  static bool areApart(const Renamed &counts, const Renamed &numbers) {
    return llvm::all_of(
        llvm::zip_equal(counts.dims, numbers.dims),
        [](auto dims) { return !std::get<0>(dims) || !std::get<1>(dims); });
  }

  static bool rewrite(arith::CmpIOp op, Value counting, Value other) {
    Renamed counts = stripRenaming(counting), numbers = stripRenaming(other);
    if (!isTileType(counts.source.getType()) ||
        cast<RankedTensorType>(counts.source.getType()).getRank() != 1 ||
        (isTileType(numbers.source.getType()) && !areApart(counts, numbers)))
      return false;
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Equation equation(builder, numbers.source);
    IotaOp iota = equation.solve(counts.source);
    if (!iota || !equation.isWorthwhile())
      return false;
    Value result = arith::CmpIOp::create(
        builder, op.getPredicate(), rename(builder, counts, iota),
        rename(builder, numbers, equation.getCount()));
    op.replaceAllUsesWith(result);
    op.erase();
    return true;
  }
};
} // namespace
