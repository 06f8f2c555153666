//===- ShuffleRounds.cpp - Conversions in one round or several ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShuffleRounds.h"

#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilewright;

/// The step of `plan` whose word has exactly the elements of these registers of
/// its target, in order.
static std::optional<unsigned> findWord(const ShufflePlan &plan,
                                        ArrayRef<unsigned> registers) {
  unsigned step = plan.results[registers.front()].step;
  for (auto [position, reg] : enumerate(registers))
    if (plan.results[reg].step != step ||
        plan.results[reg].position != position)
      return std::nullopt;
  return step;
}

/// The conditions of one plan, then those of the other; both butterflies.
static LinearLayout joinThreads(const LinearLayout &a, const LinearLayout &b) {
  SmallVector<int64_t> shape(a.shape());
  shape.append(b.rank() - 1, 2);
  std::vector<LinearLayout::Input> inputs;
  for (StringRef input : {"lane", "warp"}) {
    inputs.push_back({input.str(), a.bases(input).vec()});
    for (auto [basis, more] : zip_equal(inputs.back().bases, b.bases(input)))
      basis.append(std::next(more.begin()), more.end());
  }
  return cantFail(LinearLayout::create(std::move(inputs), shape));
}

/// Lets `next` go on with what `plan` leaves.
static bool append(ShufflePlan &plan, const ShufflePlan &next) {
  using StepKind = ShufflePlan::StepKind;
  if (!plan.isButterfly() || !next.isButterfly() ||
      plan.elementsPerWord != next.elementsPerWord ||
      plan.threads.numBits("warp") != next.threads.numBits("warp"))
    return false;
  unsigned numConditions = plan.threads.rank() - 1;
  SmallVector<unsigned> newNumbers;
  std::vector<ShufflePlan::Step> steps = plan.steps;
  for (ShufflePlan::Step step : next.steps) {
    if (step.kind == StepKind::Pack) {
      std::optional<unsigned> word = findWord(plan, step.registers);
      if (!word)
        return false;
      newNumbers.push_back(*word);
      continue;
    }
    step.ifOdd = newNumbers[step.ifOdd];
    step.ifEven = newNumbers[step.ifEven];
    step.condition += numConditions;
    newNumbers.push_back(steps.size());
    steps.push_back(std::move(step));
  }
  plan.steps = std::move(steps);
  plan.results = next.results;
  for (ShufflePlan::Result &result : plan.results)
    result.step = newNumbers[result.step];
  plan.threads = joinThreads(plan.threads, next.threads);
  return true;
}

/// Bit `lane` of the lane takes the place of bit `reg` of the register, and the
/// other way round.
static LinearLayout exchange(const LinearLayout &layout, unsigned reg,
                             unsigned lane) {
  std::vector<LinearLayout::Input> inputs = layout.inputs().vec();
  auto basesOf = [&](StringRef name) -> std::vector<LinearLayout::Point> & {
    return find_if(inputs,
                   [&](const auto &input) { return input.name == name; })
        ->bases;
  };
  std::swap(basesOf("register")[reg], basesOf("lane")[lane]);
  return cantFail(LinearLayout::create(std::move(inputs), layout.shape()));
}

std::optional<ShufflePlan>
tilewright::takeCheapest(std::vector<ShufflePlan> plans) {
  auto best = min_element(plans, [](const auto &a, const auto &b) {
    return a.getCycles() < b.getCycles();
  });
  if (best == plans.end())
    return std::nullopt;
  return std::move(*best);
}

std::optional<ShufflePlan> tilewright::planInRounds(const LinearLayout &from,
                                                    const LinearLayout &to,
                                                    unsigned elementBytes) {
  LinearLayout reached = from;
  std::optional<ShufflePlan> plan;
  auto goOnTo = [&](const LinearLayout &target) {
    std::optional<ShufflePlan> round =
        takeCheapest(listOneRoundPlans(reached, target, elementBytes));
    if (!round || (plan && !append(*plan, *round)))
      return false;
    if (!plan)
      plan = std::move(round);
    reached = target;
    return true;
  };
  unsigned numLanes = std::min(from.numBits("lane"), to.numBits("lane"));
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    ArrayRef<LinearLayout::Point> registers = reached.bases("register");
    const LinearLayout::Point &wanted = to.bases("lane")[lane];
    auto *reg = find(registers, wanted);
    if (reg == registers.end() || reached.bases("lane")[lane] == wanted)
      continue;
    if (!goOnTo(exchange(reached, reg - registers.begin(), lane)))
      return std::nullopt;
  }
  if (!plan || !goOnTo(to))
    return std::nullopt;
  return plan;
}
