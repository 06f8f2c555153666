//===- RowOps.cpp - Blocks whose rows begin anywhere ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What is stored of a row, and of a block, at the least: a word for one lane,
/// and for each of a warp.
static constexpr int64_t kMinStoredRowBytes = 4, kMinBytes = 128;

/// Whether a view and coordinates are such of a block with the tile's elements.
static LogicalResult verifyBlock(Operation *op, ViewType view,
                                 OperandRange offsets, SharedType tile) {
  size_t rank = tile.getShape().size();
  if (view.getShape().size() != rank || offsets.size() != rank)
    return op->emitOpError("view, coordinates and shared tile have one rank: "
                           "the view has ")
           << view.getShape().size() << ", the coordinates " << offsets.size()
           << ", the shared tile " << rank;
  if (view.getElementType() != tile.getElementType())
    return op->emitOpError("moves elements of one type, not between ")
           << view.getElementType() << " and " << tile.getElementType();
  if (!view.getContiguousDim())
    return op->emitOpError("needs a dimension whose stride is 1, written in "
                           "the type of the view");
  return success();
}

LogicalResult tilewright::tile::verifyRoomForRows(Operation *op,
                                                  SharedType tile, unsigned dim,
                                                  StringRef rows) {
  RowBuffer buffer(tile.getShape(), dim,
                   getElementBytes(tile.getElementType()));
  if (tile.getLayout() && tile.getSizeInBytes() >= buffer.bytes)
    return success();
  return op->emitOpError("needs a tile whose layout has ")
         << buffer.bytes << " bytes for " << rows << ", not "
         << (tile.getLayout() ? tile.getSizeInBytes() : 0);
}

/// Whether rows of that view have room in the tile.
static LogicalResult verifyRoom(Operation *op, ViewType view, SharedType tile) {
  return verifyRoomForRows(op, tile, *view.getContiguousDim(), "such rows");
}

SmallVector<MemoryAccess, 2> CopyRowsOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Global, getView());
  read.indices = llvm::to_vector<3>(getOffsets());
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  return {read, write};
}

LogicalResult CopyRowsOp::verify() {
  SharedType tile = getDest().getType();
  ViewType view = getView().getType();
  return failure(failed(verifyBlock(*this, view, getOffsets(), tile)) ||
                 failed(verifyRoom(*this, view, tile)));
}

SmallVector<MemoryAccess, 2> StoreRowsOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  MemoryAccess write = makeWrite(MemorySpace::Global, getView());
  write.indices = llvm::to_vector<3>(getOffsets());
  for (int64_t dim : getOrder())
    write.extents.push_back(getSource().getType().getShape()[dim]);
  return {read, write};
}

LogicalResult StoreRowsOp::verify() {
  SharedType tile = getSource().getType();
  ViewType from = getFrom().getType();
  if (failed(verifyBlock(*this, from, getFromOffsets(), tile)) ||
      failed(verifyBlock(*this, getView().getType(), getOffsets(), tile)) ||
      failed(verifyRoom(*this, from, tile)))
    return failure();
  if (getOrder().size() != tile.getShape().size() ||
      !isPermutationVector(getOrder()))
    return emitOpError("the order is a permutation of ")
           << tile.getShape().size() << " dimensions";
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t rowDim = getOrder()[*getView().getType().getContiguousDim()];
  if (tile.getShape()[rowDim] * bytes < kMinStoredRowBytes ||
      tile.getNumElements() * bytes < kMinBytes)
    return emitOpError("stores rows of ")
           << kMinStoredRowBytes << " bytes or more, of a block of "
           << kMinBytes << " or more";
  return success();
}
