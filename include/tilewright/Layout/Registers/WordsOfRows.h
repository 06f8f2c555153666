//===- WordsOfRows.h - Elements that threads have as words ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of one or two bytes that begin anywhere are moved by words of memory
// where the lanes of a warp stand side by side along the row, each with a word
// of 32 bits: what of a word is in the next one is a neighbour's.
//
//   register[1,4] lane[1,32] register[1,4] warp[8,1] of bytes: a warp has a row
//   of 512, of which lane 3 has the words 3, 35, 67 and 99
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_REGISTERS_WORDSOFROWS_H
#define TILEWRIGHT_LAYOUT_REGISTERS_WORDSOFROWS_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>
#include <vector>

namespace tilewright {

/// The registers of a thread, as words of rows.
struct WordsOfRows {
  /// A word's elements, in the order of the row.
  using Word = llvm::SmallVector<unsigned, 4>;
  /// What a thread has of a part of a row that the warp has alone: its words,
  /// each as far behind the one before as a word of all lanes.
  using Piece = llvm::SmallVector<Word, 8>;
  std::vector<Piece> pieces;

  /// Nothing where lanes do not stand like that along the dimension, or have
  /// less than two words of a piece.
  static std::optional<WordsOfRows> find(const LinearLayout &layout,
                                         unsigned elementBytes, unsigned dim);
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_REGISTERS_WORDSOFROWS_H
