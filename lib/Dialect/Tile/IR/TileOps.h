//===- TileOps.h - Checks that ops of several files share -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEOPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEOPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// `most` elements of a byte are what an instruction moves.
mlir::LogicalResult verifyVectorWidth(mlir::Operation *op,
                                      std::optional<int64_t> width,
                                      int64_t most);

/// Checks the width of an access through pointers, or through one.
mlir::LogicalResult verifyPointerWidth(mlir::Operation *op,
                                       std::optional<int64_t> width);

/// Of rows along that dimension of the tile, which begin anywhere: whether it
/// has room for them. `rows`: what they are called.
mlir::LogicalResult verifyRoomForRows(mlir::Operation *op, SharedType tile,
                                      unsigned dim, llvm::StringRef rows);

/// What all accesses say; more of it each op adds.
MemoryAccess makeRead(MemorySpace space, mlir::Value base);
MemoryAccess makeWrite(MemorySpace space, mlir::Value base);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEOPS_H
