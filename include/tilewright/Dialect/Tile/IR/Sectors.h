//===- Sectors.h - Blocks that are stored by whole sectors ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of `tile.copy_sectors` and `tile.store_sectors`: a program
// stores the sectors that begin in its block, whole, and so reads elements of
// its neighbour's.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_SECTORS_H
#define TILEWRIGHT_DIALECT_TILE_IR_SECTORS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// What memory is written by without being read, in bytes.
inline constexpr int64_t kSectorBytes = 32;

/// The shape of a block with the elements of the last sectors of its rows,
/// which go along `dim`.
llvm::SmallVector<int64_t> getShapeBeyond(SharedType tile, unsigned dim);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_SECTORS_H
