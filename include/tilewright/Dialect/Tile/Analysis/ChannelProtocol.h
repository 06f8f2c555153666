//===- ChannelProtocol.h - Whether hand-overs agree -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Filler and reader of a channel do the hand-overs 0, 1, 2, ... each, and wait
// for one another:
//
//   acquire n   until n - stages is released        commit n   fills
//   wait n      until n is committed                release n  frees the slot
//
// What somebody waits for stays so once it is so. Therefore one order of what
// roles do, each going on as far as it can, gets as far as any other one: where
// it ends, all end. And a slot is never filled while it is read, if each of the
// four ends follows the one before it, which is checked where it is done.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROTOCOL_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROTOCOL_H

#include "tilewright/Dialect/Tile/Analysis/ChannelTraces.h"

namespace tilewright::tile {

/// Runs what the roles do in one way through a kernel. Emits an error, with who
/// stands where, if a hand-over hangs, does not follow the one before, or is
/// left open at the end.
llvm::LogicalResult checkProtocol(const Way &way,
                                  llvm::ArrayRef<ChannelOp> channels);

/// Whether the copies into a slot bring the bytes that its mbarrier is told of:
/// each tile is copied once, wherever the slot is acquired. Emits an error if
/// not.
llvm::LogicalResult checkSlotBytes(ChannelOp channel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_CHANNELPROTOCOL_H
