//===- OverflowFlags.h - Promises that integers do not wrap -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %c = arith.addi %a, %b overflow<nsw> : i32   any result where it wraps
//   %c = arith.addi %a, %b : i32                 what is left
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_OVERFLOWFLAGS_H
#define TILEWRIGHT_DIALECT_TILE_IR_OVERFLOWFLAGS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright::tile {

/// Takes away what the op of `arith` promises of it, if anything.
inline void dropOverflowFlags(mlir::Operation *op) {
  using namespace mlir::arith;
  if (auto number = llvm::dyn_cast<ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(number.getIntegerOverflowAttrName(),
                IntegerOverflowFlagsAttr::get(op->getContext(),
                                              IntegerOverflowFlags::none));
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_OVERFLOWFLAGS_H
