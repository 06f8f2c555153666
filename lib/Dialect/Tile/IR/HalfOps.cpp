//===- HalfOps.cpp - Halves of tiles --------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "tilewright/Layout/Algebra/LayoutHalves.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static LogicalResult verifyHalves(Operation *op, Type wholeType, Type halfType,
                                  int64_t axis, int64_t stride) {
  auto whole = cast<RankedTensorType>(wholeType);
  auto half = cast<RankedTensorType>(halfType);
  if (axis >= whole.getRank())
    return op->emitOpError("axis ")
           << axis << " of a tile of " << whole.getRank() << " dimensions";
  if (!llvm::isPowerOf2_64(stride) || stride >= whole.getDimSize(axis))
    return op->emitOpError("the stride is a power of two below ")
           << whole.getDimSize(axis) << ", the extent of the axis, not "
           << stride;
  SmallVector<int64_t> shape(whole.getShape());
  shape[axis] /= 2;
  auto expected = RankedTensorType::get(shape, whole.getElementType());
  if (RegisterLayoutAttr layout = getRegisterLayout(whole)) {
    auto halves = halveLayout(layout.getLayout(), axis, stride);
    if (!halves)
      return op->emitOpError("threads do not have both halves: one bit of the "
                             "registers would have to step by ")
             << stride << " along axis " << axis;
    expected = RankedTensorType::get(
        shape, whole.getElementType(),
        RegisterLayoutAttr::get(op->getContext(), halves->half));
  }
  if (half != expected)
    return op->emitOpError("a half is a ") << expected << ", not a " << half;
  return success();
}

LogicalResult SplitOp::verify() {
  return verifyHalves(*this, getSource().getType(), getLower().getType(),
                      getAxis(), getStride());
}

LogicalResult JoinOp::verify() {
  if (!getRegisterLayout(getType()))
    return emitOpError("belongs to placed programs, in which tiles have a "
                       "register layout");
  return verifyHalves(*this, getType(), getLower().getType(), getAxis(),
                      getStride());
}
