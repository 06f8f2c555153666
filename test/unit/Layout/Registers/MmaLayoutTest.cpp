//===- MmaLayoutTest.cpp - Fragments of mma.sync --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/MmaLayout.h"

#include "LayoutTestUtils.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "gtest/gtest.h"

#include <set>

using namespace tilewright;

namespace {

using Point = LinearLayout::Point;

constexpr int64_t numLanes = 32;

Point elementAt(const LinearLayout &layout, int64_t reg, int64_t lane,
                int64_t warp = 0) {
  return layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}});
}

/// The formulas of the PTX ISA, "Matrix Fragments for mma.m16n8k*": groupID is
/// lane / 4, threadID_in_group lane % 4. They are given for each shape; `w`
/// elements in a 32-bit register make them one.
struct IsaFragment {
  int64_t w;

  // a_i: row groupID where (i / w) is even, else groupID + 8; column
  // w * threadID_in_group + i % w, plus half of K from i = 2w on.
  Point a(int64_t i, int64_t lane) const {
    return {int32_t(lane / 4 + (i / w % 2 == 0 ? 0 : 8)),
            int32_t(w * (lane % 4) + i % w + (i < 2 * w ? 0 : 4 * w))};
  }
  // b_i: row w * threadID_in_group + i % w, plus half of K from i = w on;
  // column groupID.
  Point b(int64_t i, int64_t lane) const {
    return {int32_t(w * (lane % 4) + i % w + (i < w ? 0 : 4 * w)),
            int32_t(lane / 4)};
  }
  // c_i: row groupID for i < 2, else groupID + 8; column 2 * threadID_in_group
  // + i % 2.
  static Point c(int64_t i, int64_t lane) {
    return {int32_t(lane / 4 + (i < 2 ? 0 : 8)),
            int32_t(2 * (lane % 4) + i % 2)};
  }
};

class MmaFragments : public testing::TestWithParam<unsigned> {};

TEST_P(MmaFragments, AreThoseOfTheIsa) {
  unsigned bytes = GetParam();
  MmaShape mma = MmaShape::get(bytes);
  EXPECT_EQ(mma.k, 8 * mma.perWord);
  IsaFragment isa{4 / int64_t(bytes)};
  LinearLayout d = mmaAccumulatorLayout({mma.m, mma.n}, 1);
  LinearLayout a = mmaOperandLayout(0, mma.k, bytes, d);
  LinearLayout b = mmaOperandLayout(1, mma.k, bytes, d);
  int64_t ofA = MmaShape::wordsOfA * mma.perWord;
  int64_t ofB = MmaShape::wordsOfB * mma.perWord;
  ASSERT_EQ(a.inputSize("register"), ofA);
  ASSERT_EQ(b.inputSize("register"), ofB);
  ASSERT_EQ(d.inputSize("register"), MmaShape::registersOfD);
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    for (int64_t i = 0; i < ofA; ++i)
      EXPECT_EQ(elementAt(a, i, lane), isa.a(i, lane))
          << i << " of lane " << lane;
    for (int64_t i = 0; i < ofB; ++i)
      EXPECT_EQ(elementAt(b, i, lane), isa.b(i, lane))
          << i << " of lane " << lane;
    for (int64_t i = 0; i < MmaShape::registersOfD; ++i)
      EXPECT_EQ(elementAt(d, i, lane), IsaFragment::c(i, lane))
          << i << " of lane " << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(ElementBytes, MmaFragments,
                         testing::Values(1u, 2u, 4u));

/// The first elements of each fragment that a thread of the warp has.
std::set<Point> fragmentsOf(const LinearLayout &layout, int64_t registersEach,
                            int64_t warp) {
  std::set<Point> points;
  for (int64_t reg = 0; reg < layout.inputSize("register");
       reg += registersEach)
    points.insert(elementAt(layout, reg, 0, warp));
  return points;
}

/// Every register of a fragment lies where the instruction expects it, as seen
/// from the first one.
void expectFragments(const LinearLayout &layout, int64_t registersEach,
                     const LinearLayout &fragment) {
  ASSERT_EQ(layout.inputSize("register") % registersEach, 0);
  for (int64_t warp = 0; warp < layout.inputSize("warp"); ++warp)
    for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg) {
      Point first = elementAt(layout, reg - reg % registersEach, 0, warp);
      for (int64_t lane : {0, 1, 2, 4, 8, 16, 31}) {
        Point inside = elementAt(fragment, reg % registersEach, lane);
        ASSERT_EQ(elementAt(layout, reg, lane, warp),
                  (Point{first[0] + inside[0], first[1] + inside[1]}));
      }
    }
}

struct Tile {
  int64_t m, n, k;
};

std::vector<Tile> tiles() {
  std::vector<Tile> result;
  for (int64_t m = 16; m <= 256; m *= 2)
    for (int64_t n = 16; n <= 256; n *= 2)
      for (int64_t k : {32, 64})
        result.push_back({m, n, k});
  return result;
}

TEST(MmaLayout, AccumulatorsCoverTheTile) {
  for (Tile tile : tiles())
    for (unsigned warps = 1; warps <= 32; warps *= 2) {
      LinearLayout d = mmaAccumulatorLayout({tile.m, tile.n}, warps);
      SCOPED_TRACE(testing::Message()
                   << tile.m << "x" << tile.n << ", " << warps << " warps");
      EXPECT_EQ(d.inputSize("warp"), warps);
      EXPECT_EQ(d.inputSize("lane"), numLanes);
      EXPECT_TRUE(d.isSurjective());
      EXPECT_TRUE(isMmaAccumulatorLayout(d));
      // Copies are made only when each fragment has its warp.
      int64_t fragments = tile.m / 16 * (tile.n / 8);
      EXPECT_EQ(d.inputSize("register"),
                4 * std::max<int64_t>(1, fragments / warps));
      expectFragments(d, 4, mmaAccumulatorLayout({16, 8}, 1));
    }
}

TEST(MmaLayout, ProductsOfOneOperandHaveItInOneLayout) {
  auto ofA = [](const LinearLayout &d) {
    return mmaOperandLayout(0, 64, 2, d);
  };
  EXPECT_NE(ofA(mmaAccumulatorLayout({128, 64}, 4)),
            ofA(mmaAccumulatorLayout({128, 128}, 4)));
  for (MmaRuns runs : {MmaRuns(), MmaRuns{1, 2, /*transposed=*/true}}) {
    LinearLayout wide = mmaAccumulatorLayout({128, 128}, 4, runs);
    LinearLayout alike = mmaAccumulatorLayout({128, 64}, 4, runs, {128, 128});
    EXPECT_EQ(ofA(alike), ofA(wide));
    EXPECT_TRUE(alike.isSurjective());
    EXPECT_TRUE(isMmaAccumulatorLayout(alike));
  }
  // Two columns of warps would find no part in one fragment.
  EXPECT_EQ(mmaAccumulatorLayout({128, 8}, 4, {}, {128, 128}),
            mmaAccumulatorLayout({128, 8}, 4));
}

TEST(MmaLayout, OperandsHaveWhatTheAccumulatorNeeds) {
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    MmaShape mma = MmaShape::get(bytes);
    LinearLayout one = mmaAccumulatorLayout({16, 8}, 1);
    LinearLayout fragmentOfA = mmaOperandLayout(0, mma.k, bytes, one);
    LinearLayout fragmentOfB = mmaOperandLayout(1, mma.k, bytes, one);
    for (Tile tile : tiles())
      for (unsigned warps = 1; warps <= 32; warps *= 2) {
        SCOPED_TRACE(testing::Message()
                     << tile.m << "x" << tile.n << "x" << tile.k << ", "
                     << warps << " warps, " << bytes << " bytes");
        LinearLayout d = mmaAccumulatorLayout({tile.m, tile.n}, warps);
        LinearLayout a = mmaOperandLayout(0, tile.k, bytes, d);
        LinearLayout b = mmaOperandLayout(1, tile.k, bytes, d);
        ASSERT_TRUE(a.isSurjective() && b.isSurjective());
        expectFragments(a, 4 * mma.perWord, fragmentOfA);
        expectFragments(b, 2 * mma.perWord, fragmentOfB);
        for (unsigned warp = 0; warp < warps; ++warp) {
          std::set<Point> ofA, ofB;
          for (const Point &point : fragmentsOf(d, 4, warp))
            for (int64_t k = 0; k < tile.k; k += mma.k) {
              ofA.insert({point[0], int32_t(k)});
              ofB.insert({int32_t(k), point[1]});
            }
          ASSERT_EQ(fragmentsOf(a, 4 * mma.perWord, warp), ofA);
          ASSERT_EQ(fragmentsOf(b, 2 * mma.perWord, warp), ofB);
        }
      }
  }
}

TEST(MmaLayout, WarpsShareASquareTileEvenly) {
  LinearLayout d = mmaAccumulatorLayout({128, 128}, 4);
  EXPECT_EQ(elementAt(d, 0, 0, 1), (Point{0, 64}));
  EXPECT_EQ(elementAt(d, 0, 0, 2), (Point{64, 0}));
}

/// Whatever rows, columns and steps the places of the ISA's fragments stand
/// for: a place of D has the row of A and the column of B that meet in it, and
/// A and B have one step in each place along K.
TEST(MmaLayout, RenamedBitsMeet) {
  for (unsigned bytes : {1u, 4u, 8u})
    for (MmaRuns runs : {MmaRuns{1, 1}, MmaRuns{1, 4}, MmaRuns{4, 1},
                         MmaRuns{2, 2}, MmaRuns{16, 16}}) {
      MmaShape mma = MmaShape::get(bytes);
      LinearLayout d = mmaAccumulatorLayout({64, 64}, 4, runs);
      ASSERT_TRUE(d.isBijective() && isMmaAccumulatorLayout(d));
      LinearLayout a = mmaOperandLayout(0, 64, bytes, d);
      LinearLayout b = mmaOperandLayout(1, 64, bytes, d);
      ASSERT_TRUE(a.isSurjective() && b.isSurjective());
      IsaFragment isa{mma.perWord};
      // Which thread has an element of a fragment, by the ISA.
      for (int64_t lane = 0; lane < numLanes; ++lane)
        for (int64_t i = 0; i < MmaShape::registersOfD; ++i) {
          Point inD = IsaFragment::c(i, lane), point = elementAt(d, i, lane);
          std::set<int32_t> ofA, ofB;
          for (int64_t other = 0; other < numLanes; ++other) {
            for (int64_t j = 0; j < 4 * mma.perWord; ++j)
              if (isa.a(j, other)[0] == inD[0]) {
                ASSERT_EQ(elementAt(a, j, other)[0], point[0]);
                ofA.insert(elementAt(a, j, other)[1]);
              }
            for (int64_t j = 0; j < 2 * mma.perWord; ++j)
              if (isa.b(j, other)[1] == inD[1]) {
                ASSERT_EQ(elementAt(b, j, other)[1], point[1]);
                ofB.insert(elementAt(b, j, other)[0]);
              }
          }
          ASSERT_EQ(ofA.size(), size_t(mma.k));
          ASSERT_EQ(ofA, ofB);
        }
      // Steps of A and B meet by their places in the fragments.
      for (int64_t lane = 0; lane < numLanes; ++lane)
        for (int64_t j = 0; j < 4 * mma.perWord; ++j)
          for (int64_t i = 0; i < 2 * mma.perWord; ++i)
            for (int64_t other : {0, 1, 2, 3, 29})
              ASSERT_EQ(isa.a(j, lane)[1] == isa.b(i, other)[0],
                        elementAt(a, j, lane)[1] == elementAt(b, i, other)[0]);
    }
}

TEST(MmaLayout, RunsAreReadWhole) {
  // A along M and B along N, for f32: 4 rows and 4 columns a thread.
  LinearLayout d = mmaAccumulatorLayout({128, 128}, 4, {4, 4});
  LinearLayout a = mmaOperandLayout(0, 32, 4, d);
  LinearLayout b = mmaOperandLayout(1, 32, 4, d);
  SharedAccess load;
  load.registers = a;
  SharedLayout columns =
      SharedLayout::ordered({128, 32}, {0, 1}).withSwizzle(2, 3, 4);
  SharedAccessCost cost = costOfSharedAccess(load, columns);
  EXPECT_EQ(cost.vectorElements, 4u);
  EXPECT_TRUE(cost.isIdeal());
  load.registers = b;
  SharedLayout rows =
      SharedLayout::ordered({32, 128}, {1, 0}).withSwizzle(2, 2, 5);
  cost = costOfSharedAccess(load, rows);
  EXPECT_EQ(cost.vectorElements, 4u);
  EXPECT_TRUE(cost.isIdeal());
  // Steps of f64: 2 a thread for the instruction's B, and one for its A, of
  // which two rows are side by side in registers.
  load.elementBytes = 8;
  auto widthOf = [&](unsigned operand, MmaRuns runs) {
    load.registers = mmaOperandLayout(operand, 16, 8,
                                      mmaAccumulatorLayout({64, 64}, 4, runs));
    SharedLayout alongK = operand == 0
                              ? SharedLayout::ordered({64, 16}, {1, 0})
                              : SharedLayout::ordered({16, 64}, {0, 1});
    return costOfSharedAccess(load, alongK).vectorElements;
  };
  EXPECT_EQ(widthOf(1, {2, 2}), 2u);
  EXPECT_EQ(widthOf(0, {1, 2}), 1u);
  EXPECT_EQ(widthOf(1, {1, 2}), 1u);
}

/// The instruction's A is then B, turned.
TEST(MmaLayout, TransposedFragments) {
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    LinearLayout d = mmaAccumulatorLayout({32, 64}, 2, {2, 1});
    LinearLayout turned =
        mmaAccumulatorLayout({64, 32}, 2, {1, 2, /*transposed=*/true});
    EXPECT_EQ(turned, d.transpose({1, 0}));
    EXPECT_TRUE(isMmaAccumulatorLayout(turned));
    EXPECT_TRUE(isTransposedMmaAccumulator(turned));
    EXPECT_FALSE(isTransposedMmaAccumulator(d));
    for (unsigned operand : {0u, 1u})
      EXPECT_EQ(mmaOperandLayout(operand, 32, bytes, turned),
                mmaOperandLayout(1 - operand, 32, bytes, d).transpose({1, 0}));
  }
}

/// Two rows of a run are two adjacent registers of one fragment.
TEST(MmaLayout, RunsOfRowsFillFragments) {
  LinearLayout a =
      mmaOperandLayout(0, 32, 4, mmaAccumulatorLayout({64, 64}, 4, {2, 1}));
  EXPECT_EQ(elementAt(a, 0, 0), (Point{0, 0}));
  EXPECT_EQ(elementAt(a, 1, 0), (Point{1, 0}));
}

TEST(MmaLayout, RunsAreCutToThePartOfAWarp) {
  EXPECT_EQ(mmaAccumulatorLayout({16, 16}, 1, {4, 4}),
            mmaAccumulatorLayout({16, 16}, 1, {1, 2}));
  EXPECT_EQ(mmaAccumulatorLayout({16, 16}, 16, {4, 4}),
            mmaAccumulatorLayout({16, 16}, 16));
}

/// Of half an instruction's steps, operands hold half its words.
TEST(MmaLayout, HalfOfTheSteps) {
  LinearLayout d = mmaAccumulatorLayout({16, 8}, 1);
  EXPECT_EQ(mmaOperandLayout(0, 16, 1, d).inputSize("register"), 8);
  EXPECT_EQ(mmaOperandLayout(1, 16, 1, d).inputSize("register"), 4);
}

TEST(MmaLayout, RefusesOtherLayouts) {
  // Rows of a coalesced tile.
  EXPECT_FALSE(isMmaAccumulatorLayout(test::productOf(
      {{"register", {1, 4}, 1}, {"lane", {4, 8}, 1}, {"warp", {4, 1}, 1}}, 2)));
  // A fragment whose registers are in the order of a transposed one.
  EXPECT_FALSE(isMmaAccumulatorLayout(test::productOf(
      {{"register", {2, 1}, 1}, {"register", {1, 2}, 1}, {"lane", {8, 4}, 1}},
      2)));
  // Too few registers, too few rows.
  EXPECT_FALSE(isMmaAccumulatorLayout(
      test::productOf({{"register", {1, 2}, 1}, {"lane", {8, 4}, 1}}, 2)));
  // Operands, but for A of 2-byte elements, whose fragments are pairs of D's.
  LinearLayout d = mmaAccumulatorLayout({64, 64}, 4);
  EXPECT_TRUE(isMmaAccumulatorLayout(mmaOperandLayout(0, 64, 2, d)));
  EXPECT_FALSE(isMmaAccumulatorLayout(mmaOperandLayout(0, 64, 1, d)));
  EXPECT_FALSE(isMmaAccumulatorLayout(mmaOperandLayout(0, 64, 4, d)));
  EXPECT_FALSE(isMmaAccumulatorLayout(mmaOperandLayout(1, 64, 2, d)));
  // One dimension.
  EXPECT_FALSE(isMmaAccumulatorLayout(
      test::productOf({{"register", {4}, 1}, {"lane", {32}, 1}}, 1)));
}

} // namespace
