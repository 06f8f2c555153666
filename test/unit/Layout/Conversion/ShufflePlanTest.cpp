//===- ShufflePlanTest.cpp - Tests of conversions by shuffles -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/ShufflePlan.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Banks/BankModel.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

/// The elements of one warp: a number for each register of each lane.
using WarpRegisters = std::vector<SmallVector<uint64_t>>;

static WarpRegisters registersOf(const LinearLayout &layout, unsigned warp) {
  WarpRegisters registers(lanesPerWarp);
  for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
    for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg)
      registers[lane].push_back(layout.flatten(
          layout.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})));
  return registers;
}

/// Carries a plan out for one warp, as its header says.
static WarpRegisters execute(const ShufflePlan &plan,
                             const WarpRegisters &source, unsigned warp) {
  using Word = SmallVector<uint64_t>;
  std::vector<LinearLayout::Point> threads;
  for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
    threads.push_back(plan.threads.apply({{"lane", lane}, {"warp", warp}}));
  std::vector<std::vector<Word>> values; // by step, then by lane
  for (const ShufflePlan::Step &step : plan.steps) {
    std::vector<Word> words(lanesPerWarp);
    for (unsigned lane = 0; lane < lanesPerWarp; ++lane) {
      const LinearLayout::Point &thread = threads[lane];
      switch (step.kind) {
      case ShufflePlan::StepKind::Pack:
        EXPECT_EQ(step.registers.size(), plan.elementsPerWord);
        for (unsigned reg : step.registers)
          words[lane].push_back(source[lane][reg]);
        break;
      case ShufflePlan::StepKind::Select:
        words[lane] =
            values[thread[1 + step.condition] ? step.ifOdd : step.ifEven][lane];
        break;
      case ShufflePlan::StepKind::Shuffle:
        words[lane] = values[step.ifOdd][unsigned(thread[0]) ^ step.laneXor];
        break;
      }
    }
    values.push_back(std::move(words));
  }
  WarpRegisters target(lanesPerWarp);
  for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
    for (const ShufflePlan::Result &result : plan.results)
      target[lane].push_back(values[result.step][lane][result.position]);
  return target;
}

static unsigned warpsOf(const LinearLayout &from, const LinearLayout &to) {
  return std::max(from.inputSize("warp"), to.inputSize("warp"));
}

namespace {
/// Two layouts, and what each warp has before and after. It is found once for
/// all plans between them.
struct Conversion {
  Conversion(const LinearLayout &from, const LinearLayout &to)
      : from(from), to(to) {
    for (unsigned warp = 0; warp < warpsOf(from, to); ++warp) {
      before.push_back(registersOf(from, warp));
      after.push_back(registersOf(to, warp));
    }
  }

  const LinearLayout &from, &to;
  std::vector<WarpRegisters> before, after; // by warp
};
} // namespace

static void expectConverts(const ShufflePlan &plan,
                           const Conversion &conversion) {
  const auto &[from, to, before, after] = conversion;
  ASSERT_EQ(static_cast<int64_t>(plan.results.size()),
            to.inputSize("register"));
  for (unsigned warp = 0; warp < before.size(); ++warp)
    ASSERT_EQ(execute(plan, before[warp], warp), after[warp])
        << from.toString() << " to " << to.toString() << ", warp " << warp;
  EXPECT_LE(plan.elementsPerWord * plan.elementBytes,
            std::max(4u, plan.elementBytes));
}

/// Whether each warp has the elements that it needs.
static bool isWithinWarps(const LinearLayout &from, const LinearLayout &to) {
  for (unsigned warp = 0; warp < warpsOf(from, to); ++warp) {
    std::set<uint64_t> held;
    for (const auto &registers : registersOf(from, warp))
      held.insert(registers.begin(), registers.end());
    for (const auto &registers : registersOf(to, warp))
      for (uint64_t element : registers)
        if (!held.count(element))
          return false;
  }
  return true;
}

/// The lanes of a warp that have an element, and a register they have it in.
using Holders = std::map<uint64_t, std::map<unsigned, unsigned>>;

static Holders holdersOf(const LinearLayout &from, unsigned warp) {
  Holders holders;
  for (auto [lane, registers] : enumerate(registersOf(from, warp)))
    for (auto [reg, element] : enumerate(registers))
      holders[element].try_emplace(lane, reg);
  return holders;
}

/// By the elements themselves, without any algebra: a shuffle gives each lane
/// one element, and takes one from each lane.
static int64_t leastShuffles(const LinearLayout &from, const LinearLayout &to) {
  int64_t least = 0;
  for (unsigned warp = 0; warp < warpsOf(from, to); ++warp) {
    Holders holders = holdersOf(from, warp);
    std::set<uint64_t> allWanted;
    for (auto [lane, elements] : enumerate(registersOf(to, warp))) {
      std::set<uint64_t> wanted;
      for (uint64_t element : elements)
        if (!holders[element].count(lane))
          wanted.insert(element);
      least = std::max<int64_t>(least, wanted.size());
      allWanted.insert(wanted.begin(), wanted.end());
    }
    std::map<std::set<unsigned>, int64_t> wantedOf;
    for (uint64_t element : allWanted) {
      std::set<unsigned> lanes;
      for (auto [lane, reg] : holders[element])
        lanes.insert(lane);
      ++wantedOf[lanes];
    }
    for (const auto &[lanes, count] : wantedOf)
      least = std::max<int64_t>(
          least, divideCeil(count, static_cast<int64_t>(lanes.size())));
  }
  return least;
}

/// For each register that some lane takes from elsewhere, a shuffle of each
/// register it takes it from, and selects among these.
static double cyclesRegisterByRegister(const LinearLayout &from,
                                       const LinearLayout &to) {
  std::vector<Holders> holders;
  std::vector<WarpRegisters> targets;
  for (unsigned warp = 0; warp < warpsOf(from, to); ++warp) {
    holders.push_back(holdersOf(from, warp));
    targets.push_back(registersOf(to, warp));
  }
  double cycles = 0;
  std::set<SmallVector<uint64_t>> done;
  for (int64_t reg = 0; reg < to.inputSize("register"); ++reg) {
    SmallVector<uint64_t> elements;
    std::set<unsigned> own, any;
    bool isOwn = true;
    for (auto [target, held] : zip(targets, holders))
      for (unsigned lane = 0; lane < lanesPerWarp; ++lane) {
        elements.push_back(target[lane][reg]);
        const auto &places = held.at(elements.back());
        any.insert(places.begin()->second);
        isOwn &= places.count(lane) != 0;
        if (isOwn)
          own.insert(places.at(lane));
      }
    const std::set<unsigned> &sources = isOwn ? own : any;
    if (done.insert(elements).second)
      cycles += cyclesPerShuffle * (isOwn ? 0 : sources.size()) +
                cyclesPerSelect * (sources.size() - 1);
  }
  return cycles;
}

//===----------------------------------------------------------------------===//
// Examples
//===----------------------------------------------------------------------===//

static ShufflePlan planOf(const Factors &from, const Factors &to, unsigned rank,
                          unsigned elementBytes) {
  LinearLayout source = productOf(from, rank), target = productOf(to, rank);
  auto plan = planShuffles(source, target, elementBytes);
  EXPECT_TRUE(plan.has_value());
  expectConverts(*plan, Conversion(source, target));
  return *plan;
}

TEST(ShufflePlan, ExchangeOfOneBitTakesHalfTheRegisters) {
  ShufflePlan plan =
      planOf({{"register", {2}}, {"lane", {32}}},
             {{"lane", {2}}, {"register", {2}}, {"lane", {16}}}, 1, 4);
  EXPECT_TRUE(plan.isButterfly());
  EXPECT_EQ(plan.countShuffles(), 1);
  EXPECT_EQ(plan.countSelects(), 3);
}

TEST(ShufflePlan, TwoBitsAreCheaperOneByOne) {
  ShufflePlan plan =
      planOf({{"register", {4}}, {"lane", {32}}},
             {{"lane", {4}}, {"register", {4}}, {"lane", {8}}}, 1, 4);
  EXPECT_EQ(plan.countShuffles(), 4);
  EXPECT_EQ(plan.countSelects(), 12);
}

// What mma.sync leaves in pairs of columns, as vectors of 16 bytes.
TEST(ShufflePlan, RowsOfAnAccumulator) {
  ShufflePlan plan = planOf(
      {{"register", {1, 2}}, {"lane", {8, 4}}, {"register", {2, 4}}},
      {{"register", {1, 8}}, {"lane", {8, 4}}, {"register", {2, 1}}}, 2, 2);
  EXPECT_EQ(plan.elementsPerWord, 2u);
  EXPECT_EQ(plan.countShuffles(), 8);
  EXPECT_EQ(plan.countSelects(), 24);
  EXPECT_EQ(plan.countMoves(), 0);
}

TEST(ShufflePlan, LanesAloneTakeNoSelect) {
  ShufflePlan plan =
      planOf({{"register", {4, 1}}, {"lane", {4, 1}}, {"lane", {1, 8}}},
             {{"register", {4, 1}}, {"lane", {1, 8}}, {"lane", {4, 1}}}, 2, 4);
  EXPECT_FALSE(plan.isButterfly());
  EXPECT_EQ(plan.countShuffles(), 4);
  EXPECT_EQ(plan.countSelects(), 0);
}

TEST(ShufflePlan, TransposeOfAWarp) {
  // 32 registers a lane, all but one of which go to other lanes.
  ShufflePlan plan = planOf({{"register", {32, 1}}, {"lane", {1, 32}}},
                            {{"register", {1, 32}}, {"lane", {32, 1}}}, 2, 4);
  EXPECT_EQ(plan.countShuffles(), 31);
  EXPECT_LE(plan.countSelects(), 2 * 5 * 32);
}

TEST(ShufflePlan, NarrowElementsTravelTogether) {
  auto shufflesOf = [](unsigned bytes) {
    return planOf({{"register", {8}}, {"lane", {32}}},
                  {{"register", {4}}, {"lane", {32}}, {"register", {2}}}, 1,
                  bytes)
        .countShuffles();
  };
  EXPECT_EQ(shufflesOf(1), 2);
  EXPECT_EQ(shufflesOf(2), 4);
  EXPECT_EQ(shufflesOf(4), 8);
  EXPECT_EQ(shufflesOf(8), 16);
}

TEST(ShufflePlan, OwnRegistersTakeOnlySelects) {
  // Each lane has all; it keeps the one of its number.
  ShufflePlan plan = planOf({{"register", {32}}}, {{"lane", {32}}}, 1, 4);
  EXPECT_EQ(plan.countShuffles(), 0);
  EXPECT_EQ(plan.countSelects(), 31);
}

TEST(ShufflePlan, ALaneThatHandsOutMoreThanItGets) {
  // Two warps with the same 64 elements; each keeps half of them, which are in
  // two registers of 16 lanes.
  ShufflePlan plan = planOf({{"register", {2}}, {"lane", {32}}},
                            {{"lane", {32}}, {"warp", {2}}}, 1, 4);
  EXPECT_EQ(plan.countShuffles(), 2);
}

TEST(ShufflePlan, NoneAcrossWarpsOrShapes) {
  LinearLayout a = productOf(Factors{{"lane", {32}}, {"warp", {4}}}, 1);
  LinearLayout b = productOf(Factors{{"warp", {4}}, {"lane", {32}}}, 1);
  LinearLayout all = productOf(Factors{{"register", {4}}, {"lane", {32}}}, 1);
  EXPECT_FALSE(planShuffles(a, b, 4));
  EXPECT_FALSE(planShuffles(a, all, 4));
  EXPECT_TRUE(planShuffles(all, a, 4));
  EXPECT_FALSE(planShuffles(a, cantFail(a.reshape({16, 8})), 4));
}

//===----------------------------------------------------------------------===//
// Random layouts
//===----------------------------------------------------------------------===//

/// A layout whose bits are, at random, sums of those of `from` in the same
/// warp: any of these can be had by shuffles.
static LinearLayout randomSums(Random &random, const LinearLayout &from) {
  SmallVector<LinearLayout::Point> pool(from.bases("register"));
  append_range(pool, from.bases("lane"));
  auto mixInto = [&](LinearLayout::Point point) {
    unsigned most = random.chance(60) ? 1 : 3;
    for (uint64_t count = random.below(most + 1); count > 0; --count)
      if (!pool.empty())
        for (auto [a, b] : zip(point, pool[random.below(pool.size())]))
          a ^= b;
    return point;
  };
  LinearLayout::Point zero(from.rank(), 0);
  std::vector<LinearLayout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", {}}};
  for (uint64_t bits = random.below(6); bits > 0; --bits)
    inputs[0].bases.push_back(mixInto(zero));
  for (unsigned bit = 0; bit < 5; ++bit) {
    bool stays = random.chance(40) && bit < from.numBits("lane");
    inputs[1].bases.push_back(stays ? from.bases("lane")[bit] : mixInto(zero));
  }
  for (const LinearLayout::Point &basis : from.bases("warp"))
    inputs[2].bases.push_back(random.chance(70) ? basis : mixInto(basis));
  return layoutOf(std::move(inputs), from.shape());
}

/// A few registers and many lanes that are filled out of registers: a lane has
/// to hand out more than it gets.
static LinearLayout randomSpread(Random &random, const LinearLayout &from) {
  std::vector<LinearLayout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", from.bases("warp").vec()}};
  auto add = [&](unsigned input, unsigned percentOfRegisters) {
    LinearLayout::Point point(from.rank(), 0);
    for (unsigned count = 1 + random.below(2); count > 0; --count) {
      auto bases =
          from.bases(random.chance(percentOfRegisters) ? "register" : "lane");
      if (!bases.empty())
        for (auto [a, b] : zip(point, bases[random.below(bases.size())]))
          a ^= b;
    }
    inputs[input].bases.push_back(std::move(point));
  };
  for (uint64_t bits = random.below(4); bits > 0; --bits)
    add(0, 70);
  for (unsigned bit = 0; bit < 5; ++bit)
    add(1, 60);
  return layoutOf(std::move(inputs), from.shape());
}

static LinearLayout randomTarget(Random &random, const LinearLayout &from) {
  switch (random.below(3)) {
  case 0:
    return randomSums(random, from);
  case 1:
    return randomSpread(random, from);
  default:
    return randomOrderInWarps(random, from);
  }
}

/// Tiles of up to 64 elements, so that there are many copies.
static LinearLayout randomSource(Random &random) {
  SmallVector<int64_t, 4> shape;
  do
    shape = random.shape(3, 3);
  while (elementsOf(shape) > 64);
  if (random.chance(50))
    return randomLayout(random, shape, {"register", "lane", "warp"}, 5);
  return randomRegisterLayout(random, shape, random.below(3),
                              random.chance(30));
}

TEST(ShufflePlan, PutsEveryElementWhereItBelongs) {
  Random random(7001);
  for (unsigned round = 0; round < 1000; ++round) {
    LinearLayout from = randomSource(random);
    LinearLayout to = randomTarget(random, from);
    Conversion conversion(from, to);
    for (unsigned bytes : {1, 2, 4, 8}) {
      auto plans = listShufflePlans(from, to, bytes);
      ASSERT_FALSE(plans.empty());
      for (const ShufflePlan &plan : plans)
        ASSERT_NO_FATAL_FAILURE(expectConverts(plan, conversion));
    }
  }
}

TEST(ShufflePlan, NoneTakesFewerShuffles) {
  Random random(7002);
  for (unsigned round = 0; round < 3000; ++round) {
    LinearLayout from = randomSource(random);
    LinearLayout to = randomTarget(random, from);
    int64_t bound = leastShuffles(from, to);
    for (unsigned bytes : {4, 8}) {
      int64_t least = std::numeric_limits<int64_t>::max();
      for (const ShufflePlan &plan : listShufflePlans(from, to, bytes))
        least = std::min(least, plan.countShuffles());
      EXPECT_EQ(least, bound * (bytes / 4))
          << from.toString() << " to " << to.toString();
    }
  }
}

TEST(ShufflePlan, NeverCostsMoreThanRegisterByRegister) {
  Random random(7003);
  for (unsigned round = 0; round < 3000; ++round) {
    LinearLayout from = randomSource(random);
    LinearLayout to = randomTarget(random, from);
    double naive = cyclesRegisterByRegister(from, to);
    for (unsigned bytes : {1, 2, 4, 8}) {
      auto plan = planShuffles(from, to, bytes);
      ASSERT_TRUE(plan.has_value());
      // Each element by itself has to be brought beside its neighbours.
      int64_t registers = to.inputSize("register");
      int64_t moves =
          registers - divideCeil(registers, std::max(1u, 4 / bytes));
      EXPECT_LE(plan->getCycles(), std::max(1u, bytes / 4) * naive +
                                       cyclesPerSelect * double(moves))
          << from.toString() << " to " << to.toString();
    }
  }
}

TEST(ShufflePlan, ExistsWhereWarpsHaveWhatTheyNeed) {
  Random random(7002);
  unsigned found = 0, missing = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    auto shape = random.shape(2, 2);
    LinearLayout from =
        randomLayout(random, shape, {"register", "lane", "warp"}, 3);
    LinearLayout to =
        randomLayout(random, shape, {"register", "lane", "warp"}, 3);
    auto plan = planShuffles(from, to, 4);
    ASSERT_EQ(plan.has_value(), isWithinWarps(from, to))
        << from.toString() << " to " << to.toString();
    ++(plan ? found : missing);
    if (plan)
      ASSERT_NO_FATAL_FAILURE(expectConverts(*plan, Conversion(from, to)));
  }
  EXPECT_GT(found, 300u);
  EXPECT_GT(missing, 300u);
}
