//===- RowBuffer.h - Rows of memory that begin anywhere ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is copied by 16 bytes is copied from and to multiples of 16. So rows of
// memory that begin anywhere lie in shared memory as far behind a multiple as
// they do there. Where that is only depends on the stride from row to row,
// modulo 16, and is linear in the number of the row, if the distance of rows in
// shared memory has the same remainder:
//
//   byte(row, i) = origin % 16 + row * (pitch + stride % 16) + i
//
// `pitch` is a multiple of 16, and leaves room for what else is in the first
// and last 16 bytes of a row. Rows whose stride is odd have an odd distance, so
// that a column of bytes, four by four, is in all banks.
//
// Rows of no more than 16 bytes, such as the colours of a pixel, are mostly
// near to one another: where their stride is no more than a row has, they lie
// as they do in memory, in one run.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_ROWBUFFER_H
#define TILEWRIGHT_LAYOUT_SHARED_ROWBUFFER_H

#include "tilewright/Layout/Shared/SharedLayout.h"

namespace tilewright {

struct RowBuffer {
  /// What is copied at a time.
  static constexpr int64_t pieceBytes = 16;
  /// Stored rows whose ends one instruction stores.
  static constexpr int64_t rowsOfEnds = 4;
  /// Pieces that so many bytes touch at the most, wherever they begin.
  static constexpr int64_t countPieces(int64_t rowBytes) {
    return (rowBytes + pieceBytes - 2) / pieceBytes + 1;
  }

  /// The buffer of a tile with this shape, whose rows go along `rowDim`.
  RowBuffer(llvm::ArrayRef<int64_t> shape, unsigned rowDim,
            unsigned elementBytes);

  /// Dimensions of the tile, that of rows first.
  llvm::SmallVector<int64_t> order;
  /// For each dimension of the tile, the bytes from one element to the next,
  /// without what the stride adds to all but the first of `order`.
  llvm::SmallVector<int64_t> pitches;
  /// Room for all, whatever strides and origin.
  int64_t bytes;

  /// Whether rows are that short. Their pitch is the most that a run has, and
  /// what they have where their stride is more.
  bool hasShortRows() const {
    return shape[order.front()] * elementBytes <= pieceBytes;
  }

  /// How many lanes meet in a bank that read the words of a row along `dim`.
  /// Such a word is put together of elements of several rows, which are so many
  /// bytes apart in memory, or an odd number of times as many. 1 of short rows.
  int64_t countWays(unsigned dim, int64_t strideBytes) const;

  /// What copies of all rows take, a piece a lane, by pieces that follow one
  /// another.
  struct Copies {
    int64_t instructions, wavefronts, fewestWavefronts;
  };
  /// Pieces of two rows may meet in a bank. That hangs on where rows begin: it
  /// is the mean of where the first one does, if the others are so many bytes
  /// apart in memory. Not of short rows.
  Copies countCopies(int64_t strideBytes) const;

  /// A layout of the tile in which it has that room; none of one row.
  std::optional<SharedLayout> getLayout() const { return getLayout(shape); }
  /// The same of a smaller tile.
  std::optional<SharedLayout> getLayout(llvm::ArrayRef<int64_t> ofTile) const;

private:
  llvm::SmallVector<int64_t> shape;
  unsigned elementBytes;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_ROWBUFFER_H
