//===- F2SubspaceTest.cpp - Tests of subspaces of bit vectors -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/F2Subspace.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

static SmallVector<uint32_t> randomVectors(Random &random, unsigned numBits) {
  SmallVector<uint32_t> vectors(random.below(numBits + 2));
  for (uint32_t &vector : vectors)
    vector = random.below(uint64_t(1) << numBits);
  return vectors;
}

TEST(F2Subspace, ExampleOfTheHeader) {
  F2Subspace rows({0b0100, 0b1000}), lanes({0b0001, 0b0110});
  EXPECT_TRUE(rows.contains(0b1100));
  EXPECT_FALSE(rows.contains(0b1101));
  EXPECT_EQ((rows + lanes).rank(), 4u);
  EXPECT_EQ(rows.intersect(lanes, 4).rank(), 0u);
}

/// Membership in sums, intersections and annihilators, vector by vector.
TEST(F2Subspace, AgreesWithEveryVector) {
  Random random(7);
  for (unsigned round = 0; round < 200; ++round) {
    unsigned numBits = 1 + random.below(7);
    F2Subspace a(randomVectors(random, numBits));
    F2Subspace b(randomVectors(random, numBits));
    F2Subspace sum = a + b, both = a.intersect(b, numBits);
    F2Subspace zero = a.annihilator(numBits);
    EXPECT_EQ(sum.rank() + both.rank(), a.rank() + b.rank());
    EXPECT_EQ(zero.rank() + a.rank(), numBits);
    EXPECT_EQ(a.rank(), f2Rank(a.basis()));
    for (uint32_t vector = 0; vector < 1u << numBits; ++vector) {
      EXPECT_TRUE(sum.contains(vector) ||
                  !(a.contains(vector) || b.contains(vector)));
      EXPECT_EQ(both.contains(vector),
                a.contains(vector) && b.contains(vector));
      EXPECT_EQ(zero.contains(vector), all_of(a.basis(), [&](uint32_t of) {
                  return !f2Dot(vector, of);
                }));
      EXPECT_TRUE(a.contains(vector ^ a.reduce(vector)));
    }
  }
}

/// The basis does not tell how a subspace was made.
TEST(F2Subspace, HasOneForm) {
  Random random(8);
  for (unsigned round = 0; round < 200; ++round) {
    SmallVector<uint32_t> vectors = randomVectors(random, 10);
    F2Subspace forward(vectors), backward;
    for (uint32_t vector : reverse(vectors))
      backward.insert(vector ^ (vectors.size() > 1 ? vectors[0] : 0));
    if (!vectors.empty())
      backward.insert(vectors[0]);
    EXPECT_TRUE(forward == backward);
    EXPECT_EQ(forward.rank(), f2Rank(vectors));
  }
}

TEST(F2Subspace, InvertsMatrices) {
  Random random(9);
  unsigned inverted = 0;
  for (unsigned round = 0; round < 500; ++round) {
    unsigned size = random.below(9);
    SmallVector<uint32_t> rows(size);
    for (uint32_t &row : rows)
      row = random.below(uint64_t(1) << size);
    auto columns = f2Inverse(rows);
    EXPECT_EQ(columns.has_value(), f2Rank(rows) == size);
    if (!columns)
      continue;
    ++inverted;
    for (auto [i, row] : enumerate(rows))
      for (auto [j, column] : enumerate(*columns))
        EXPECT_EQ(f2Dot(row, column), i == j);
  }
  EXPECT_GT(inverted, 50u);
}
