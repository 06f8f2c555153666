//===- LayoutHalvesTest.cpp - Tests of halves of layouts ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/LayoutHalves.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

/// Every thread finds in each half, by its registers, the elements of the whole
/// whose coordinate has the bit clear or set, without the bit.
static void expectHalves(const LinearLayout &whole, unsigned axis,
                         int64_t stride) {
  auto halves = halveLayout(whole, axis, stride);
  ASSERT_TRUE(halves) << whole.toString();
  int64_t lanes = whole.inputSize("lane"), warps = whole.inputSize("warp");
  for (bool isUpper : {false, true}) {
    ArrayRef<unsigned> registers = isUpper ? halves->upper : halves->lower;
    ASSERT_EQ(int64_t(registers.size()), halves->half.inputSize("register"));
    for (auto [reg, old] : enumerate(registers))
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t warp = 0; warp < warps; ++warp) {
          auto point = halves->half.apply(
              {{"register", reg}, {"lane", lane}, {"warp", warp}});
          int64_t block = point[axis] / stride;
          point[axis] += (block + isUpper) * stride;
          EXPECT_EQ(
              point,
              whole.apply({{"register", old}, {"lane", lane}, {"warp", warp}}));
        }
  }
}

TEST(LayoutHalves, EachThreadHasBothHalves) {
  LinearLayout whole = productOf(Factors{{"register", {1, 2}},
                                         {"lane", {8, 4}},
                                         {"register", {2, 1}},
                                         {"warp", {2, 2}},
                                         {"register", {4, 2}}},
                                 2);
  expectHalves(whole, 0, 8);
  expectHalves(whole, 0, 32);
  expectHalves(whole, 0, 64);
  expectHalves(whole, 1, 1);
  expectHalves(whole, 1, 16);
}

TEST(LayoutHalves, CopiesStayCopies) {
  expectHalves(productOf(Factors{{"register", {}, 2},
                                 {"register", {4}},
                                 {"lane", {32}},
                                 {"warp", {}, 4}},
                         1),
               0, 2);
}

TEST(LayoutHalves, OtherThreadsHaveTheOtherHalf) {
  LinearLayout whole = productOf(
      Factors{{"register", {1, 2}}, {"lane", {4, 8}}, {"warp", {2, 2}}}, 2);
  EXPECT_FALSE(halveLayout(whole, 0, 1));
  EXPECT_FALSE(halveLayout(whole, 0, 4));
  EXPECT_FALSE(halveLayout(whole, 1, 16));
  EXPECT_TRUE(halveLayout(whole, 1, 1));
}

TEST(LayoutHalves, SwizzledHalvesAreNone) {
  // The bit hangs on a lane as well, or comes with another one.
  EXPECT_FALSE(halveLayout(
      layoutOf({{"register", {{0, 2}}}, {"lane", {{0, 1}, {1, 2}}}}, {2, 4}), 1,
      2));
  EXPECT_FALSE(halveLayout(
      layoutOf({{"register", {{1, 2}}}, {"lane", {{0, 1}, {1, 0}}}}, {2, 4}), 1,
      2));
}

TEST(LayoutHalves, OneBitIsExchanged) {
  LinearLayout lanes = layoutOf(
      {{"register", {{0, 1}, {0, 2}}}, {"lane", {{1, 0}, {0, 4}}}}, {2, 8});
  EXPECT_EQ(
      *bringHalvesTogether(lanes, 0, 1),
      layoutOf({{"register", {{1, 0}, {0, 2}}}, {"lane", {{0, 1}, {0, 4}}}},
               {2, 8}));
  expectHalves(*bringHalvesTogether(lanes, 0, 1), 0, 1);
  expectHalves(*bringHalvesTogether(lanes, 1, 4), 1, 4);
  // A thread that has one element has two then, and another one the same.
  LinearLayout few = layoutOf({{"lane", {{1, 0}, {0, 1}}}}, {2, 2});
  EXPECT_EQ(
      *bringHalvesTogether(few, 0, 1),
      layoutOf({{"register", {{1, 0}}}, {"lane", {{0, 0}, {0, 1}}}}, {2, 2}));
  EXPECT_FALSE(bringHalvesTogether(
      layoutOf({{"register", {{0, 1}}}, {"lane", {{1, 1}}}}, {2, 2}), 0, 1));
}

TEST(LayoutHalves, CopiesStandBesideEachOther) {
  LinearLayout one = productOf(Factors{{"register", {1, 1, 2}},
                                       {"lane", {8, 1, 4}},
                                       {"warp", {2, 1, 1}}},
                               3);
  LinearLayout copies = repeatInRegisters(one, /*axis=*/1, /*copies=*/4);
  EXPECT_EQ(copies, productOf(Factors{{"register", {1, 4, 1}},
                                      {"register", {1, 1, 2}},
                                      {"lane", {8, 1, 4}},
                                      {"warp", {2, 1, 1}}},
                              3));
  EXPECT_EQ(copies.collapseDim(1).removeZeroBases("register"), one);
}
