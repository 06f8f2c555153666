//===- LaunchChoices.cpp - Which code serves a launch best ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/LaunchChoices.h"

#include "tilewright/Spec/PairedAxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::runtime;

bool runtime::allowsClusters(const GridSize &grid, unsigned clusterBlocks) {
  return grid[0] <= std::numeric_limits<int32_t>::max() / clusterBlocks;
}

bool runtime::servesBatch(const GridSize &grid,
                          const std::array<unsigned, 3> &blockPrograms,
                          unsigned multiprocessors) {
  GridSize blocks = getBlocks(grid, blockPrograms);
  bool areFull = llvm::all_of(llvm::seq(3), [&](unsigned axis) {
    // An eighth of all places may stay empty.
    return grid[axis] % blockPrograms[axis] == 0 || blocks[axis] > 8;
  });
  // More programs than run at once, each in a block, are done sooner by fewer
  // blocks than there are multiprocessors: so many share one if each is short.
  constexpr int64_t blocksAtOnce = 32;
  bool areMany = countAll(blocks) >= int64_t(multiprocessors) ||
                 countAll(grid) >= blocksAtOnce * multiprocessors;
  bool isBatch = blockPrograms != std::array<unsigned, 3>{1, 1, 1};
  return !isBatch || multiprocessors == 0 || (areFull && areMany);
}

/// Of so many programs, which a multiprocessor does one after the other.
static unsigned choosePartsOfWaves(int64_t programs, int64_t trips,
                                   unsigned multiprocessors) {
  // What a block begins with and ends with takes as long as some trips, and so
  // does the exchange of sums (docs/decisions/0098-products-of-few-rows.md).
  constexpr int64_t around = 2, exchange = 4;
  auto getTrips = [&](unsigned parts) {
    int64_t blocks = llvm::divideCeil(programs * parts, multiprocessors);
    int64_t more = around + (parts > 1 ? exchange : 0);
    return static_cast<double>(blocks) *
           (static_cast<double>(trips) / parts + static_cast<double>(more));
  };
  unsigned best = 1;
  // Of larger clusters fewer multiprocessors find room for one.
  for (unsigned parts : {2, 3, 4, 5, 6, 7, 8, 16})
    if (getTrips(parts) < (best == 1 ? 0.95 : 0.9) * getTrips(best))
      best = parts;
  return best;
}

unsigned runtime::chooseProductParts(const GridSize &grid, int64_t trips,
                                     bool areFull, unsigned multiprocessors,
                                     bool areLoaded) {
  // By numbers of trips, so that tests have several.
  if (multiprocessors == 0)
    return (trips & 2) == 0   ? 1
           : (trips & 4) == 0 ? 2
           : (trips & 8) == 0 ? ((trips & 1) == 0 ? 5 : 3)
           : (trips & 1) == 0 ? 8
                              : 16;
  if (areFull) {
    // Of many more programs few multiprocessors wait for the last ones.
    int64_t most = int64_t(16) * multiprocessors;
    int64_t programs = getBlocks(grid, most)[0];
    return programs == most
               ? 1
               : choosePartsOfWaves(programs, trips, multiprocessors);
  }
  // Shorter parts gain less than the exchange costs
  // (docs/decisions/0089-products-in-parts.md,
  // docs/decisions/0130-sums-in-slices.md). Trips that load take longer
  // (docs/decisions/0151-two-left-operands.md).
  constexpr int64_t mostParts = 16;
  int64_t leastTrips = areLoaded ? 8 : 16;
  int64_t most = int64_t(areLoaded ? 2 : 1) * multiprocessors;
  int64_t programs = getBlocks(grid, most)[0];
  int64_t parts = 1;
  auto fits = [&](int64_t number) {
    return number * programs <= most && number * leastTrips <= trips;
  };
  while (parts < mostParts && fits(2 * parts))
    parts *= 2;
  // 5 and 6 are no faster than 4.
  if (parts == 2 && fits(3))
    parts = 3;
  return static_cast<unsigned>(parts);
}

/// Whether clusters of four have no more waves than pairs. On an H200 30 of
/// them run at once, on 120 of 132 multiprocessors.
static bool allowsFour(const GridSize &grid, unsigned multiprocessors) {
  if (multiprocessors == 0)
    return true;
  int64_t programs = countAll(grid);
  return llvm::divideCeil(programs, multiprocessors - multiprocessors / 11) ==
         llvm::divideCeil(programs, multiprocessors);
}

unsigned runtime::choosePairedAxes(const GridSize &grid,
                                   unsigned multiprocessors) {
  using Axes = spec::PairedAxes;
  // With as many blocks more along the first axis as its clusters need.
  auto launch = [&](int64_t ofCluster) {
    return GridSize{int64_t(llvm::alignTo(grid[0], ofCluster)), grid[1],
                    grid[2]};
  };
  auto countWaves = [&](const GridSize &launched) {
    return llvm::divideCeil(countAll(launched), std::max(multiprocessors, 1u));
  };
  auto isSlower = [&](const GridSize &launched) {
    return multiprocessors != 0 && countWaves(launched) > countWaves(grid);
  };
  auto alongFirst = [&](int64_t ofCluster) {
    return grid[0] % ofCluster == 0 ? Axes::first : Axes::first | Axes::uneven;
  };
  GridSize pairs = launch(2), fours = launch(4);
  bool isFirstPaired = grid[0] % 2 == 0 || (grid[0] > 1 && !isSlower(pairs));
  if (isFirstPaired && grid[1] % 2 == 0 && allowsFour(pairs, multiprocessors))
    return alongFirst(2) | Axes::second;
  if (grid[0] >= 4 && allowsFour(fours, multiprocessors) && !isSlower(fours))
    return alongFirst(4) | Axes::four;
  if (isFirstPaired)
    return alongFirst(2);
  if (grid[1] % 4 == 0 && allowsFour(grid, multiprocessors))
    return Axes::second | Axes::four;
  return grid[1] % 2 == 0 ? Axes::second : Axes::none;
}
