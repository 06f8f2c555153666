//===- ShufflePlan.cpp - Data that moves inside of warps ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Conversion/ShufflePlan.h"

#include "ShuffleFactors.h"
#include "ShuffleRounds.h"
#include "tilewright/Layout/Algebra/F2Span.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;
using namespace tilewright;

/// Bytes that a shuffle carries for each lane.
static constexpr unsigned bytesPerShuffle = 4;

/// More registers of a thread than any program has.
static constexpr unsigned maxRegisterBits = 16;

//===----------------------------------------------------------------------===//
// Costs of a plan
//===----------------------------------------------------------------------===//

bool ShufflePlan::isButterfly() const {
  for (auto [bit, image] : enumerate(threads.bases("lane")))
    if (image[0] != 1 << bit)
      return false;
  return all_of(threads.bases("warp"),
                [](const LinearLayout::Point &image) { return image[0] == 0; });
}

int64_t ShufflePlan::countOf(StepKind kind) const {
  int64_t words = std::max(1u, elementBytes / bytesPerShuffle);
  return words * count_if(steps, [kind](const Step &step) {
           return step.kind == kind;
         });
}

int64_t ShufflePlan::countMoves() const {
  if (elementBytes >= bytesPerShuffle)
    return 0;
  // Narrow elements are taken to stand side by side as loads leave them, in the
  // order of registers. Each other place in a word takes a move.
  int64_t moves = 0;
  for (const Step &step : steps)
    for (auto [position, reg] : enumerate(step.registers))
      moves += reg != step.registers[0] + position;
  unsigned side = bytesPerShuffle / elementBytes;
  for (size_t reg = 0; reg < results.size(); ++reg) {
    const Result &first = results[reg - reg % side], &result = results[reg];
    moves += result.step != first.step ||
             result.position != first.position + reg % side;
  }
  return moves;
}

double ShufflePlan::getCycles() const {
  return static_cast<double>(countShuffles()) * cyclesPerShuffle +
         static_cast<double>(countSelects() + countMoves()) * cyclesPerSelect;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {

/// Splits bit vectors into two summands: one in the span of a few independent
/// vectors, given as a mask of their numbers, and one in a space beside it that
/// holds given others.
class Splitting {
public:
  Splitting() = default;
  Splitting(ArrayRef<uint32_t> inside, ArrayRef<uint32_t> outside,
            unsigned numBits)
      : inside(inside) {
    for (uint32_t vector : outside)
      if (!span.contains(vector))
        insert(vector);
    shift = numInserted;
    for (uint32_t vector : inside)
      insert(vector);
    for (unsigned bit = 0; bit < numBits; ++bit)
      if (!span.contains(uint64_t(1) << bit))
        insert(uint64_t(1) << bit);
  }

  uint32_t insidePart(uint32_t vector) const {
    return static_cast<uint32_t>(span.coordinates(vector) >> shift) &
           maskTrailingOnes<uint32_t>(inside.size());
  }
  uint32_t outsidePart(uint32_t vector) const {
    return vector ^ sumInside(insidePart(vector));
  }
  uint32_t sumInside(uint32_t mask) const {
    uint32_t sum = 0;
    for (auto [number, vector] : enumerate(inside))
      if (mask >> number & 1)
        sum ^= vector;
    return sum;
  }

private:
  void insert(uint64_t vector) {
    span.insert(vector);
    ++numInserted;
  }

  SmallVector<uint32_t, 2> inside;
  F2Span span;
  unsigned numInserted = 0, shift = 0;
};

/// A linear function of the thread with values in bit vectors, as a few
/// directions, each with the condition under which it takes part.
struct Directions {
  struct Direction {
    uint32_t vector;
    uint32_t laneMask = 0, warpMask = 0;
  };
  SmallVector<Direction, 5> directions;

  explicit Directions(const ShuffleFactors::OfThread<uint32_t> &function) {
    F2Span span;
    for (uint32_t image : function.all())
      if (!span.contains(image)) {
        span.insert(image);
        directions.push_back({image});
      }
    auto addTo = [&](uint32_t Direction::*mask, ArrayRef<uint32_t> images) {
      for (auto [bit, image] : enumerate(images))
        for (auto [number, direction] : enumerate(directions))
          if (span.coordinates(image) >> number & 1)
            direction.*mask |= 1u << bit;
    };
    addTo(&Direction::laneMask, function.ofLaneBits);
    addTo(&Direction::warpMask, function.ofWarpBits);
  }
};

/// Writes the plan for one order of filling registers, from its results back to
/// what they are made of.
class PlanWriter {
public:
  PlanWriter(const ShuffleFactors &factors, const LinearLayout &from,
             const LinearLayout &to, unsigned elementBytes,
             unsigned bytesPerWord);

  ShufflePlan write();

private:
  using Step = ShufflePlan::Step;
  using StepKind = ShufflePlan::StepKind;

  SmallVector<uint32_t, 2> findWordBits(unsigned bytesPerWord) const;
  uint32_t offered(uint32_t step) const;

  // Each gives the number of the step with the word.
  unsigned pack(uint32_t base);
  unsigned offer(unsigned numDirections, uint32_t base);
  unsigned receive(uint32_t step);
  unsigned fill(unsigned numDirections, uint32_t step);
  unsigned select(const Directions::Direction &direction, unsigned ifOdd,
                  unsigned ifEven);
  unsigned addStep(Step step);

  void dropUnused();
  LinearLayout describeThreads() const;

  const ShuffleFactors &factors;
  const LinearLayout &to;
  OfferedRegisters registers;
  Directions offers, fills;
  ShufflePlan plan;
  /// How steps, and registers of the source, split into what is inside of a
  /// word and which word it is.
  Splitting ofSteps, ofSource;
  /// Lane and warp masks by number of condition.
  SmallVector<std::pair<uint32_t, uint32_t>> conditions;
  using Key = std::pair<unsigned, uint32_t>;
  std::map<Key, unsigned> offerSteps, fillSteps;
  DenseMap<uint32_t, unsigned> receiveSteps;
};

} // namespace

PlanWriter::PlanWriter(const ShuffleFactors &factors, const LinearLayout &from,
                       const LinearLayout &to, unsigned elementBytes,
                       unsigned bytesPerWord)
    : factors(factors), to(to), registers(factors), offers(registers.ofThreads),
      fills(factors.order) {
  plan.elementBytes = elementBytes;
  SmallVector<uint32_t, 2> wordBits = findWordBits(bytesPerWord);
  plan.elementsPerWord = 1 << wordBits.size();
  SmallVector<uint32_t, 2> sourceBits;
  for (uint32_t bits : wordBits)
    sourceBits.push_back(offered(bits));
  SmallVector<uint32_t, 10> order = factors.order.all();
  SmallVector<uint32_t, 10> beside = registers.ofThreads.all();
  for (uint32_t steps : order)
    beside.push_back(offered(steps));
  ofSteps = Splitting(wordBits, order, factors.steps.size());
  ofSource = Splitting(sourceBits, beside, from.numBits("register"));
}

uint32_t PlanWriter::offered(uint32_t step) const {
  uint32_t reg = 0;
  for (auto [bit, image] : enumerate(registers.ofSteps))
    if (step >> bit & 1)
      reg ^= image;
  return reg;
}

/// The steps whose elements can travel with those of step 0: all lanes take
/// them from the same lane, and no select tells them apart.
SmallVector<uint32_t, 2> PlanWriter::findWordBits(unsigned bytesPerWord) const {
  SmallVector<uint32_t, 2> found;
  F2Span stepsApart, registersApart;
  for (uint32_t steps : factors.order.all()) {
    if (!stepsApart.contains(steps))
      stepsApart.insert(steps);
    if (!registersApart.contains(offered(steps)))
      registersApart.insert(offered(steps));
  }
  for (uint32_t reg : registers.ofThreads.all())
    if (!registersApart.contains(reg))
      registersApart.insert(reg);
  uint32_t numSteps = 1u << (factors.steps.size() - factors.numSpare);
  auto tryAll = [&](auto isWanted) {
    for (uint32_t step = 1; step < numSteps; ++step) {
      if ((plan.elementBytes << found.size()) >= bytesPerWord)
        return;
      Place place = factors.stepPlace(step);
      if (place.lane != 0 || !isWanted(step, place.reg) ||
          stepsApart.contains(step) || registersApart.contains(place.reg))
        continue;
      stepsApart.insert(step);
      registersApart.insert(place.reg);
      found.push_back(step);
    }
  };
  // Best side by side already, before and after.
  tryAll([&](uint32_t step, uint32_t reg) {
    return step == reg && step == 1u << found.size();
  });
  tryAll([](uint32_t step, uint32_t reg) {
    return isPowerOf2_32(step) && isPowerOf2_32(reg);
  });
  tryAll([](uint32_t, uint32_t) { return true; });
  return found;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

unsigned PlanWriter::addStep(Step step) {
  plan.steps.push_back(std::move(step));
  return plan.steps.size() - 1;
}

unsigned PlanWriter::pack(uint32_t base) {
  Step step{StepKind::Pack};
  for (uint32_t number = 0; number < plan.elementsPerWord; ++number)
    step.registers.push_back(base ^ ofSource.sumInside(number));
  return addStep(std::move(step));
}

unsigned PlanWriter::offer(unsigned numDirections, uint32_t base) {
  auto [known, isNew] = offerSteps.try_emplace({numDirections, base});
  if (!isNew)
    return known->second;
  if (numDirections == 0)
    return known->second = pack(base);
  const Directions::Direction &last = offers.directions[numDirections - 1];
  unsigned ifOdd = offer(numDirections - 1, base ^ last.vector);
  unsigned ifEven = offer(numDirections - 1, base);
  return known->second = select(last, ifOdd, ifEven);
}

unsigned PlanWriter::receive(uint32_t step) {
  auto [known, isNew] = receiveSteps.try_emplace(step);
  if (!isNew)
    return known->second;
  unsigned word =
      offer(offers.directions.size(), ofSource.outsidePart(offered(step)));
  uint32_t lane = factors.stepPlace(step).lane;
  if (lane != 0 || !factors.readsInPlace())
    word = addStep({StepKind::Shuffle, {}, word, 0, 0, lane});
  return receiveSteps[step] = word;
}

unsigned PlanWriter::fill(unsigned numDirections, uint32_t step) {
  if (numDirections == 0)
    return receive(step);
  auto [known, isNew] = fillSteps.try_emplace({numDirections, step});
  if (!isNew)
    return known->second;
  const Directions::Direction &last = fills.directions[numDirections - 1];
  unsigned ifOdd = fill(numDirections - 1, step ^ last.vector);
  unsigned ifEven = fill(numDirections - 1, step);
  return known->second = select(last, ifOdd, ifEven);
}

unsigned PlanWriter::select(const Directions::Direction &direction,
                            unsigned ifOdd, unsigned ifEven) {
  std::pair<uint32_t, uint32_t> masks(direction.laneMask, direction.warpMask);
  unsigned condition = find(conditions, masks) - conditions.begin();
  if (condition == conditions.size())
    conditions.push_back(masks);
  auto isSame = [&](unsigned step) {
    return plan.steps[step].kind == StepKind::Select &&
           plan.steps[step].condition == condition;
  };
  if (isSame(ifOdd))
    ifOdd = plan.steps[ifOdd].ifOdd;
  if (isSame(ifEven))
    ifEven = plan.steps[ifEven].ifEven;
  return ifOdd == ifEven
             ? ifOdd
             : addStep({StepKind::Select, {}, ifOdd, ifEven, condition, 0});
}

ShufflePlan PlanWriter::write() {
  // Results by what is no redundant register.
  SmallVector<unsigned> canonical = canonicalRegisters(to);
  int64_t redundant = to.zeroBasisMask("register");
  for (unsigned reg : canonical) {
    uint32_t step = 0, bitOfStep = 0;
    for (unsigned bit = 0; bit < to.numBits("register"); ++bit)
      if (!(redundant >> bit & 1))
        step |= (reg >> bit & 1) << bitOfStep++;
    uint32_t word = ofSteps.outsidePart(step);
    plan.results.push_back(
        {fill(fills.directions.size(), word),
         ofSteps.insidePart(step) ^ ofSource.insidePart(offered(word))});
  }
  dropUnused();
  plan.threads = describeThreads();
  return std::move(plan);
}

void PlanWriter::dropUnused() {
  std::vector<bool> isUsed(plan.steps.size());
  for (const ShufflePlan::Result &result : plan.results)
    isUsed[result.step] = true;
  for (size_t number = plan.steps.size(); number-- > 0;) {
    const Step &step = plan.steps[number];
    if (!isUsed[number] || step.kind == StepKind::Pack)
      continue;
    isUsed[step.ifOdd] = true;
    if (step.kind == StepKind::Select)
      isUsed[step.ifEven] = true;
  }
  std::vector<unsigned> newNumber(plan.steps.size());
  std::vector<Step> used;
  for (auto [number, step] : enumerate(plan.steps)) {
    newNumber[number] = used.size();
    if (!isUsed[number])
      continue;
    step.ifOdd = newNumber[step.ifOdd];
    step.ifEven = newNumber[step.ifEven];
    used.push_back(std::move(step));
  }
  plan.steps = std::move(used);
  for (ShufflePlan::Result &result : plan.results)
    result.step = newNumber[result.step];
}

LinearLayout PlanWriter::describeThreads() const {
  SmallVector<int64_t> shape(1 + conditions.size(), 2);
  shape[0] = lanesPerWarp;
  auto describe = [&](ArrayRef<Place> readers, bool ofWarp) {
    std::vector<LinearLayout::Point> bases;
    for (auto [bit, reader] : enumerate(readers)) {
      LinearLayout::Point image = {static_cast<int32_t>(reader.lane)};
      for (auto [laneMask, warpMask] : conditions)
        image.push_back((ofWarp ? warpMask : laneMask) >> bit & 1);
      bases.push_back(std::move(image));
    }
    return bases;
  };
  return cantFail(LinearLayout::create(
      {{"lane", describe(factors.readers.ofLaneBits, false)},
       {"warp", describe(factors.readers.ofWarpBits, true)}},
      shape));
}

std::vector<ShufflePlan> tilewright::listOneRoundPlans(const LinearLayout &from,
                                                       const LinearLayout &to,
                                                       unsigned elementBytes) {
  if (std::max(from.numBits("register"), to.numBits("register")) >
      maxRegisterBits)
    return {};
  std::vector<ShufflePlan> plans;
  for (const ShuffleFactors &factors : findShuffleFactors(from, to))
    // Without shuffles, words may not be worth their making.
    for (unsigned bytes : {bytesPerShuffle, elementBytes}) {
      plans.push_back(
          PlanWriter(factors, from, to, elementBytes, bytes).write());
      if (plans.back().elementsPerWord == 1)
        break;
    }
  return plans;
}

std::vector<ShufflePlan> tilewright::listShufflePlans(const LinearLayout &from,
                                                      const LinearLayout &to,
                                                      unsigned elementBytes) {
  std::vector<ShufflePlan> plans = listOneRoundPlans(from, to, elementBytes);
  if (!plans.empty())
    if (auto plan = planInRounds(from, to, elementBytes))
      plans.push_back(std::move(*plan));
  return plans;
}

std::optional<ShufflePlan> tilewright::planShuffles(const LinearLayout &from,
                                                    const LinearLayout &to,
                                                    unsigned elementBytes) {
  return takeCheapest(listShufflePlans(from, to, elementBytes));
}
