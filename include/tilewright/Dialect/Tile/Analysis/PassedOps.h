//===- PassedOps.h - What a load would pass ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What RunAhead.h says of one op, of all those that loads would pass: of a
// program of many accesses each load would walk all of them again.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_PASSEDOPS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_PASSEDOPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {

class PassedOps {
public:
  /// The op, and what is in it.
  void add(mlir::Operation *op);
  /// Whether one of them may write what is reached through this root.
  bool mayWriteThrough(mlir::Value root) const;
  /// Whether one of them keeps a load through this root behind it.
  bool keepBehind(mlir::Value root) const;

private:
  /// The roots of what they write, null where one is not known.
  llvm::SmallSetVector<mlir::Value, 4> written;
  /// Whether one keeps any load behind it, whatever it writes.
  bool keepsAll = false;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_PASSEDOPS_H
