//===- AxisScanTest.cpp - Tests of scans along an axis --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/AxisScan.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

TEST(AxisScan, Tutorial) {
  LinearLayout tile = productOf(
      {{"register", {4}}, {"lane", {32}}, {"warp", {4}}, {"register", {2}}}, 1);
  auto scan = AxisScan::create(tile, 0);
  ASSERT_TRUE(scan);
  ASSERT_EQ(scan->getRuns().size(), 2u);
  EXPECT_FALSE(scan->getRuns()[0].isOfLanes);
  EXPECT_EQ(scan->getRuns()[0].masks, (SmallVector<unsigned>{1, 2}));
  EXPECT_TRUE(scan->getRuns()[1].isOfLanes);
  EXPECT_EQ(scan->getRuns()[1].masks, (SmallVector<unsigned>{1, 2, 4, 8, 16}));
  EXPECT_EQ(scan->getNumParts(), 8u);
  EXPECT_EQ(scan->firstOfParts(), (SmallVector<unsigned>{0, 4}));
  ASSERT_EQ(scan->getPartBits("register").size(), 1u);
  EXPECT_EQ(scan->getPartBits("register")[0].mask, 4u);
  EXPECT_EQ(scan->getPartBits("register")[0].part, 4u);
  EXPECT_EQ(scan->partTotals(),
            productOf({{"lane", {}, 32}, {"warp", {4}}, {"register", {2}}}, 1));
  EXPECT_EQ(scan->getTotalOf(3), 0u);
  EXPECT_EQ(scan->getTotalOf(5), 1u);
  // All in each thread; one bit after the other in lanes.
  std::vector<LinearLayout> homes = scan->homesOfTotals(4);
  ASSERT_EQ(homes.size(), 4u);
  EXPECT_EQ(
      homes.front(),
      productOf({{"register", {8}}, {"lane", {}, 32}, {"warp", {}, 4}}, 1));
  EXPECT_EQ(homes.back(),
            productOf({{"lane", {8}}, {"lane", {}, 4}, {"warp", {}, 4}}, 1));
}

// Of 16 parts of 128 columns, each thread with 32 of these and lanes that hold
// the same: with totals in fewer registers, or each in one thread.
TEST(AxisScan, HomesOfTotals) {
  LinearLayout tile = productOf({{"register", {1, 2}},
                                 {"lane", {1, 4}},
                                 {"lane", {8, 1}},
                                 {"register", {2, 1}},
                                 {"warp", {8, 1}},
                                 {"register", {2, 16}}},
                                2);
  auto scan = AxisScan::create(tile, 0);
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->getNumParts(), 16u);
  std::vector<LinearLayout> homes = scan->homesOfTotals(4);
  ASSERT_EQ(homes.size(), 5u);
  SmallVector<int64_t> registers;
  for (const LinearLayout &home : homes) {
    registers.push_back(home.inputSize("register"));
    EXPECT_EQ(home.shape(), (ArrayRef<int64_t>{16, 128}));
    auto totals = AxisScan::create(home, 0);
    ASSERT_TRUE(totals) << home.toString();
    EXPECT_TRUE(totals->servesExclusive()) << home.toString();
  }
  EXPECT_EQ(registers, (SmallVector<int64_t>{512, 256, 128, 64, 16}));
}

// Not where the axis is in several warps, or registers lie beyond lanes.
TEST(AxisScan, ServesExclusive) {
  auto serves = [](const LinearLayout &tile) {
    return AxisScan::create(tile, 0)->servesExclusive();
  };
  EXPECT_TRUE(serves(productOf({{"register", {8}}}, 1)));
  EXPECT_TRUE(serves(productOf({{"lane", {8}}}, 1)));
  EXPECT_TRUE(serves(productOf({{"register", {2}}, {"lane", {8}}}, 1)));
  EXPECT_FALSE(serves(productOf({{"lane", {8}}, {"register", {2}}}, 1)));
  EXPECT_FALSE(serves(productOf({{"lane", {32}}, {"warp", {2}}}, 1)));
}

// Registers between lanes are a run of their own, and what moves across stays.
TEST(AxisScan, RunsAlternate) {
  LinearLayout tile = productOf({{"lane", {1, 4}},
                                 {"register", {2, 2}},
                                 {"lane", {1, 8}},
                                 {"warp", {2, 1}}},
                                2);
  auto scan = AxisScan::create(tile, 1);
  ASSERT_TRUE(scan);
  ASSERT_EQ(scan->getRuns().size(), 3u);
  EXPECT_EQ(scan->getRuns()[0].masks, (SmallVector<unsigned>{1, 2}));
  EXPECT_EQ(scan->getRuns()[1].masks.size(), 1u);
  EXPECT_EQ(scan->getRuns()[2].masks, (SmallVector<unsigned>{4, 8, 16}));
  EXPECT_EQ(scan->getNumParts(), 1u);
  EXPECT_EQ(scan->firstOfParts().size(), 2u);
}

TEST(AxisScan, RefusesWhatHasNoOrder) {
  auto isRefused = [](const LinearLayout &tile) {
    return !AxisScan::create(tile, 0);
  };
  // Along and across at once; by three; twice by one.
  EXPECT_TRUE(isRefused(
      layoutOf({{"register", {{0, 1}}}, {"lane", {{1, 1}}}}, {2, 2})));
  EXPECT_TRUE(isRefused(layoutOf({{"lane", {{3}, {1}}}}, {4})));
  EXPECT_TRUE(isRefused(layoutOf({{"register", {{1}}}, {"lane", {{1}}}}, {2})));
  // Lanes backwards; lanes beyond warps.
  EXPECT_TRUE(isRefused(layoutOf({{"lane", {{2}, {1}}}}, {4})));
  EXPECT_TRUE(isRefused(layoutOf({{"warp", {{1}}}, {"lane", {{2}}}}, {4})));
  EXPECT_FALSE(isRefused(layoutOf({{"lane", {{1}}}, {"warp", {{2}}}}, {4})));
}

// Each tile has a layout that can be scanned, in one warp if there is room.
TEST(AxisScan, PreferredLayoutsServe) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    SmallVector<int64_t, 4> shape = random.shape(4, 6);
    auto axis = static_cast<unsigned>(random.below(shape.size()));
    LinearLayout tile = AxisScan::preferred(shape, axis, 1u << random.below(6));
    auto scan = AxisScan::create(tile, axis);
    ASSERT_TRUE(scan) << tile.toString();
    if (shape[axis] <= 32) {
      EXPECT_EQ(scan->getNumParts(), 1u) << tile.toString();
    }
  }
}

TEST(AxisScan, RunsOfAllThreads) {
  LinearLayout layout = *AxisScan::alongThreads({256, 4}, 0, 4);
  EXPECT_EQ(layout,
            layoutOf({{"register", {{1, 0}, {0, 1}, {0, 2}}},
                      {"lane", {{2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}},
                      {"warp", {{64, 0}, {128, 0}}}},
                     {256, 4}));
  // One part for each warp.
  EXPECT_EQ(AxisScan::create(layout, 0)->getNumParts(), 4U);
  EXPECT_FALSE(AxisScan::alongThreads({64, 4}, 0, 4));
}
