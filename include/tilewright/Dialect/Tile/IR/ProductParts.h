//===- ProductParts.h - Products in parts of K ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a launch has fewer programs than a GPU has multiprocessors, the blocks
// of a cluster run a program together: each sums over a part of K, and the
// first one adds up what all have, and goes on
// (docs/decisions/0089-products-in-parts.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_PRODUCTPARTS_H
#define TILEWRIGHT_DIALECT_TILE_IR_PRODUCTPARTS_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On a kernel: into how many parts its products are divided.
inline constexpr llvm::StringLiteral kProductPartsAttr = "tile.product_parts";
inline constexpr int64_t kMostProductParts = 16;

/// 1 where they are not divided.
int64_t getProductParts(KernelOp kernel);

/// The loop of a program that sums products, and how many trips it has in a
/// launch.
struct ProductLoop {
  mlir::LoopLikeOpInterface loop;
  /// It has a trip for each `step` of this argument, and one for the rest.
  mlir::BlockArgument end;
  int64_t step = 1;
  /// Its products are full ones.
  bool isFull = false;
};

/// Whether a product is of f32 or f64 with all their bits: a multiprocessor
/// does few of them a clock.
bool isFullProduct(ProductOpInterface product);

/// Of a kernel that has one such loop, outside of all others and of branches,
/// and no other products, where a launch knows the trips.
std::optional<ProductLoop> findProductLoop(KernelOp kernel);

/// The one outermost loop that products stand in, if there is no other product.
mlir::LoopLikeOpInterface findLoopOfProducts(KernelOp kernel);

/// The products by which a loop adds to what it carries so, where nothing else
/// is done with that; else none.
llvm::SmallVector<ProductOpInterface> findProductsOfSum(mlir::Value carried,
                                                        mlir::Value yielded);

/// Whether the loop carries nothing but sums of products, zero before it, or of
/// what it computes from its products.
bool onlySumsProducts(mlir::LoopLikeOpInterface loop);

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileProductPartOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_PRODUCTPARTS_H
