//===- BehindProducts.h - What some blocks do behind a loop -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a cluster sum products, and some of them have nothing to store:
// that of another one has all sums, or there is no such program.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_BEHINDPRODUCTS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_BEHINDPRODUCTS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether a program stores to global memory before the loop is over: in front
/// of it each block would, and what one stores in a trip, another one may load
/// or store in a trip of its own.
bool storesBeforeEnd(mlir::Operation *loop);

/// What stands behind the loop in its block, but for the end of the program.
llvm::SmallVector<mlir::Operation *> getOpsBehind(mlir::Operation *loop);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_BEHINDPRODUCTS_H
