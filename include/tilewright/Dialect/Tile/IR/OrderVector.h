//===- OrderVector.h - What is moved at once of rows in any order -*- C++ -*-=//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_ORDERVECTOR_H
#define TILEWRIGHT_DIALECT_TILE_IR_ORDERVECTOR_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// How many places that follow one another a thread has of the source of an
/// op that puts rows in any order: what it loads at once. 1 where nothing is
/// said.
inline constexpr llvm::StringLiteral kOrderVectorAttr = "tile.vector";

inline int64_t getOrderVector(AnyOrderOp op) {
  auto vector = op->getAttrOfType<mlir::IntegerAttr>(kOrderVectorAttr);
  return vector ? vector.getInt() : 1;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_ORDERVECTOR_H
