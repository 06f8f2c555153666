//===- AsyncOps.cpp - Copies that run ahead -----------------------*-C++-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

SmallVector<MemoryAccess, 2> CopyAsyncOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Global, getSource());
  read.indices = llvm::to_vector<3>(getOffsets());
  read.mask = getInside();
  read.end = AccessEnd::WithGroup;
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.registers = getRegisters();
  write.end = AccessEnd::WithGroup;
  return {read, write};
}

/// Pointers stand with the threads that copy; what belongs to them is not said
/// of a view.
static LogicalResult verifySource(CopyAsyncOp op) {
  std::optional<int64_t> axis = op.getAxis();
  if (op.getViewType()) {
    if (op.getInside() || axis)
      return op.emitOpError("of a view says by its coordinates what is inside, "
                            "and by its strides what follows one another");
    return success();
  }
  if (!op.getOffsets().empty())
    return op.emitOpError("of pointers has no coordinates");
  auto pointers = cast<RankedTensorType>(op.getSource().getType());
  if (getRegisterLayout(pointers) != op.getRegisters())
    return op.emitOpError("pointers stand in the layout of the copying "
                          "threads");
  if (op.getInside() && op.getInside().getType() != getMaskType(pointers))
    return op.emitOpError("what is inside has the shape and layout of the "
                          "pointers");
  if (axis && (*axis < 0 || *axis >= pointers.getRank()))
    return op.emitOpError("the axis is one of ")
           << pointers.getRank() << " dimensions, not " << *axis;
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  SharedType dest = getDest().getType();
  size_t rank = cast<ShapedType>(getSource().getType()).getRank();
  size_t numOffsets = getViewType() ? getOffsets().size() : rank;
  if (numOffsets != rank || dest.getShape().size() != rank)
    return emitOpError("view, coordinates and shared tile have one rank: the ")
           << (getViewType() ? "view" : "tile of pointers") << " has " << rank
           << ", the coordinates " << numOffsets << ", the shared tile "
           << dest.getShape().size();
  Type elementType =
      getViewType() ? getViewType().getElementType()
                    : getElementTypeOrSelf(getPointee(getSource().getType()));
  if (elementType != dest.getElementType())
    return emitOpError("copies elements of one type, not ")
           << elementType << " to " << dest.getElementType();
  if (getRegisters().getShape() != dest.getShape())
    return emitOpError("the layout of the copying threads is that of another "
                       "shape");
  if (failed(verifySource(*this)))
    return failure();
  if (std::optional<int64_t> width = getVectorWidth()) {
    int64_t bytes = getElementBytes(elementType);
    if (!llvm::is_contained({4 / bytes, 8 / bytes, 16 / bytes}, *width) ||
        *width == 0)
      return emitOpError("an asynchronous copy moves 4, 8 or 16 bytes a "
                         "thread, not ")
             << *width << " elements of " << bytes;
  }
  return success();
}
