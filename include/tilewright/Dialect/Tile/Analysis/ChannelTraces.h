//===- ChannelTraces.h - What roles do to channels --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hand-overs hang on counters, bounds and conditions, not on what is computed.
// So what a role does to channels is a list, for each way that a launch may go:
//
//   scf.for %k = %c0 to %K step %c64 iter_args(%n = %zero) {
//     %r = tile.wait %c[%n]               %K = 128:  wait 0, release 0,
//     tile.release %c[%n]                            wait 1, release 1
//
// What the program does not say is chosen: how often a loop runs that has no
// constant bounds, which way a branch goes. A bound or a condition of which two
// roles compute the same is one choice, and so is what hangs on it: with %K
// chosen to be 128, `%k + 64 < %K` holds in the first round only.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELTRACES_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELTRACES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A hand-over's end, and its number; or a part of a program that a team enters
/// or leaves (`tile.team_enter`), and which one of its own that is.
struct HandOver {
  mlir::Operation *op;
  int64_t count;

  bool isTurn() const { return !llvm::isa<HandOverOpInterface>(op); }
};

/// How often a loop ran, where that was chosen.
struct ChosenTrips {
  mlir::Operation *loop;
  int64_t trips;
};

struct RoleTrace {
  llvm::StringRef name; ///< "main" or "copy"; "team 0" or "team 1"
  int team;             ///< 0 where there are none
  llvm::SmallVector<HandOver> handOvers;
};

/// One way that a launch may go.
struct Way {
  llvm::SmallVector<RoleTrace, 3> roles;
  llvm::SmallVector<ChosenTrips, 2> trips;

  bool hasTeams() const { return roles.size() > 2; }
};

/// Calls `check` for ways through the kernel: loops run 0 to `mostTrips` times,
/// those around others with hand-overs 0 to 2 times. Ends when `check` fails,
/// or after very many ways. Returns the op that cannot be followed, such as a
/// loop that does not count, where there is one; null else.
mlir::Operation *
forEachWay(KernelOp kernel, llvm::ArrayRef<ChannelOp> channels,
           int64_t mostTrips,
           llvm::function_ref<llvm::LogicalResult(const Way &)> check);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELTRACES_H
