//===- NarrowRows.h - Rows that begin anywhere, in loops --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that threads load or store by less than a word at a time, where each
// lies in memory, and what of a loop orders them in shared memory: barriers
// that stand in it anyway.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NARROWROWS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NARROWROWS_H

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether the access is to a row, whose elements stand side by side from the
/// beginning of the view's row on, by less than a word at a time.
bool isNarrowRow(GlobalAccessOpInterface access);

/// A shared tile for such a row, wherever in 16 bytes it begins.
SharedType getRowBufferType(mlir::RankedTensorType tile);

/// What the access's view has along rows, where it has any rows: what is loaded
/// without a branch has a view of none instead.
mlir::OpFoldResult getColumnsOfRows(GlobalAccessOpInterface access);

/// A row of memory, as `tile.copy_row` and `tile.store_row` take it.
struct RowInMemory {
  mlir::TypedValue<PtrType> pointer;
  /// Elements that the view has of it, at most those of the tile.
  mlir::Value count;
};

/// Finds where an access has its row, at the insertion point: without elements
/// where `exists` is given and false.
RowInMemory findRow(mlir::OpBuilder &builder, mlir::Location loc,
                    const MemoryAccess &access, int64_t rowElements,
                    mlir::Value exists = nullptr);

/// Elements of each row that there is, at most those of the tile.
mlir::Value findLengthOfRows(mlir::OpBuilder &builder, mlir::Location loc,
                             GlobalAccessOpInterface access);

/// Elements that narrow rows have at the most, as far as bounds tell: null
/// where these are as many as the tile has.
mlir::IntegerAttr getMostOfRows(llvm::ArrayRef<GlobalAccessOpInterface> rows);
/// Elements that such rows have at the least, where they have any: null where
/// that may be one.
mlir::IntegerAttr getLeastOfRows(llvm::ArrayRef<GlobalAccessOpInterface> rows);

/// The first op of the body, behind `after` if that is given, that reads from a
/// shared tile what the body has stored there since: a barrier stands before
/// it.
mlir::Operation *findMeeting(mlir::Block &body,
                             mlir::Operation *after = nullptr);

/// Whether the kernel's threads do all, alike, and are all that there are.
bool isDoneByThreads(KernelOp kernel);

/// Iterations from the copy of a row to its use, which is as many slots, at the
/// least: one is what registers hold.
inline constexpr int64_t kLeastRowsAhead = 2;

/// As many blocks on a multiprocessor as are to have room, whose threads hold
/// so many tiles of a row's elements, each in a register of its own: as many as
/// `keep-in-slots` wants, or fewer, down to two, where registers do not hold
/// it.
int64_t countBlocksOfRows(KernelOp kernel, int64_t numTiles);

/// Bytes of shared memory that each of so many blocks has, and those of it that
/// the kernel's tiles take by now.
int64_t getSharedBytesOfBlock(KernelOp kernel, int64_t blocks);
int64_t countSharedBytes(KernelOp kernel);

/// Bytes for rows beside other tiles, if a third stays for what registers do
/// not hold.
int64_t getRoomForRows(KernelOp kernel, int64_t blocks);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NARROWROWS_H
