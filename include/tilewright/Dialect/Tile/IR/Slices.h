//===- Slices.h - What ops are made of --------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who moves an op moves what it is made of along, if that only computes:
//
//   %x = tile.load %p           // stays
//   %place = arith.addi %x, %i  // needed of its block, a computation
//   %q = tile.addptr %A, %place // the same
//   %y = tile.load %q           // goes behind %x
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_SLICES_H
#define TILEWRIGHT_DIALECT_TILE_IR_SLICES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

/// Whether the op does nothing but to compute its results: it may stand
/// wherever its operands are known, as often as they are asked for.
bool isComputation(mlir::Operation *op);

/// Adds what the op needs of its block, in order.
llvm::LogicalResult addSlice(mlir::Operation *op,
                             llvm::SetVector<mlir::Operation *> &slice);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_SLICES_H
