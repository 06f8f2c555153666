//===- ProgramSteps.h - What the next program's numbers are -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program computes, its own code says of the next one, too. With the
// next number, what is computed of it is more by a step that is known, as long
// as no remainder begins anew:
//
//   %p = tile.program_id 0
//   %b = arith.divsi %p, %n      // the same, if the remainder goes on
//   %k = arith.remsi %p, %n      // 1 more, if %k + 1 < %n
//   %i = arith.muli %k, %c256    // 256 more
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMSTEPS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMSTEPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// What values of a kernel are more by in the program with the next number
/// along an axis of the grid.
class ProgramSteps {
public:
  explicit ProgramSteps(unsigned axis) : axis(axis) {}

  /// `count` times a value, or times 1 where that is null. What is the same in
  /// both programs has a count of 0.
  struct Step {
    Step(int64_t count = 0, mlir::Value times = nullptr)
        : count(count), times(times) {}
    int64_t count;
    mlir::Value times;
    bool operator==(const Step &other) const {
      return count == other.count && times == other.times;
    }
    bool operator!=(const Step &other) const { return !(*this == other); }
  };
  /// None where it is not known. Holds where all remainders go on of which the
  /// value is computed (`findRounds`).
  std::optional<Step> get(mlir::Value value);
  std::optional<Step> get(mlir::OpFoldResult value);
  bool isSame(mlir::OpFoldResult value) { return get(value) == Step(); }

  /// What is computed of a number goes on in wider types, too. Who says so sees
  /// to it that the number's next value has the number's type.
  void assumeNextFits(mlir::Value number);

  /// A number that is 1 more, whose quotient or remainder programs take, and by
  /// what.
  struct Round {
    mlir::Value number, divisor;
    bool isUnsigned;
    bool operator==(const Round &other) const {
      return number == other.number && divisor == other.divisor &&
             isUnsigned == other.isUnsigned;
    }
  };
  /// The rounds of which the operands of these ops are computed.
  llvm::SmallVector<Round> findRounds(llvm::ArrayRef<mlir::Operation *> ops);

private:
  std::optional<Step> compute(mlir::Operation *op);
  static std::optional<Step> add(std::optional<Step> left,
                                 std::optional<Step> right, int64_t sign);
  std::optional<Step> multiply(mlir::Value a, mlir::Value b);
  std::optional<Step> divide(mlir::Operation *op, int64_t step);
  std::optional<Step> extend(mlir::Value narrow);
  /// Whether a number is that of the program, or a part of it.
  bool isCount(mlir::Value value);

  unsigned axis;
  mlir::Value fitting;
  llvm::DenseMap<mlir::Value, std::optional<Step>> steps;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PROGRAMSTEPS_H
