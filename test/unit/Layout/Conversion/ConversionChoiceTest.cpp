//===- ConversionChoiceTest.cpp - Tests of ways of conversion -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/ConversionChoice.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

static ConversionChoice choose(const Factors &from, const Factors &to,
                               unsigned rank, unsigned elementBytes) {
  return chooseConversion(productOf(from, rank), productOf(to, rank),
                          elementBytes);
}

TEST(ConversionChoice, RegistersWhereEachThreadHasItsOwn) {
  Factors layout = {{"register", {4}}, {"lane", {32}}};
  ConversionChoice choice = choose(layout, layout, 1, 4);
  EXPECT_EQ(choice.way, ConversionWay::Registers);
  EXPECT_EQ(choice.getReason(), "each thread has its elements already");
}

TEST(ConversionChoice, SharedMemoryBetweenWarps) {
  ConversionChoice choice = choose({{"lane", {32}}, {"warp", {4}}},
                                   {{"warp", {4}}, {"lane", {32}}}, 1, 4);
  EXPECT_EQ(choice.way, ConversionWay::SharedMemory);
  EXPECT_FALSE(choice.plan);
  EXPECT_EQ(choice.getReason(), "a warp lacks elements that it needs");
}

// The example of the header.
TEST(ConversionChoice, ShufflesWhereTheyCostLess) {
  ConversionChoice choice =
      choose({{"register", {4, 1}}, {"lane", {1, 32}}},
             {{"lane", {4, 1}}, {"register", {1, 4}}, {"lane", {1, 8}}}, 2, 4);
  EXPECT_EQ(choice.way, ConversionWay::Shuffles);
  EXPECT_EQ(choice.getReason(),
            "4 shuffles, 12 selects and 0 moves a warp are 10.0 cycles; shared "
            "memory would be 8 wavefronts and a barrier, 22.0 cycles");
}

TEST(ConversionChoice, SharedMemoryWhereMuchIsSelected) {
  ConversionChoice choice = choose(
      {{"register", {32, 1}}, {"lane", {1, 32}}, {"warp", {4, 1}}},
      {{"register", {1, 32}}, {"lane", {32, 1}}, {"warp", {4, 1}}}, 2, 4);
  EXPECT_EQ(choice.way, ConversionWay::SharedMemory);
  ASSERT_TRUE(choice.plan && choice.wavefronts);
  // 4 warps store and load 32 registers.
  EXPECT_EQ(*choice.wavefronts, 2 * 4 * 32);
  EXPECT_EQ(choice.getSharedCycles(), 2 * 4 * 32 + 20);
}

TEST(ConversionChoice, TakesTheCheaperOne) {
  Random random(71);
  unsigned shuffles = 0, shared = 0;
  for (unsigned round = 0; round < 400; ++round) {
    SmallVector<int64_t> shape = {int64_t(8) << random.below(3),
                                  int64_t(16) << random.below(3)};
    unsigned bytes = 1 << random.below(4);
    LinearLayout from = randomRegisterLayout(random, shape, 1, false);
    LinearLayout to = random.chance(20)
                          ? randomRegisterLayout(random, shape, 1, false)
                          : randomOrderInWarps(random, from);
    ConversionChoice choice = chooseConversion(from, to, bytes);
    EXPECT_EQ(choice.way == ConversionWay::Registers,
              mapRegisters(from, to).has_value());
    if (choice.way == ConversionWay::Registers)
      continue;
    EXPECT_EQ(choice.plan.has_value(),
              planShuffles(from, to, bytes).has_value());
    if (!choice.plan) {
      EXPECT_EQ(choice.way, ConversionWay::SharedMemory);
      continue;
    }
    ASSERT_TRUE(choice.wavefronts.has_value());
    bool isShuffled = choice.way == ConversionWay::Shuffles;
    EXPECT_EQ(isShuffled,
              choice.getShuffleCycles() <= choice.getSharedCycles());
    ++(isShuffled ? shuffles : shared);
  }
  EXPECT_GT(shuffles, 50u);
  EXPECT_GT(shared, 20u);
}
