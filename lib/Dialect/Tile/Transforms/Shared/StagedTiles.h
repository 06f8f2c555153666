//===- StagedTiles.h - What goes into shared memory once --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SHARED_STAGEDTILES_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SHARED_STAGEDTILES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A tile that is stored to several shared tiles of a block, each written by
/// nothing else, is stored to the first one, from where all take it:
///
///     local_store %keys, %a         keys as they are, to be multiplied
///     local_store %keys, %b         and transposed, as values
void shareStagedTiles(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SHARED_STAGEDTILES_H
