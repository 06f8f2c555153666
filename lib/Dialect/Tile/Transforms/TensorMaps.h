//===- TensorMaps.h - Maps for what bulk copies move ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"

namespace tilewright::tile {

/// What bases and strides of a map are multiples of, in bytes (CUDA Driver API,
/// cuTensorMapEncodeTiled).
inline constexpr int64_t kMapBytes = 16;

/// Whether what the op loads or stores is a block of a view that a launch can
/// make a map of, whatever the layout of the shared tile.
bool mayHaveTensorMap(GlobalAccessOpInterface access,
                      const AxisInfoAnalysis &axes);

/// The map by which such boxes of the view are copied, the one that there is or
/// a new one. There must be one: describeTensorMap says whether.
TensorMapOp getTensorMap(mlir::Value view, const TensorBoxes &boxes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_TENSORMAPS_H
