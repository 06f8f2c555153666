//===- NumberRanges.h - From where to where numbers are ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bounds of arguments (ArgumentBounds.h) say of the integers that are
// computed of them:
//
//   %columns = arith.index_castui %n : i32 to index     // %n from 961 to 1024
//   %behind = arith.andi %address, %c15 : i64           // from 0 to 15
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_NUMBERRANGES_H
#define TILEWRIGHT_DIALECT_TILE_IR_NUMBERRANGES_H

#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The range from `least` to `most`, or all that the type holds, where that is
/// less.
mlir::ConstantIntRanges getIntRange(int64_t least, int64_t most, unsigned bits);

/// How many bits the numbers of a value have; those of an index, too.
inline unsigned getNumberBits(mlir::Value numbers) {
  return mlir::ConstantIntRanges::getStorageBitwidth(numbers.getType());
}

/// What the op makes of numbers in these ranges.
mlir::ConstantIntRanges inferRange(mlir::InferIntRangeInterface op,
                                   llvm::ArrayRef<mlir::ConstantIntRanges> in);

/// Finds the ranges of a kernel's scalars.
class NumberRanges {
public:
  const mlir::ConstantIntRanges &get(mlir::Value number);

private:
  mlir::ConstantIntRanges infer(mlir::Value number);

  /// Ops that a number is followed through: more than masks of rows take.
  static constexpr unsigned kMaxDepth = 32;

  llvm::DenseMap<mlir::Value, std::unique_ptr<mlir::ConstantIntRanges>> known;
  unsigned depth = 0;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_NUMBERRANGES_H
