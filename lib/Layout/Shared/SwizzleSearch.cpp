//===- SwizzleSearch.cpp - The best swizzle for any accesses --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SwizzleSearch.h"

#include "SwizzleRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <queue>
#include <set>

using namespace llvm;
using namespace tilewright;

using Form = AccessSubspaces::Form;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// What forms ask of each bit inside of the widest vector, and of a word.
static SmallVector<VectorBit, 4> vectorBitsOf(const SwizzleSearchState &state,
                                              ArrayRef<const Form *> forms) {
  unsigned count = state.wordBits();
  for (const Form *form : forms)
    count = std::max(count, form->vectorBits);
  SmallVector<VectorBit, 4> bits(count);
  for (auto [index, bit] : enumerate(bits)) {
    F2Subspace notInside; // functions that are 0 on `inside`
    for (auto [access, form] : zip(state.accesses, forms)) {
      if (form->vectorBits <= index)
        continue;
      notInside = notInside +
                  access.insideVector(*form, index).annihilator(state.numBits);
      bit.outside = bit.outside + access.outsideVector(*form, index);
    }
    bit.inside = notInside.annihilator(state.numBits);
  }
  return bits;
}

/// Is there an element for each bit that is inside of it, but not in the span
/// of what is outside and of the elements before? Then elements can be added
/// to later ones until each has its bit alone.
static bool areTogether(ArrayRef<VectorBit> bits) {
  F2Subspace before;
  for (const VectorBit &bit : bits) {
    // Elements before are inside too, and not in `outside`: count dimensions.
    unsigned needed = &bit - bits.begin() + 1;
    if ((bit.inside + bit.outside).rank() < bit.outside.rank() + needed &&
        bit.inside.rank() != 1)
      return false;
    if (bit.inside.rank() == 0)
      return false;
    // What is fixed is one element.
    if (bit.inside.rank() == 1) {
      uint32_t element = bit.inside.basis().front();
      if ((bit.outside + before).contains(element))
        return false;
      before.insert(element);
    }
  }
  return true;
}

namespace {
/// Forms of the first few accesses, and the least that all can cost then.
struct PartialPlan {
  SwizzlePlan plan;
  bool operator<(const PartialPlan &other) const {
    // The cheapest first, then those that are nearer to complete.
    if (plan.leastCost != other.plan.leastCost)
      return plan.leastCost > other.plan.leastCost;
    return plan.forms.size() < other.plan.forms.size();
  }
};

/// Yields the plans in the order of their cost.
class PlanQueue {
public:
  explicit PlanQueue(const SwizzleSearchState &state);

  std::optional<SwizzlePlan> next();
  /// No plan that is still to come costs less.
  uint64_t bound() const {
    return pending.empty() ? UINT64_MAX : pending.top().plan.leastCost;
  }
  bool isCutShort() const { return visited > maxVisited; }

private:
  static constexpr unsigned maxVisited = 2000;
  const SwizzleSearchState &state;
  std::priority_queue<PartialPlan> pending;
  SmallVector<uint64_t, 4> leastOf;
  unsigned visited = 0;
};
} // namespace

PlanQueue::PlanQueue(const SwizzleSearchState &state) : state(state) {
  PartialPlan start;
  for (const AccessSubspaces &access : state.accesses) {
    leastOf.push_back(access.leastCost());
    start.plan.leastCost = SaturatingAdd(start.plan.leastCost, leastOf.back());
  }
  if (all_of(state.accesses, [](const AccessSubspaces &access) {
        return !access.forms().empty();
      }))
    pending.push(start);
}

std::optional<SwizzlePlan> PlanQueue::next() {
  while (!pending.empty()) {
    if (++visited > maxVisited)
      return std::nullopt;
    SwizzlePlan plan = pending.top().plan;
    pending.pop();
    size_t index = plan.forms.size();
    if (index == state.accesses.size())
      return plan;
    for (const Form &form : state.accesses[index].forms()) {
      PartialPlan extended{plan};
      extended.plan.forms.push_back(&form);
      extended.plan.leastCost = 0;
      for (auto [position, least] : enumerate(leastOf))
        extended.plan.leastCost = SaturatingAdd(
            extended.plan.leastCost,
            position <= index ? extended.plan.forms[position]->leastCost
                              : least);
      if (areTogether(vectorBitsOf(state, extended.plan.forms)))
        pending.push(std::move(extended));
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {
/// Chooses the elements at offsets 1, 2, 4, ... inside of vectors, in all ways
/// that differ, and hands each to searchRows().
class VectorSearch {
public:
  VectorSearch(SwizzleSearchState &state, const SwizzlePlan &plan)
      : state(state), plan(plan), bits(vectorBitsOf(state, plan.forms)) {
    for (const VectorBit &bit : bits)
      candidates.push_back(elementsOf(bit.inside));
  }
  void run() { extend(0); }

private:
  /// Elements of a space beyond this dimension are sums of at most two.
  static constexpr unsigned maxDimension = 8;

  std::vector<uint32_t> elementsOf(const F2Subspace &space);
  bool isSameLevel(unsigned bit) const;
  bool isNew();
  void extend(size_t from);

  SwizzleSearchState &state;
  const SwizzlePlan &plan;
  SmallVector<VectorBit, 4> bits;
  SmallVector<std::vector<uint32_t>, 4> candidates;
  SmallVector<uint32_t, 4> chosen;
  std::set<std::vector<F2Subspace>> known;
};
} // namespace

/// All elements but 0, single bits first, low ones first.
std::vector<uint32_t> VectorSearch::elementsOf(const F2Subspace &space) {
  std::vector<uint32_t> elements;
  ArrayRef<uint32_t> basis = space.basis();
  if (basis.size() > maxDimension) {
    state.isCutShort = true;
    for (auto [index, a] : enumerate(basis)) {
      elements.push_back(a);
      for (uint32_t b : basis.take_front(index))
        elements.push_back(a ^ b);
    }
  } else {
    elements.push_back(0);
    for (uint32_t of : basis)
      for (size_t index = 0, end = elements.size(); index < end; ++index)
        elements.push_back(elements[index] ^ of);
    elements.erase(elements.begin());
  }
  llvm::sort(elements, [](uint32_t a, uint32_t b) {
    return std::make_pair(popcount(a), a) < std::make_pair(popcount(b), b);
  });
  return elements;
}

/// Is a bit inside of the same vectors, and in words as much, as the one
/// before? Then only the span of their elements matters.
bool VectorSearch::isSameLevel(unsigned bit) const {
  return bit > 0 && bit != state.wordBits() &&
         bits[bit].inside == bits[bit - 1].inside &&
         bits[bit].outside == bits[bit - 1].outside;
}

bool VectorSearch::isNew() {
  std::vector<F2Subspace> levels;
  for (auto [bit, element] : enumerate(chosen)) {
    if (!isSameLevel(bit))
      levels.emplace_back();
    levels.back().insert(element);
  }
  return known.insert(std::move(levels)).second;
}

void VectorSearch::extend(size_t from) {
  size_t bit = chosen.size();
  if (bit == bits.size()) {
    if (isNew())
      searchRows(state, plan, bits, chosen);
    return;
  }
  F2Subspace excluded = bits[bit].outside;
  for (uint32_t element : chosen)
    excluded.insert(element);
  for (size_t index = from; index < candidates[bit].size(); ++index) {
    if (!state.takeStep(plan))
      return;
    uint32_t element = candidates[bit][index];
    if (excluded.contains(element))
      continue;
    chosen.push_back(element);
    bool continues = bit + 1 < bits.size() && isSameLevel(bit + 1);
    extend(continues ? index + 1 : 0);
    chosen.pop_back();
  }
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

SwizzleSearchResult
tilewright::searchSwizzles(ArrayRef<int64_t> shape, unsigned elementBytes,
                           ArrayRef<AccessSubspaces> accesses,
                           uint64_t costToBeat, uint64_t maxSteps) {
  unsigned numBits = 0;
  for (int64_t extent : shape)
    numBits += Log2_64(extent);
  SwizzleSearchState state{
      shape, numBits, Log2_32(elementBytes), accesses, maxSteps, false, {}};
  state.result.cost = costToBeat;

  PlanQueue plans(state);
  std::optional<SwizzlePlan> plan = plans.next();
  state.result.lowerBound = plan ? plan->leastCost : plans.bound();
  for (; plan && plan->leastCost < state.result.cost; plan = plans.next()) {
    if (state.stepsLeft == 0) {
      state.isCutShort = true;
      break;
    }
    VectorSearch(state, *plan).run();
  }

  state.isCutShort |= plans.isCutShort();
  state.result.isProven =
      !state.isCutShort || state.result.cost <= state.result.lowerBound;
  state.result.steps = maxSteps - state.stepsLeft;
  return state.result;
}
