//===- ProductEngine.h - What multiplies, and why ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which engine (ProductEngines.h) makes a product is decided once, where
// register layouts are given, and written on the product; whoever comes later
// obeys it:
//
//   %d = tile.dot %a, %b, %c by wgmma : ...
//   %e = tile.dot %f, %g, %h by mma.sync
//       {tile.engine_reason = "M is 32, and wgmma ..."} : ...
//
// A product that has not the best engine of its target for its types has the
// reason, in words for whoever wrote the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfoAnalysis.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <string>

namespace tilewright::tile {

inline constexpr llvm::StringLiteral kEngineReasonAttr = "tile.engine_reason";
/// On a product: the operands that are not stored as its engine reads them, and
/// that threads turn.
inline constexpr llvm::StringLiteral kTurnedAttr = "tile.turned";
/// On a product whose operands tile-exchange-operands has exchanged, for
/// reports.
inline constexpr llvm::StringLiteral kExchangedAttr = "tile.exchanged";

/// What a thread needs beside the tiles of products, in a loop that makes
/// something of each: addresses, and what belongs to a row.
inline constexpr int64_t kRegistersBesideProducts = 56;

struct EngineChoice {
  Engine engine;
  /// Why it is not the best one of the target; empty where it is.
  std::string reason;
};

/// Decides for every product of a tile program whose engine is not written, and
/// warns of those whose accumulators no thread can hold. Fails at a product
/// that the written engine cannot make. `usesWgmma`: of `--warpgroup-dots`.
mlir::LogicalResult assignEngines(KernelOp kernel, bool usesWgmma);

/// Whether the target's best engine makes the product with its operands
/// exchanged, C^T = B^T A^T, and not as it is, for want of rows. `usesWgmma`:
/// as above.
bool isMadeExchanged(DotOp dot, const AxisInfoAnalysis &axes, bool usesWgmma);

/// Whether there are any in an op, of whatever engine.
bool hasProducts(mlir::Operation *op);

/// Whether products stand in its regions, and not in those of another op there.
bool hasOwnProducts(mlir::Operation *op);

/// Refuses products that are too much code for each of their threads.
mlir::LogicalResult checkProduct(DotOp dot, int numWarps);

/// Writes what makes the product on it, and why not something better.
void setEngine(DotOp dot, const EngineChoice &choice);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H
