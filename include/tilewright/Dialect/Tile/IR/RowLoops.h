//===- RowLoops.h - Loops along rows whose length a launch knows -*- C++ -*-==//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that reduces a row goes along it in parts:
//
//   scf.for %i = %c0 to %n step %c1024 { ... tile.load ... }   // total
//   scf.for %i = %c0 to %n step %c1024 { ... tile.load ... }   // squares
//
// Where the row has one part this is no loop, and where it has few that are
// read again, registers hold them from one loop to the next. The launch knows
// %n, so that code may be made for the number of parts (spec::Argument).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ROWLOOPS_H
#define TILEWRIGHT_DIALECT_TILE_IR_ROWLOOPS_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Loops of a kernel that count from 0 up to the same number by the same step.
struct RowLoops {
  /// Parts of a row that code is made for at the most.
  static constexpr int64_t kMaxTrips = 16;

  /// An integer argument of the kernel; null where the end is a constant.
  mlir::BlockArgument end;
  int64_t constantEnd = 0;
  int64_t step = 1;
  llvm::SmallVector<mlir::LoopLikeOpInterface> loops;
  /// Arrays that several of the loops load from, and the bytes of the tiles
  /// that these load in one trip.
  llvm::SmallVector<mlir::Value> sharedArrays;
  int64_t sharedBytes = 0;
};

/// The number that casts between integers of 32 bits and more, and promises of
/// it, leave as it is while it is small and not negative.
mlir::Value stripCasts(mlir::Value value);

/// The constant that a bound is, but for casts.
std::optional<int64_t> getNumber(std::optional<mlir::OpFoldResult> bound);

/// The integer argument of the kernel that a bound is, but for casts, or null.
mlir::BlockArgument getArgument(mlir::OpFoldResult bound);

/// The loops of a kernel that combines what it loads: those of global loads and
/// computation, with no loop and no product in them.
llvm::SmallVector<RowLoops> findRowLoops(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ROWLOOPS_H
