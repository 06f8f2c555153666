//===- Passes.h - From a tile program to a placed one -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
