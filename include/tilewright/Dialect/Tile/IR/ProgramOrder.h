//===- ProgramOrder.h - In which order blocks run programs ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_PROGRAMORDER_H
#define TILEWRIGHT_DIALECT_TILE_IR_PROGRAMORDER_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::tile {

/// On a kernel: of blocks that follow one another, the next one runs the
/// program with the next number along the second axis of the grid, not the
/// first one (tile-order-programs).
inline constexpr llvm::StringLiteral kSecondAxisFirstAttr =
    "tile.second_axis_first";

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_PROGRAMORDER_H
