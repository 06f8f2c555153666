//===- LayoutConversionTest.cpp - Tests of register conversions -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;
using Registers = SmallVector<unsigned>;

/// Does register `source` of `from` hold, in each thread, what register `reg`
/// of `to` should?
static bool holdsInEachThread(const LinearLayout &from, unsigned source,
                              const LinearLayout &to, unsigned reg) {
  int64_t lanes = std::max(from.inputSize("lane"), to.inputSize("lane"));
  int64_t warps = std::max(from.inputSize("warp"), to.inputSize("warp"));
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t warp = 0; warp < warps; ++warp)
      if (from.apply({{"register", source}, {"lane", lane}, {"warp", warp}}) !=
          to.apply({{"register", reg}, {"lane", lane}, {"warp", warp}}))
        return false;
  return true;
}

TEST(LayoutConversion, RenumbersRegisters) {
  LinearLayout rows = productOf(
      Factors{{"register", {2, 1}}, {"lane", {4, 8}}, {"register", {1, 2}}}, 2);
  LinearLayout columns = layoutOf(
      {{"register", {rows.bases("register")[1], rows.bases("register")[0]}},
       {"lane", rows.bases("lane").vec()}},
      rows.shape());
  EXPECT_EQ(mapRegisters(rows, rows), (Registers{0, 1, 2, 3}));
  EXPECT_EQ(mapRegisters(rows, columns), (Registers{0, 2, 1, 3}));
}

TEST(LayoutConversion, CopiesComeFromOneRegister) {
  LinearLayout lean = productOf(Factors{{"register", {2}}, {"lane", {32}}}, 1);
  LinearLayout copied = productOf(
      Factors{{"register", {}, 2}, {"register", {2}}, {"lane", {32}}}, 1);
  EXPECT_EQ(mapRegisters(lean, copied), (Registers{0, 0, 1, 1}));
  EXPECT_EQ(mapRegisters(copied, lean), (Registers{0, 2}));
  EXPECT_EQ(canonicalRegisters(copied), (Registers{0, 0, 2, 2}));
}

TEST(LayoutConversion, NoneWhereDataMovesBetweenThreads) {
  LinearLayout a = productOf(Factors{{"register", {2}}, {"lane", {32}}}, 1);
  LinearLayout b = productOf(Factors{{"lane", {32}}, {"register", {2}}}, 1);
  EXPECT_EQ(mapRegisters(a, b), std::nullopt);
  EXPECT_EQ(mapRegisters(a, cantFail(a.reshape({8, 8}))), std::nullopt);
}

TEST(LayoutConversion, FindsEveryMapThatHoldsInAllThreads) {
  Random random(70);
  unsigned found = 0;
  for (unsigned round = 0; round < 1000; ++round) {
    auto shape = random.shape(2, 2);
    LinearLayout from =
        randomLayout(random, shape, {"register", "lane", "warp"}, 3);
    LinearLayout to =
        randomLayout(random, shape, {"register", "lane", "warp"}, 3);
    if (random.chance(60))
      to = layoutOf({{"register", to.bases("register").vec()},
                     {"lane", from.bases("lane").vec()},
                     {"warp", from.bases("warp").vec()}},
                    shape);
    EXPECT_EQ(mapRegisters(from, from), canonicalRegisters(from));
    bool isPossible = true;
    for (unsigned reg = 0; reg < to.inputSize("register"); ++reg) {
      bool isHeld = false;
      for (unsigned source = 0; source < from.inputSize("register"); ++source)
        isHeld |= holdsInEachThread(from, source, to, reg);
      isPossible &= isHeld;
    }
    auto registers = mapRegisters(from, to);
    ASSERT_EQ(registers.has_value(), isPossible);
    if (!registers)
      continue;
    ++found;
    ASSERT_EQ(int64_t(registers->size()), to.inputSize("register"));
    for (auto [reg, source] : enumerate(*registers))
      EXPECT_TRUE(holdsInEachThread(from, source, to, reg));
  }
  EXPECT_GT(found, 100u);
}
