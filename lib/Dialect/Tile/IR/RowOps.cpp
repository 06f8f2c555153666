//===- RowOps.cpp - Blocks whose rows begin anywhere ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/RowBuffer.h"
#include "tilewright/Layout/Shared/RowRing.h"

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

/// The same of rows of a block with that shape, which may be more than the
/// tile's.
static LogicalResult verifyRoomForBlock(Operation *op, SharedType tile,
                                        ArrayRef<int64_t> shape, unsigned dim,
                                        StringRef rows) {
  RowBuffer buffer(shape, dim, getElementBytes(tile.getElementType()));
  if (tile.getLayout() && tile.getSizeInBytes() >= buffer.bytes)
    return success();
  return op->emitOpError("needs a tile whose layout has ")
         << buffer.bytes << " bytes for " << rows << ", not "
         << (tile.getLayout() ? tile.getSizeInBytes() : 0);
}

LogicalResult tilewright::tile::verifyRoomForRows(Operation *op,
                                                  SharedType tile, unsigned dim,
                                                  StringRef rows) {
  return verifyRoomForBlock(op, tile, tile.getShape(), dim, rows);
}

/// Whether rows of that view have room in the tile.
static LogicalResult verifyRoom(Operation *op, ViewType view, SharedType tile) {
  return verifyRoomForRows(op, tile, *view.getContiguousDim(), "such rows");
}

template <typename Op>
static SmallVector<MemoryAccess, 2> getAccessesOfCopy(Op op) {
  MemoryAccess read = makeRead(MemorySpace::Global, op.getView());
  read.indices = llvm::to_vector<3>(op.getOffsets());
  MemoryAccess write = makeWrite(MemorySpace::Shared, op.getDest());
  return {read, write};
}

SmallVector<MemoryAccess, 2> CopyRowsOp::getMemoryAccesses() {
  return getAccessesOfCopy(*this);
}

static LogicalResult verifyReach(Operation *op, ValueRange reach, size_t rank) {
  if (reach.size() == rank)
    return success();
  return op->emitOpError("has a reach along each of ")
         << rank << " dimensions, not along " << reach.size();
}

LogicalResult CopyRowsOp::verify() {
  SharedType tile = getDest().getType();
  ViewType view = getView().getType();
  if (!getReach().empty() &&
      failed(verifyReach(*this, getReach(), tile.getShape().size())))
    return failure();
  return failure(failed(verifyBlock(*this, view, getOffsets(), tile)) ||
                 failed(verifyRoom(*this, view, tile)));
}

template <typename Op>
static SmallVector<MemoryAccess, 2>
getAccessesOfStore(Op op, ArrayRef<int64_t> shape) {
  MemoryAccess read = makeRead(MemorySpace::Shared, op.getSource());
  MemoryAccess write = makeWrite(MemorySpace::Global, op.getView());
  write.indices = llvm::to_vector<3>(op.getOffsets());
  for (int64_t dim : op.getOrder())
    write.extents.push_back(shape[dim]);
  return {read, write};
}

/// What both ops ask that store, but for room.
template <typename Op> static LogicalResult verifyStore(Op op) {
  SharedType tile = op.getSource().getType();
  if (failed(
          verifyBlock(op, op.getFrom().getType(), op.getFromOffsets(), tile)) ||
      failed(verifyBlock(op, op.getView().getType(), op.getOffsets(), tile)))
    return failure();
  if (op.getOrder().size() != tile.getShape().size() ||
      !isPermutationVector(op.getOrder()))
    return op.emitOpError("the order is a permutation of ")
           << tile.getShape().size() << " dimensions";
  return success();
}

SmallVector<MemoryAccess, 2> StoreRowsOp::getMemoryAccesses() {
  return getAccessesOfStore(*this, getSource().getType().getShape());
}

LogicalResult StoreRowsOp::verify() {
  SharedType tile = getSource().getType();
  if (failed(verifyStore(*this)) ||
      failed(verifyRoom(*this, getFrom().getType(), tile)))
    return failure();
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t rowDim = getOrder()[*getView().getType().getContiguousDim()];
  if (tile.getShape()[rowDim] * bytes < kMinStoredRowBytes ||
      tile.getNumElements() * bytes < kMinBytes)
    return emitOpError("stores rows of ")
           << kMinStoredRowBytes << " bytes or more, of a block of "
           << kMinBytes << " or more";
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks that end with sectors
//===----------------------------------------------------------------------===//

SmallVector<int64_t> tilewright::tile::getShapeBeyond(SharedType tile,
                                                      unsigned dim) {
  SmallVector<int64_t> shape(tile.getShape());
  shape[dim] += bytesPerSector / getElementBytes(tile.getElementType()) - 1;
  return shape;
}

SmallVector<MemoryAccess, 2> CopySectorsOp::getMemoryAccesses() {
  return getAccessesOfCopy(*this);
}

LogicalResult CopySectorsOp::verify() {
  SharedType tile = getDest().getType();
  ViewType view = getView().getType();
  if (failed(verifyBlock(*this, view, getOffsets(), tile)))
    return failure();
  size_t rank = tile.getShape().size();
  if (!getReach().empty() && failed(verifyReach(*this, getReach(), rank)))
    return failure();
  unsigned rowDim = *view.getContiguousDim();
  if (getDim() >= rank || getDim() == rowDim)
    return emitOpError("copies more along one of ")
           << rank << " dimensions, but for that of rows, " << rowDim
           << ": not along " << getDim();
  return verifyRoomForBlock(*this, tile, getShapeBeyond(tile, getDim()), rowDim,
                            "such rows");
}

SmallVector<MemoryAccess, 2> StoreSectorsOp::getMemoryAccesses() {
  return getAccessesOfStore(
      *this, getShapeBeyond(getSource().getType(), getStoredDim()));
}

LogicalResult StoreSectorsOp::verify() {
  if (failed(verifyStore(*this)))
    return failure();
  SharedType tile = getSource().getType();
  unsigned dim = getStoredDim(),
           rowDim = *getFrom().getType().getContiguousDim();
  if (dim == rowDim)
    return emitOpError("stores rows along another dimension than that of rows "
                       "it was copied by");
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t least = lanesPerWarp * std::max<int64_t>(bytes, bytesPerWord);
  if (tile.getShape()[dim] * bytes % least != 0)
    return emitOpError("stores rows of a multiple of ")
           << least << " bytes, a word a lane";
  return verifyRoomForBlock(*this, tile, getShapeBeyond(tile, dim), rowDim,
                            "such rows");
}

//===----------------------------------------------------------------------===//
// Walks along rows
//===----------------------------------------------------------------------===//

/// In one granule of a ring, at the least.
static constexpr int64_t kMinGranuleBytes = 64;

SmallVector<MemoryAccess, 2> WalkRowsOp::getMemoryAccesses() {
  MemoryAccess ring = makeWrite(MemorySpace::Shared, getRing());
  return {makeRead(MemorySpace::Global, getFrom()),
          makeWrite(MemorySpace::Global, getView()), ring,
          makeRead(MemorySpace::Shared, getRing())};
}

LogicalResult WalkRowsOp::verify() {
  SharedType tile = getRing().getType();
  ViewType from = getFrom().getType(), view = getView().getType();
  if (failed(verifyBlock(*this, from, getFromOffsets(), tile)) ||
      failed(verifyBlock(*this, view, getOffsets(), tile)))
    return failure();
  int64_t bytes = getElementBytes(tile.getElementType());
  if (bytes > 2)
    return emitOpError("moves elements of 1 or 2 bytes, not of ") << bytes;
  size_t rank = tile.getShape().size();
  if (failed(verifyReach(*this, getReach(), rank)))
    return failure();
  if (getOrder().size() != rank || !isPermutationVector(getOrder()))
    return emitOpError("the order is a permutation of ")
           << rank << " dimensions";
  unsigned rowDim = *from.getContiguousDim(), dim = getStoredDim();
  if (dim == rowDim)
    return emitOpError("stores rows along another dimension than that of rows "
                       "that are read");
  for (auto [each, extent] : llvm::enumerate(tile.getShape()))
    if (each != dim && each != rowDim && extent != 1)
      return emitOpError("has rings of rows along one dimension, not along ")
             << each << " as well";
  int64_t rows = tile.getShape()[dim];
  RowRing ring{tile.getShape()[rowDim] * bytes};
  if (rows * bytes % (lanesPerWarp * bytesPerWord) != 0)
    return emitOpError("stores rows of a multiple of ")
           << lanesPerWarp * bytesPerWord << " bytes, a word a lane";
  if (ring.getGranuleBytes() < kMinGranuleBytes ||
      !llvm::isPowerOf2_64(ring.ringBytes))
    return emitOpError("needs rings of ")
           << RowRing::granules << " granules of " << kMinGranuleBytes
           << " bytes or more, a power of two, not of " << ring.ringBytes
           << " bytes";
  // Else a warp would copy no row at once.
  constexpr int64_t most = lanesPerWarp * RowBuffer::pieceBytes;
  if (ring.getGranuleBytes() > most)
    return emitOpError("needs granules of ")
           << most << " bytes or less, not of " << ring.getGranuleBytes();
  int64_t room = ring.countBytes(getShapeBeyond(tile, dim)[dim]);
  if (tile.getLayout() && tile.getSizeInBytes() >= room)
    return success();
  return emitOpError("needs a tile whose layout has ")
         << room << " bytes for the rings, not "
         << (tile.getLayout() ? tile.getSizeInBytes() : 0);
}
