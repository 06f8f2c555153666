//===- LaunchChoicesTest.cpp - Which code serves a launch best ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/LaunchChoices.h"
#include "tilewright/Spec/PairedAxes.h"
#include "llvm/ADT/ArrayRef.h"
#include "gtest/gtest.h"

using namespace tilewright::runtime;
using Axes = tilewright::spec::PairedAxes;

namespace {

/// An H200's.
constexpr unsigned kMultiprocessors = 132;
/// As the simulator says that it has none.
constexpr unsigned kNone = 0;

struct PartsCase {
  GridSize grid;
  int64_t trips;
  unsigned parts;
};

void expectParts(llvm::ArrayRef<PartsCase> cases, bool areFull,
                 unsigned multiprocessors, bool areLoaded = false) {
  for (const auto &[grid, trips, parts] : cases)
    EXPECT_EQ(
        chooseProductParts(grid, trips, areFull, multiprocessors, areLoaded),
        parts)
        << grid[0] << " x " << grid[1] << " programs, " << trips << " trips";
}

struct AxesCase {
  GridSize grid;
  unsigned axes;
};

void expectPairedAxes(llvm::ArrayRef<AxesCase> cases,
                      unsigned multiprocessors) {
  for (const auto &[grid, axes] : cases)
    EXPECT_EQ(choosePairedAxes(grid, multiprocessors), axes)
        << grid[0] << " x " << grid[1] << " programs";
}

constexpr int64_t kVeryMany = int64_t(1) << 40;

TEST(LaunchChoices, ClustersHaveAsManyBlocksAsAGridMay) {
  EXPECT_TRUE(allowsClusters({(int64_t(1) << 27) - 1, 65535, 1}, 16));
  EXPECT_FALSE(allowsClusters({int64_t(1) << 27, 1, 1}, 16));
}

TEST(LaunchChoices, DividesLongProductsOfFewPrograms) {
  expectParts({{{8, 8, 1}, 128, 2},
               {{64, 1, 1}, 32, 2},
               {{66, 1, 1}, 128, 2},
               {{33, 1, 1}, 64, 4},
               {{17, 1, 1}, 125, 4},
               {{16, 1, 1}, 128, 8},
               {{1, 1, 1}, 4096, 16}},
              /*areFull=*/false, kMultiprocessors);
  // Each block has a multiprocessor for itself, and 16 trips.
  expectParts({{{67, 1, 1}, 128, 1},
               {{45, 1, 1}, 128, 2},
               {{44, 1, 1}, 128, 3},
               {{44, 1, 1}, 47, 2},
               {{16, 1, 1}, 63, 3},
               {{8, 8, 1}, 31, 1},
               {{8, 8, 1}, 0, 1},
               {{kVeryMany, kVeryMany, 1}, 128, 1}},
              /*areFull=*/false, kMultiprocessors);
}

TEST(LaunchChoices, DividesLoadedProductsForTwoBlocksAMultiprocessor) {
  expectParts({{{32, 1, 1}, 118, 8},
               {{17, 4, 1}, 33, 3},
               {{17, 4, 1}, 23, 2},
               {{14, 6, 1}, 57, 3},
               {{132, 1, 1}, 16, 2},
               {{133, 1, 1}, 118, 1},
               {{16, 1, 1}, 15, 1},
               {{kVeryMany, kVeryMany, 1}, 128, 1}},
              /*areFull=*/false, kMultiprocessors, /*areLoaded=*/true);
}

TEST(LaunchChoices, DividesFullProductsWhereTheBusiestHasLessToDo) {
  // An exchange is worth a few trips.
  expectParts({{{64, 1, 1}, 256, 2},
               {{65, 1, 1}, 32, 2},
               {{79, 1, 1}, 157, 3},
               {{16, 1, 1}, 625, 8},
               {{8, 1, 1}, 625, 16},
               {{24, 24, 1}, 188, 2},
               {{12, 12, 1}, 188, 4},
               {{12, 24, 1}, 375, 2},
               {{121, 1, 1}, 22, 1},
               {{32, 32, 1}, 128, 1},
               {{67, 1, 1}, 0, 1},
               {{kVeryMany, kVeryMany, 1}, 128, 1}},
              /*areFull=*/true, kMultiprocessors);
}

TEST(LaunchChoices, DividesSomeProductsInTheSimulator) {
  expectParts({{{1000, 1, 1}, 2, 2},
               {{1000, 1, 1}, 7, 3},
               {{1000, 1, 1}, 6, 5},
               {{1, 1, 1}, 14, 8},
               {{1, 1, 1}, 31, 16},
               {{1, 1, 1}, 4, 1}},
              /*areFull=*/false, kNone);
}

TEST(LaunchChoices, PairsProgramsOfEvenNumbers) {
  expectPairedAxes({{{24, 11, 1}, Axes::first},
                    {{5, 52, 1}, Axes::second},
                    {{1, 14, 1}, Axes::second},
                    {{1, 11, 1}, Axes::none}},
                   kMultiprocessors);
  // A block more along the first axis, where that makes no wave more.
  expectPairedAxes({{{33, 22, 1}, Axes::first | Axes::uneven},
                    {{7, 16, 1}, Axes::first | Axes::uneven},
                    {{7, 17, 1}, Axes::none}},
                   kMultiprocessors);
  expectPairedAxes({{{3, 17, 1}, Axes::first | Axes::uneven}}, kNone);
}

TEST(LaunchChoices, HasClustersOfFourWhereThesePlacesSuffice) {
  // 200 programs are two waves of 120 as well as of 132, 384 are four.
  expectPairedAxes({{{20, 10, 1}, Axes::first | Axes::second},
                    {{24, 16, 1}, Axes::first},
                    {{24, 12, 1}, Axes::first | Axes::second},
                    {{16, 8, 1}, Axes::first}},
                   kMultiprocessors);
  // With the block more.
  constexpr unsigned bothUneven = Axes::first | Axes::second | Axes::uneven;
  expectPairedAxes({{{7, 12, 1}, bothUneven}}, kMultiprocessors);
  expectPairedAxes({{{7, 18, 1}, bothUneven}}, kNone);
  // Along the first axis alone, where the second one is odd.
  expectPairedAxes({{{24, 5, 1}, Axes::first | Axes::four},
                    {{101, 1, 1}, Axes::first | Axes::four | Axes::uneven},
                    {{2, 55, 1}, Axes::first},
                    {{121, 1, 1}, Axes::first | Axes::uneven}},
                   kMultiprocessors);
  // Along the second axis alone.
  expectPairedAxes({{{5, 24, 1}, Axes::second | Axes::four},
                    {{1, 12, 1}, Axes::second | Axes::four}},
                   kMultiprocessors);
}

TEST(LaunchChoices, FewProgramsHaveABlockEach) {
  EXPECT_TRUE(
      servesBatch({kMultiprocessors * 8, 1, 1}, {8, 1, 1}, kMultiprocessors));
  EXPECT_FALSE(servesBatch({(kMultiprocessors - 1) * 8, 1, 1}, {8, 1, 1},
                           kMultiprocessors));
  EXPECT_TRUE(servesBatch({8, 12, 11}, {8, 1, 1}, kMultiprocessors));
  // More than run at once share blocks, however few these are.
  EXPECT_TRUE(servesBatch({kMultiprocessors * 32, 1, 1}, {512, 1, 1},
                          kMultiprocessors));
  EXPECT_FALSE(servesBatch({kMultiprocessors * 16, 1, 1}, {512, 1, 1},
                           kMultiprocessors));
  // Most of the places of two blocks would stay empty.
  EXPECT_FALSE(servesBatch({9, 1000, 1}, {8, 1, 1}, kMultiprocessors));
  EXPECT_TRUE(servesBatch({65, 1000, 1}, {8, 1, 1}, kMultiprocessors));
  // More blocks than 64 bits count.
  EXPECT_TRUE(
      servesBatch({kVeryMany, kVeryMany, 1}, {8, 1, 1}, kMultiprocessors));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {8, 1, 1}, kNone));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {1, 1, 1}, kMultiprocessors));
}

} // namespace
