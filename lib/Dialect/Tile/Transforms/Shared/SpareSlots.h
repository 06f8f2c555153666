//===- SpareSlots.h - Copies under the product before -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration of a loop of products fills the slot that the product before
// read, once that is done:
//
//      wait [n]            barrier, and a fence
//      dot n
//      dot_wait 1          product n - 1 is done
//      release [n - 1]
//      acquire [n + 3]     of 4 slots; barrier
//      copy_async
//
// The copies, the fence behind them and two barriers have to fit under product
// n. With a slot more, what it fills is free since the iteration before:
//
//      wait [n]            barrier, and a fence
//      dot n
//      acquire [n + 3]     of 5 slots: product n - 2 read it
//      copy_async
//      dot_wait 1
//      release [n - 1]
//
// The copies are begun under product n - 1, the fence does not wait for them,
// and one barrier orders all.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SPARESLOTS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SPARESLOTS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A channel that is filled by copies of threads in a loop of products, and may
/// have a spare slot.
class SpareSlot {
public:
  /// None where the loop is another one.
  static std::optional<SpareSlot> find(ChannelOp channel);

  /// Gives it the slot, and begins copies before the product is waited for.
  void give();

private:
  SpareSlot(ChannelOp channel, mlir::Operation *fill, mlir::Operation *wait,
            mlir::Operation *release)
      : channel(channel), fill(fill), wait(wait), release(release) {}

  ChannelOp channel;
  /// Ops in the block of the loop.
  mlir::Operation *fill, *wait, *release;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_SPARESLOTS_H
