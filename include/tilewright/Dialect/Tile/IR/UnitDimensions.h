//===- UnitDimensions.h - Dimensions of one element -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that takes one row at a time may be written for several: its tiles
// are 1 x N, and what there is once a row is a tile of 1 x 1. Without these
// dimensions they are tiles of N, and scalars.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_UNITDIMENSIONS_H
#define TILEWRIGHT_DIALECT_TILE_IR_UNITDIMENSIONS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The type without dimensions of one element: of a tile with no other ones,
/// that of the element.
mlir::Type dropUnitDims(mlir::Type type);

/// Whether the op itself, less those in it, can be written for such types.
bool mayDropUnitDims(mlir::Operation *op);

/// Writes the op for such types, which its operands have by now; `operandTypes`
/// are those that they had. Where another op or a value takes its place these
/// are returned, else none.
llvm::SmallVector<mlir::Value>
dropUnitDimsOf(mlir::Operation *op, llvm::ArrayRef<mlir::Type> operandTypes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_UNITDIMENSIONS_H
