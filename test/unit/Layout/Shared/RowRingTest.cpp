//===- RowRingTest.cpp - Rows of memory that are walked along -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/RowRing.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

TEST(RowRingTest, HasGranulesThatAreLines) {
  EXPECT_EQ(RowRing::choose(287, 288 * 512)->getGranuleBytes(), 128);
  EXPECT_FALSE(RowRing::choose(287, 288 * 512 - 1));
}

TEST(RowRingTest, HasRoomForRowsBeyondTheTile) {
  for (int64_t elementBytes : {1, 2})
    for (int64_t rows : {128, 256})
      for (int64_t bytes : {256, 512}) {
        RowRing ring{bytes};
        int64_t beyond = rows + 32 / elementBytes - 1;
        SharedLayout layout =
            ring.getLayout({rows, bytes / elementBytes},
                           /*rowDim=*/1, elementBytes, beyond);
        EXPECT_GE(layout.sizeInElements() * elementBytes,
                  ring.countBytes(beyond));
        EXPECT_GE(ring.countBytes(beyond), (beyond + 1) * bytes);
      }
}

} // namespace
