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

/// Of an access through pointers, or through one.
mlir::LogicalResult verifyPointerWidth(mlir::Operation *op,
                                       std::optional<int64_t> width);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_IR_TILEOPS_H
