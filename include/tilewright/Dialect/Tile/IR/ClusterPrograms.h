//===- ClusterPrograms.h - Neighbours that copy together --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that are neighbours often read one tile: those of one column of C
// the same of B. The blocks of a cluster run such programs, one each, and copy
// it together, each a part to the shared memory of all
// (docs/decisions/0097-boxes-of-neighbours.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_CLUSTERPROGRAMS_H
#define TILEWRIGHT_DIALECT_TILE_IR_CLUSTERPROGRAMS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// On a kernel: how many programs a cluster has along each axis, one a block.
inline constexpr llvm::StringLiteral kClusterProgramsAttr =
    "tile.cluster_programs";
inline constexpr int64_t kMostClusterPrograms = 4;

/// Ones where blocks have no clusters of that kind.
std::array<int32_t, 3> getClusterPrograms(KernelOp kernel);
/// The programs of a cluster along all axes.
int64_t countClusterPrograms(KernelOp kernel);
/// What a launch divides its grid by: programs of a block, or of a cluster.
std::array<int32_t, 3> getLaunchedPrograms(KernelOp kernel);

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileClusterOps.h.inc"

#endif // TILEWRIGHT_DIALECT_TILE_IR_CLUSTERPROGRAMS_H
