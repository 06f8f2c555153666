//===- WholeBranch.h - A branch for blocks that cross no end ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most blocks of a kernel have all elements of their tiles, and could move them
// in another way if they knew. So scalars are computed first, and one of them
// tells which code the block takes:
//
//   scf.if %isWhole {
//     // a clone, of views without ends and of masks that leave out less
//   } else {
//     // as it was
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEBRANCH_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEBRANCH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Moves scalars of a block in front of all that is computed of tiles or
/// memory, if they do not hang on it. Returns the first op that stays, or null.
mlir::Operation *moveScalarsToFront(mlir::Block &body);

/// Puts all behind the builder's place into a branch: as it is where `isWhole`
/// does not hold, and as `cloneWhole` clones each op where it does. Returns the
/// block of these.
mlir::Block &branchOnWhole(
    mlir::ImplicitLocOpBuilder &builder, mlir::Value isWhole,
    llvm::function_ref<void(mlir::OpBuilder &builder, mlir::Operation &op,
                            mlir::IRMapping &mapping)>
        cloneWhole);

/// A view that has just so many places along a dimension.
ViewOp makeWholeView(mlir::OpBuilder &builder, ViewOp view, unsigned dim,
                     int64_t extent);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WHOLEBRANCH_H
