//===- RowsAhead.h - Loads that a program could do early --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program could load before it begins: what follows from its number
// alone, and is not written before.
//
//   %p = tile.addptr %x, %row          // slice: computed of the number only
//   %t = tile.load %p                  // the load
//   tile.store %q, %u                  // of another array
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWSAHEAD_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWSAHEAD_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

/// A load of the block, whose address and mask follow from one of `numbers`
/// alone.
struct RowLoad {
  mlir::Operation *op;
  /// What computes these in the block, in order, less the load.
  llvm::SetVector<mlir::Operation *> slice;
};

/// Bytes of the tile that is loaded; 0 where it is none.
int64_t getLoadedBytes(mlir::Operation *load);

/// Of these loads, in order, as many as registers hold beside a row, one
/// program ahead; none where that is no tile. `numbers`: of the program, in the
/// block or an argument of it.
llvm::SmallVector<RowLoad> chooseRowLoads(KernelOp kernel, mlir::Block &block,
                                          llvm::ArrayRef<mlir::Value> numbers);

/// Loads of tiles that are the same in all iterations of a loop with this body,
/// which writes none of these arrays.
llvm::SmallVector<RowLoad> findSharedLoads(mlir::Block &block);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWSAHEAD_H
