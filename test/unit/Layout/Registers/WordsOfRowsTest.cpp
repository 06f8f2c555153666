//===- WordsOfRowsTest.cpp - Tests of elements that threads have as words -===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/WordsOfRows.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;

/// Checks that words of lanes follow one another, and returns how many pieces a
/// thread has, and words of each.
static std::pair<size_t, size_t> findPieces(const LinearLayout &layout,
                                            unsigned bytes, unsigned dim) {
  std::optional<WordsOfRows> found = WordsOfRows::find(layout, bytes, dim);
  if (!found)
    return {0, 0};
  for (const WordsOfRows::Piece &piece : found->pieces)
    for (int64_t lane = 0; lane < 32; ++lane) {
      LinearLayout::Point first =
          layout.apply({{"register", piece[0][0]}, {"lane", 0}});
      for (auto [number, word] : enumerate(piece))
        for (auto [index, reg] : enumerate(word)) {
          LinearLayout::Point point =
              layout.apply({{"register", reg}, {"lane", lane}});
          LinearLayout::Point wanted = first;
          wanted[dim] += (32 * number + lane) * (4 / bytes) + index;
          EXPECT_EQ(point, wanted);
        }
    }
  return {found->pieces.size(), found->pieces.front().size()};
}

using Counts = std::pair<size_t, size_t>;

TEST(WordsOfRows, PiecesOfWarps) {
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 4, 8), 1, 1), Counts(1, 4));
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 4, 4), 1, 1), Counts(2, 4));
  EXPECT_EQ(findPieces(piecesOfWarps({512, 8}, 0, 2, 8), 2, 0), Counts(1, 8));
  // Two warps have a row.
  EXPECT_EQ(findPieces(piecesOfWarps({4, 1024}, 1, 2, 8), 2, 1), Counts(1, 8));
  // A thread has a bit for each element.
  EXPECT_EQ(findPieces(piecesOfWarps({2, 4096}, 1, 4, 2), 1, 1), Counts(4, 8));
}

TEST(WordsOfRows, None) {
  // Words of one element, rows of lanes alone, vectors that are no words.
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 1, 8), 4, 1), Counts(0, 0));
  EXPECT_EQ(findPieces(piecesOfWarps({32, 128}, 1, 4, 8), 1, 1), Counts(0, 0));
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 1, 8), 1, 1), Counts(0, 0));
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 8, 8), 1, 1), Counts(0, 0));
  EXPECT_EQ(findPieces(piecesOfWarps({8, 512}, 1, 4, 8), 1, 0), Counts(0, 0));
}
