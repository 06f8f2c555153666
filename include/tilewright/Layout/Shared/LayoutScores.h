//===- LayoutScores.h - A choice of a layout in numbers ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a report shows of a SharedLayoutChoice: each candidate with its sums
// over all accesses and trips, and the bounds. Plain numbers, which can be kept
// beside a tile when the layouts themselves are long decided.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_LAYOUTSCORES_H
#define TILEWRIGHT_LAYOUT_SHARED_LAYOUTSCORES_H

#include "tilewright/Layout/Shared/SharedLayoutChoice.h"

namespace tilewright {

struct LayoutScore {
  std::string name;
  int64_t wavefronts = 0, ideal = 0, instructions = 0;
  /// Bytes of the tile, padding included.
  int64_t bytes = 0;
  /// Wavefronts and instructions.
  int64_t cost = 0;
  /// Instructions that addresses take, once for all trips.
  int64_t indexInstructions = 0;
  /// Instructions of all trips that move registers into vectors.
  int64_t moveInstructions = 0;
  /// Blocks an SM holds, where known; registers aside, as long as these are
  /// not.
  std::optional<int64_t> blocksPerSM;
  /// Why it cannot be chosen; empty if it can.
  std::string obstacle;
};

struct LayoutScores {
  /// The winner, and the others from the cheapest up; those that cannot be
  /// chosen come last.
  std::vector<LayoutScore> candidates;
  /// No layout costs less.
  int64_t lowerBound = 0;
  /// No layout without padding costs less than the winner.
  bool isProven = false;
  /// One an access, in the order in which the choice was given them.
  std::vector<SharedAccessBound> bounds;

  /// What is known of layouts that cost less than the winner, in a clause.
  std::string getProof() const;
};

LayoutScores scoresOf(const SharedLayoutChoice &choice,
                      llvm::ArrayRef<SharedAccess> accesses);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_LAYOUTSCORES_H
