//===- MadeAgain.h - Cheap tiles in other layouts ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that is cheap to make is made once more where it is needed in another
// layout, and what it is made of with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_MADEAGAIN_H
#define TILEWRIGHT_DIALECT_TILE_IR_MADEAGAIN_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A copy of the op of one tile that stands in `layout`. Its operands are what
/// `make` makes of its own, in the layouts in which it takes them then.
inline mlir::Value makeAgain(
    mlir::OpBuilder &builder, RegisterLayoutOpInterface op,
    RegisterLayoutAttr layout,
    llvm::function_ref<mlir::Value(mlir::Value, RegisterLayoutAttr)> make) {
  llvm::SmallVector<mlir::Value> operands(op->getOperands());
  for (auto [index, operand] : llvm::enumerate(operands))
    if (isTile(operand))
      operand = make(operand, op.inferOperandLayout(index, layout));
  auto copy = mlir::cast<RegisterLayoutOpInterface>(builder.clone(*op));
  copy->setOperands(operands);
  copy.setLayout(layout);
  return copy->getResult(0);
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_MADEAGAIN_H
