//===- RowTiles.h - How much of a row a program takes -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that reduces has a row, or a part of one, in its largest tile: by
// its size blocks run several such programs (tile-batch-programs), or several
// blocks one (tile-spread-programs).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_ROWTILES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_ROWTILES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On a load: it is under way before what stands behind it, and behind the
/// loads that stand before it, also for ptxas (tile-issue-loads-first).
inline constexpr llvm::StringLiteral kInOrderAttr = "tile.in_order";

/// Registers of a thread for addresses, masks and what is counted, about.
inline constexpr int64_t kOtherRegisters = 24;

/// The same of programs in phases (tile-load-rows-ahead), whose rows begin
/// anywhere: they have conditions for each vector.
inline constexpr int64_t kRegistersInPhases = 40;

/// Elements of the largest tile that an op of the kernel makes; 0 without any.
int64_t countElementsOfRow(KernelOp kernel);

/// How many of these a row has at the most, as far as bounds of arguments tell
/// (ArgumentBounds.h).
int64_t countColumnsOfRow(KernelOp kernel);

/// Elements of a block of one dimension that are inside of its view, at the
/// most, as far as bounds tell.
int64_t countColumnsAtMost(GlobalAccessOpInterface access);

/// Whether the kernel stores as many elements as the row has. Of one that only
/// reads rows, more blocks with one row each have more under way
/// (docs/decisions/0038-rows-one-after-the-other.md).
bool storesRows(KernelOp kernel);

/// Whether something is combined along an axis.
bool combinesRows(KernelOp kernel);

/// Whether that is computed of what is loaded, in a program that is not placed:
/// what is counted in shared memory is not.
bool combinesLoadedRows(KernelOp kernel);

/// Whether the op is one on rows: its tiles have one dimension, and what it
/// makes at one place of a tile hangs on elements at that place, or on all of
/// them, combined in any order.
bool keepsPlaces(mlir::Operation *op);

/// The first op of the kernel that is none, or null.
mlir::Operation *findMixOfPlaces(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_ROWTILES_H
