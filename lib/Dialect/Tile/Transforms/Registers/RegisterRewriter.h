//===- RegisterRewriter.h - Gives tiles their layouts -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_REGISTERREWRITER_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_REGISTERREWRITER_H

#include "tilewright/Dialect/Tile/Analysis/RegisterHomes.h"

namespace tilewright::tile {

/// Writes the homes of tiles into their types, and gives each op its operands
/// in the layouts it needs: an expensive one that is at home elsewhere is
/// converted, a cheap one is made again.
void writeRegisterLayouts(KernelOp kernel, const RegisterHomes &homes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_REGISTERREWRITER_H
