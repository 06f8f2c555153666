//===- CombineRegion.h - How two elements become one ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of an op that combines elements along an axis, such as a
// reduction. It takes an element of each of the op's tiles, then another of
// each, and yields one of each:
//
//   ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):     two tiles: 2 + 2, to 2
//     ...
//     tile.yield %c, %ci : f32, i32
//
// Ops with such a region have CombineOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_COMBINEREGION_H
#define TILEWRIGHT_DIALECT_TILE_IR_COMBINEREGION_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

class CombineRegion {
public:
  explicit CombineRegion(CombineOpInterface op)
      : region(op.getCombineRegion()) {}

  /// Whether it is arithmetic on an element of each type and another of each.
  /// Errors are the op's, or of what stands in the region.
  mlir::LogicalResult verify(mlir::TypeRange elements) const;

  /// Whether both orders of two elements give the same bits: each result is
  /// that of one commutative op on the elements of one tile.
  bool isCommutative() const;

  /// The maximum or minimum of two floats that the region is, or null: its
  /// result is one of the elements.
  mlir::Operation *getChoice() const;

  /// The region's ops for these elements; its results.
  llvm::SmallVector<mlir::Value> inlineFor(mlir::OpBuilder &builder,
                                           mlir::ValueRange left,
                                           mlir::ValueRange right) const;

private:
  mlir::Region &region;
};

/// The types of tiles in this layout, of such elements as these values are or
/// have: what parts of an axis are combined to.
llvm::SmallVector<mlir::Type> getTilesOf(mlir::ValueRange values,
                                         const LinearLayout &layout);

/// These tiles in this layout, one conversion each.
llvm::SmallVector<mlir::Value> convertTiles(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange tiles,
                                            const LinearLayout &layout);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_COMBINEREGION_H
