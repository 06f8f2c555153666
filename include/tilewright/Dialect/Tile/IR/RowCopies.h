//===- RowCopies.h - Rows that are copied ahead -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops that copy a row that begins anywhere into shared memory while the
// program goes on, and read it there; and those that move a block by whole
// sectors of memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
#define TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The shape of a block with the elements of the last sectors of its rows,
/// which are stored along `dim`.
llvm::SmallVector<int64_t> getShapeBeyond(SharedType tile, unsigned dim);

/// How many registers a thread has at the least that moves such blocks, by the
/// machine code of many.
inline unsigned countSectorRegisters(SharedType tile) {
  return getElementBytes(tile.getElementType()) == 1 ? 32 : 40;
}

/// The bits of columns of a row that its threads have, not their registers.
int32_t getColumnBitsOfThreads(const LinearLayout &row);

/// Which threads have columns of a row that are even, and which odd ones: two
/// elements, of which each thread has one. Null where a thread has both, or the
/// bits of its columns are not some for the thread, and others for registers.
RegisterLayoutAttr getParityOfColumns(RegisterLayoutAttr row);

/// Rows that each warp has whole, side by side.
struct RunsOfWarps {
  int64_t rows, columns, elementBytes;
  /// Whether lanes have several rows between them, of which each is of a few.
  bool areOfFewLanes;

  /// The runs of a tile of pointers or elements, if it has such; each lane has
  /// elements that no other one has.
  static std::optional<RunsOfWarps> find(mlir::RankedTensorType tile,
                                         int64_t numWarps);

  /// Whether rows that lie apart in memory may lie so in shared memory, each
  /// from the word on in which it begins, in an odd number of words: of lanes
  /// that have a row each, none meet in a bank.
  bool mayLieApart() const {
    return elementBytes > 1 && columns * elementBytes >= 8;
  }
  int64_t getBytesOfWarp(bool areApart) const {
    return rows * columns * elementBytes + getBytesBeside(areApart);
  }
  /// Room for what the pointers of a tile point to.
  SharedType getScratchType(mlir::RankedTensorType pointers,
                            bool areApart) const;

private:
  /// What the rows of a warp may have in front and behind, or in between.
  int64_t getBytesBeside(bool areApart) const;
};

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileRowCopyOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_ROWCOPIES_H
