//===- NeighbourPrograms.h - Whose block is the next one --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the next program stores, the steps from a program's numbers to the next
// one's say.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H

#include "Rows/ProgramSteps.h"

namespace tilewright::tile {

/// A block that every program moves once, from one view to another, of which it
/// has the same elements as of the first one, and nothing else.
class NeighbourPrograms {
public:
  /// `order` says of each dimension of what is stored which one of what is
  /// loaded it is. None where it is not known that programs whose numbers
  /// follow one another along an axis have blocks that do so along `dim` of
  /// what is stored, or, without one, along its rows.
  static std::optional<NeighbourPrograms>
  find(GlobalAccessOpInterface load, GlobalAccessOpInterface store,
       llvm::ArrayRef<int64_t> order,
       std::optional<unsigned> dim = std::nullopt);

  /// Whose numbers follow one another.
  unsigned getAxis() const { return axis; }
  int64_t getExtent() const { return extent; }
  /// Whether as many blocks are in front of one as its number says.
  bool areNumbered() const;
  /// How many elements programs have from this one's on, of such blocks; an
  /// index, in front of the load.
  mlir::Value countLeft(mlir::OpBuilder &builder) const;

  /// i1, in front of the load: whether the rows of the block before go on in
  /// this one, and those of this one in the next one. Of two programs one finds
  /// the second where the other finds the first. The first of both blocks is
  /// inside with all of its rows then, and the second one with some of them.
  std::pair<mlir::Value, mlir::Value> compare(mlir::OpBuilder &builder) const;

private:
  explicit NeighbourPrograms(unsigned axis) : axis(axis), steps(axis) {}
  bool matches(GlobalAccessOpInterface load, GlobalAccessOpInterface store,
               llvm::ArrayRef<int64_t> order, std::optional<unsigned> ofStored);
  bool findFront(ViewOp view, mlir::Value offset, unsigned dim);
  /// Whether what both conditions ask of remainders is known at the load: what
  /// only the store needs may be computed behind it.
  bool areRoundsInFront() const;
  mlir::Value continues(mlir::OpBuilder &builder) const;
  mlir::Value isContinued(mlir::OpBuilder &builder) const;
  mlir::Value getPlace(mlir::OpBuilder &builder) const;
  ProgramSteps::Step getStep(ViewOp view, unsigned along) const;

  unsigned axis;
  ProgramSteps steps;
  /// The remainders that have to go on.
  llvm::SmallVector<ProgramSteps::Round> rounds;
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
