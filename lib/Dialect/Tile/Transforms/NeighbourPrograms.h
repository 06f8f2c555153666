//===- NeighbourPrograms.h - Who stores what is beside a block --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What another program stores, its own code says: with the number of that one
// in place of its own, a program computes where.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A block that every program moves once, from one view to another, of which it
/// has the same elements as of the first one.
class NeighbourPrograms {
public:
  /// `order` says of each dimension of what is stored which one of what is
  /// loaded it is. None where not all programs do so, or where not one axis of
  /// the grid alone says where along a row that is stored.
  static std::optional<NeighbourPrograms> find(GlobalAccessOpInterface load,
                                               GlobalAccessOpInterface store,
                                               llvm::ArrayRef<int64_t> order);

  /// i1, in front of the store: whether the rows of the block before, by the
  /// numbers of programs, go on in this one, and those of this one in the next
  /// one. Then the views of both are such of the same elements; the first of
  /// both blocks is inside with all of its rows, and the second one with some
  /// of them.
  std::pair<mlir::Value, mlir::Value> compare(mlir::OpBuilder &builder);

private:
  /// Where a program finds its block, and puts it.
  struct Place {
    /// i64: the addresses of the first element.
    mlir::Value stored, loaded;
    /// How many elements of a row are in front of the block, and from where it
    /// begins on.
    mlir::Value front, rest;
    /// What both programs have alike.
    llvm::SmallVector<mlir::Value> others;
  };
  /// What that is computed of.
  llvm::SmallVector<mlir::Value> getNumbers();
  /// Of the program with that number along the axis; of this one where it is
  /// null.
  Place getPlaceOf(mlir::OpBuilder &builder, mlir::Value number);
  mlir::Value goesOn(mlir::OpBuilder &builder, const Place &before,
                     const Place &behind);

  GlobalAccessOpInterface store;
  ViewOp read, written;
  llvm::SmallVector<mlir::Value> readOffsets, writtenOffsets;
  /// The dimensions of both views along which stored rows go.
  unsigned readDim = 0, writtenDim = 0;
  /// Along which programs may be neighbours.
  unsigned axis = 0;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_NEIGHBOURPROGRAMS_H
