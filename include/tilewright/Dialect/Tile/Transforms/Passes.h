//===- Passes.h - From a tile program to a placed one -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Where tile-assign-shared-layouts leaves its reason, on the tile, for
/// reports.
inline constexpr llvm::StringLiteral kLayoutReasonAttr = "tile.layout_reason";

/// Where tile-select-tma and tile-select-tma-loads leave why there are no bulk
/// copies, on the tiles of a channel or on the load, for reports.
inline constexpr llvm::StringLiteral kCopyReasonAttr = "tile.copy_reason";

/// Where tile-persist leaves why blocks run one program each, on the kernel,
/// for reports; only where there are large products.
inline constexpr llvm::StringLiteral kPersistReasonAttr = "tile.persist_reason";

/// Where tile-split-roles leaves why no warps only copy, on the kernel, for
/// reports; only where bulk copies fill slots.
inline constexpr llvm::StringLiteral kRolesReasonAttr = "tile.roles_reason";

/// Where tile-recognize-blocks leaves what stood in its way, on the access.
inline constexpr llvm::StringLiteral kNoBlockAttr = "tile.no_block";

#define GEN_PASS_DECL
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
