//===- ArgumentBounds.h - From where to where an argument is ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch knows how long rows are. Where a tile has a row, and masks what is
// behind its end, code may rely on the end being in one part of the tile:
//
//   tile.kernel @softmax(%x: !tile.ptr<f16>,
//                        %n: i32 {tile.bounds = array<i64: 3841, 4096>}) {
//     %columns = tile.iota : tensor<4096xi32>
//     %end = tile.splat %n : i32 -> tensor<4096xi32>
//     %inside = arith.cmpi slt, %columns, %end : tensor<4096xi32>
//
// All columns but the last 256 are inside.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ARGUMENTBOUNDS_H
#define TILEWRIGHT_DIALECT_TILE_IR_ARGUMENTBOUNDS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On an integer argument: all that it may be, both ends included.
inline constexpr llvm::StringLiteral kBoundsAttr = "tile.bounds";

struct ArgumentBounds {
  int64_t least, most;
};

std::optional<ArgumentBounds> getArgBounds(KernelOp kernel, unsigned index);
void setArgBounds(KernelOp kernel, unsigned index, ArgumentBounds bounds);
/// Whether the attribute is one of bounds on an integer.
bool areLegalBounds(mlir::Attribute attr, mlir::Type type);

/// For each argument, the columns of the widest tile of a row that ends at it;
/// 0 where there is none: a tile with a column for each place, from 0 on, is
/// compared with the argument, or is a block of a view that ends there. Only of
/// kernels that combine rows, load few bytes or store tiles of rows, and have
/// no products; and of wide tiles, of which a thread has several registers.
llvm::SmallVector<unsigned> findRowColumns(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ARGUMENTBOUNDS_H
