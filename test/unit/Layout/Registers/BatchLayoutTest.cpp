//===- BatchLayoutTest.cpp ------------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/BatchLayout.h"

#include "tilewright/Layout/Registers/FmaLayout.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

LinearLayout makeAccumulator(int64_t batch, unsigned numWarps) {
  return batchAccumulatorLayout(batch, numWarps, [](unsigned warps) {
    return mmaAccumulatorLayout({32, 16}, warps);
  });
}

/// How many bits of an input say which matrix it is.
unsigned countBatchBits(const LinearLayout &layout, llvm::StringRef input) {
  unsigned count = 0;
  for (const LinearLayout::Point &basis : layout.bases(input))
    count += basis[0] != 0;
  return count;
}

TEST(BatchLayout, WarpsShareMatricesFirst) {
  struct {
    int64_t batch;
    unsigned numWarps, ofWarps, ofRegisters;
  } cases[] = {{1, 4, 0, 0}, {2, 8, 1, 0}, {4, 4, 2, 0}, {16, 4, 2, 2}};
  for (const auto &each : cases) {
    LinearLayout layout = makeAccumulator(each.batch, each.numWarps);
    EXPECT_TRUE(layout.isSurjective());
    EXPECT_TRUE(isBatchLayout(layout));
    EXPECT_EQ(layout.inputSize("warp"), each.numWarps);
    EXPECT_EQ(countBatchBits(layout, "warp"), each.ofWarps);
    EXPECT_EQ(countBatchBits(layout, "register"), each.ofRegisters);
  }
}

TEST(BatchLayout, OneMatrixIsThatOfFewerWarps) {
  LinearLayout one = dropBatch(makeAccumulator(4, 8));
  LinearLayout two = mmaAccumulatorLayout({32, 16}, 2);
  EXPECT_EQ(one.bases("register"), two.bases("register"));
  EXPECT_EQ(one.bases("lane"), two.bases("lane"));
  EXPECT_TRUE(isMmaAccumulatorLayout(one));
  // The other warps have copies.
  EXPECT_EQ(one.inputSize("warp"), 8);
  EXPECT_EQ(one.zeroBasisMask("warp"), 6);
}

TEST(BatchLayout, OperandsAreThoseOfTheSameMatrix) {
  LinearLayout sums = makeAccumulator(8, 4);
  LinearLayout a = addBatch(mmaOperandLayout(0, 32, 2, dropBatch(sums)), sums);
  EXPECT_TRUE(a.isSurjective());
  EXPECT_TRUE(isBatchLayout(a));
  for (int64_t warp = 0; warp < 4; ++warp)
    EXPECT_EQ(a.apply({{"warp", warp}})[0], sums.apply({{"warp", warp}})[0]);
}

TEST(BatchLayout, RegistersOfAMatrixStandInARow) {
  LinearLayout layout = makeAccumulator(8, 2);
  EXPECT_TRUE(isBatchLayout(layout));
  std::vector<LinearLayout::Input> inputs(layout.inputs());
  std::swap(inputs.front().bases.front(), inputs.front().bases.back());
  EXPECT_FALSE(
      isBatchLayout(llvm::cantFail(LinearLayout::create(inputs, {8, 32, 16}))));
}

} // namespace
