//===- RowScope.h - Blocks of ops whose rows may be rotated -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWS_ROWSCOPE_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWS_ROWSCOPE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// A block of ops, a kernel's or that of a loop or a branch, in which all tiles
/// are of rows that can be rotated alike.
class RowScope {
public:
  explicit RowScope(mlir::Block &block) : block(block) {}

  bool mayRotate();
  /// Whether something asks for places of elements, each of which is then a
  /// number of its own.
  bool countsPlaces();

  /// `startsAligned`: whether a row is known to begin with a vector.
  void rotate(mlir::ImplicitLocOpBuilder &builder, mlir::Value rotation,
              llvm::function_ref<bool(mlir::Operation *)> startsAligned);

private:
  /// Promises of tiles are about elements in order.
  void dropPromises();
  bool isHere(mlir::Value value);
  /// What is taken of tiles from outside.
  llvm::SmallVector<mlir::OpOperand *> findOuterTiles();
  bool check(mlir::Operation *op);
  /// Whether all tiles have one extent.
  bool fits(mlir::Type type);
  /// Whether a tile from outside can be made here, with its elements rotated.
  bool canRemake(mlir::Value tile);
  mlir::Value remake(mlir::ImplicitLocOpBuilder &builder, mlir::Value tile,
                     mlir::Value rotation);
  /// An iota counts in the places that elements have now.
  mlir::Value rotatePlaces(mlir::ImplicitLocOpBuilder &builder, IotaOp iota,
                           mlir::Value rotation);

  mlir::Block &block;
  int64_t extent = 0;
  llvm::DenseSet<mlir::Value> remakeable;
  llvm::DenseMap<mlir::Value, mlir::Value> remade;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ROWS_ROWSCOPE_H
