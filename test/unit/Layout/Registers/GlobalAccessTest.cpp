//===- GlobalAccessTest.cpp - Tests of global accesses --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Registers/AxisScan.h"

#include <gtest/gtest.h>

#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

/// Written as a product, after what holds for all of them.
static std::string describe(const LinearLayout &layout, ArrayRef<int64_t> shape,
                            unsigned numWarps) {
  EXPECT_EQ(layout.shape(), shape);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.inputSize("lane"), 32);
  EXPECT_EQ(layout.inputSize("warp"), int64_t(numWarps));
  EXPECT_EQ(layout.zeroBasisMask("register"), 0);
  std::optional<SmallVector<LayoutFactor>> factors = layoutToFactors(layout);
  return factors ? toString(*factors) : "no product";
}

static std::string rows(ArrayRef<int64_t> shape, unsigned contiguousDim,
                        unsigned vectorElements, unsigned numWarps) {
  return describe(coalescedRows(shape, contiguousDim, vectorElements, numWarps),
                  shape, numWarps);
}

static std::string lines(ArrayRef<int64_t> shape, unsigned elementBytes,
                         unsigned contiguousDim, unsigned vectorElements,
                         unsigned numWarps) {
  return describe(coalescedLines(shape, elementBytes, contiguousDim,
                                 vectorElements, numWarps),
                  shape, numWarps);
}

/// Of f16.
static std::string inWarps(ArrayRef<int64_t> shape, unsigned contiguousDim,
                           unsigned vectorElements, unsigned numWarps) {
  return describe(
      coalescedInWarps(shape, 2, contiguousDim, vectorElements, numWarps),
      shape, numWarps);
}

TEST(GlobalAccess, CoalescedInWarps) {
  // Rows of a warp beside each other, in lanes of whole lines.
  EXPECT_EQ(inWarps({64, 64}, 1, 8, 4),
            "register[1,8] lane[4,8] register[4,1] warp[4,1]");
  EXPECT_EQ(inWarps({8, 512}, 1, 8, 4),
            "register[1,8] lane[2,16] register[1,4] warp[4,1]");
  EXPECT_EQ(inWarps({4, 1024}, 1, 8, 4),
            "register[1,8] lane[1,32] register[1,4] warp[4,1]");
  // Where all warps need the same row, each has it.
  EXPECT_EQ(inWarps({512}, 0, 8, 4), "register[8] lane[32] register[2] warp*4");
  // Rows of one element, which lie side by side.
  EXPECT_EQ(inWarps({2048, 1}, 0, 1, 4), "lane[32,1] register[16,1] warp[4,1]");
  // Programs first, so that each has its rows in a warp.
  EXPECT_EQ(inWarps({64, 8, 8}, 2, 8, 4),
            "lane[4,8,1] register[4,1,8] warp[4,1,1]");
}

TEST(GlobalAccess, NumbersOfWarps) {
  auto numbers = [](int64_t count, unsigned numWarps) {
    return describe(numbersOfWarps(count, numWarps), {count}, numWarps);
  };
  EXPECT_EQ(numbers(64, 4), "lane[16] lane*2 warp[4]");
  EXPECT_EQ(numbers(4, 4), "lane*32 warp[4]");
  EXPECT_EQ(numbers(16, 1), "lane[16] lane*2");
  EXPECT_EQ(numbers(2, 4), "lane*32 warp[2] warp*2");
  EXPECT_EQ(numbers(256, 4), "lane[32] register[2] warp[4]");
}

TEST(GlobalAccess, CoalescedRows) {
  EXPECT_EQ(rows({64, 64}, 1, 4, 8),
            "register[1,4] lane[2,16] register[4,1] warp[8,1]");
  EXPECT_EQ(rows({64, 64}, 0, 4, 8),
            "register[4,1] lane[16,1] lane[1,2] register[1,4] warp[1,8]");
  EXPECT_EQ(rows({128, 128}, 1, 16, 4),
            "register[1,16] lane[4,8] register[8,1] warp[4,1]");
  EXPECT_EQ(rows({1024}, 0, 4, 2), "register[4] lane[32] warp[2] register[4]");
  // Scalars of a row that is longer than a warp: its rest before other rows.
  EXPECT_EQ(rows({32, 128}, 1, 1, 4), "lane[1,32] warp[4,1] register[8,4]");
  // As many rows as elements of a row, and then the rest of the row.
  EXPECT_EQ(rows({64, 256}, 1, 4, 4),
            "register[4,4] lane[1,32] warp[4,1] register[4,2]");
  // Rather one row than warps with copies.
  EXPECT_EQ(rows({8, 128}, 1, 4, 8), "register[1,4] lane[1,32] warp[8,1]");
}

TEST(GlobalAccess, CoalescedRowsThatAreShortAndSmallTiles) {
  EXPECT_EQ(rows({64, 8}, 1, 4, 1), "register[1,4] lane[16,2] register[4,1]");
  // The warp goes on along the row when there are no more rows.
  EXPECT_EQ(rows({1, 256}, 1, 4, 2), "register[1,4] lane[1,32] warp[1,2]");
  EXPECT_EQ(rows({4, 4}, 1, 4, 4), "register[1,4] lane[4,1] lane*8 warp*4");
  EXPECT_EQ(rows({1, 2}, 1, 4, 1), "register[1,2] lane*32");
  EXPECT_EQ(rows({1}, 0, 1, 2), "lane*32 warp*2");
  // Three dimensions: from the last to the first, but for the contiguous one.
  EXPECT_EQ(rows({4, 8, 16}, 1, 4, 4),
            "register[1,4,1] lane[1,2,1] lane[1,1,16] warp[4,1,1]");
}

TEST(GlobalAccess, CoalescedBits) {
  SmallVector<LinearLayout::Point> bits;
  for (int32_t bit : {128, 64, 32, 16, 8, 4, 2, 1})
    bits.push_back({bit});
  LinearLayout layout = coalescedBits({256}, bits, 2);
  EXPECT_EQ(layout, layoutOf({{"register", {{4}, {2}}},
                              {"lane", {{128}, {64}, {32}, {16}, {8}}},
                              {"warp", {{1}}}},
                             {256}));
  // Lanes and warps that are left hold copies.
  EXPECT_EQ(coalescedBits({4}, {{2}, {1}}, 2),
            layoutOf({{"register", {}},
                      {"lane", {{2}, {1}, {0}, {0}, {0}}},
                      {"warp", {{0}}}},
                     {4}));
}

TEST(GlobalAccess, CoalescedLines) {
  EXPECT_EQ(lines({64, 64}, 4, 1, 4, 8),
            "register[1,4] lane[4,8] warp[8,1] register[2,1] register[1,2]");
  EXPECT_EQ(lines({64, 64}, 4, 0, 4, 8),
            "register[4,1] lane[8,1] lane[1,4] warp[1,8] register[2,2]");
  EXPECT_EQ(lines({64, 64}, 2, 1, 8, 4),
            "register[1,8] lane[4,8] warp[4,1] register[4,1]");
  // Scalars: one row of 32 lanes is a line.
  EXPECT_EQ(lines({32, 32}, 4, 1, 1, 4), "lane[1,32] warp[4,1] register[8,1]");
  EXPECT_EQ(lines({64, 8}, 4, 1, 4, 1),
            "register[1,4] lane[16,2] register[4,1]");
  EXPECT_EQ(lines({4, 4}, 4, 1, 4, 4), "register[1,4] lane[4,1] lane*8 warp*4");
}

static std::string along(ArrayRef<int64_t> shape, unsigned axis,
                         unsigned contiguousDim, unsigned vectorElements,
                         unsigned numWarps) {
  LinearLayout layout =
      coalescedAlong(shape, axis, contiguousDim, vectorElements, numWarps);
  std::optional<AxisScan> steps = AxisScan::create(layout, axis);
  EXPECT_TRUE(steps && steps->getPartBits("register").empty());
  return describe(layout, shape, numWarps);
}

TEST(GlobalAccess, CoalescedAlong) {
  // Threads, then lanes, then warps have what follows one another.
  EXPECT_EQ(along({64, 32}, 0, 1, 4, 4), "register[4,4] lane[4,8] warp[4,1]");
  EXPECT_EQ(along({32, 64}, 1, 0, 4, 4),
            "register[4,1] register[1,4] lane[8,1] lane[1,4] warp[1,4]");
  // Warps side by side in long rows, each with whole columns.
  EXPECT_EQ(along({64, 256}, 0, 1, 4, 2),
            "register[64,4] lane[1,32] warp[1,2]");
  // The dimension between goes before the axis.
  EXPECT_EQ(along({32, 8, 16}, 0, 2, 4, 4),
            "register[8,1,4] lane[1,8,4] warp[4,1,1]");
  EXPECT_EQ(along({2, 32}, 0, 1, 4, 4),
            "register[1,4] lane[2,8] lane*2 warp*4");
}

static std::string sectors(ArrayRef<int64_t> shape, unsigned elementBytes,
                           unsigned contiguousDim, unsigned numWarps) {
  return describe(
      coalescedSectors(shape, elementBytes, contiguousDim, numWarps), shape,
      numWarps);
}

TEST(GlobalAccess, TurnsElementsOfSectors) {
  // 8 floats of 4 rows or columns, 4 doubles of 8.
  EXPECT_EQ(sectors({128, 16}, 4, 1, 4),
            "lane[4,8] warp[4,1] register[8,1] register[1,2]");
  EXPECT_EQ(sectors({16, 128}, 4, 0, 4),
            "lane[8,1] lane[1,4] warp[1,4] register[2,8]");
  EXPECT_EQ(sectors({64, 16}, 8, 1, 4),
            "lane[8,4] warp[4,1] register[2,1] register[1,4]");

  // No sector is touched twice.
  LinearLayout rows = coalescedSectors({128, 16}, 4, 1, 4);
  GlobalAccessCost cost = costOfGlobalAccess(rows, 4, 1, 1);
  EXPECT_EQ(cost.sectors, cost.idealSectors);
}

TEST(GlobalAccess, CountsSectorsOfTheExamples) {
  LinearLayout rows = coalescedLines({64, 64}, 4, 1, 4, 8);
  GlobalAccessCost cost = costOfGlobalAccess(rows, 4, 1, 4);
  EXPECT_EQ(cost.instructions, 32);
  EXPECT_EQ(cost.sectors, 512);
  EXPECT_EQ(cost.idealSectors, 512);

  // Scalars of the same layout: each sector is touched by four instructions.
  cost = costOfGlobalAccess(rows, 4, 1, 1);
  EXPECT_EQ(cost.instructions, 128);
  EXPECT_EQ(cost.sectors, 4 * 512);

  // The same layout for a matrix that lies column by column: 8 columns, of
  // each 4 floats.
  cost = costOfGlobalAccess(rows, 4, 0, 4);
  EXPECT_EQ(cost.instructions, 128);
  EXPECT_EQ(cost.sectors, 8 * 128);
}

TEST(GlobalAccess, RowsShorterThanASector) {
  LinearLayout layout = coalescedRows({32, 4}, 1, 4, 1);
  GlobalAccessCost cost = costOfGlobalAccess(layout, 2, 1, 4);
  EXPECT_EQ(cost.instructions, 1);
  // As if they followed one another.
  EXPECT_EQ(cost.sectors, 8);
  EXPECT_EQ(cost.idealSectors, 8);
  // Lanes that are eight rows apart touch a sector each.
  SmallVector<LayoutFactor> apart = {
      {"register", {1, 4}}, {"register", {8, 1}}, {"lane", {32, 1}}};
  cost = costOfGlobalAccess(productOf(apart, 2), 2, 1, 4);
  EXPECT_EQ(cost.instructions, 8);
  EXPECT_EQ(cost.sectors, 8 * 32);
  EXPECT_EQ(cost.idealSectors, 64);
  // Of rows of one element nothing is known.
  cost = costOfGlobalAccess(coalescedRows({32, 1}, 1, 1, 1), 2, 1, 1);
  EXPECT_EQ(cost.sectors, 32);
  // A vector never leaves its row, also where a thread holds the next one.
  SmallVector<LayoutFactor> twoRows = {{"register", {2, 4}}, {"lane", {32, 1}}};
  EXPECT_EQ(costOfGlobalAccess(productOf(twoRows, 2), 2, 1, 8).instructions, 2);
}

TEST(GlobalAccess, PlansVectorsOfOneRow) {
  LinearLayout rows = coalescedRows({8, 32}, 1, 4, 1);
  auto load = planGlobalAccess(rows, 4, 1, 4, /*isStore=*/false);
  EXPECT_EQ(load.vectorElements, 4u);
  ASSERT_EQ(load.instructions.size(), 2u);
  EXPECT_EQ(load.instructions[1], (SmallVector<unsigned, 16>{4, 5, 6, 7}));
  EXPECT_EQ(planGlobalAccess(rows, 4, 1, 2, false).vectorElements, 2u);
  EXPECT_EQ(planGlobalAccess(rows, 4, 0, 4, false).vectorElements, 1u);
  // Copies are loaded by all and stored once.
  LinearLayout copied = coalescedRows({4, 4}, 1, 4, 2);
  EXPECT_EQ(planGlobalAccess(copied, 4, 1, 4, false).idleLanes, 0);
  auto store = planGlobalAccess(copied, 4, 1, 4, /*isStore=*/true);
  EXPECT_EQ(store.idleLanes, 0b11100);
  EXPECT_EQ(store.idleWarps, 0b1);
}

TEST(GlobalAccess, PlansVectorsOf32Bytes) {
  LinearLayout rows = coalescedRows({16, 64}, 1, 8, 1);
  auto load = planGlobalAccess(rows, 4, 1, 8, /*isStore=*/false);
  EXPECT_EQ(load.vectorElements, 8u);
  ASSERT_EQ(load.instructions.size(), 4u);
  EXPECT_EQ(load.instructions[1],
            (SmallVector<unsigned, 16>{8, 9, 10, 11, 12, 13, 14, 15}));
  // Of bytes and of doubles.
  EXPECT_EQ(planGlobalAccess(coalescedRows({8, 128}, 1, 32, 1), 1, 1, 32,
                             /*isStore=*/true)
                .vectorElements,
            32u);
  EXPECT_EQ(planGlobalAccess(coalescedRows({8, 16}, 1, 4, 1), 8, 1, 4,
                             /*isStore=*/true)
                .vectorElements,
            4u);
  // A narrower access of the same layout.
  EXPECT_EQ(planGlobalAccess(rows, 4, 1, 4, false).instructions.size(), 8u);
}

/// Fewer instructions, of which each touches more lines: as many in all.
TEST(GlobalAccess, WideVectorsTouchNoMoreLines) {
  Random random(41);
  for (unsigned round = 0; round < 300; ++round) {
    SmallVector<int64_t, 4> shape = random.shape(3, 6);
    unsigned bytes = 1u << random.below(4);
    unsigned dim = random.below(shape.size());
    unsigned warps = 1u << random.below(4);
    unsigned wide = 32 / bytes;
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    // As layouts are assigned: no wider than a row, or than a thread's share.
    if (shape[dim] < wide || elements < int64_t(wide) * 32 * warps)
      continue;
    auto cost = [&](unsigned vector) {
      return costOfGlobalAccess(coalescedRows(shape, dim, vector, warps), bytes,
                                dim, vector);
    };
    GlobalAccessCost ofWide = cost(wide), ofNarrow = cost(wide / 2);
    EXPECT_EQ(2 * ofWide.instructions, ofNarrow.instructions);
    EXPECT_EQ(ofWide.sectors, ofWide.idealSectors);
    EXPECT_LE(ofWide.lines, ofNarrow.lines);
  }
}

/// Enumerates every thread and register of the access.
static GlobalAccessCost bruteForce(const LinearLayout &layout,
                                   unsigned elementBytes,
                                   unsigned contiguousDim,
                                   unsigned vectorElements) {
  GlobalAccessCost cost;
  int64_t row = layout.shape()[contiguousDim];
  SmallVector<int64_t> order = {contiguousDim};
  for (int64_t dim = layout.rank(); dim-- > 0;)
    if (dim != contiguousDim)
      order.push_back(dim);
  SharedLayout inOrder = SharedLayout::ordered(layout.shape(), order);
  for (int64_t warp = 0; warp < layout.inputSize("warp"); ++warp)
    for (int64_t reg = 0; reg < layout.inputSize("register");
         reg += vectorElements) {
      ++cost.instructions;
      auto countTouched = [&](int32_t bytes) {
        std::set<std::vector<int32_t>> pieces;
        for (int64_t lane = 0; lane < 32; ++lane)
          for (unsigned element = 0; element < vectorElements; ++element) {
            auto point = layout.apply(
                {{"register", reg + element}, {"lane", lane}, {"warp", warp}});
            if (bytes == 32 && row > 1 && row * elementBytes < 32) {
              pieces.insert(
                  {int32_t(inOrder.linearOffset(point) * elementBytes / 32)});
              continue;
            }
            point[contiguousDim] =
                point[contiguousDim] * int32_t(elementBytes) / bytes;
            pieces.emplace(point.begin(), point.end());
          }
        return pieces.size();
      };
      cost.sectors += countTouched(32);
      cost.lines += countTouched(128);
    }
  return cost;
}

TEST(GlobalAccess, AgreesWithEveryThread) {
  Random random(40);
  for (unsigned round = 0; round < 200; ++round) {
    SmallVector<int64_t, 4> shape = random.shape(3, 5);
    unsigned bytes = 1u << random.below(5);
    unsigned made = random.below(shape.size());
    unsigned used = random.below(shape.size());
    unsigned vector = 1u << random.below(Log2_32(32 / bytes) + 1);
    LinearLayout layout =
        coalescedRows(shape, made, vector, 1u << random.below(4));
    unsigned widest = used == made ? std::min<int64_t>(vector, shape[used]) : 1;
    if (used != made && shape[made] != 1 && shape[made] < vector)
      continue; // registers then go on along another dimension
    GlobalAccessCost cost = costOfGlobalAccess(layout, bytes, used, widest);
    GlobalAccessCost expected = bruteForce(layout, bytes, used, widest);
    EXPECT_EQ(cost.instructions, expected.instructions);
    EXPECT_EQ(cost.sectors, expected.sectors);
    EXPECT_EQ(cost.lines, expected.lines);
    EXPECT_GE(cost.sectors, cost.idealSectors);
  }
}
