//===- AccessSubspacesTest.cpp - Tests of costs by subspaces --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/AccessSubspaces.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

/// The cost by the bank model itself.
static std::optional<uint64_t> costByModel(const SharedAccess &access,
                                           const SharedLayout &layout) {
  SharedAccessCost cost = costOfSharedAccess(access, layout);
  if (!isServedBy(access, cost.vectorElements))
    return std::nullopt;
  return access.trips * (cost.wavefronts + cost.instructionsOfBlock());
}

static void checkCost(const SharedAccess &access, const SharedLayout &layout) {
  SCOPED_TRACE(access.registers.toString() + " in " + layout.toString());
  AccessSubspaces subspaces(access);
  std::optional<uint64_t> cost = subspaces.cost(OffsetMatrix(layout));
  EXPECT_EQ(cost, costByModel(access, layout));
  // No form promises more than there is.
  uint64_t least = UINT64_MAX;
  for (const AccessSubspaces::Form &form : subspaces.forms())
    least = std::min(least, form.leastCost);
  if (cost) {
    EXPECT_LE(least, *cost);
  }
}

static SharedLayout withoutPadding(const SharedLayout &layout) {
  return layout.withPadding(1, 0);
}

TEST(AccessSubspaces, CostsAreThoseOfTheBankModel) {
  Random random(60);
  for (unsigned round = 0; round < 4000; ++round) {
    auto shape = random.shape(3, 4);
    unsigned bytes = 1u << random.below(5);
    SharedAccess access;
    access.kind =
        random.chance(50) ? SharedAccessKind::Load : SharedAccessKind::Store;
    access.registers = randomRegisterLayout(random, shape, random.below(3),
                                            /*mix=*/random.chance(20));
    access.elementBytes = bytes;
    access.trips = random.below(4);
    if (random.chance(20))
      access.requiredVector = 1u << random.below(Log2_32(16 / bytes) + 1);
    if (random.chance(30))
      access.runDim = random.below(shape.size());
    checkCost(access, withoutPadding(randomSharedLayout(random, shape)));
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(AccessSubspaces, CostsOfMatricesAreThoseOfTheBankModel) {
  Random random(61);
  for (unsigned round = 0; round < 1500; ++round) {
    unsigned bytes = 1u << random.below(3);
    int64_t packed = 4 / int64_t(bytes);
    int64_t across = int64_t(1) << random.below(3);
    SmallVector<LayoutFactor> factors = {
        {"register", {1, packed}},
        {"lane", {8, 4}},
        {"register", {across, 1}},
        {"warp", {1, int64_t(1) << random.below(2)}},
        {"register", {1, int64_t(1) << random.below(3)}}};
    if (random.chance(50))
      factors.push_back({random.chance(50) ? "warp" : "register", {}, 2});
    LinearLayout registers = productOf(factors, 2);
    if (random.chance(30))
      registers = registers.transpose({1, 0});
    SharedLayout layout = SharedLayout::rowMajor(registers.shape());
    if (random.chance(40))
      layout = SharedLayout::ordered(registers.shape(), {0, 1});
    if (random.chance(70))
      layout = layout.withSwizzle(1 + random.below(3), random.below(5),
                                  2 + random.below(5));
    for (auto kind :
         {SharedAccessKind::LoadMatrix, SharedAccessKind::StoreMatrix})
      checkCost({kind, registers, bytes, 1}, layout);
    if (testing::Test::HasFailure())
      return;
  }
}

/// The order of offsets beyond 128 bytes, and XORs of them into others of
/// them, change no cost: the oracle of the search relies on it.
TEST(AccessSubspaces, LinesMayBePermuted) {
  Random random(62);
  for (unsigned round = 0; round < 500; ++round) {
    auto shape = random.shape(2, 5);
    unsigned bytes = 1u << random.below(5);
    OffsetMatrix matrix(withoutPadding(randomSharedLayout(random, shape)));
    SharedAccess access{SharedAccessKind::Load,
                        randomRegisterLayout(random, shape, 1, false), bytes};
    OffsetMatrix mixed = matrix;
    unsigned lineBits = 7 - Log2_32(bytes);
    if (matrix.numBits() < lineBits + 2)
      continue;
    for (unsigned count = 0; count < 5; ++count) {
      unsigned span = matrix.numBits() - lineBits;
      unsigned to = lineBits + random.below(span);
      unsigned from = lineBits + random.below(span);
      if (to != from)
        mixed.rows[to] ^= mixed.rows[from];
    }
    mixed = OffsetMatrix(mixed.rows);
    SharedLayout before = matrix.toLayout(shape), after = mixed.toLayout(shape);
    EXPECT_EQ(costByModel(access, before), costByModel(access, after));
  }
}

TEST(AccessSubspaces, MatricesAndLayoutsGoRound) {
  Random random(63);
  for (unsigned round = 0; round < 200; ++round) {
    auto shape = random.shape(3, 4);
    SharedLayout layout = withoutPadding(randomSharedLayout(random, shape));
    OffsetMatrix matrix(layout);
    EXPECT_EQ(matrix.toLayout(shape), layout);
    for (int64_t at = 0; at < elementsOf(shape); ++at)
      EXPECT_EQ(matrix.offset(at), layout.offset(pointAt(at, shape)));
  }
}
