//===- WalkLoop.h - Blocks that walk along an axis of the grid --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that differ along one axis alone are a strip. Blocks walk along
// parts of strips, all of them in step, so that what they store at one time
// lies side by side in memory (docs/decisions/0072-what-odd-rows-wait-for.md).
// Each strip has as many blocks; those that are left help the first strip, the
// last one, the second one and so on, since it is the outer ones that are late.
//
//   scf.for %first = 0 to %strips step %blocks {
//     scf.for %program = %from to %to step %length { ... } {tile.programs}
//   } {tile.programs}
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WALKLOOP_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WALKLOOP_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Makes the kernel persistent: puts what it does into such loops, of which an
/// iteration is to do several programs, from the one whose number it has. Where
/// the axis has more than `mostPrograms`, it is to do one. Returns how many.
mlir::Value makeWalkLoop(KernelOp kernel, unsigned axis, int64_t mostPrograms);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_WALKLOOP_H
