//===- RowCopies.h - Rows that are copied ahead -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops that copy a row that begins anywhere into shared memory while the
// program goes on, and read it there; and those that move a block by whole
// sectors of memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
#define TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The shape of a block with the elements of the last sectors of its rows,
/// which are stored along `dim`.
llvm::SmallVector<int64_t> getShapeBeyond(SharedType tile, unsigned dim);

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
