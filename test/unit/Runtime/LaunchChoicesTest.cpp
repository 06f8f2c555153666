//===- LaunchChoicesTest.cpp - Which code serves a launch best ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/LaunchChoices.h"
#include "gtest/gtest.h"

using namespace tilewright::runtime;

namespace {

TEST(LaunchChoices, ClustersHaveAsManyBlocksAsAGridMay) {
  EXPECT_TRUE(allowsClusters({(int64_t(1) << 27) - 1, 65535, 1}, 16));
  EXPECT_FALSE(allowsClusters({int64_t(1) << 27, 1, 1}, 16));
}

TEST(LaunchChoices, DividesLongProductsOfFewPrograms) {
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({64, 1, 1}, 32, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({66, 1, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({33, 1, 1}, 64, false, 132), 4u);
  EXPECT_EQ(chooseProductParts({1, 1, 1}, 4096, false, 132), 4u);
  // Each block has a multiprocessor for itself, and 16 trips.
  EXPECT_EQ(chooseProductParts({67, 1, 1}, 128, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({34, 1, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({16, 1, 1}, 63, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 31, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 0, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({int64_t(1) << 40, int64_t(1) << 40, 1}, 128,
                               false, 132),
            1u);
  // Full products: the busiest multiprocessor has less to do, and exchanges are
  // worth a few trips each.
  EXPECT_EQ(chooseProductParts({64, 1, 1}, 256, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({65, 1, 1}, 32, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({79, 1, 1}, 157, true, 132), 3u);
  EXPECT_EQ(chooseProductParts({16, 1, 1}, 625, true, 132), 8u);
  EXPECT_EQ(chooseProductParts({24, 24, 1}, 188, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({12, 12, 1}, 188, true, 132), 4u);
  EXPECT_EQ(chooseProductParts({12, 24, 1}, 375, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({121, 1, 1}, 22, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({32, 32, 1}, 128, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({67, 1, 1}, 0, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({int64_t(1) << 40, int64_t(1) << 40, 1}, 128,
                               true, 132),
            1u);
  // The simulator has several.
  EXPECT_EQ(chooseProductParts({1000, 1, 1}, 2, false, 0), 2u);
  EXPECT_EQ(chooseProductParts({1000, 1, 1}, 7, false, 0), 3u);
  EXPECT_EQ(chooseProductParts({1, 1, 1}, 4, false, 0), 1u);
}

TEST(LaunchChoices, PairsProgramsOfEvenNumbers) {
  EXPECT_EQ(choosePairedAxes({24, 11, 1}, 132), 1u);
  // A block more along the first axis, where that makes no wave more.
  EXPECT_EQ(choosePairedAxes({33, 22, 1}, 132), 5u);
  EXPECT_EQ(choosePairedAxes({7, 16, 1}, 132), 5u);
  EXPECT_EQ(choosePairedAxes({7, 17, 1}, 132), 0u);
  EXPECT_EQ(choosePairedAxes({5, 52, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({1, 14, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({1, 11, 1}, 132), 0u);
  // The simulator has that more often.
  EXPECT_EQ(choosePairedAxes({7, 17, 1}, 0), 5u);
}

TEST(LaunchChoices, HasClustersOfFourWhereThesePlacesSuffice) {
  // 200 programs are two waves of 120 as well as of 132, 384 are four.
  EXPECT_EQ(choosePairedAxes({20, 10, 1}, 132), 3u);
  EXPECT_EQ(choosePairedAxes({24, 16, 1}, 132), 1u);
  EXPECT_EQ(choosePairedAxes({24, 12, 1}, 132), 3u);
  EXPECT_EQ(choosePairedAxes({16, 8, 1}, 132), 1u);
  // With the block more.
  EXPECT_EQ(choosePairedAxes({7, 12, 1}, 132), 7u);
  EXPECT_EQ(choosePairedAxes({7, 16, 1}, 132), 5u);
  // Along the second axis alone.
  EXPECT_EQ(choosePairedAxes({5, 24, 1}, 132), 10u);
  EXPECT_EQ(choosePairedAxes({1, 12, 1}, 132), 10u);
  EXPECT_EQ(choosePairedAxes({1, 14, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({7, 18, 1}, 0), 7u);
}

TEST(LaunchChoices, FewProgramsHaveABlockEach) {
  EXPECT_TRUE(servesBatch({132 * 8, 1, 1}, {8, 1, 1}, 132));
  EXPECT_FALSE(servesBatch({131 * 8, 1, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({8, 12, 11}, {8, 1, 1}, 132));
  // Most of the places of two blocks would stay empty.
  EXPECT_FALSE(servesBatch({9, 1000, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({65, 1000, 1}, {8, 1, 1}, 132));
  // More blocks than 64 bits count.
  EXPECT_TRUE(
      servesBatch({int64_t(1) << 40, int64_t(1) << 40, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {8, 1, 1}, 0));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {1, 1, 1}, 132));
}

} // namespace
