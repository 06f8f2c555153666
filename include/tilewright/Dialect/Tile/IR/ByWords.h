//===- ByWords.h - Accesses whose elements change threads -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_IR_BYWORDS_H
#define TILEWRIGHT_DIALECT_TILE_IR_BYWORDS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::tile {

/// On an access to global memory that moves words of which threads have parts:
/// 1, or -1 where rows of the tile go down through memory
/// (Analysis/AccessByWords.h).
inline constexpr llvm::StringLiteral kByWordsAttr = "tile.by_words";

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_BYWORDS_H
