//===- WarpGrid.h - How warps share out a product ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the warps of a block share a product. Each reads the rows of A and the
// columns of B of its part, so that parts are as square as their costs are:
//
//   128 x 128, 8 warps, equal costs:  4 x 2 parts of 32 x 64, which read 96
//                                     8 x 1 parts of 16 x 128 would read 144
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_REGISTERS_WARPGRID_H
#define TILEWRIGHT_LIB_LAYOUT_REGISTERS_WARPGRID_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace tilewright {

/// The warps of a block as a grid over an accumulator.
struct WarpGrid {
  /// Warps with a part of their own, below and beside one another.
  int64_t rows = 1, columns = 1;
  /// How many warps hold each part.
  int64_t copies = 1;
};

/// The smallest part of a warp, and what a row and a column of a part cost: the
/// parts are those for which rows * rowCost + columns * columnCost, what a warp
/// reads of both operands for a step along K, is least. Among equals the parts
/// are rather wide than high.
struct WarpPart {
  int64_t leastRows, leastColumns;
  int64_t rowCost = 1, columnCost = 1;
};

inline WarpGrid chooseWarpGrid(llvm::ArrayRef<int64_t> shape, int64_t numWarps,
                               const WarpPart &part) {
  WarpGrid best;
  int64_t bestCost = INT64_MAX;
  for (int64_t rows = 1; rows <= numWarps; rows *= 2) {
    WarpGrid grid;
    grid.rows = std::min(rows, std::max<int64_t>(1, shape[0] / part.leastRows));
    grid.columns = std::min(numWarps / rows,
                            std::max<int64_t>(1, shape[1] / part.leastColumns));
    grid.copies = numWarps / (grid.rows * grid.columns);
    // Warps without a part of their own are worse than any shape.
    int64_t cost = (shape[0] / grid.rows * part.rowCost +
                    shape[1] / grid.columns * part.columnCost) *
                   grid.copies;
    if (cost <= bestCost) {
      best = grid;
      bestCost = cost;
    }
  }
  return best;
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_REGISTERS_WARPGRID_H
