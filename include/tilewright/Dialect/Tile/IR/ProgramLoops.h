//===- ProgramLoops.h - Loops over programs ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_PROGRAMLOOPS_H
#define TILEWRIGHT_DIALECT_TILE_IR_PROGRAMLOOPS_H

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright::tile {

/// Whether an op is a loop whose iterations are programs, which have no order,
/// and not one of a program's own.
inline bool isOverPrograms(mlir::Operation *op) {
  return op->hasAttr(TileDialect::kProgramsAttr);
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_PROGRAMLOOPS_H
