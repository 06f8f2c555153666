//===- DotOp.cpp - tile.dot -----------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Registers/FmaLayout.h"
#include "tilewright/Layout/Registers/MmaLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static constexpr int64_t kLeastM = 16, kLeastN = 8, kLeastK = 16;

Engine DotOp::getEngineOrDefault() {
  return getEngine().value_or(getProductType(*this).engines.front());
}

static LogicalResult verifyShapes(DotOp dot, RankedTensorType a,
                                  RankedTensorType b, RankedTensorType c) {
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2)
    return dot.emitOpError("multiplies tiles of two dimensions");
  if (a.getDimSize(1) != b.getDimSize(0))
    return dot.emitOpError("the inner extents differ: a has ")
           << a.getDimSize(1) << " columns, b has " << b.getDimSize(0)
           << " rows";
  if (a.getDimSize(0) != c.getDimSize(0) || b.getDimSize(1) != c.getDimSize(1))
    return dot.emitOpError("a product of ")
           << a.getDimSize(0) << "x" << a.getDimSize(1) << " and "
           << b.getDimSize(0) << "x" << b.getDimSize(1)
           << " needs an accumulator of " << a.getDimSize(0) << "x"
           << b.getDimSize(1);
  if (c.getDimSize(0) < kLeastM || c.getDimSize(1) < kLeastN ||
      a.getDimSize(1) < kLeastK)
    return dot.emitOpError("a product is at least ")
           << kLeastM << "x" << kLeastN << "x" << kLeastK
           << " (M x N x K), not " << c.getDimSize(0) << "x" << c.getDimSize(1)
           << "x" << a.getDimSize(1);
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  const ProductType *type =
      findProductType(a.getElementType(), c.getElementType(), getTf32());
  bool isTf32OfOther = getTf32() && !a.getElementType().isF32();
  if (a.getElementType() != b.getElementType() || (!type && !isTf32OfOther))
    return emitOpError("there is no product of ")
           << a.getElementType() << " and " << b.getElementType() << " into "
           << c.getElementType()
           << ": operands are both f16, bf16, f32, f8E4M3FN or f8E5M2 with "
              "f32, f64 with f64, or i8 with i32";
  if (isTf32OfOther)
    return emitOpError("'tf32' is a way to multiply f32, not ")
           << a.getElementType();
  if (getEngine() && !type->isMadeBy(*getEngine()))
    return emitOpError("there are no products of ")
           << a.getElementType() << " by " << stringifyEngine(*getEngine());
  if (failed(verifyShapes(*this, a, b, c)))
    return failure();
  bool isFma = getEngineOrDefault() == Engine::Fma;
  RegisterLayoutAttr layout = getRegisterLayout(c);
  if (!layout && !getRegisterLayout(a) && !getRegisterLayout(b))
    return success();
  if (!layout || (isFma ? !isFmaAccumulatorLayout(layout.getLayout())
                        : !isMmaAccumulatorLayout(layout.getLayout())))
    return emitOpError("the accumulator of a placed program has an ")
           << (isFma ? "FMA" : "mma.sync") << " accumulator layout";
  for (unsigned operand : {0u, 1u}) {
    RegisterLayoutAttr expected = inferOperandLayout(operand, layout);
    if (getRegisterLayout(getOperand(operand).getType()) != expected)
      return emitOpError("operand ")
             << operand << " of this accumulator has the layout " << expected;
  }
  return success();
}
