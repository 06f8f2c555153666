//===- RandomFillTest.cpp - Reproducible random tensors -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/RandomFill.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>
#include <vector>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

std::vector<float> drawFloats(uint64_t count, RandomFill fill) {
  std::vector<float> values(count);
  fillRandom(ElementType::F32, values.data(), count, fill);
  return values;
}

// The first outputs of splitmix64 with seed 1234567, from its authors'
// reference implementation.
TEST(RandomFill, GeneratorIsSplitmix64) {
  EXPECT_EQ(getRandomBits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(getRandomBits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(getRandomBits(1234567, 2), 9817491932198370423u);
}

TEST(RandomFill, IsReproducible) {
  std::vector<float> values = drawFloats(200000, {5, false});
  EXPECT_EQ(values, drawFloats(200000, {5, false}));
  EXPECT_NE(values, drawFloats(200000, {6, false}));
  // A longer tensor begins alike.
  std::vector<float> longer = drawFloats(300000, {5, false});
  longer.resize(values.size());
  EXPECT_EQ(values, longer);
}

TEST(RandomFill, FloatsHaveMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  std::vector<float> values = drawFloats(1 << 20, {1, false});
  for (float value : values) {
    EXPECT_LE(std::fabs(value), 3.4642f);
    sum += value;
    squares += double(value) * value;
  }
  EXPECT_NEAR(sum / values.size(), 0, 0.01);
  EXPECT_NEAR(squares / values.size(), 1, 0.01);
}

TEST(RandomFill, IntegersTakeAllValues) {
  std::vector<uint8_t> bytes(20000);
  fillRandom(ElementType::I8, bytes.data(), bytes.size(), {2, true});
  EXPECT_EQ(std::set<uint8_t>(bytes.begin(), bytes.end()).size(), 256u);
  fillRandom(ElementType::I1, bytes.data(), bytes.size(), {2, true});
  EXPECT_EQ(std::set<uint8_t>(bytes.begin(), bytes.end()),
            (std::set<uint8_t>{0, 1}));
}

TEST(RandomFill, SpecialsAreRareAndOfEveryKind) {
  std::vector<uint16_t> halves(100000);
  fillRandom(ElementType::F16, halves.data(), halves.size(), {3, true});
  unsigned nans = 0, infinities = 0, zeros = 0, negativeZeros = 0,
           denormals = 0;
  for (uint16_t bits : halves) {
    nans += (bits & 0x7fff) > 0x7c00;
    infinities += (bits & 0x7fff) == 0x7c00;
    zeros += bits == 0;
    negativeZeros += bits == 0x8000;
    denormals += (bits & 0x7fff) == 1;
  }
  for (unsigned count : {nans, infinities, zeros, negativeZeros, denormals}) {
    EXPECT_GT(count, 10u);
    EXPECT_LT(count, 300u);
  }
}

TEST(RandomFill, KeepsToItsRange) {
  auto drawIntegers = [](int64_t low, int64_t high) {
    std::vector<int32_t> values(5000);
    RandomFill fill{4, /*hasSpecials=*/true};
    fill.range.emplace();
    fill.range->low = low;
    fill.range->high = high;
    fillRandom(ElementType::I32, values.data(), values.size(), fill);
    return std::set<int64_t>(values.begin(), values.end());
  };
  EXPECT_EQ(drawIntegers(-2, 2), (std::set<int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(drawIntegers(7, 7), (std::set<int64_t>{7}));
  EXPECT_GT(drawIntegers(INT32_MIN, INT32_MAX).size(), 4900u);
  std::vector<int64_t> wide(100);
  RandomFill all{5, false, spec::ElementRange{INT64_MIN, INT64_MAX}};
  fillRandom(ElementType::I64, wide.data(), wide.size(), all);
  EXPECT_EQ(std::set<int64_t>(wide.begin(), wide.end()).size(), 100u);

  // Of the special numbers those in the range.
  RandomFill fill{4, /*hasSpecials=*/true};
  fill.range.emplace();
  fill.range->realLow = -0.25;
  fill.range->realHigh = 2;
  std::vector<float> values = drawFloats(50000, fill);
  double sum = 0;
  unsigned zeros = 0;
  for (float value : values) {
    EXPECT_TRUE(value >= -0.25f && value <= 2);
    sum += value;
    zeros += value == 0;
  }
  EXPECT_GT(zeros, 10u);
  EXPECT_NEAR(sum / values.size(), 0.875, 0.02);
  fill.range->realLow = fill.range->realHigh = 1.5;
  EXPECT_EQ(drawFloats(9, fill), std::vector<float>(9, 1.5f));
  std::vector<double> huge(1000);
  fill.range->realLow = -1.7e308;
  fill.range->realHigh = 1.7e308;
  fillRandom(ElementType::F64, huge.data(), huge.size(), fill);
  for (double value : huge)
    EXPECT_TRUE(std::isfinite(value));
}

TEST(RandomFill, WritesNothingElse) {
  std::vector<uint16_t> halves(7, 0x1234);
  fillRandom(ElementType::BF16, halves.data() + 1, 5, {1, true});
  EXPECT_EQ(halves.front(), 0x1234);
  EXPECT_EQ(halves.back(), 0x1234);
  fillRandom(ElementType::BF16, halves.data(), 0, {1, true});
  EXPECT_EQ(halves.front(), 0x1234);
}

} // namespace
