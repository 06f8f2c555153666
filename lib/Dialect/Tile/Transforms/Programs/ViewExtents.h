//===- ViewExtents.h - Extents that are not negative ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMS_VIEWEXTENTS_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMS_VIEWEXTENTS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/StringSet.h"

namespace tilewright::tile {

/// Whether the value is an argument that is not named.
bool isSize(mlir::Value value, const llvm::StringSet<> &negative);

/// Makes 0 of extents of views that are negative: coordinates are compared with
/// them as numbers without a sign. Arguments but those that are named are taken
/// not to be, nor their sums, products and quotients.
void boundViewExtents(KernelOp kernel, const llvm::StringSet<> &negative);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROGRAMS_VIEWEXTENTS_H
