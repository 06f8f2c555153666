//===- ReleaseUnderProducts.h - Slots given back later ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that was written where its residual was read is stored from there,
// and one thread of a warpgroup waits until the hardware has read it, and the
// warpgroup with it. Nobody wants the slot before the next tile's residual is
// copied, behind its products. So the wait stands behind the first iteration of
// these, which run meanwhile:
//
//   for program                     for program
//     for k: products                 for the first k: products
//     store the slot's tile           wait until it was read   (the one before)
//     wait until it was read          release the slot
//     release the slot                for the other k: products
//                                     store the slot's tile
//
// The wait is for all stores of the thread. What else they read is a tile that
// nobody writes before the products end, since only scalars stand in front of
// these, and loops in which threads write shared memory stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_RELEASEUNDERPRODUCTS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_RELEASEUNDERPRODUCTS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Moves releases so, once they are arrivals at mbarriers.
void releaseUnderProducts(KernelOp kernel);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_RELEASEUNDERPRODUCTS_H
