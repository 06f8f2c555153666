//===- TripCount.h - How often an op runs -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts, reports and time bounds weigh an op by how often it runs:
//
//   scf.for %i = 0 to 64 step 16 {          // 4 trips
//     %n = %i + 32
//     %more = %n < 64
//     tile.copy_async ... mask %more        // count 2, ofLoops 4
//     tile.local_load ...                   // count 4
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_TRIPCOUNT_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_TRIPCOUNT_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright::tile {

/// Trips of a loop whose bounds are not known, for weighing accesses against
/// one another: any number well above 1 serves.
inline constexpr int64_t kUnknownTrips = 16;

/// How often an op runs in one run of the kernel; a branch counts as taken.
struct TripCount {
  /// Less the last trips of loops, for what works ahead of them, and finds
  /// nothing to do there: what stands in front of the loop did it for as many
  /// of the first ones. That may be all trips.
  int64_t count = 1;
  /// The same with these trips.
  int64_t ofLoops = 1;
  /// False where a loop around has bounds that are not constant.
  bool isKnown = true;
};
TripCount getTripCount(mlir::Operation *op);

/// On a branch that seldom does what it does first, in place of what it does
/// else, which is all that is told of it.
inline constexpr llvm::StringLiteral kRareAttr = "tile.rare";

/// Whether an op stands where such a branch seldom goes.
bool isRare(mlir::Operation *op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_TRIPCOUNT_H
