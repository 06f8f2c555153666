//===- MatrixLoadTest.cpp - Tests of plans for ldmatrix -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"
#include "tilewright/Layout/Shared/SharedAccess.h"

#include <gtest/gtest.h>

#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

static SharedAccess matrixLoad(LinearLayout registers, unsigned elementBytes) {
  return {SharedAccessKind::LoadMatrix, std::move(registers), elementBytes};
}

/// Operand A of mma.m16n8k16 for a tile of 16*m x 16*k elements of 2 bytes.
static LinearLayout operandA(int64_t m, int64_t k) {
  return productOf(Factors{{"register", {1, 2}},
                           {"lane", {8, 4}},
                           {"register", {2, 1}},
                           {"register", {1, 2}},
                           {"warp", {m, 1}},
                           {"register", {1, k}}},
                   2);
}

/// Carries out a plan as the PTX ISA says of ldmatrix, and compares where each
/// register's element came from with where the layout says it should.
static void checkPlan(const SharedAccess &access, const SharedLayout &layout,
                      const SharedAccessPlan &plan) {
  unsigned rowElements = 16 / access.elementBytes;
  unsigned packed = 4 / access.elementBytes;
  ASSERT_EQ(plan.vectorElements, rowElements);
  for (int64_t warp = 0; warp < access.registers.inputSize("warp"); ++warp) {
    std::set<unsigned> loaded;
    for (const auto &registers : plan.instructions) {
      unsigned matrices = registers.size() / packed;
      EXPECT_TRUE(matrices == 1 || matrices == 2 || matrices == 4);
      for (auto [position, reg] : enumerate(registers)) {
        EXPECT_TRUE(loaded.insert(reg).second);
        unsigned matrix = position / packed, part = position % packed;
        for (unsigned lane = 0; lane < 32; ++lane) {
          unsigned row = lane / 4, column = lane % 4 * packed + part;
          if (plan.transposed)
            std::swap(row, column);
          int64_t address =
              layout.offset(plan.addresses.apply({{"register", registers[0]},
                                                  {"lane", 8 * matrix + row},
                                                  {"warp", warp}}));
          EXPECT_EQ(address % rowElements, 0);
          EXPECT_EQ(address + column,
                    layout.offset(access.registers.apply(
                        {{"register", reg}, {"lane", lane}, {"warp", warp}})));
        }
      }
    }
    EXPECT_EQ(int64_t(loaded.size()), access.registers.inputSize("register"));
  }
}

/// The cost from the addresses of the plan, over all instructions and warps.
static int64_t wavefrontsOf(const SharedAccess &access,
                            const SharedLayout &layout,
                            const SharedAccessPlan &plan) {
  int64_t wavefronts = 0;
  for (int64_t warp = 0; warp < access.registers.inputSize("warp"); ++warp)
    for (const auto &registers : plan.instructions) {
      SmallVector<int64_t> addresses;
      for (int64_t lane = 0; lane < plan.addresses.inputSize("lane"); ++lane)
        addresses.push_back(
            layout.offset(plan.addresses.apply(
                {{"register", registers[0]}, {"lane", lane}, {"warp", warp}})) *
            access.elementBytes);
      wavefronts += countWavefronts(access.kind, 16, addresses);
    }
  return wavefronts;
}

TEST(MatrixLoad, LoadsOperandsByFourMatrices) {
  auto access = matrixLoad(operandA(4, 4), 2);
  auto tile = SharedLayout::rowMajor({64, 64});
  auto plan = planSharedAccess(access, tile);
  EXPECT_FALSE(plan.transposed);
  ASSERT_EQ(plan.instructions.size(), 4u);
  EXPECT_EQ(plan.instructions[0],
            (SmallVector<unsigned, 16>{0, 1, 2, 3, 4, 5, 6, 7}));
  checkPlan(access, tile, plan);

  auto cost = costOfSharedAccess(access, tile);
  EXPECT_EQ(cost.instructions, 4);
  EXPECT_EQ(cost.warps, 4);
  EXPECT_EQ(cost.wavefronts, 4 * 4 * 32);
  EXPECT_EQ(cost.worstDegree, 8u);
  EXPECT_TRUE(costOfSharedAccess(access, tile.withSwizzle(3, 3, 3)).isIdeal());
  EXPECT_TRUE(costOfSharedAccess(access, tile.withPadding(64, 8)).isIdeal());
}

TEST(MatrixLoad, TransposesWhatLiesTheOtherWay) {
  auto access = matrixLoad(operandA(2, 2), 2);
  auto tile = SharedLayout::ordered({32, 32}, {0, 1}).withSwizzle(2, 3, 3);
  auto plan = planSharedAccess(access, tile);
  EXPECT_TRUE(plan.transposed);
  checkPlan(access, tile, plan);
  // The transposed form moves elements of 2 bytes only.
  std::string why;
  auto bytes = matrixLoad(operandA(2, 2), 1);
  EXPECT_EQ(planSharedAccess(bytes, tile, &why).vectorElements, 0u);
  EXPECT_FALSE(why.empty());
}

TEST(MatrixLoad, LoadsOneOrTwoMatricesWhereThereAreNoMore) {
  auto one = matrixLoad(
      productOf(Factors{{"register", {1, 2}}, {"lane", {8, 4}}}, 2), 2);
  auto tile = SharedLayout::rowMajor({8, 8});
  auto plan = planSharedAccess(one, tile);
  ASSERT_EQ(plan.instructions.size(), 1u);
  EXPECT_EQ(plan.instructions[0].size(), 2u);
  checkPlan(one, tile, plan);
  EXPECT_EQ(costOfSharedAccess(one, tile).wavefronts, 1);

  auto two = matrixLoad(
      productOf(
          Factors{{"register", {1, 2}}, {"lane", {8, 4}}, {"register", {2, 1}}},
          2),
      2);
  auto taller = SharedLayout::rowMajor({16, 8});
  plan = planSharedAccess(two, taller);
  ASSERT_EQ(plan.instructions.size(), 1u);
  checkPlan(two, taller, plan);
  EXPECT_EQ(costOfSharedAccess(two, taller).wavefronts, 2);
}

TEST(MatrixLoad, LeavesOutCopiesInRegisters) {
  auto access = matrixLoad(productOf(Factors{{"register", {1, 2}},
                                             {"lane", {8, 4}},
                                             {"register", {}, 2},
                                             {"register", {2, 1}}},
                                     2),
                           2);
  auto tile = SharedLayout::rowMajor({16, 8});
  auto plan = planSharedAccess(access, tile);
  ASSERT_EQ(plan.instructions.size(), 1u);
  EXPECT_EQ(plan.instructions[0], (SmallVector<unsigned, 16>{0, 1, 4, 5}));
  auto cost = costOfSharedAccess(access, tile);
  EXPECT_EQ(cost.instructions, 1);
  EXPECT_EQ(cost.wavefronts, 2);
}

TEST(MatrixLoad, SaysWhyNot) {
  auto tile = SharedLayout::rowMajor({16, 16});
  auto why = [](const SharedAccess &access, const SharedLayout &layout) {
    std::string text;
    SharedAccessPlan plan = planSharedAccess(access, layout, &text);
    EXPECT_EQ(plan.vectorElements, 0u);
    EXPECT_TRUE(plan.instructions.empty());
    SharedAccessCost cost = costOfSharedAccess(access, layout);
    EXPECT_EQ(cost.vectorElements, 0u);
    EXPECT_EQ(cost.wavefronts, 0);
    return text;
  };
  EXPECT_EQ(why(matrixLoad(operandA(1, 1), 8), tile),
            "ldmatrix does not move elements of 8 bytes this way");
  EXPECT_EQ(why(matrixLoad(operandA(1, 1), 2), tile.withPadding(16, 4)),
            "padding of 4 elements every 16 does not keep rows of 16 bytes "
            "whole and aligned");
  EXPECT_EQ(why(matrixLoad(operandA(1, 1), 2), tile.withSwizzle(1, 2, 3)),
            "the rows of ldmatrix are not aligned to 16 bytes in shared "
            "memory");
  EXPECT_EQ(why(matrixLoad(operandA(1, 1), 4), tile),
            "the 16 bytes that ldmatrix spreads over a row's lanes are not "
            "adjacent in shared memory");
  EXPECT_EQ(
      why(matrixLoad(productOf(Factors{{"register", {16, 16}}}, 2), 2), tile),
      "a thread does not hold 4 bytes of each of 32 lanes");
}

/// Lanes that hold copies would write parts of rows that are not theirs alone.
TEST(MatrixLoad, StoresNoCopiesOfLanes) {
  SharedAccess store{
      SharedAccessKind::StoreMatrix,
      productOf(
          Factors{{"register", {1, 2}}, {"lane", {4, 4}}, {"lane", {}, 2}}, 2),
      2};
  auto tile = SharedLayout::rowMajor({4, 8});
  std::string why;
  EXPECT_EQ(planSharedAccess(store, tile, &why).vectorElements, 0u);
  EXPECT_EQ(why, "stmatrix takes part of a row from each lane, and some hold "
                 "copies");
  store.kind = SharedAccessKind::LoadMatrix;
  EXPECT_EQ(planSharedAccess(store, tile, &why).vectorElements, 8u);
}

TEST(MatrixLoad, PlansAndCostsHoldInAnyLayout) {
  Random random(60);
  unsigned possible = 0, transposed = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    unsigned bytes = 1u << random.below(3);
    int64_t packed = 4 / bytes;
    LinearLayout registers = productOf(Factors{{"register", {1, packed}},
                                               {"lane", {8, 4}},
                                               {"register", {2, 1}},
                                               {"warp", {1, 2}},
                                               {"register", {1, 4}}},
                                       2);
    if (random.chance(50))
      registers = registers.transpose({1, 0});
    auto access = matrixLoad(registers, bytes);
    SharedLayout layout = randomSharedLayout(random, registers.shape());
    SharedAccessPlan plan = planSharedAccess(access, layout);
    if (plan.vectorElements == 0)
      continue;
    ++possible;
    transposed += plan.transposed;
    checkPlan(access, layout, plan);
    EXPECT_EQ(costOfSharedAccess(access, layout).wavefronts,
              wavefrontsOf(access, layout, plan));
    // stmatrix is the same the other way round.
    access.kind = SharedAccessKind::StoreMatrix;
    SharedAccessPlan store = planSharedAccess(access, layout);
    checkPlan(access, layout, store);
    EXPECT_EQ(store.instructions, plan.instructions);
    EXPECT_EQ(costOfSharedAccess(access, layout).wavefronts,
              wavefrontsOf(access, layout, store));
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(possible, 200u);
  EXPECT_GT(transposed, 30u);
}
