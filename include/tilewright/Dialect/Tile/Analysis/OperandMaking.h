//===- OperandMaking.h - What operands are computed from --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop may multiply what it loads, or compute it first:
//
//   %q = tile.load_view %w[%k, %n]                   // makes an operand
//   %s = tile.load_view %scales[%n]                  // so does this
//   %b = arith.mulf (arith.sitofp %q), (... %s)      // and what is between
//   %d = tile.dot %a, %b, %acc
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_OPERANDMAKING_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_OPERANDMAKING_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

/// The ops of a block that make tiles which its products take as operands, and
/// the loads that these begin with; not those from which an operand is made
/// together with another product.
llvm::SetVector<mlir::Operation *> findOperandMaking(mlir::Block *block);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_OPERANDMAKING_H
