//===- SortLayoutTest.cpp -------------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/SortLayout.h"

#include "gtest/gtest.h"

using namespace tilewright;

namespace {

using Point = LinearLayout::Point;

const LinearLayout inTurns = llvm::cantFail(
    LinearLayout::create({{"register", {{0, 8}, {0, 16}}},
                          {"lane", {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}}},
                          {"warp", {{0, 0}}}},
                         {4, 32}));

TEST(SortLayout, FewThreadsHaveARow) {
  LinearLayout rows = layOutRows({4, 32}, /*numWarps=*/1);
  EXPECT_TRUE(rows.isBijective());
  EXPECT_EQ(rows.bases("register").vec(), (std::vector<Point>{{0, 1}, {0, 2}}));
  EXPECT_EQ(rows.bases("lane").vec(),
            (std::vector<Point>{{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}));
}

TEST(SortLayout, ThreadsWithoutElementsHaveCopies) {
  LinearLayout rows = layOutRows({2, 16}, /*numWarps=*/4);
  EXPECT_TRUE(rows.isSurjective());
  EXPECT_EQ(rows.numBits("register"), 0u);
  EXPECT_EQ(rows.zeroBasisMask("lane"), 0);
  EXPECT_EQ(rows.zeroBasisMask("warp"), 3);
}

TEST(SortLayout, AThreadHasRowsWhereTheyAreShort) {
  LinearLayout rows = layOutRows({256, 4}, /*numWarps=*/1);
  EXPECT_TRUE(rows.isBijective());
  EXPECT_EQ(rows.apply({{"register", 3}}), (Point{0, 3}));
  EXPECT_EQ(rows.apply({{"lane", 1}}), (Point{1, 0}));
  EXPECT_EQ(rows.apply({{"register", 4}}), (Point{32, 0}));
}

TEST(SortLayout, LanesHavePlacesSideBySideBefore) {
  LinearLayout rows = layOutRows({4, 32}, /*numWarps=*/2);
  std::optional<LinearLayout> spread = spreadPlaces(rows);
  ASSERT_TRUE(spread);
  EXPECT_TRUE(spread->isBijective());
  EXPECT_EQ(spread->apply({{"lane", 1}}), (Point{0, 1}));
  EXPECT_EQ(spread->apply({{"register", 1}}), (Point{0, 16}));
}

TEST(SortLayout, AVectorIsInAThread) {
  std::optional<LinearLayout> spread =
      spreadPlaces(layOutRows({8, 64}, /*numWarps=*/1), /*vector=*/4);
  ASSERT_TRUE(spread);
  EXPECT_TRUE(spread->isBijective());
  EXPECT_EQ(spread->apply({{"register", 3}}), (Point{0, 3}));
  EXPECT_EQ(spread->apply({{"lane", 1}}), (Point{0, 4}));
  EXPECT_EQ(spread->apply({{"register", 4}}), (Point{0, 16}));
  EXPECT_EQ(spread->apply({{"register", 8}}), (Point{0, 32}));
}

TEST(SortLayout, AVectorIsNoLongerThanWhatAThreadHas) {
  LinearLayout rows = layOutRows({4, 32}, /*numWarps=*/1);
  EXPECT_EQ(spreadPlaces(rows, 16)->toString(), rows.toString());
  LinearLayout shortRows = layOutRows({256, 4}, /*numWarps=*/1);
  EXPECT_EQ(spreadPlaces(shortRows, 16)->toString(), shortRows.toString());
}

TEST(SortLayout, PlacesAreThoseOfSomeBits) {
  EXPECT_EQ(spreadPlaces(layOutRows({4, 32}, /*numWarps=*/1))->toString(),
            spreadPlaces(inTurns)->removeZeroBases("warp").toString());
  auto skewed = llvm::cantFail(LinearLayout::create(
      {{"register", {{0, 1}, {1, 2}}}, {"lane", {{1, 0}}}}, {2, 4}));
  EXPECT_FALSE(spreadPlaces(skewed));
  auto copied = llvm::cantFail(
      LinearLayout::create({{"register", {{1}, {2}}}, {"lane", {{1}}}}, {4}));
  EXPECT_FALSE(spreadPlaces(copied));
}

} // namespace
