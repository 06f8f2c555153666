//===- LayoutScores.cpp - A choice of a layout in numbers -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/LayoutScores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

/// sum + trips * count, as far as it can be counted.
static int64_t addTrips(int64_t sum, int64_t trips, uint64_t count) {
  return std::min<uint64_t>(SaturatingMultiplyAdd<uint64_t>(trips, count, sum),
                            INT64_MAX);
}

static LayoutScore scoreOf(const SharedLayoutCandidate &candidate,
                           ArrayRef<SharedAccess> accesses) {
  LayoutScore score;
  score.name = candidate.name;
  for (auto [cost, access] : zip_equal(candidate.costs, accesses)) {
    score.wavefronts =
        addTrips(score.wavefronts, access.trips, cost.wavefronts);
    score.ideal = addTrips(score.ideal, access.trips, cost.idealWavefronts);
    score.instructions =
        addTrips(score.instructions, access.trips, cost.instructionsOfBlock());
  }
  score.bytes = candidate.bytes;
  score.cost = candidate.cost;
  score.indexInstructions = candidate.indexInstructions;
  score.moveInstructions = candidate.moveInstructions;
  score.blocksPerSM = candidate.blocksPerSM;
  score.obstacle = candidate.obstacle;
  return score;
}

LayoutScores tilewright::scoresOf(const SharedLayoutChoice &choice,
                                  ArrayRef<SharedAccess> accesses) {
  LayoutScores scores;
  for (const SharedLayoutCandidate &candidate : choice.candidates)
    scores.candidates.push_back(scoreOf(candidate, accesses));
  auto winner = scores.candidates.begin() + choice.winner;
  std::rotate(scores.candidates.begin(), winner, winner + 1);
  auto rank = [](const LayoutScore &of) {
    return std::make_tuple(!of.obstacle.empty(), of.cost, of.bytes,
                           StringRef(of.name));
  };
  llvm::sort(scores.candidates.begin() + 1, scores.candidates.end(),
             [&](const LayoutScore &a, const LayoutScore &b) {
               return rank(a) < rank(b);
             });
  scores.lowerBound = choice.lowerBound;
  scores.isProven = choice.isProven;
  scores.bounds.assign(choice.bounds.begin(), choice.bounds.end());
  return scores;
}

std::string LayoutScores::getProof() const {
  int64_t cost = candidates.front().cost;
  if (cost <= lowerBound)
    return "no layout costs less than " + std::to_string(lowerBound);
  std::string bound =
      "no layout costs less than " + std::to_string(lowerBound) + "; ";
  if (isProven)
    return bound + "without padding, none costs less than " +
           std::to_string(cost);
  return bound + "whether one costs less than " + std::to_string(cost) +
         " is not known";
}
