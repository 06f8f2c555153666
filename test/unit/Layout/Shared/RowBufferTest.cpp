//===- RowBufferTest.cpp - Rows of memory that begin anywhere -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/RowBuffer.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace tilewright;

namespace {

/// Copies all rows, whose strides are these modulo 16, by whole pieces of
/// memory, and looks where they come to lie.
void expectPiecesApart(llvm::ArrayRef<int64_t> shape, unsigned rowDim,
                       unsigned elementBytes, int64_t origin,
                       llvm::ArrayRef<int64_t> strides) {
  RowBuffer buffer(shape, rowDim, elementBytes);
  constexpr int64_t piece = RowBuffer::pieceBytes;
  int64_t numRows = 1;
  for (int64_t dim : llvm::drop_begin(buffer.order))
    numRows *= shape[dim];
  std::set<int64_t> pieces;
  for (int64_t row = 0; row < numRows; ++row) {
    int64_t rest = row, byte = origin, address = origin;
    for (int64_t dim : llvm::drop_begin(buffer.order)) {
      byte += rest % shape[dim] * (buffer.pitches[dim] + strides[dim]);
      address += rest % shape[dim] * strides[dim];
      rest /= shape[dim];
    }
    // As far behind a piece as in memory.
    ASSERT_EQ(byte % piece, address % piece);
    int64_t end = byte + shape[rowDim] * elementBytes;
    for (int64_t first = byte / piece; first * piece < end; ++first) {
      ASSERT_TRUE(pieces.insert(first).second);
      ASSERT_LE((first + 1) * piece, buffer.bytes);
    }
  }
}

TEST(RowBufferTest, PiecesOfRowsAreApartWhateverTheirStrides) {
  for (int64_t origin = 0; origin < 16; ++origin)
    for (int64_t stride = 0; stride < 16; ++stride) {
      expectPiecesApart({16, 64}, 1, 1, origin, {stride, 0});
      expectPiecesApart({128, 8}, 0, 1, origin, {0, stride});
      expectPiecesApart({4, 8, 64}, 2, 1, origin, {15 - stride, stride, 0});
      expectPiecesApart({4, 32, 8}, 1, 1, origin, {15 - stride, 0, stride});
    }
  for (int64_t origin = 0; origin < 16; origin += 2)
    for (int64_t stride = 0; stride < 16; stride += 2)
      expectPiecesApart({16, 64}, 1, 2, origin, {stride, 0});
}

// As counted by the simulator, and by an H200 but for what it sends again.
TEST(RowBufferTest, PiecesOfTwoRowsMeetInBanks) {
  auto expectCopies = [](RowBuffer buffer, int64_t stride, int64_t instructions,
                         int64_t wavefronts, int64_t fewest) {
    RowBuffer::Copies copies = buffer.countCopies(stride);
    EXPECT_EQ(copies.instructions, instructions);
    EXPECT_EQ(copies.wavefronts, wavefronts);
    EXPECT_EQ(copies.fewestWavefronts, fewest);
  };
  expectCopies(RowBuffer({256, 128}, 1, 1), 1153, 72, 510, 288);
  expectCopies(RowBuffer({256, 64}, 1, 1), 1, 40, 310, 160);
  expectCopies(RowBuffer({32, 1024}, 1, 1), 1, 65, 288, 260);
  expectCopies(RowBuffer({128, 256}, 0, 2), 2, 136, 764, 544);
}

TEST(RowBufferTest, ShortRowsHaveRoomForOneRun) {
  RowBuffer buffer({512, 4}, 1, 1);
  EXPECT_TRUE(buffer.hasShortRows());
  EXPECT_EQ(buffer.pitches[0], 4);
  // Of rows as far apart as they may be, that begin as late as they may.
  EXPECT_EQ(buffer.bytes, 2080);
  EXPECT_TRUE(RowBuffer({512, 8}, 1, 2).hasShortRows());
  EXPECT_FALSE(RowBuffer({512, 8}, 1, 4).hasShortRows());
  EXPECT_FALSE(RowBuffer({8, 512}, 1, 1).hasShortRows());
}

TEST(RowBufferTest, LayoutsHaveTheRoom) {
  for (const llvm::SmallVector<int64_t> &shape :
       {llvm::SmallVector<int64_t>{256, 128}, {8, 64}, {1, 64, 128}, {2, 32}})
    for (unsigned bytes : {1, 2, 4, 8})
      for (unsigned dim = 0; dim < shape.size(); ++dim) {
        RowBuffer buffer(shape, dim, bytes);
        std::optional<SharedLayout> layout = buffer.getLayout();
        ASSERT_TRUE(layout);
        EXPECT_GE(layout->sizeInElements() * bytes, buffer.bytes);
        EXPECT_LT(layout->sizeInElements() * bytes,
                  buffer.bytes + layout->numElements() * bytes);
      }
  // Of a tile that has fewer rows than there is room for.
  RowBuffer wide({287, 128}, 1, 1);
  std::optional<SharedLayout> layout = wide.getLayout({256, 128});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->numElements(), 256 * 128);
  EXPECT_GE(layout->sizeInElements(), wide.bytes);
  RowBuffer one({1, 64}, 1, 1);
  EXPECT_GE(one.getLayout()->sizeInElements(), one.bytes);
  EXPECT_FALSE(RowBuffer({1, 1}, 1, 1).getLayout());
}

/// Lanes that read a column of so many elements each, one after the other.
TEST(RowBufferTest, LanesMeetInBanksAsStridesSay) {
  for (int64_t bytes : {1, 2}) {
    RowBuffer buffer({128, 128}, 1, bytes);
    for (int64_t stride = bytes; stride <= 16; stride += bytes)
      for (int64_t element = 0; element < 4 / bytes; ++element) {
        std::map<int64_t, int64_t> lanes;
        int64_t most = 0;
        for (int64_t lane = 0; lane < 128 * bytes / 4 && lane < 32; ++lane)
          most = std::max(most,
                          ++lanes[(lane * (4 / bytes) + element) *
                                  (buffer.pitches[0] + stride % 16) / 4 % 32]);
        EXPECT_EQ(buffer.countWays(0, stride), most);
        EXPECT_EQ(most == 1, stride % (2 * bytes) != 0);
      }
  }
  EXPECT_EQ(RowBuffer({512, 4}, 1, 1).countWays(0, 4), 1);
}

} // namespace
