//===- ScalarAccess.h - Accesses through one pointer ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERS_SCALARACCESS_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERS_SCALARACCESS_H

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// What an op does to global memory through one pointer, as one thread can do
/// it.
inline std::optional<MemoryAccess> findScalarAccess(mlir::Operation *op) {
  std::optional<MemoryAccess> access =
      findMemoryAccess(op, MemorySpace::Global);
  return access && access->base && mlir::isa<PtrType>(access->base.getType())
             ? access
             : std::nullopt;
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REGISTERS_SCALARACCESS_H
