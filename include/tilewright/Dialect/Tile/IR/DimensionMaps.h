//===- DimensionMaps.h - Tiles under other dimensions -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_DIMENSIONMAPS_H
