//===- AccessByWords.h - Rows that begin anywhere, by words -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of elements of one or two bytes that begin anywhere have no vectors, and
// a lane that moves one element moves a quarter of a word. Where the elements
// of a row of the tile follow one another in memory, up or down, a warp can
// move the words of memory that are its own instead, and hand on to each lane
// what is in its neighbour's word (WordsOfRows.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_TILE_ANALYSIS_ACCESSBYWORDS_H
#define TILEWRIGHT_DIALECT_TILE_ANALYSIS_ACCESSBYWORDS_H

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/Registers/WordsOfRows.h"

namespace tilewright::tile {

/// Which way a row of the tile goes through memory: 1, or -1 where it goes
/// down. Nothing where rows of this kernel would not gain by words, or their
/// addresses allow vectors.
///
/// Offsets of 32 bits may wrap around once within a row: that is looked at when
/// the kernel runs.
std::optional<int> findStepOfRows(GlobalAccessOpInterface access,
                                  const AddressVector &vector,
                                  const AxisInfoAnalysis &axes);

/// The same where each row is there with all of its columns, or not at all.
std::optional<int> findStepOfWords(GlobalAccessOpInterface access,
                                   const AddressVector &vector,
                                   const AxisInfoAnalysis &axes);

/// What threads have of rows of an access that goes by words, if they can. Of a
/// view memory says which way rows go, of pointers the lanes do.
std::optional<WordsOfRows> findWordsOfThreads(GlobalAccessOpInterface access);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_ANALYSIS_ACCESSBYWORDS_H
