//===- SharedLayoutReason.cpp - Why a layout was chosen -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLayoutReason.h"

#include "tilewright/Layout/Shared/SwizzleSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

using Candidate = SharedLayoutCandidate;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Steps for a proof that two accesses are at odds.
static constexpr uint64_t pairSteps = 4000;

/// Why two accesses cannot both have their least cost; empty if they can, or
/// if it is not known.
static std::string oddsBetween(ArrayRef<int64_t> shape, unsigned elementBytes,
                               const AccessSubspaces &access,
                               const AccessSubspaces &other,
                               size_t otherIndex) {
  uint64_t apart = SaturatingAdd(access.leastCost(), other.leastCost());
  SwizzleSearchResult together = searchSwizzles(
      shape, elementBytes, {access, other}, UINT64_MAX, pairSteps);
  std::string index = std::to_string(otherIndex);
  if (together.lowerBound > apart)
    return "no layout gives both it and access " + index +
           " the widest vectors they could have alone";
  if (together.isProven && together.cost > apart)
    return "without padding, either it or access " + index + " has conflicts";
  return "";
}

SmallVector<SharedAccessBound>
tilewright::boundAccesses(ArrayRef<int64_t> shape, unsigned elementBytes,
                          ArrayRef<SharedAccess> accesses,
                          ArrayRef<AccessSubspaces> subspaces,
                          const SharedLayoutChoice &choice, bool isFree) {
  const Candidate &winner = choice.candidates[choice.winner];
  SmallVector<SharedAccessBound> bounds;
  for (auto [index, access] : enumerate(accesses)) {
    SharedAccessBound &bound = bounds.emplace_back();
    bound.cost = std::min<uint64_t>(subspaces[index].leastCost(), INT64_MAX);
    const SharedAccessCost &cost = winner.costs[index];
    uint64_t reached = SaturatingMultiply<uint64_t>(
        access.trips, cost.wavefronts + cost.instructionsOfBlock());
    if (reached <= uint64_t(bound.cost))
      continue;
    if (!isFree) {
      bound.whyNotReached = "a better layout is not among those allowed";
      continue;
    }
    for (size_t other = 0; other < accesses.size(); ++other)
      if (other != index && bound.whyNotReached.empty())
        bound.whyNotReached = oddsBetween(shape, elementBytes, subspaces[index],
                                          subspaces[other], other);
    if (!bound.whyNotReached.empty())
      continue;
    bound.whyNotReached =
        choice.isProven
            ? "the other accesses together leave it no better layout"
            : "no better layout was found among those allowed";
  }
  return bounds;
}

//===----------------------------------------------------------------------===//
// Reason
//===----------------------------------------------------------------------===//

namespace {
/// Sums over all accesses and trips.
struct Totals {
  uint64_t wavefronts = 0, ideal = 0, instructions = 0;

  Totals(const Candidate &candidate, ArrayRef<SharedAccess> accesses) {
    for (auto [cost, access] : zip_equal(candidate.costs, accesses)) {
      auto add = [trips = access.trips](uint64_t &sum, uint64_t count) {
        sum = SaturatingMultiplyAdd<uint64_t>(trips, count, sum);
      };
      add(wavefronts, cost.wavefronts);
      add(ideal, cost.idealWavefronts);
      add(instructions, cost.instructionsOfBlock());
    }
  }
};

class Explanation {
public:
  Explanation(const SharedLayoutChoice &choice, ArrayRef<SharedAccess> accesses)
      : choice(choice), accesses(accesses),
        winner(choice.candidates[choice.winner]), won(winner, accesses),
        os(text) {}

  std::string run();

private:
  void compare(StringRef prefix, const Candidate *other);
  void addBound();
  const Candidate *bestOf(Candidate::Form form) const;

  const SharedLayoutChoice &choice;
  ArrayRef<SharedAccess> accesses;
  const Candidate &winner;
  Totals won;
  std::string text;
  raw_string_ostream os;
};
} // namespace

const Candidate *Explanation::bestOf(Candidate::Form form) const {
  const Candidate *best = nullptr;
  auto key = [](const Candidate &candidate) {
    return std::make_pair(candidate.cost, candidate.bytes);
  };
  for (const Candidate &candidate : choice.candidates)
    if (candidate.form == form && candidate.isLegal() &&
        (!best || key(candidate) < key(*best)))
      best = &candidate;
  return best;
}

void Explanation::compare(StringRef prefix, const Candidate *other) {
  if (!other || other == &winner || other->name == winner.name)
    return;
  os << "; " << prefix << other->name << ": ";
  if (!other->isLegal()) {
    os << other->obstacle;
    return;
  }
  Totals totals(*other, accesses);
  os << totals.wavefronts;
  if (totals.instructions != won.instructions)
    os << " in " << totals.instructions << " instructions";
  StringRef join = other->cost <= winner.cost ? " but " : " and ";
  if (other->bytes != winner.bytes) {
    os << (totals.wavefronts <= won.wavefronts ? " but " : " and ")
       << other->bytes << " bytes";
    join = " and ";
  }
  int64_t blocks = other->blocksPerSM.value_or(0);
  if (int64_t ofWinner = winner.blocksPerSM.value_or(0); blocks != ofWinner)
    os << join << blocks << (blocks == 1 ? " block" : " blocks")
       << " an SM, not " << ofWinner;
  else if (other->form == Candidate::Form::General && other->cost < winner.cost)
    os << " but "
       << SaturatingAdd<uint64_t>(other->indexInstructions,
                                  other->moveInstructions)
       << " instructions for addresses and moves between registers";
}

/// What is not at its least, and why it cannot be.
void Explanation::addBound() {
  const auto *above = find_if(choice.bounds, [](const SharedAccessBound &of) {
    return !of.whyNotReached.empty();
  });
  if (above == choice.bounds.end()) {
    if (won.wavefronts != won.ideal)
      os << "; no layout has fewer";
    return;
  }
  if (!choice.isProven)
    return;
  os << (winner.cost <= choice.lowerBound
             ? "; no layout costs less: of access "
             : "; no layout without padding costs less: of access ")
     << above - choice.bounds.begin() << ", " << above->whyNotReached;
}

std::string Explanation::run() {
  if (accesses.empty())
    return winner.name + ": nothing accesses the tile";
  os << winner.name << " costs " << won.wavefronts << " wavefronts (";
  if (won.wavefronts == won.ideal)
    os << "the ideal";
  else
    os << "ideal: " << won.ideal;
  os << ") in " << won.instructions << " instructions for " << winner.bytes
     << " bytes";

  for (const Candidate &candidate : choice.candidates)
    if (candidate.name == "as is")
      compare("", &candidate);
  bool isPlainlyBest = winner.form == Candidate::Form::AsIs &&
                       won.wavefronts == won.ideal &&
                       winner.cost <= choice.lowerBound;
  if (!isPlainlyBest) {
    if (winner.form != Candidate::Form::Swizzled)
      compare("best swizzle ", bestOf(Candidate::Form::Swizzled));
    if (winner.form != Candidate::Form::General)
      compare("", bestOf(Candidate::Form::General));
    if (winner.form != Candidate::Form::Padded)
      compare("best padding ", bestOf(Candidate::Form::Padded));
  }
  addBound();
  return std::move(text);
}

std::string tilewright::explainChoice(const SharedLayoutChoice &choice,
                                      ArrayRef<SharedAccess> accesses) {
  return Explanation(choice, accesses).run();
}
