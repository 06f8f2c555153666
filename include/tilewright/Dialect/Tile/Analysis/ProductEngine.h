//===- ProductEngine.h - What multiplies, and why ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instruction makes a product is decided once, where register layouts
// are given, and written on the product; whoever comes later obeys it:
//
//   %d = tile.dot %a, %b, %c {tile.engine = "wgmma"} : ...
//   %e = tile.dot %f, %g, %h {tile.engine_reason = "M is 32, and wgmma ..."}
//   ...
//
// Without `tile.engine` a product is one of FMA or mma.sync, as its types say.
// A product that has not the best engine of its target for its types has the
// reason, in words for whoever wrote the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H

#include "tilewright/Dialect/Tile/Analysis/AxisInfo.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include <string>

namespace tilewright::tile {

inline constexpr llvm::StringLiteral kEngineAttr = "tile.engine";
inline constexpr llvm::StringLiteral kEngineReasonAttr = "tile.engine_reason";

enum class Engine { Fma, MmaSync, Wgmma };

/// "FMA", "mma.sync" or "wgmma", as reports print it.
llvm::StringRef stringifyEngine(Engine engine);

struct EngineChoice {
  Engine engine;
  /// Why it is not the best one of the target; empty where it is.
  std::string reason;
};

/// What the target and the options allow products.
struct EngineSetting {
  bool hasWgmma = false;
  /// Of `--warpgroup-dots`.
  bool usesWgmma = true;
  /// Of each thread; 0 where the target is not known.
  unsigned registersPerThread = 0;
};

/// Decides for every product of a tile program, and warns of those whose
/// accumulators no thread can hold.
void assignEngines(KernelOp kernel, const EngineSetting &setting);

/// Refuses products that are too much code for each of their threads.
mlir::LogicalResult checkProduct(DotOp dot, int numWarps);

/// What is written on a product.
Engine getEngine(DotOp dot);
/// Writes it.
void setEngine(DotOp dot, const EngineChoice &choice);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_PRODUCTENGINE_H
