//===- HandOverCount.h - Numbers of hand-overs, compared --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hand-overs of a channel are counted. That a release is of the hand-over
// before the one that an iteration waits for is seen by its count, which is
// that one less 1:
//
//   %slot = tile.wait %ch[%n]
//   %before = arith.subi %n, %c1
//   tile.release %ch[%before]            // Count {%n, -1}
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_HANDOVERCOUNT_H
#define TILEWRIGHT_DIALECT_TILE_IR_HANDOVERCOUNT_H

#include "mlir/IR/Value.h"

namespace tilewright::tile {

/// A number as another one plus a constant.
struct Count {
  /// Null: the constant is all.
  mlir::Value base;
  int64_t offset = 0;

  static Count of(mlir::Value value);
  Count plus(int64_t more) const { return {base, offset + more}; }
  bool operator==(const Count &other) const {
    return base == other.base && offset == other.offset;
  }
  bool operator!=(const Count &other) const { return !(*this == other); }
};

/// Where a loop carries the number that `value` names in its body, and goes on
/// by one: the number behind the loop. Null elsewhere.
mlir::Value getCountBehindLoop(mlir::Value value);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_HANDOVERCOUNT_H
