//===- NeighbourPrograms.h - Whose block is the next one --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the next program stores, the program's own code says. With the next
// number, what is computed of it is more by a step that is known, as long as no
// remainder begins anew:
//
//   %p = tile.program_id 0
//   %b = arith.divsi %p, %n      // the same, if the remainder goes on
//   %k = arith.remsi %p, %n      // 1 more, if %k + 1 < %n
//   %i = arith.muli %k, %c256    // 256 more
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H

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
  /// None where it is not known. Holds while `front`, if it is not null, and
  /// all numbers of `rounds` go on.
  std::optional<Step> get(mlir::Value value);
  std::optional<Step> get(mlir::OpFoldResult value);
  bool isSame(mlir::OpFoldResult value) { return get(value) == Step(); }

  /// A number whose next value has its type.
  mlir::Value front;
  /// A number that is 1 more, whose remainder programs take, and by what.
  struct Round {
    mlir::Value number, divisor;
    bool isUnsigned;
    bool operator==(const Round &other) const {
      return number == other.number && divisor == other.divisor &&
             isUnsigned == other.isUnsigned;
    }
  };
  llvm::SmallVector<Round> rounds;

private:
  std::optional<Step> compute(mlir::Operation *op);
  static std::optional<Step> add(std::optional<Step> left,
                                 std::optional<Step> right, int64_t sign);
  std::optional<Step> multiply(mlir::Value a, mlir::Value b);
  std::optional<Step> divide(mlir::Operation *op, bool isRemainder);
  std::optional<Step> extend(mlir::Value narrow);
  /// Whether a number is that of the program, or a part of it.
  bool isCount(mlir::Value value);

  unsigned axis;
  llvm::DenseMap<mlir::Value, std::optional<Step>> steps;
};

/// A block that every program moves once, from one view to another, of which it
/// has the same elements as of the first one, and nothing else.
class NeighbourPrograms {
public:
  /// `order` says of each dimension of what is stored which one of what is
  /// loaded it is. None where it is not known that programs whose numbers
  /// follow one another along an axis have blocks that do so along a row.
  static std::optional<NeighbourPrograms> find(GlobalAccessOpInterface load,
                                               GlobalAccessOpInterface store,
                                               llvm::ArrayRef<int64_t> order);

  /// i1, in front of the load: whether the rows of the block before go on in
  /// this one, and those of this one in the next one. Of two programs one finds
  /// the second where the other finds the first. The first of both blocks is
  /// inside with all of its rows then, and the second one with some of them.
  std::pair<mlir::Value, mlir::Value> compare(mlir::OpBuilder &builder);

private:
  explicit NeighbourPrograms(unsigned axis) : axis(axis), steps(axis) {}
  bool matches(GlobalAccessOpInterface load, GlobalAccessOpInterface store,
               llvm::ArrayRef<int64_t> order);
  bool findFront(ViewOp view, mlir::Value offset, unsigned dim);
  bool areRoundsInFront();

  unsigned axis;
  ProgramSteps steps;
  GlobalAccessOpInterface load;
  /// How long a row of the block is.
  int64_t extent = 0;
  /// How many elements of a row are in front of the block, and up to the end of
  /// the view: from the front where that `isRest`, else from the row's begin.
  mlir::Value front;
  mlir::OpFoldResult end;
  bool isRest = false;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H
