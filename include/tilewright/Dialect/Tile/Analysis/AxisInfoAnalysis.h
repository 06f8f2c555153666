//===- AxisInfoAnalysis.h - What is known of a kernel's values --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the AxisInfo of all integers and pointers of a kernel. Ops of the
// dialect say what follows from their operands (AxisInfoOpInterface,
// DimensionMapOpInterface); those of arith are known here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFOANALYSIS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFOANALYSIS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tile {

/// Runs the analysis over a kernel and answers questions about its values.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);
  AxisInfo get(mlir::Value value) const;
  /// What a scalar, or a constant, is a multiple of.
  int64_t getDivisibility(mlir::OpFoldResult value) const;
  /// Whether it is a scalar, or a tile whose elements are equal along a
  /// dimension.
  bool isSameAlong(mlir::Value value, unsigned dim) const;

private:
  llvm::DenseMap<mlir::Value, AxisInfo> known;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_AXISINFOANALYSIS_H
