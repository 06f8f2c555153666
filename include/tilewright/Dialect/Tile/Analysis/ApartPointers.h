//===- ApartPointers.h - Pointers of which no two meet ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is loaded through some pointers and stored through others needs a
// barrier where one thread may store what another one loads. Whether it may can
// hang on a number of the launch:
//
//   x + heads * stride + dims          dims from 0 to 63
//   x + heads * stride + dims + 64
//
// have no element in common where the stride is 128 or more, and each of them
// names no element twice. Pointers that may do so, as those of a gather, need a
// barrier between a load and a store through themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_APARTPOINTERS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_APARTPOINTERS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tilewright::tile {

/// Values of a number for which that is so, both ends included.
struct ApartRange {
  /// A scalar; null where it may be any.
  mlir::Value number;
  int64_t least = 0, most = 0;
};

/// The pointer, or the tile of pointers, that this is a constant number of
/// elements behind, and that number.
std::pair<mlir::Value, int64_t> getStart(mlir::Value pointers);

/// What is touched: through a tile of pointers, or of a view a block that
/// begins at `indices` and has `extents`.
struct TouchedElements {
  mlir::Value base;
  llvm::ArrayRef<mlir::Value> indices;
  llvm::ArrayRef<int64_t> extents;
};

/// For which values of a stride elements that are touched one time and another
/// time are the same in memory only where their coordinates are; none where
/// that is not known.
std::optional<ApartRange> findApartRange(const TouchedElements &elements,
                                         const TouchedElements &others);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_APARTPOINTERS_H
