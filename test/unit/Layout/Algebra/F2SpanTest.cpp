//===- F2SpanTest.cpp - Tests of F2Span -----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

#include <set>

using namespace tilewright;
using namespace tilewright::test;

TEST(F2Span, ExampleOfTheHeader) {
  F2Span span;
  EXPECT_TRUE(span.insert(0b011));
  EXPECT_TRUE(span.insert(0b110));
  EXPECT_FALSE(span.insert(0b101));
  EXPECT_EQ(span.rank(), 2u);
  EXPECT_EQ(span.solve(0b101), 0b011u);
  EXPECT_EQ(span.solve(0b001), std::nullopt);
  EXPECT_EQ(span.solve(0), 0u);
}

TEST(F2Span, HoldsTheHighestBit) {
  F2Span span;
  EXPECT_TRUE(span.insert(uint64_t(1) << 63 | 1));
  EXPECT_TRUE(span.insert(1));
  EXPECT_FALSE(span.insert(uint64_t(1) << 63));
  EXPECT_EQ(span.solve(uint64_t(1) << 63), 0b11u);
}

TEST(F2Span, AgreesWithAllSumsOfRandomVectors) {
  Random random(1);
  for (unsigned round = 0; round < 200; ++round) {
    F2Span span;
    std::vector<uint64_t> vectors;
    std::set<uint64_t> sums = {0};
    for (uint64_t count = random.below(8); count > 0; --count) {
      uint64_t vector = random.below(64);
      EXPECT_EQ(span.insert(vector), sums.count(vector) == 0);
      vectors.push_back(vector);
      for (uint64_t sum : std::set<uint64_t>(sums))
        sums.insert(sum ^ vector);
    }
    EXPECT_EQ(uint64_t(1) << span.rank(), sums.size());
    for (uint64_t vector = 0; vector < 64; ++vector) {
      std::optional<uint64_t> solution = span.solve(vector);
      ASSERT_EQ(solution.has_value(), sums.count(vector) == 1);
      uint64_t sum = 0;
      for (auto [number, inserted] : llvm::enumerate(vectors))
        if (solution && *solution >> number & 1)
          sum ^= inserted;
      if (!solution)
        continue;
      EXPECT_EQ(sum, vector);
      EXPECT_EQ(span.coordinates(vector), *solution);
    }
  }
}
