//===- ProductLayout.h - Who computes which part of a product ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of an accumulator decides how its operands are read from shared
// memory (MmaLayout.h, FmaLayout.h), and so it hangs on the order in which they
// stand there: that of global memory, so that asynchronous copies can write
// them. `tile.trans` and arithmetic on the way change nothing about it:
//
//   %r = tile.load_view ...     strides [?, 1]: contiguous along dimension 1
//   %b = tile.trans %r [1, 0]   contiguous along dimension 0, which is K
//   %d = tile.dot %a, %b, %c
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTLAYOUT_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTLAYOUT_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <optional>

namespace tilewright::tile {

/// The dimension along which the elements of a tile follow one another in the
/// global memory that they come from, where they do.
std::optional<unsigned> getMemoryOrder(mlir::Value tile,
                                       const AxisInfoAnalysis &axes);

/// Whether operand 0 (A) is stored along M, or 1 (B) along N, for all that is
/// known.
bool isStoredAcrossK(DotOp dot, unsigned operand, const AxisInfoAnalysis &axes);

/// Whether a scheduler of the target issues an FMA each cycle, so that the
/// registers that it reads are what limits it.
bool isBoundByRegisters(mlir::Operation *op);

/// Whether a load in a loop is only an operand of products by FMA, stored along
/// K. Such a tile is turned on its way to shared memory, one element at a time:
/// these products read runs of rows or columns, one step along K after the
/// other. Where registers of one read are those of four steps, ptxas cannot
/// keep them in other banks than the sums
/// (docs/decisions/0032-fma-products.md).
bool isTurned(GlobalAccessOpInterface load, const AxisInfoAnalysis &axes);

/// Whether the left operand is computed of the result of another product of the
/// block, an element of each by itself.
bool isMadeOfProduct(DotOp dot);

/// The layout for the accumulator of a product in a tile program: that of its
/// engine (ProductEngine.h).
RegisterLayoutAttr chooseAccumulatorLayout(DotOp dot, int numWarps,
                                           const AxisInfoAnalysis &axes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTLAYOUT_H
