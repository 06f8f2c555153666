//===- ReducedParts.h - Reductions in two steps -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction of the first dimension of a large tile is one of parts, far ones
// of which are in one thread, and one of what these come to:
//
//   %all = reduce %x axis 0            of 64 x 128
//
//   %parts = reshape %x                2 x 32 x 128
//   %few = reduce %parts axis 0        32 x 128, which has fewer words
//   %all = reduce %few axis 0
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_REDUCEDPARTS_H
#define TILEWRIGHT_DIALECT_TILE_IR_REDUCEDPARTS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Reduces a tile as a reduction of one tile does its own.
mlir::Value reduceLike(mlir::OpBuilder &builder, ReduceOp like,
                       mlir::Value source);

/// Whether the first dimension has so many parts, and more than one element
/// each.
bool canReduceParts(ReduceOp reduce, int64_t parts);

/// What the tile of a reduction along its first dimension comes to in so many
/// parts, in front of the reduction.
mlir::Value reduceFarParts(ReduceOp reduce, int64_t parts);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_REDUCEDPARTS_H
