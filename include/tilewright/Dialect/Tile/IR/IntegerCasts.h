//===- IntegerCasts.h - Numbers in other integer types ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who follows numbers goes through casts of scalars and of tiles:
//
//   %i = arith.index_cast %n : i32 to index       signed: the same number
//   %j = arith.index_castui %n : i32 to index     the same where it is not
//                                                 negative
//   %k = arith.trunci %j : i64 to i32             the same where it fits
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_INTEGERCASTS_H
#define TILEWRIGHT_DIALECT_TILE_IR_INTEGERCASTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright::tile {

/// Whether the op is a cast that reads its operand with its sign; one to a
/// narrower `index` or integer cuts it.
inline bool isSignedCast(mlir::Operation *op) {
  return llvm::isa<mlir::arith::ExtSIOp, mlir::arith::IndexCastOp>(op);
}

/// Whether the op is any cast between integer types.
inline bool isIntegerCast(mlir::Operation *op) {
  return isSignedCast(op) ||
         llvm::isa<mlir::arith::ExtUIOp, mlir::arith::IndexCastUIOp,
                   mlir::arith::TruncIOp>(op);
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_INTEGERCASTS_H
