//===- LayoutFactors.cpp - Register layouts as products -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/LayoutFactors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <map>

using namespace llvm;
using namespace tilewright;

static constexpr int64_t maxExtent = int64_t(1) << 31;

std::string tilewright::toString(ArrayRef<LayoutFactor> factors) {
  std::string text;
  raw_string_ostream os(text);
  interleave(
      factors, os,
      [&](const LayoutFactor &factor) {
        os << factor.input;
        if (factor.copies != 1) {
          os << '*' << factor.copies;
          return;
        }
        os << '[';
        interleave(factor.extents, os, ",");
        os << ']';
      },
      " ");
  return text;
}

//===----------------------------------------------------------------------===//
// From factors
//===----------------------------------------------------------------------===//

static Error checkFactor(const LayoutFactor &factor, unsigned rank) {
  auto error = [&](const Twine &what) {
    return createStringError("factor " + toString(factor) + " " + what);
  };
  bool isCopies = factor.copies != 1;
  if (isCopies && !factor.extents.empty())
    return error("has both extents and copies; it is one or the other");
  if (!isCopies && factor.extents.size() != rank)
    return error("has " + Twine(factor.extents.size()) +
                 " extents, but the tile has " + Twine(rank) + " dimensions");
  auto isValid = [](int64_t count) {
    return count > 0 && count <= maxExtent && isPowerOf2_64(count);
  };
  if (!all_of(factor.extents, isValid))
    return error("has an extent that is not a power of two up to 2^31");
  if (!isValid(factor.copies))
    return error("has a number of copies that is not a power of two up to "
                 "2^31");
  return Error::success();
}

Expected<LinearLayout>
tilewright::layoutFromFactors(ArrayRef<LayoutFactor> factors, unsigned rank) {
  std::vector<LinearLayout::Input> inputs = {
      {"register", {}}, {"lane", {}}, {"warp", {}}};
  SmallVector<int64_t, 4> covered(rank, 1);
  for (const LayoutFactor &factor : factors) {
    if (Error error = checkFactor(factor, rank))
      return error;
    auto input = llvm::find_if(inputs, [&](const LinearLayout::Input &known) {
      return known.name == factor.input;
    });
    if (input == inputs.end())
      input = inputs.insert(inputs.end(), {factor.input, {}});

    LinearLayout::Point zero(rank, 0);
    input->bases.insert(input->bases.end(), Log2_64(factor.copies), zero);
    for (unsigned dim = factor.extents.size(); dim-- > 0;) {
      for (int64_t extent = 1; extent < factor.extents[dim]; extent *= 2) {
        if (covered[dim] >= maxExtent)
          return createStringError("the factors cover more than 2^31 elements "
                                   "of dimension " +
                                   Twine(dim));
        input->bases.push_back(zero);
        input->bases.back()[dim] = static_cast<int32_t>(covered[dim]);
        covered[dim] *= 2;
      }
    }
  }
  return LinearLayout::create(std::move(inputs), covered);
}

//===----------------------------------------------------------------------===//
// To factors
//===----------------------------------------------------------------------===//

namespace {

/// Finds the fewest blocks. A state is how many bits of each input the blocks
/// so far have taken; from each state there is one longest next block for each
/// input, and no shorter one leads to fewer blocks: what it leaves can be cut
/// off from a later block. So this is a shortest path, found breadth first.
class FactorSearch {
public:
  explicit FactorSearch(const LinearLayout &layout);
  std::optional<SmallVector<LayoutFactor>> run();

private:
  using State = SmallVector<unsigned, 4>;
  struct Step {
    State from;
    LayoutFactor factor;
  };

  /// What each state covers of each dimension.
  SmallVector<int64_t, 4> covered(const State &state) const;
  /// The longest block or copies of input `index` next, and the state after;
  /// nullopt when its next bit does not fit there.
  std::optional<Step> extend(unsigned index, State &state) const;
  SmallVector<LayoutFactor> pathTo(const State &state) const;

  const LinearLayout &layout;
  /// Inputs in an order that does not depend on that of their declaration.
  SmallVector<const LinearLayout::Input *, 4> inputs;
  std::map<State, Step> steps;
};

} // namespace

FactorSearch::FactorSearch(const LinearLayout &layout) : layout(layout) {
  static constexpr StringLiteral first[] = {"register", "lane", "warp"};
  for (const LinearLayout::Input &input : layout.inputs())
    inputs.push_back(&input);
  llvm::sort(inputs, [](const auto *a, const auto *b) {
    auto key = [](StringRef name) {
      return std::make_pair(llvm::find(first, name) - std::begin(first), name);
    };
    return key(a->name) < key(b->name);
  });
}

SmallVector<int64_t, 4> FactorSearch::covered(const State &state) const {
  SmallVector<int64_t, 4> extents(layout.rank(), 1);
  for (auto [input, taken] : zip_equal(inputs, state))
    for (const LinearLayout::Point &basis :
         ArrayRef(input->bases).take_front(taken))
      for (auto [extent, coordinate] : zip_equal(extents, basis))
        if (coordinate)
          extent *= 2;
  return extents;
}

std::optional<FactorSearch::Step> FactorSearch::extend(unsigned index,
                                                       State &state) const {
  ArrayRef<LinearLayout::Point> bases = inputs[index]->bases;
  Step step{state, {inputs[index]->name, {}, 1}};
  unsigned &taken = state[index];
  auto isZero = [](const LinearLayout::Point &basis) {
    return all_of(basis, [](int32_t coordinate) { return coordinate == 0; });
  };
  for (; taken < bases.size() && isZero(bases[taken]); ++taken)
    step.factor.copies *= 2;
  if (step.factor.copies > 1)
    return step;

  SmallVector<int64_t, 4> extents = covered(state);
  step.factor.extents.assign(layout.rank(), 1);
  // Along the last dimension first, then the ones before it.
  for (unsigned dim = layout.rank(); dim-- > 0;) {
    LinearLayout::Point next(layout.rank(), 0);
    for (; taken < bases.size(); ++taken) {
      next[dim] = static_cast<int32_t>(extents[dim]);
      if (bases[taken] != next)
        break;
      extents[dim] *= 2;
      step.factor.extents[dim] *= 2;
    }
  }
  if (state == step.from)
    return std::nullopt;
  return step;
}

SmallVector<LayoutFactor> FactorSearch::pathTo(const State &state) const {
  SmallVector<LayoutFactor> factors;
  for (auto step = steps.find(state); step != steps.end();
       step = steps.find(step->second.from))
    factors.push_back(step->second.factor);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

std::optional<SmallVector<LayoutFactor>> FactorSearch::run() {
  State start(inputs.size(), 0), end;
  for (const LinearLayout::Input *input : inputs)
    end.push_back(input->bases.size());
  std::deque<State> pending = {start};
  while (!pending.empty()) {
    State state = std::move(pending.front());
    pending.pop_front();
    if (state == end) {
      if (ArrayRef(covered(state)) != layout.shape())
        return std::nullopt;
      return pathTo(state);
    }
    for (unsigned index = 0; index < inputs.size(); ++index) {
      State next = state;
      std::optional<Step> step = extend(index, next);
      if (step && steps.try_emplace(next, std::move(*step)).second)
        pending.push_back(std::move(next));
    }
  }
  return std::nullopt;
}

std::optional<SmallVector<LayoutFactor>>
tilewright::layoutToFactors(const LinearLayout &layout) {
  return FactorSearch(layout).run();
}
