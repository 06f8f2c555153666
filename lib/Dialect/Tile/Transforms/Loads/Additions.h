//===- Additions.h - What all programs add to the same places ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOADS_ADDITIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOADS_ADDITIONS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// What all programs add to the same places.
struct Addition {
  AtomicRMWOp op;
  /// What is added up over programs; null: counters, which shared memory has.
  mlir::Value term;
  AllocSharedOp counters;
  /// From there to what is added, in order.
  llvm::SmallVector<mlir::Operation *> behind;
};

/// All additions of a kernel; none where its programs may not share them.
llvm::SmallVector<Addition> findAdditions(KernelOp kernel);

/// Has each trip reduce parts of a term of many words, far ones of which are in
/// one thread, in place of all of it.
void addUpParts(Addition &addition, int64_t threads);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_LOADS_ADDITIONS_H
