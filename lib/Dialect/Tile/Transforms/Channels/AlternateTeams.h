//===- AlternateTeams.h - Programs of a block in turn -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second team of warps does every other program of a block, so that the
// products of one program are made while the results of the other are stored.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ALTERNATETEAMS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ALTERNATETEAMS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Has two teams do `main`, each every other program. Nothing is changed where
/// that cannot be.
void alternateTeams(RolesOp roles);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_ALTERNATETEAMS_H
