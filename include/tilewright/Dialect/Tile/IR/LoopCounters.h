//===- LoopCounters.h - Numbers that a loop counts --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops count numbers of `index`, programs compute with other integers. Where a
// loop begins and ends at such integers, its counter is one of them:
//
//   %end = arith.index_cast %m : i32 to index
//   scf.for %i = %c0 to %end step %c1 {
//     %row = arith.index_cast %i : index to i32      no bits are cut
//     %place = arith.extsi %row : i32 to i64         the same number
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_LOOPCOUNTERS_H
#define TILEWRIGHT_DIALECT_TILE_IR_LOOPCOUNTERS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tile {

/// The loop whose counter the number is, or all of a tile are; null where there
/// is none, where it counts without a sign, or a cast may cut the counter.
mlir::scf::ForOp findLoopOfCounter(mlir::Value number);

/// Whether the first number, or all of a tile, are the counter of a loop that
/// ends at the second one, whatever is cast: the counter is less.
bool isCounterBelow(mlir::Value number, mlir::Value end);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_LOOPCOUNTERS_H
