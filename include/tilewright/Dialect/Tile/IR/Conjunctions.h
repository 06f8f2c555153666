//===- Conjunctions.h - What a condition is made of -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is often several conditions, each of which says something else:
//
//   %rows = arith.cmpi slt, %row, %m
//   %columns = arith.cmpi slt, %column, %n
//   %inside = arith.andi %rows, %columns
//
//   takeApart(%inside)      %rows, %columns
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_CONJUNCTIONS_H
#define TILEWRIGHT_DIALECT_TILE_IR_CONJUNCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright::tile {

/// The conditions of which one, or a mask, is the conjunction, from left to
/// right. Each is there once, and looked at once, however many conjunctions it
/// is part of. One for which `isWhole` holds is not taken apart.
inline llvm::SmallVector<mlir::Value>
takeApart(mlir::Value condition,
          llvm::function_ref<bool(mlir::Value)> isWhole = nullptr) {
  llvm::SmallVector<mlir::Value> parts, open = {condition};
  llvm::DenseSet<mlir::Value> seen;
  while (!open.empty()) {
    mlir::Value part = open.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    auto both = part.getDefiningOp<mlir::arith::AndIOp>();
    if (!both || (isWhole && isWhole(part)))
      parts.push_back(part);
    else
      open.append({both.getRhs(), both.getLhs()});
  }
  return parts;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_CONJUNCTIONS_H
