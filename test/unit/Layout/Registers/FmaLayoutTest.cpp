//===- FmaLayoutTest.cpp - Layouts of products by FMA ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/FmaLayout.h"

#include "LayoutTestUtils.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "gtest/gtest.h"

#include <set>

using namespace tilewright;

namespace {

using Point = LinearLayout::Point;

Point at(const LinearLayout &layout, int64_t reg, int64_t lane,
         int64_t warp = 0) {
  return layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}});
}

TEST(FmaLayout, AccumulatorsCoverTheTileEvenly) {
  for (int64_t m = 16; m <= 256; m *= 2)
    for (int64_t n = 16; n <= 256; n *= 2)
      for (unsigned warps = 1; warps <= 32; warps *= 2) {
        SCOPED_TRACE(testing::Message()
                     << m << "x" << n << ", " << warps << " warps");
        LinearLayout d = fmaAccumulatorLayout({m, n}, warps);
        EXPECT_EQ(d.inputSize("lane"), 32);
        EXPECT_EQ(d.inputSize("warp"), warps);
        EXPECT_TRUE(d.isSurjective());
        EXPECT_TRUE(isFmaAccumulatorLayout(d));
        EXPECT_FALSE(isMmaAccumulatorLayout(d));
        EXPECT_EQ(d.inputSize("register"),
                  std::max<int64_t>(1, m * n / (int64_t(32) * warps)));
      }
}

TEST(FmaLayout, ThreadsHoldSquares) {
  LinearLayout d = fmaAccumulatorLayout({128, 128}, 8);
  std::set<int32_t> rows, columns;
  for (int64_t reg = 0; reg < d.inputSize("register"); ++reg) {
    rows.insert(at(d, reg, 0)[0]);
    columns.insert(at(d, reg, 0)[1]);
  }
  EXPECT_EQ(rows, (std::set<int32_t>{0, 1, 2, 3, 16, 17, 18, 19}));
  EXPECT_EQ(columns, (std::set<int32_t>{0, 1, 2, 3, 32, 33, 34, 35}));
}

TEST(FmaLayout, ThreadsHoldFewElementsOfWhatIsRead) {
  auto countRowsAndColumns = [](bool readsA, bool readsB) {
    LinearLayout d = fmaAccumulatorLayout({64, 64}, 4, readsA, readsB);
    std::set<int32_t> rows, columns;
    for (int64_t reg = 0; reg < d.inputSize("register"); ++reg) {
      rows.insert(at(d, reg, 0)[0]);
      columns.insert(at(d, reg, 0)[1]);
    }
    return std::pair(rows.size(), columns.size());
  };
  using Counts = std::pair<size_t, size_t>;
  EXPECT_EQ(countRowsAndColumns(true, true), Counts(4, 8));
  EXPECT_EQ(countRowsAndColumns(false, true), Counts(16, 2));
  EXPECT_EQ(countRowsAndColumns(true, false), Counts(4, 8));
}

TEST(FmaLayout, OperandsHaveWhatTheAccumulatorNeeds) {
  constexpr int64_t k = 16;
  for (unsigned warps : {1u, 4u, 16u}) {
    LinearLayout d = fmaAccumulatorLayout({32, 64}, warps);
    LinearLayout a = fmaOperandLayout(0, k, d), b = fmaOperandLayout(1, k, d);
    EXPECT_TRUE(a.isSurjective() && b.isSurjective());
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane) {
        std::set<Point> ofA, ofB;
        for (int64_t reg = 0; reg < a.inputSize("register"); ++reg)
          ofA.insert(at(a, reg, lane, warp));
        for (int64_t reg = 0; reg < b.inputSize("register"); ++reg)
          ofB.insert(at(b, reg, lane, warp));
        for (int64_t reg = 0; reg < d.inputSize("register"); ++reg) {
          Point point = at(d, reg, lane, warp);
          for (int32_t step = 0; step < k; ++step) {
            ASSERT_TRUE(ofA.count({point[0], step}));
            ASSERT_TRUE(ofB.count({step, point[1]}));
          }
        }
      }
  }
}

// A read for one step along K, not for several: its registers are the first.
TEST(FmaLayout, OperandsBeginWithTheirRowsOrColumns) {
  LinearLayout d = fmaAccumulatorLayout({128, 128}, 8);
  LinearLayout a = fmaOperandLayout(0, 16, d), b = fmaOperandLayout(1, 16, d);
  for (int32_t reg = 0; reg < 4; ++reg) {
    EXPECT_EQ(at(a, reg, 0), (Point{reg, 0}));
    EXPECT_EQ(at(b, reg, 0), (Point{0, reg}));
  }
  EXPECT_EQ(at(a, 8, 0), (Point{0, 1}));
  EXPECT_EQ(at(b, 8, 0), (Point{1, 0}));
}

/// Reads of 16 bytes by which a warp gets an operand, and their wavefronts. Two
/// are the least that an instruction of 32 lanes and 16 bytes takes.
void expectTwoWavefrontsEach(const LinearLayout &registers,
                             const SharedLayout &layout) {
  SharedAccess load;
  load.registers = registers;
  SharedAccessCost cost = costOfSharedAccess(load, layout);
  EXPECT_EQ(cost.vectorElements, 4u);
  EXPECT_EQ(cost.wavefronts, 2 * cost.instructionsOfBlock());
}

TEST(FmaLayout, ReadsAreWideAndOfTwoWavefronts) {
  LinearLayout d = fmaAccumulatorLayout({128, 128}, 8);
  LinearLayout a = fmaOperandLayout(0, 16, d), b = fmaOperandLayout(1, 16, d);
  // Along rows of A and columns of B.
  expectTwoWavefrontsEach(a, SharedLayout::ordered({128, 16}, {0, 1}));
  expectTwoWavefrontsEach(b, SharedLayout::ordered({16, 128}, {1, 0}));
  // Along K, where lanes are 4 rows of 64 bytes apart, and 4 columns.
  expectTwoWavefrontsEach(
      a, SharedLayout::ordered({128, 16}, {1, 0}).withSwizzle(2, 2, 4));
  expectTwoWavefrontsEach(
      b, SharedLayout::ordered({16, 128}, {0, 1}).withSwizzle(2, 2, 4));
}

TEST(FmaLayout, RefusesBitsThatMoveBothWays) {
  EXPECT_TRUE(isFmaAccumulatorLayout(test::productOf(
      {{"register", {1, 4}, 1}, {"lane", {4, 8}, 1}, {"warp", {4, 1}, 1}}, 2)));
  EXPECT_FALSE(isFmaAccumulatorLayout(
      test::productOf({{"register", {4}, 1}, {"lane", {32}, 1}}, 1)));
  LinearLayout diagonal = cantFail(LinearLayout::create(
      {{"register", {{0, 1}}}, {"lane", {{1, 1}, {2, 0}}}}, {4, 2}));
  EXPECT_FALSE(isFmaAccumulatorLayout(diagonal));
}

} // namespace
