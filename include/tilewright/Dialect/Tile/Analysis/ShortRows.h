//===- ShortRows.h - Short rows of a block, by pointers ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that runs several programs, each of which takes a short row, accesses
// a tile of two dimensions: rows by their pointers, of which each has the same
// columns. So does a program that moves several rows itself.
//
//     %ps = tile.addptr %rows, %columns        // from column 0, or %start, on
//     %mask = arith.andi %active, %inside      // of rows; of columns < %n
//     %x = tile.load %ps mask %mask
//
// Rows may go down through memory, from a last column on:
//
//     %back = arith.subi %last, %columns
//     %ps = tile.addptr %rows, %back
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHORTROWS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHORTROWS_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Tiles of the access's shape: where the row of each element begins, which
/// rows there are, and which columns. Then scalars: the first column, null for
/// 0, where columns end, and from which offset on rows go down; null where they
/// go up.
struct ShortRows {
  mlir::Value pointers, active, inside, start, count, last;
};

/// The rows of an access by pointers, if it is one to such rows.
std::optional<ShortRows> findShortRows(GlobalAccessOpInterface access);

/// Lanes move vectors of so many elements, or single ones, of rows of tiles
/// that have no more columns.
inline constexpr int64_t kVectorOfFour = 4, kShortTile = 128;

/// Whether rows of so many columns at the most leave so much of a short tile
/// that lanes had better have single elements than vectors of four.
bool leavesTile(int64_t most, int64_t columns);

/// How many lanes share a row that a warp moves with others as one run of
/// memory (tile-move-runs): by fewer, fewer of them are behind its end, and it
/// is combined in fewer steps. And how many elements each has side by side,
/// where it loads what programs share, as weights, in vectors; and whether
/// lanes have rows apart, with others in between that they have, too.
struct LanesOfRuns {
  int64_t lanes, elements;
  bool areApart = false;
};

/// Which accesses of a kernel are to rows that had better be moved so: of a
/// block that runs several programs, of programs that only move short rows, or
/// that combine rows of a few columns in tiles of their own.
class RunsOfKernel {
public:
  explicit RunsOfKernel(KernelOp kernel);

  /// Nothing of others. `vector`: the elements that a lane could access at once
  /// otherwise.
  std::optional<LanesOfRuns> getLanes(GlobalAccessOpInterface access,
                                      int64_t vector) const;

  bool areThere() const { return !rows.empty(); }
  /// Whether there are such rows, none of which is moved otherwise.
  bool moveAll(const AxisInfoAnalysis &axes) const;

private:
  std::optional<LanesOfRuns> getLanesOfWords(int64_t columns) const;
  LanesOfRuns avoidConflicts(mlir::RankedTensorType tile, mlir::Value end,
                             int64_t vector, int64_t ofWarp) const;

  /// Accesses to short rows, and for how many columns tiles are loaded that all
  /// programs share.
  llvm::DenseMap<mlir::Operation *, ShortRows> rows;
  llvm::DenseSet<int64_t> sharedColumns;
  /// Whether elements are combined in order, as by scans: each lane more is a
  /// step for all of them.
  bool isInOrder = false;
  /// Whether such rows are stored, too.
  bool isStored = false;
  /// Whether the kernel combines nothing; whether the tiles that are combined
  /// are its own.
  bool computesOnly = false, areOwn = false;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_SHORTROWS_H
