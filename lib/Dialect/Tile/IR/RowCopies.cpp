//===- RowCopies.cpp - Rows that are copied ahead ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "TileOps.h"
#include "tilewright/Dialect/Tile/IR/RegisterLayoutContext.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.cpp.inc"

/// Whether the tile has room for one row of what the pointer points to.
static LogicalResult verifyRow(Operation *op, PtrType pointer,
                               SharedType tile) {
  Type type = tile.getElementType();
  if (pointer.getElementType() != type)
    return op->emitOpError("moves elements of one type, not between ")
           << pointer.getElementType() << " and " << type;
  if (getElementBytes(type) != 2)
    return op->emitOpError(
        "moves elements of 2 bytes, of which a word has two");
  ArrayRef<int64_t> shape = tile.getShape();
  if (tile.getNumElements() != shape.back())
    return op->emitOpError("moves one row, along the last dimension of its "
                           "shared tile");
  return verifyRoomForRows(op, tile, shape.size() - 1, "such a row");
}

SmallVector<MemoryAccess, 2> CopyRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Global, getSource());
  read.end = AccessEnd::WithGroup;
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.end = AccessEnd::WithGroup;
  return {read, write};
}

LogicalResult CopyRowOp::verify() {
  return verifyRow(*this, getSource().getType(), getDest().getType());
}

SmallVector<MemoryAccess, 2> LoadRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  read.registers = getRegisterLayout(getResult().getType());
  return {read};
}

RegisterLayoutAttr LoadRowOp::chooseLayout(const LayoutContext &context) {
  return context.getDefault(cast<RankedTensorType>(getResult().getType()));
}

LogicalResult LoadRowOp::verify() {
  SharedType tile = getSource().getType();
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getShape() != tile.getShape() ||
      result.getElementType() != tile.getElementType() ||
      result.getElementType() != getFirst().getType())
    return emitOpError("loads a tile as the shared one, not ") << result;
  return verifyRow(*this, getFrom().getType(), tile);
}

SmallVector<MemoryAccess, 2> PlaceRowOp::getMemoryAccesses() {
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.registers = getRegisterLayout(getValue().getType());
  return {write};
}

LogicalResult PlaceRowOp::verify() {
  SharedType tile = getDest().getType();
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getShape() != tile.getShape() ||
      value.getElementType() != tile.getElementType())
    return emitOpError("places a tile as the shared one, not ") << value;
  return verifyRow(*this, getTo().getType(), tile);
}

SmallVector<MemoryAccess, 2> StoreRowOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  MemoryAccess write = makeWrite(MemorySpace::Global, getDest());
  return {read, write};
}

LogicalResult StoreRowOp::verify() {
  return verifyRow(*this, getDest().getType(), getSource().getType());
}
