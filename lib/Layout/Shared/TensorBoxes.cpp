//===- TensorBoxes.cpp - A shared tile as boxes of bulk copies ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/TensorBoxes.h"

using namespace tilewright;

/// The mode and the row dimension that make such a layout.
static bool findMode(const SharedLayout &layout, unsigned elementBytes,
                     TensorBoxes &boxes) {
  for (const HardwareSwizzle &mode : HardwareSwizzle::all())
    for (unsigned dim = 0; dim < layout.shape().size(); ++dim) {
      llvm::Expected<SharedLayout> made =
          hardwareLayout(layout.shape(), elementBytes, dim, mode);
      if (!made) {
        llvm::consumeError(made.takeError());
        continue;
      }
      if (*made != layout)
        continue;
      boxes.rowDim = dim;
      boxes.rowBytes = mode.rowBytes;
      return true;
    }
  return false;
}

/// Adds the boxes that begin at `start` in the dimensions before `dim`.
static void addBoxes(TensorBoxes &boxes, const SharedLayout &layout,
                     unsigned elementBytes, unsigned dim,
                     llvm::SmallVector<int64_t> &start) {
  if (dim == start.size()) {
    llvm::SmallVector<int32_t> point(start.begin(), start.end());
    boxes.boxes.push_back({start, layout.offset(point) * elementBytes});
    return;
  }
  for (start[dim] = 0; start[dim] < layout.shape()[dim];
       start[dim] += boxes.extents[dim])
    addBoxes(boxes, layout, elementBytes, dim + 1, start);
}

llvm::SmallVector<unsigned> TensorBoxes::getOrder(unsigned rank,
                                                  unsigned rowDim) {
  llvm::SmallVector<unsigned> order = {rowDim};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != rowDim)
      order.push_back(dim);
  return order;
}

std::optional<TensorBoxes> TensorBoxes::of(const SharedLayout &layout,
                                           unsigned elementBytes) {
  TensorBoxes boxes;
  if (layout.shape().empty() || !findMode(layout, elementBytes, boxes))
    return std::nullopt;
  // A dimension that is cut leaves those behind it with extents of 1: rows of
  // the box must follow one another in the tile.
  bool isCut = false;
  boxes.extents.resize(layout.shape().size());
  for (unsigned dim : getOrder(layout.shape().size(), boxes.rowDim)) {
    int64_t most =
        dim == boxes.rowDim ? boxes.rowBytes / elementBytes : maxExtent;
    boxes.extents[dim] = isCut ? 1 : std::min(layout.shape()[dim], most);
    isCut |= dim != boxes.rowDim && boxes.extents[dim] != layout.shape()[dim];
  }
  llvm::SmallVector<int64_t> start(layout.shape().size());
  addBoxes(boxes, layout, elementBytes, 0, start);
  return boxes;
}

std::optional<TensorBoxes> TensorBoxes::getPart(int64_t parts) const {
  if (extents.size() != 2)
    return std::nullopt;
  unsigned across = 1 - rowDim;
  int64_t rows = boxes.back().start[across] + extents[across];
  TensorBoxes part = *this;
  part.partRows = rows / parts;
  part.partBytes = part.partRows * rowBytes;
  part.extents[across] = std::min(extents[across], part.partRows);
  if (rows % parts != 0 || part.partRows % HardwareSwizzle::periodRows != 0 ||
      part.partRows % part.extents[across] != 0)
    return std::nullopt;
  llvm::erase_if(part.boxes, [&](const Box &box) {
    return box.start[across] >= part.partRows;
  });
  return part;
}
