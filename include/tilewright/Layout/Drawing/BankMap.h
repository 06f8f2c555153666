//===- BankMap.h - Which bank each element is in ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction of a warp over a tile, for a picture: the bank of each
// element, and of each lane when it is served. Numbers come from the bank model
// (BankModel.h); this only keeps them apart by lane.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_DRAWING_BANKMAP_H
#define TILEWRIGHT_LAYOUT_DRAWING_BANKMAP_H

#include "tilewright/Layout/Shared/SharedAccess.h"

namespace tilewright::banks {

struct BankMap {
  /// What an active lane moves.
  struct Lane {
    unsigned lane = 0, group = 0;
    /// The byte address of its first element, from the start of the tile.
    int64_t address = 0;
    /// Its elements, as row-major numbers in the tile.
    llvm::SmallVector<int64_t, 16> elements;
    /// The wavefront of its group in which the last of its words is served,
    /// from 0.
    unsigned wavefront = 0;
    /// Another lane of its group wants another word of one of its banks.
    bool conflicts = false;
  };

  std::string title;
  /// The tile as a matrix: the last dimension in columns, all others in rows.
  int64_t rows = 1, columns = 1;
  /// For each element in row-major order, the bank of its first byte.
  std::vector<unsigned> bankOf;
  std::vector<Lane> lanes;
  unsigned bytesPerLane = 0, wavefronts = 0, ideal = 0;
  /// Instructions that a warp has, of which this is one.
  size_t instructions = 0;
};

/// Instruction number `instruction` of warp `warp`. Errors: an access that the
/// layout does not serve, with the reason; numbers there are not.
llvm::Expected<BankMap> mapBanks(const SharedAccess &access,
                                 const SharedLayout &layout, size_t instruction,
                                 int64_t warp);

/// Largest tile that is drawn, in elements.
constexpr int64_t maxDrawnElements = 1 << 16;

} // namespace tilewright::banks

#endif // TILEWRIGHT_LAYOUT_DRAWING_BANKMAP_H
