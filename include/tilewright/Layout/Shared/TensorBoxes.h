//===- TensorBoxes.h - A shared tile as boxes of bulk copies ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bulk tensor copy moves one box. Its rows are as long as a mode of the
// hardware says, and it has at most 256 of them along each dimension; a larger
// tile is several boxes, one behind the other:
//
//   64 x 256 f16, rows along dimension 1, mode 128B:
//   four boxes of 64 x 64, at columns 0, 64, 128 and 192 and at bytes 0, 8192,
//   16384 and 24576 of the tile
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_TENSORBOXES_H
#define TILEWRIGHT_LAYOUT_SHARED_TENSORBOXES_H

#include "tilewright/Layout/Shared/HardwareSwizzle.h"

namespace tilewright {

struct TensorBoxes {
  /// The dimension along which rows go, and their bytes.
  unsigned rowDim = 0;
  int64_t rowBytes = 0;
  /// The extents of a box, by dimension of the tile.
  llvm::SmallVector<int64_t> extents;

  /// A box of the tile.
  struct Box {
    /// Its first element.
    llvm::SmallVector<int64_t> start;
    /// Where it begins in the tile, in bytes.
    int64_t byte;
  };
  llvm::SmallVector<Box> boxes;
  /// The way from one of the parts of `getPart` to the next, in bytes and in
  /// elements across rows.
  int64_t partBytes = 0, partRows = 0;

  /// The most elements of a box along a dimension (CUDA Driver API,
  /// cuTensorMapEncodeTiled).
  static constexpr int64_t maxExtent = 256;

  /// The dimensions of a tile from the one that varies fastest in a box on.
  static llvm::SmallVector<unsigned> getOrder(unsigned rank, unsigned rowDim);

  /// The boxes of the first of so many equal parts of a tile of two dimensions,
  /// which is divided across its rows; none where parts are no whole boxes.
  std::optional<TensorBoxes> getPart(int64_t parts) const;

  /// None where the layout is none that bulk copies write.
  static std::optional<TensorBoxes> of(const SharedLayout &layout,
                                       unsigned elementBytes);
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_TENSORBOXES_H
