//===- Assertions.h - Ops that may end a launch -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an assertion checks, accesses behind it may rely on:
//
//   tile.assert %in_table, "rows are in the table" : tensor<128xi1>
//   %rows = tile.load %places              // not in front of it
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ASSERTIONS_H
#define TILEWRIGHT_DIALECT_TILE_IR_ASSERTIONS_H

#include "mlir/IR/Operation.h"

namespace tilewright::tile {

/// Whether the op itself may end the launch: it asserts what is not always so.
bool mayEndLaunch(mlir::Operation *op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ASSERTIONS_H
