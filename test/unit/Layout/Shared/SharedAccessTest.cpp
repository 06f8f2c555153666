//===- SharedAccessTest.cpp - Tests of plans and costs --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SharedAccess.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

static SharedAccess access(SharedAccessKind kind, LinearLayout registers,
                           unsigned elementBytes, unsigned requiredVector = 0) {
  return {kind, std::move(registers), elementBytes, 1, requiredVector};
}

static std::string reasonOf(const SharedAccess &access,
                            const SharedLayout &layout) {
  std::string why;
  planSharedAccess(access, layout, &why);
  return why;
}

/// A warp with 32 columns in its lanes, a column each.
static LinearLayout columnsInLanes() {
  return productOf(Factors{{"lane", {1, 32}}, {"register", {32, 1}}}, 2);
}

//===----------------------------------------------------------------------===//
// Known cases
//===----------------------------------------------------------------------===//

TEST(SharedAccess, TableOfTheHeader) {
  struct Row {
    SharedLayout layout;
    unsigned readVector;
    int64_t readInstructions, readWavefronts;
    unsigned degree;
  };
  auto tile = SharedLayout::rowMajor({32, 32});
  Row rows[] = {{tile, 4, 8, 256, 8},
                {tile.withPadding(32, 1), 1, 32, 32, 1},
                {tile.withSwizzle(5, 0, 5), 1, 32, 32, 1},
                {tile.withSwizzle(3, 2, 3), 4, 8, 32, 1}};
  for (const Row &row : rows) {
    auto write = costOfSharedAccess(
        access(SharedAccessKind::Store, columnsInLanes(), 4), row.layout);
    EXPECT_EQ(write.vectorElements, 1u);
    EXPECT_EQ(write.instructions, 32);
    EXPECT_EQ(write.warps, 1);
    EXPECT_EQ(write.wavefronts, 32);
    EXPECT_TRUE(write.isIdeal());
    auto read = costOfSharedAccess(
        access(SharedAccessKind::Load, columnsInLanes().transpose({1, 0}), 4),
        row.layout);
    EXPECT_EQ(read.vectorElements, row.readVector);
    EXPECT_EQ(read.instructions, row.readInstructions);
    EXPECT_EQ(read.wavefronts, row.readWavefronts);
    EXPECT_EQ(read.idealWavefronts, 32);
    EXPECT_EQ(read.worstDegree, row.degree);
  }
}

/// The transpose of the textbooks: scalars only.
TEST(SharedAccess, TextbookTransposeHasA32WayConflict) {
  auto degree = [](const SharedLayout &layout) {
    return costOfSharedAccess(access(SharedAccessKind::Load,
                                     columnsInLanes().transpose({1, 0}), 4, 1),
                              layout)
        .worstDegree;
  };
  auto tile = SharedLayout::rowMajor({32, 32});
  EXPECT_EQ(degree(tile), 32u);
  EXPECT_EQ(degree(tile.withPadding(32, 1)), 1u);
  EXPECT_EQ(degree(tile.withPadding(32, 2)), 2u);
  EXPECT_EQ(degree(tile.withSwizzle(5, 0, 5)), 1u);
  EXPECT_EQ(degree(tile.withSwizzle(4, 0, 5)), 2u);
}

/// Lane l reads 16 bytes of row l of a 32 x 32 tile of floats. One word of
/// padding leaves no 16-byte access aligned; two words leave 8-byte accesses,
/// four words the 16-byte ones, which are then free of conflicts.
TEST(SharedAccess, SixteenByteColumnsNeedFourWordsOfPadding) {
  auto tile = SharedLayout::rowMajor({32, 32});
  LinearLayout rowsInLanes = columnsInLanes().transpose({1, 0});
  auto wide = access(SharedAccessKind::Load, rowsInLanes, 4, 4);
  auto free = access(SharedAccessKind::Load, rowsInLanes, 4);

  auto one = costOfSharedAccess(wide, tile.withPadding(32, 1));
  EXPECT_FALSE(isServedBy(wide, one.vectorElements));
  EXPECT_EQ(one.vectorElements, 1u);
  EXPECT_EQ(reasonOf(wide, tile.withPadding(32, 1)),
            "padding of 1 element every 32 does not keep vectors of 2 "
            "elements whole and aligned");
  auto two = costOfSharedAccess(free, tile.withPadding(32, 2));
  EXPECT_EQ(two.vectorElements, 2u);
  EXPECT_EQ(two.worstDegree, 1u);
  auto four = costOfSharedAccess(wide, tile.withPadding(32, 4));
  EXPECT_TRUE(isServedBy(wide, four.vectorElements));
  EXPECT_EQ(four.worstDegree, 1u);
  EXPECT_EQ(costOfSharedAccess(wide, tile.withPadding(32, 8)).worstDegree, 2u);
}

TEST(SharedAccess, SaysWhyItIsNotWider) {
  auto tile = SharedLayout::rowMajor({8, 16});
  auto why = [&](const Factors &factors, const SharedLayout &layout,
                 unsigned bytes = 4, unsigned required = 0) {
    return reasonOf(
        access(SharedAccessKind::Load, productOf(factors, 2), bytes, required),
        layout);
  };
  EXPECT_EQ(why({{"register", {1, 4}}, {"lane", {8, 4}}}, tile),
            "16 bytes is the widest access");
  EXPECT_EQ(why({{"register", {1, 4}}, {"lane", {8, 4}}}, tile, 4, 2),
            "vectors of 2 elements are asked for");
  EXPECT_EQ(
      why({{"register", {1, 2}}, {"lane", {4, 8}}, {"register", {2, 1}}}, tile),
      "a thread holds runs of 2 elements; what follows is in another "
      "lane");
  EXPECT_EQ(
      why({{"warp", {1, 2}}, {"register", {1, 8}}, {"lane", {8, 1}}}, tile),
      "a thread holds runs of 1 element; what follows is in another "
      "warp");
  EXPECT_EQ(
      why({{"register", {1, 4}}, {"lane", {8, 4}}}, tile.withSwizzle(2, 1, 3)),
      "lane bit 2 moves the access by 18 elements, which is no multiple "
      "of 4");
  EXPECT_EQ(
      why({{"register", {1, 4}}, {"lane", {8, 4}}}, tile.withPadding(2, 4)),
      "padding of 4 elements every 2 does not keep vectors of 4 elements "
      "whole and aligned");
  EXPECT_EQ(why({{"register", {1, 2}}, {"lane", {}, 32}},
                SharedLayout::rowMajor({1, 2})),
            "the tile has only 2 elements");
  auto partial = layoutOf({{"register", {{0, 1}, {0, 4}}}}, {8, 16});
  EXPECT_EQ(reasonOf(access(SharedAccessKind::Load, partial, 4), tile),
            "a thread holds runs of 2 elements; the access leaves out what "
            "follows");
}

/// A vector of a copy is a run of global memory: elements along the run's
/// dimension, not on a diagonal.
TEST(SharedAccess, RunsLieAlongTheirDimension) {
  SharedAccess copy{
      SharedAccessKind::Store,
      productOf(Factors{{"register", {2, 2}}, {"lane", {4, 8}}}, 2), 4};
  auto tile = SharedLayout::rowMajor({8, 16});
  auto diagonal = cantFail(SharedLayout::create(layoutOf(
      {{"offset", {{1, 1}, {1, 0}, {0, 2}, {0, 4}, {0, 8}, {2, 0}, {4, 0}}}},
      {8, 16})));
  EXPECT_EQ(planSharedAccess(copy, diagonal).vectorElements, 4u);
  copy.runDim = 1;
  EXPECT_EQ(planSharedAccess(copy, tile).vectorElements, 2u);
  std::string why;
  EXPECT_EQ(planSharedAccess(copy, diagonal, &why).vectorElements, 1u);
  EXPECT_EQ(why, "the shared layout does not keep runs of 2 elements along "
                 "dimension 1");
}

/// Registers need not be in order, nor bits of them single.
TEST(SharedAccess, PutsRegistersInTheOrderOfAddresses) {
  auto registers = layoutOf({{"register", {{0, 2}, {0, 3}, {1, 0}}},
                             {"lane", {{0, 4}, {2, 0}, {4, 0}}}},
                            {8, 8});
  auto plan = planSharedAccess(access(SharedAccessKind::Load, registers, 4),
                               SharedLayout::rowMajor({8, 8}));
  EXPECT_EQ(plan.vectorElements, 4u);
  ASSERT_EQ(plan.instructions.size(), 2u);
  EXPECT_EQ(plan.instructions[0], (SmallVector<unsigned, 16>{0, 3, 1, 2}));
  EXPECT_EQ(plan.instructions[1], (SmallVector<unsigned, 16>{4, 7, 5, 6}));
}

TEST(SharedAccess, CopiesAreStoredOnceAndLoadedByAll) {
  auto registers = productOf(Factors{{"register", {1, 4}},
                                     {"register", {}, 2},
                                     {"lane", {1, 8}},
                                     {"lane", {}, 4},
                                     {"warp", {}, 2},
                                     {"warp", {4, 1}}},
                             2);
  auto tile = SharedLayout::rowMajor({4, 32});
  auto store =
      planSharedAccess(access(SharedAccessKind::Store, registers, 4), tile);
  EXPECT_EQ(store.instructions.size(), 1u);
  EXPECT_EQ(store.idleLanes, 0b11000);
  EXPECT_EQ(store.idleWarps, 0b001);
  auto storeCost =
      costOfSharedAccess(access(SharedAccessKind::Store, registers, 4), tile);
  EXPECT_EQ(storeCost.warps, 4);
  EXPECT_EQ(storeCost.wavefronts, 4);
  auto loadCost =
      costOfSharedAccess(access(SharedAccessKind::Load, registers, 4), tile);
  EXPECT_EQ(loadCost.warps, 8);
  EXPECT_EQ(loadCost.instructions, 1);
}

//===----------------------------------------------------------------------===//
// Against every thread, one by one
//===----------------------------------------------------------------------===//

namespace {
/// All threads of an access, without any use of linearity.
struct Threads {
  const SharedAccess &access;
  const SharedLayout &layout;

  int64_t offset(int64_t reg, int64_t lane, int64_t warp) const {
    return layout.offset(access.registers.apply(
        {{"register", reg}, {"lane", lane}, {"warp", warp}}));
  }
  int64_t numLanes() const { return access.registers.inputSize("lane"); }
  int64_t numWarps() const { return access.registers.inputSize("warp"); }

  template <typename Visit> void forEach(Visit visit) const {
    for (int64_t warp = 0; warp < numWarps(); ++warp)
      for (int64_t lane = 0; lane < numLanes(); ++lane)
        visit(lane, warp);
  }
};
} // namespace

static SharedAccessCost bruteForce(const Threads &threads,
                                   const SharedAccessPlan &plan) {
  SharedAccessCost cost;
  const SharedAccess &access = threads.access;
  cost.vectorElements = plan.vectorElements;
  cost.instructions = plan.instructions.size();
  unsigned bytes = plan.vectorElements * access.elementBytes;
  for (int64_t warp = 0; warp < threads.numWarps(); ++warp) {
    if (warp & plan.idleWarps)
      continue;
    ++cost.warps;
    for (const auto &registers : plan.instructions) {
      SmallVector<int64_t> addresses;
      for (int64_t lane = 0; lane < threads.numLanes(); ++lane) {
        bool idle = lane & plan.idleLanes;
        addresses.push_back(idle ? -1
                                 : threads.offset(registers[0], lane, warp) *
                                       access.elementBytes);
      }
      unsigned wavefronts = countWavefronts(access.kind, bytes, addresses);
      unsigned ideal = fewestWavefronts(access.kind, bytes, addresses);
      cost.wavefronts += wavefronts;
      cost.idealWavefronts += ideal;
      cost.worstDegree =
          std::max<unsigned>(cost.worstDegree, divideCeil(wavefronts, ideal));
    }
  }
  return cost;
}

/// Can registers be grouped into vectors of this width, the same for all
/// threads? Groups are those of thread 0.
static bool isPossible(const Threads &threads, unsigned vector) {
  std::map<int64_t, SmallVector<int64_t>> groups;
  std::set<int64_t> seen;
  int64_t numRegisters = threads.access.registers.inputSize("register");
  for (int64_t reg = 0; reg < numRegisters; ++reg) {
    int64_t offset = threads.offset(reg, 0, 0);
    if (!seen.insert(offset).second)
      continue;
    auto &group = groups[offset / vector];
    group.resize(vector, -1);
    group[offset % vector] = reg;
  }
  bool possible = true;
  for (const auto &[block, registers] : groups) {
    if (is_contained(registers, -1))
      return false;
    threads.forEach([&, &registers = registers](int64_t lane, int64_t warp) {
      int64_t start = threads.offset(registers[0], lane, warp);
      possible &= start % vector == 0;
      for (auto [element, reg] : enumerate(registers))
        possible &= threads.offset(reg, lane, warp) == start + int64_t(element);
    });
  }
  return possible;
}

static void checkAgainstEveryThread(const SharedAccess &access,
                                    const SharedLayout &layout) {
  SCOPED_TRACE(access.registers.toString() + " in " + layout.toString());
  Threads threads{access, layout};
  std::string why;
  SharedAccessPlan plan = planSharedAccess(access, layout, &why);
  EXPECT_FALSE(why.empty());
  EXPECT_EQ(plan.addresses, access.registers);

  // The width is the widest there is.
  unsigned widest = 16 / access.elementBytes;
  if (access.requiredVector)
    widest = std::min(widest, access.requiredVector);
  EXPECT_TRUE(isPossible(threads, plan.vectorElements));
  for (unsigned vector = 2 * plan.vectorElements; vector <= widest; vector *= 2)
    EXPECT_FALSE(isPossible(threads, vector)) << vector << ": " << why;

  // Instructions move adjacent, aligned elements; each element once a thread,
  // and, in a store, once.
  std::map<int64_t, unsigned> writes;
  threads.forEach([&](int64_t lane, int64_t warp) {
    std::set<int64_t> moved;
    for (const auto &registers : plan.instructions) {
      ASSERT_EQ(registers.size(), plan.vectorElements);
      int64_t start = threads.offset(registers[0], lane, warp);
      EXPECT_EQ(start % plan.vectorElements, 0);
      for (auto [element, reg] : enumerate(registers)) {
        EXPECT_EQ(threads.offset(reg, lane, warp), start + int64_t(element));
        EXPECT_TRUE(moved.insert(start + int64_t(element)).second);
        if (!(lane & plan.idleLanes) && !(warp & plan.idleWarps))
          ++writes[start + int64_t(element)];
      }
    }
    int64_t numRegisters = access.registers.inputSize("register");
    for (int64_t reg = 0; reg < numRegisters; ++reg)
      EXPECT_TRUE(moved.count(threads.offset(reg, lane, warp)));
  });
  EXPECT_EQ(int64_t(writes.size()), layout.numElements());
  if (access.kind == SharedAccessKind::Store)
    for (auto [offset, count] : writes)
      EXPECT_EQ(count, 1u) << offset;

  SharedAccessCost cost = costOfSharedAccess(access, layout);
  SharedAccessCost expected = bruteForce(threads, plan);
  EXPECT_EQ(cost.vectorElements, expected.vectorElements);
  EXPECT_EQ(cost.instructions, expected.instructions);
  EXPECT_EQ(cost.warps, expected.warps);
  EXPECT_EQ(cost.wavefronts, expected.wavefronts);
  EXPECT_EQ(cost.idealWavefronts, expected.idealWavefronts);
  EXPECT_EQ(cost.worstDegree, expected.worstDegree);
}

TEST(SharedAccess, CostsAreThoseOfEveryThread) {
  Random random(50);
  for (unsigned round = 0; round < 1500; ++round) {
    auto shape = random.shape(3, 4);
    unsigned bytes = 1u << random.below(5);
    auto kind =
        random.chance(50) ? SharedAccessKind::Load : SharedAccessKind::Store;
    unsigned required =
        random.chance(20) ? 1u << random.below(Log2_32(16 / bytes) + 1) : 0;
    auto registers = randomRegisterLayout(random, shape, random.below(3),
                                          /*mix=*/random.chance(20));
    checkAgainstEveryThread(access(kind, registers, bytes, required),
                            randomSharedLayout(random, shape));
    if (testing::Test::HasFailure())
      return;
  }
}

/// The layouts that kernels have, in every swizzle and padding.
TEST(SharedAccess, CostsOfCoalescedLayoutsAreThoseOfEveryThread) {
  LinearLayout rows = productOf(Factors{{"register", {1, 8}},
                                        {"lane", {8, 4}},
                                        {"warp", {2, 1}},
                                        {"register", {2, 1}}},
                                2);
  LinearLayout columns = rows.transpose({1, 0});
  auto tile = SharedLayout::rowMajor({32, 32});
  for (unsigned bits = 1; bits < 4; ++bits)
    for (unsigned base = 0; base < 4; ++base)
      for (unsigned shift = 1; shift < 6; ++shift)
        for (const LinearLayout &layout : {rows, columns})
          checkAgainstEveryThread(access(SharedAccessKind::Load, layout, 2),
                                  tile.withSwizzle(bits, base, shift));
  for (int64_t amount = 1; amount < 20; ++amount)
    for (const LinearLayout &layout : {rows, columns})
      checkAgainstEveryThread(access(SharedAccessKind::Store, layout, 2),
                              tile.withPadding(32, amount));
}
