//===- MultiplyHalves.cpp - Products of halves that were made wider -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEMULTIPLYHALVES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// An op between the conversion and the product that only renames elements.
static bool renames(Operation *op) {
  return isa_and_nonnull<DimensionMapOpInterface>(op) &&
         op->getNumOperands() == 1;
}

/// The tile of halves that was made wider, or null.
static Value findHalves(Value wide) {
  while (renames(wide.getDefiningOp()))
    wide = wide.getDefiningOp()->getOperand(0);
  auto widening = wide.getDefiningOp<arith::ExtFOp>();
  if (!widening)
    return nullptr;
  Type half = getElementTypeOrSelf(widening.getIn());
  return half.isF16() || half.isBF16() ? widening.getIn() : nullptr;
}

/// The operand as it is before it is made wider.
static Value makeNarrow(OpBuilder &builder, Value wide, Value halves) {
  Operation *op = wide.getDefiningOp();
  if (!renames(op))
    return halves;
  IRMapping mapping;
  mapping.map(op->getOperand(0),
              makeNarrow(builder, op->getOperand(0), halves));
  Operation *narrow = builder.clone(*op, mapping);
  Value result = narrow->getResult(0);
  result.setType(cast<RankedTensorType>(result.getType())
                     .clone(getElementTypeOrSelf(halves)));
  return result;
}

static void multiplyHalves(DotOp product) {
  if (!product.getTf32())
    return;
  Value a = findHalves(product.getA()), b = findHalves(product.getB());
  if (!a || !b || getElementTypeOrSelf(a) != getElementTypeOrSelf(b))
    return;
  OpBuilder builder(product);
  product.getAMutable().set(makeNarrow(builder, product.getA(), a));
  product.getBMutable().set(makeNarrow(builder, product.getB(), b));
  product.setTf32(false);
}

namespace {
struct MultiplyHalves
    : tilewright::tile::impl::TileMultiplyHalvesBase<MultiplyHalves> {
  void runOnOperation() override {
    getOperation().walk([](DotOp product) { multiplyHalves(product); });
  }
};
} // namespace
