//===- RowRing.h - Rows of memory that are walked along ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who walks along rows of memory that begin anywhere has a ring for each: the
// byte at an address lies where the low bits of the address say.
//
//   byte(row, address) = row * ring + address % ring
//
// Rows are copied in granules of memory, of which a ring has room for some: the
// columns of a granule's width lie in two of them, wherever the row begins, and
// the others are under way. What the next columns need of a granule is there
// already, so that no byte is copied twice.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_ROWRING_H
#define TILEWRIGHT_LAYOUT_SHARED_ROWRING_H

#include "tilewright/Layout/Shared/SharedLayout.h"

namespace tilewright {

struct RowRing {
  /// In a ring.
  static constexpr int64_t granules = 4;
  /// That are under way while the columns of two are read.
  static constexpr int64_t granulesAhead = granules - 1;

  /// Bytes, a power of two.
  int64_t ringBytes;

  int64_t getGranuleBytes() const { return ringBytes / granules; }
  /// Room for so many rows. The first one begins at a multiple of a ring, so
  /// that where a byte lies is put together of bits.
  int64_t countBytes(int64_t rows) const { return (rows + 1) * ringBytes; }

  /// The ring of those that walk along so many rows; none where they have no
  /// room.
  static std::optional<RowRing> choose(int64_t rows, int64_t room);

  /// A layout of a tile with a ring of each row along `rowDim`, in which so
  /// many rows have room.
  SharedLayout getLayout(llvm::ArrayRef<int64_t> shape, unsigned rowDim,
                         unsigned elementBytes, int64_t rows) const;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_ROWRING_H
