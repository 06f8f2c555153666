//===- LayoutWishes.h - The register layouts that accesses want -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

namespace tilewright::tile {

/// The layouts that accesses to memory would like.
class LayoutWishes {
public:
  /// `maxBytes`: what an access to global memory may move a thread.
  LayoutWishes(KernelOp kernel, int64_t maxBytes);

  RegisterLayoutAttr get(GlobalAccessOpInterface access) const;

  /// For the result of a product.
  RegisterLayoutAttr get(DotOp dot) const;

  /// For a tile of no known use: its last dimension is taken as the contiguous
  /// one.
  RegisterLayoutAttr getDefault(mlir::RankedTensorType tile) const;

  /// Whether a store may as well use the layout its value is in.
  bool serves(GlobalAccessOpInterface store, RegisterLayoutAttr layout) const;

private:
  RegisterLayoutAttr coalesced(mlir::RankedTensorType tile, unsigned dim,
                               int64_t vector) const;

  AxisInfoAnalysis axes;
  int numWarps;
  int64_t maxBytes;
  /// Of all accesses of a kernel: tiles that meet should meet in one layout.
  bool wantsFewRows;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_LAYOUTWISHES_H
