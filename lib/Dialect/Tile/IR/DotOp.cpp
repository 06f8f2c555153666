//===- DotOp.cpp - tile.dot -----------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "tilewright/Layout/MmaLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

RegisterLayoutAttr DotOp::inferOperandLayout(unsigned operand,
                                             RegisterLayoutAttr accumulator) {
  auto type = cast<RankedTensorType>(getOperand(operand).getType());
  return RegisterLayoutAttr::get(
      getContext(), mmaOperandLayout(operand, type.getDimSize(1 - operand),
                                     getElementBytes(type.getElementType()),
                                     accumulator.getLayout()));
}

static bool isSupportedPair(Type operand, Type accumulator) {
  if (operand.isInteger(8))
    return accumulator.isInteger(32);
  return accumulator.isF32() && isa<Float16Type, BFloat16Type, Float32Type,
                                    Float8E4M3FNType, Float8E5M2Type>(operand);
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
  MmaShape mma = MmaShape::get(getElementBytes(a.getElementType()));
  int64_t leastK = std::max<int64_t>(16, mma.k);
  if (c.getDimSize(0) < 16 || c.getDimSize(1) < 16 || a.getDimSize(1) < leastK)
    return dot.emitOpError("tiles of ")
           << a.getElementType() << " are at least 16x16x" << leastK;
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (a.getElementType() != b.getElementType() ||
      !isSupportedPair(a.getElementType(), c.getElementType()))
    return emitOpError("no tensor core multiplies ")
           << a.getElementType() << " by " << b.getElementType() << " into "
           << c.getElementType()
           << ": operands are both f16, bf16, f32 (as tf32), f8E4M3FN or "
              "f8E5M2 with f32, or i8 with i32";
  if (failed(verifyShapes(*this, a, b, c)))
    return failure();
  RegisterLayoutAttr layout = getRegisterLayout(c);
  if (!layout && !getRegisterLayout(a) && !getRegisterLayout(b))
    return success();
  if (!layout || !isMmaAccumulatorLayout(layout.getLayout()))
    return emitOpError("the accumulator of a placed program has an mma.sync "
                       "accumulator layout");
  for (unsigned operand : {0u, 1u}) {
    RegisterLayoutAttr expected = inferOperandLayout(operand, layout);
    if (getRegisterLayout(getOperand(operand).getType()) != expected)
      return emitOpError("operand ")
             << operand << " of this accumulator has the layout " << expected;
  }
  return success();
}
