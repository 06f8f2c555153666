//===- TmaOps.cpp - Bulk copies of boxes of views -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// TensorMapOp
//===----------------------------------------------------------------------===//

int64_t TensorMapOp::getNumMoveDims() {
  return getMoves() ? spec::TensorMap::moveDims : 0;
}

LogicalResult TensorMapOp::verify() {
  ViewType view = getView().getType();
  auto rank = static_cast<int64_t>(view.getShape().size());
  int64_t most = kMaxRank - getNumMoveDims();
  if (rank > most || static_cast<int64_t>(getBox().size()) != rank)
    return emitOpError("has a box of as many dimensions as the view, 1 to ")
           << most << (getMoves() ? " of a map that moves" : "")
           << "; the view has " << rank << ", the box " << getBox().size();
  for (int64_t extent : getBox())
    if (extent < 1 || extent > kMaxBoxExtent)
      return emitOpError("the extents of a box are 1 to ")
             << kMaxBoxExtent << ", not " << extent;
  auto rowBytes = static_cast<int64_t>(getRowBytes());
  if (!llvm::is_contained({16, 32, 64, 128}, rowBytes))
    return emitOpError("rows have 16, 32, 64 or 128 bytes, not ") << rowBytes;
  std::optional<unsigned> rowDim = view.getContiguousDim();
  if (!rowDim)
    return emitOpError("needs a dimension whose stride is 1, written in the "
                       "type of the view");
  if (getBox()[*rowDim] * getElementBytes(view.getElementType()) != rowBytes)
    return emitOpError("the box is as long as a row of ")
           << rowBytes << " bytes along dimension " << *rowDim;
  if (getLast() && (rank != 2 || getMoves()))
    return emitOpError("'last' is of maps of two dimensions that do not move");
  if (!describeTensorMap(getView(), getBox(), rowBytes, getMoves(), getLast()))
    return emitOpError("is made by a launch: the view's base is an argument of "
                       "the kernel, and its extents and strides are constants, "
                       "integer arguments or products of those");
  return success();
}

//===----------------------------------------------------------------------===//
// CopyTmaOp
//===----------------------------------------------------------------------===//

TensorMapOp CopyTmaOp::getTensorMap() {
  return getMap().getDefiningOp<TensorMapOp>();
}

/// What the hardware does is ordered by the hand-over of the slot alone.
SmallVector<MemoryAccess, 2> CopyTmaOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Global, getTensorMap().getView());
  if (!getMoved()) // Else it is another view.
    read.indices = llvm::to_vector<3>(getOffsets());
  read.end = AccessEnd::WithHandOver;
  MemoryAccess write = makeWrite(MemorySpace::Shared, getDest());
  write.proxy = MemoryProxy::Async;
  write.end = AccessEnd::WithHandOver;
  SmallVector<MemoryAccess, 2> accesses = {read, write};
  if (Value barrier = getBarrier())
    accesses.push_back(accessBarrier(barrier));
  return accesses;
}

/// What a map and an op that takes it need of one another.
template <typename Op> static LogicalResult verifyMap(Op op) {
  TensorMapOp map = op.getTensorMap();
  if (!map)
    return op.emitOpError("takes a map that is made by a tile.tensor_map");
  if (static_cast<bool>(op.getMoved()) != map.getMoves())
    return op.emitOpError("says by how much a map is moved, if the map moves, "
                          "and only then");
  return success();
}

/// What a map and the tile that is copied by it need of one another.
template <typename Op>
static LogicalResult verifyBoxes(Op op, SharedType tile,
                                 const std::optional<TensorBoxes> &boxes) {
  if (failed(verifyMap(op)))
    return failure();
  TensorMapOp map = op.getTensorMap();
  ViewType view = map.getView().getType();
  size_t rank = view.getShape().size();
  if (op.getOffsets().size() != rank || tile.getShape().size() != rank)
    return op.emitOpError("view, coordinates and shared tile have one rank: "
                          "the view has ")
           << rank << ", the coordinates " << op.getOffsets().size()
           << ", the shared tile " << tile.getShape().size();
  if (view.getElementType() != tile.getElementType())
    return op.emitOpError("copies elements of one type, not between ")
           << view.getElementType() << " and " << tile.getElementType();
  if (!tile.getLayout())
    return op.emitOpError("needs a layout of the hardware, which the tile has "
                          "not yet");
  if (!boxes || boxes->extents != map.getBox() ||
      boxes->rowBytes != static_cast<int64_t>(map.getRowBytes()) ||
      view.getContiguousDim() != boxes->rowDim)
    return op.emitOpError("the layout of the shared tile is not made of boxes "
                          "of the map");
  return success();
}

std::optional<TensorBoxes> CopyTmaOp::getBoxes() {
  std::optional<TensorBoxes> boxes = getDest().getType().getTensorBoxes();
  std::optional<int64_t> axis = getSharedAlong();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!boxes || !axis || !kernel)
    return boxes;
  return boxes->getPart(getClusterPrograms(kernel)[*axis]);
}

LogicalResult CopyTmaOp::verify() {
  if (std::optional<int64_t> axis = getSharedAlong()) {
    auto kernel = (*this)->getParentOfType<KernelOp>();
    if (*axis < 0 || *axis > 2 ||
        (kernel && getClusterPrograms(kernel)[*axis] < 2))
      return emitOpError("is shared along an axis along which a cluster has "
                         "several programs ('")
             << kClusterProgramsAttr << "'), not along " << *axis;
  }
  if (failed(verifyBoxes(*this, getDest().getType(), getBoxes())))
    return failure();
  return getRows() ? verifyRows() : success();
}

unsigned CopyTmaOp::getDimAcross() { return 1 - getBoxes()->rowDim; }

int64_t CopyTmaOp::countTileRows() {
  return getDest().getType().getShape()[getDimAcross()];
}

bool CopyTmaOp::mayCopySomeRows() {
  std::optional<int64_t> axis = getSharedAlong();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  int64_t blocks = axis && kernel ? getClusterPrograms(kernel)[*axis] : 1;
  return getBoxes()->extents[getDimAcross()] * blocks == countTileRows();
}

/// What a block copies of some rows is one box, or some side by side.
LogicalResult CopyTmaOp::verifyRows() {
  TensorMapOp map = getTensorMap(),
              last = getLast().getDefiningOp<TensorMapOp>();
  if (!last || !last.getLast() || map.getLast() ||
      last.getView() != map.getView() || last.getBox() != map.getBox() ||
      last.getRowBytes() != map.getRowBytes())
    return emitOpError("copies some rows by a map that is 'last', and else as "
                       "the one of all rows");
  if (!mayCopySomeRows())
    return emitOpError(
        "copies some rows of boxes that are as high as the tile, "
        "or as the part of a block");
  return success();
}

//===----------------------------------------------------------------------===//
// PrefetchTmaOp
//===----------------------------------------------------------------------===//

TensorMapOp PrefetchTmaOp::getTensorMap() {
  return getMap().getDefiningOp<TensorMapOp>();
}

LogicalResult PrefetchTmaOp::verify() {
  if (failed(verifyMap(*this)))
    return failure();
  size_t rank = getTensorMap().getView().getType().getShape().size();
  if (getOffsets().size() != rank)
    return emitOpError("view and coordinates have one rank: the view has ")
           << rank << ", the coordinates " << getOffsets().size();
  return success();
}

//===----------------------------------------------------------------------===//
// StoreTmaOp
//===----------------------------------------------------------------------===//

TensorMapOp StoreTmaOp::getTensorMap() {
  return getMap().getDefiningOp<TensorMapOp>();
}

SmallVector<MemoryAccess, 2> StoreTmaOp::getMemoryAccesses() {
  MemoryAccess read = makeRead(MemorySpace::Shared, getSource());
  read.proxy = MemoryProxy::Async;
  read.end = AccessEnd::WithStore;
  if (getWarpgroups())
    read.warpgroupDim = 1 - getBoxes()->rowDim;
  MemoryAccess write = makeWrite(MemorySpace::Global, getTensorMap().getView());
  if (!getMoved()) { // Else it is another view.
    write.indices = llvm::to_vector<3>(getOffsets());
    write.extents = llvm::to_vector<3>(getSource().getType().getShape());
  }
  write.end = AccessEnd::WithStore;
  return {read, write};
}

std::optional<TensorBoxes> StoreTmaOp::getBoxes() {
  std::optional<TensorBoxes> boxes = getSource().getType().getTensorBoxes();
  return boxes && getWarpgroups() ? boxes->getPart(*getWarpgroups()) : boxes;
}

LogicalResult StoreTmaOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  int64_t groups =
      kernel ? kernel.getNumWarpsOrDefault() / WarpgroupMma::warps : 1;
  if (std::optional<int64_t> parts = getWarpgroups(); parts && *parts != groups)
    return emitOpError("is divided among ")
           << *parts << " warpgroups, of which the kernel has " << groups;
  return verifyBoxes(*this, getSource().getType(), getBoxes());
}
