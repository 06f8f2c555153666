//===- HoistChannel.h - A channel that outlives a loop ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A channel that a loop makes anew in each iteration, for a loop inside, moves
// out of it, and its hand-overs are counted on:
//
//   scf.for ... {                        %c = tile.channel ...
//     %c = tile.channel ...              scf.for ... iter_args(%first = %0) {
//     acquire %c[%0]              ->       acquire %c[%first]
//     scf.for ... (%n = %0) ...            %m = scf.for ... (%n = %first) ...
//                                          scf.yield %m
//
// So the slots of the next iteration can be filled while the last one's are
// still read.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOISTCHANNEL_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOISTCHANNEL_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether all loops around the channel, up to the kernel, can be left.
bool canHoist(ChannelOp channel);

/// Moves it out of all of them.
void hoist(ChannelOp channel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_HOISTCHANNEL_H
