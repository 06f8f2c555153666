//===- DimensionMaps.h - Tiles under other dimensions -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that give elements other coordinates (DimensionMapOpInterface), and
// compute nothing, are looked through:
//
//   %column = tile.iota 0 : tensor<64xi32>
//   %row = tile.expand_dims %column {axis = 0} : ... -> tensor<1x64xi32>
//   %all = tile.broadcast %row : ... -> tensor<32x64xi32>
//
//   stripDimensionMaps(%all)               %column
//   stripOtherDimensions(%all, dim = 1)    %column, dim = 0
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_DIMENSIONMAPS_H
#define TILEWRIGHT_DIALECT_TILE_IR_DIMENSIONMAPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// The tile, or the scalar, whose elements this one has in other dimensions,
/// some of them repeated.
inline mlir::Value stripDimensionMaps(mlir::Value value) {
  while (auto map = value.getDefiningOp<DimensionMapOpInterface>())
    value = map->getOperand(0);
  return value;
}

/// Whether the op gives its operand, as one that promises something of it does.
inline bool givesOperand(mlir::Operation *op) {
  return op->hasTrait<MovesElements>() &&
         op->hasTrait<mlir::OpTrait::SameOperandsAndResultType>();
}

/// The tile that has the elements along the dimension, without others, and
/// which of its dimensions that is. Where elements are repeated along it that
/// is the tile that has them so.
inline mlir::Value stripOtherDimensions(mlir::Value tile, unsigned &dim) {
  auto getExtent = [](mlir::Value tile, unsigned dim) {
    return mlir::cast<mlir::RankedTensorType>(tile.getType()).getDimSize(dim);
  };
  while (auto map = tile.getDefiningOp<DimensionMapOpInterface>()) {
    std::optional<unsigned> from = map.getSourceDim(dim);
    mlir::Value source = map->getOperand(0);
    if (!from || !isTile(source) ||
        getExtent(source, *from) != getExtent(tile, dim))
      break;
    tile = source;
    dim = *from;
  }
  return tile;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_DIMENSIONMAPS_H
