//===- ChannelProgress.h - How far filler and reader are --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where copies are ordered by groups, as those of `cp.async` are, a wait says
// how many groups may still be under way. That follows from the counts of the
// hand-overs:
//
//   tile.commit %c[%0]                        a group each
//   tile.commit %c[%1]
//   scf.for ... iter_args(%n = %0) {
//     tile.wait %c[%n]                        1: that of n + 1
//     tile.commit %c[%n + 2]
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROGRESS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROGRESS_H

#include "tilewright/Dialect/Tile/IR/HandOverCount.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The channels that bulk copies fill.
llvm::SmallVector<ChannelOp> getChannelsWithMbarriers(KernelOp kernel);

/// The ends of all hand-overs of a channel, in the order of the program.
llvm::SmallVector<HandOverOpInterface> getHandOvers(ChannelOp channel);

/// For each wait of the channel: how many of its groups were closed after the
/// one waited for, at the least, where each commit closes one. A hand-over that
/// is bound to hang is an error, which is emitted.
llvm::FailureOr<llvm::DenseMap<mlir::Operation *, int64_t>>
countGroupsSince(ChannelOp channel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROGRESS_H
