//===- AxisReductionTest.cpp - Tests of reductions along an axis ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/AxisReduction.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

#include <map>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

namespace {
/// A tile in the registers of a block; each element is a sum, kept as how often
/// each element of the first tile is in it.
class Block {
public:
  using Sum = std::map<LinearLayout::Point, unsigned>;
  using Thread = std::pair<int64_t, int64_t>; // lane, warp

  /// The tile itself.
  explicit Block(const LinearLayout &layout) : layout(layout) {
    forEachRegister([&](Thread thread, int64_t reg) {
      threads[thread].push_back({{at(thread, reg), 1}});
    });
  }

  /// Combines registers, then lanes, as a warp does.
  void reduceInWarps(const AxisReduction &reduction,
                     const LinearLayout &newLayout) {
    for (auto &[thread, registers] : threads) {
      std::vector<Sum> combined;
      for (const auto &group : reduction.registerGroups()) {
        combined.emplace_back();
        for (unsigned reg : group)
          add(combined.back(), registers[reg]);
      }
      registers = std::move(combined);
    }
    for (unsigned mask : reduction.laneMasks()) {
      auto before = threads;
      for (auto &[thread, registers] : threads)
        for (auto [sum, other] :
             zip_equal(registers, before[{thread.first ^ mask, thread.second}]))
          add(sum, other);
    }
    layout = newLayout;
  }

  /// Through memory: each thread reads what the new layout says.
  void convert(const LinearLayout &newLayout) {
    std::map<LinearLayout::Point, Sum> memory;
    forEachRegister([&](Thread thread, int64_t reg) {
      Sum &sum = memory[at(thread, reg)];
      EXPECT_TRUE(sum.empty() || sum == threads[thread][reg]);
      sum = threads[thread][reg];
    });
    layout = newLayout;
    threads.clear();
    forEachRegister([&](Thread thread, int64_t reg) {
      threads[thread].push_back(memory.at(at(thread, reg)));
    });
  }

  /// Whether each register has the sum of its line, each element once.
  void expectSums(ArrayRef<int64_t> shape, unsigned axis) {
    forEachRegister([&](Thread thread, int64_t reg) {
      LinearLayout::Point point = at(thread, reg);
      point.insert(point.begin() + axis, 0);
      Sum expected;
      for (int32_t along = 0; along < shape[axis]; ++along) {
        point[axis] = along;
        expected[point] = 1;
      }
      EXPECT_EQ(threads[thread][reg], expected);
    });
  }

private:
  static void add(Sum &sum, const Sum &other) {
    for (const auto &[point, count] : other)
      sum[point] += count;
  }
  LinearLayout::Point at(Thread thread, int64_t reg) const {
    return layout.apply(
        {{"register", reg}, {"lane", thread.first}, {"warp", thread.second}});
  }
  template <typename Visit> void forEachRegister(Visit visit) {
    for (int64_t warp = 0; warp < layout.inputSize("warp"); ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg)
          visit(Thread{lane, warp}, reg);
  }

  LinearLayout layout;
  std::map<Thread, std::vector<Sum>> threads;
};
} // namespace

TEST(AxisReduction, Tutorial) {
  LinearLayout source = productOf({{"register", {1, 2}},
                                   {"lane", {8, 4}},
                                   {"register", {1, 4}},
                                   {"warp", {1, 2}}},
                                  2);
  auto reduction = AxisReduction::create(source, 1);
  ASSERT_TRUE(reduction);
  EXPECT_EQ(reduction->laneMasks(), (SmallVector<unsigned>{1, 2}));
  ASSERT_EQ(reduction->registerGroups().size(), 1u);
  EXPECT_EQ(reduction->registerGroups()[0].size(), 8u);
  EXPECT_TRUE(reduction->spansWarps());
  EXPECT_EQ(
      reduction->perWarp(),
      productOf({{"lane", {}, 4}, {"lane", {8, 1}}, {"warp", {1, 2}}}, 2));
  EXPECT_EQ(reduction->result(),
            productOf({{"lane", {}, 4}, {"lane", {8}}, {"warp", {}, 2}}, 1));
}

TEST(AxisReduction, RefusesBitsThatMoveBothWaysOrRepeat) {
  LinearLayout skewed =
      layoutOf({{"register", {{0, 1}}}, {"lane", {{1, 1}, {0, 2}}}}, {2, 4});
  EXPECT_FALSE(AxisReduction::create(skewed, 0));
  EXPECT_FALSE(AxisReduction::create(skewed, 1));
  LinearLayout repeated =
      layoutOf({{"register", {{0, 1}}}, {"lane", {{1, 0}, {0, 1}}}}, {2, 2});
  EXPECT_TRUE(AxisReduction::create(repeated, 0));
  EXPECT_FALSE(AxisReduction::create(repeated, 1));
}

TEST(AxisReduction, EveryLineIsSummedOnce) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    SmallVector<int64_t, 4> shape = random.shape(3, 4);
    LinearLayout source = randomRegisterLayout(random, shape, random.below(4),
                                               /*mix=*/random.chance(10));
    if (!source.isSurjective())
      continue;
    unsigned axis = random.below(shape.size());
    auto reduction = AxisReduction::create(source, axis);
    if (!reduction)
      continue;
    SCOPED_TRACE(source.toString() + " along " + std::to_string(axis));
    if (!reduction->spansWarps()) {
      Block block(source);
      block.reduceInWarps(*reduction, reduction->result());
      block.expectSums(shape, axis);
      continue;
    }
    std::vector<LinearLayout> ways = {
        reduction->gathered(1u << random.below(4))};
    if (shape.size() > 1)
      ways.push_back(reduction->spread(1u << random.below(4)));
    for (const LinearLayout &way : ways) {
      Block block(source);
      block.reduceInWarps(*reduction, reduction->perWarp());
      block.convert(way);
      auto last = AxisReduction::create(way, axis);
      ASSERT_TRUE(last);
      EXPECT_FALSE(last->spansWarps());
      block.reduceInWarps(*last, last->result());
      block.expectSums(shape, axis);
    }
    EXPECT_EQ(AxisReduction::create(ways.front(), axis)->result(),
              reduction->result());
  }
}

TEST(AxisReduction, GathersInLanesWhatIsMoreThanAVector) {
  auto sixteen = AxisReduction::create(
      productOf({{"register", {8}}, {"lane", {32}}, {"warp", {16}}}, 1), 0);
  ASSERT_TRUE(sixteen);
  LinearLayout copies = sixteen->gathered(4);
  EXPECT_EQ(copies.inputSize("register"), 4);
  auto last = AxisReduction::create(copies, 0);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->laneMasks(), (SmallVector<unsigned>{1, 2}));
  EXPECT_EQ(sixteen->gathered(1).inputSize("register"), 16);
  EXPECT_EQ(sixteen->gathered(8).inputSize("register"), 2);
}

TEST(AxisReduction, SpreadsWhatManyWarpsWouldRead) {
  // 128 sums of 8 warps' results: each warp would read all 1024.
  auto wide = AxisReduction::create(productOf({{"register", {4, 1}},
                                               {"lane", {8, 1}},
                                               {"lane", {1, 4}},
                                               {"warp", {1, 8}},
                                               {"register", {4, 2}}},
                                              2),
                                    1);
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide->isBetterSpread(4, /*moveAnyway=*/false));
  EXPECT_EQ(wide->spread(4), productOf({{"register", {1, 8}},
                                        {"lane", {32, 1}},
                                        {"warp", {4, 1}},
                                        {"warp", {}, 2}},
                                       2));
  // 8 sums of 2 warps' results are a wavefront or two either way: a second
  // barrier does not pay, unless there is one anyway.
  auto narrow = AxisReduction::create(
      productOf({{"lane", {8, 4}}, {"warp", {1, 2}}}, 2), 1);
  ASSERT_TRUE(narrow);
  EXPECT_FALSE(narrow->isBetterSpread(4, /*moveAnyway=*/false));
  // One sum of all has no other elements to spread.
  auto single =
      AxisReduction::create(productOf({{"lane", {32}}, {"warp", {8}}}, 1), 0);
  ASSERT_TRUE(single);
  EXPECT_FALSE(single->isBetterSpread(4, /*moveAnyway=*/true));
}
