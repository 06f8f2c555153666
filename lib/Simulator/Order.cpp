//===- Order.cpp - The logical clocks of a warp ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Warp.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {

static void join(std::vector<uint32_t> &into, ArrayRef<uint32_t> from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  for (size_t i = 0; i != from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

Mark Warp::mark(unsigned lane, bool strong) const {
  Mark mark;
  mark.clock = known[index];
  mark.epoch = block.epoch;
  mark.block = block.index;
  mark.pc = pc();
  mark.serial = serial;
  mark.warp = static_cast<uint8_t>(index);
  mark.lane = static_cast<uint8_t>(lane);
  mark.strong = strong;
  return mark;
}

bool Warp::isOrdered(const Mark &earlier, const Mark &now) const {
  if (earlier.block != now.block)
    return earlier.block < block.seenBlocks.size() &&
           block.seenBlocks[earlier.block] >= earlier.epoch;
  if (earlier.warp != now.warp)
    return known[earlier.warp] >= earlier.clock;
  if (earlier.lane == now.lane)
    return true;
  if (laneKnown.empty())
    return syncedClock >= earlier.clock;
  const ArrayRef<uint32_t> row =
      ArrayRef(laneKnown).slice(size_t(now.lane) * warpSize, warpSize);
  if (earlier.lane == Mark::severalLanes)
    return *min_element(row) >= earlier.clock;
  return row[earlier.lane] >= earlier.clock;
}

void Warp::syncLanes(uint32_t mask) {
  const uint32_t now = known[index];
  if ((alive & ~mask) == 0) {
    syncedClock = now;
    laneKnown.clear();
  } else {
    if (laneKnown.empty())
      laneKnown.assign(size_t(warpSize) * warpSize, syncedClock);
    std::array<uint32_t, warpSize> row = {};
    forLanes(mask, [&](unsigned lane) {
      for (unsigned other = 0; other != warpSize; ++other)
        row[other] = std::max(row[other], laneKnown[lane * warpSize + other]);
    });
    forLanes(mask, [&](unsigned lane) { row[lane] = now; });
    forLanes(mask, [&](unsigned lane) {
      llvm::copy(row, laneKnown.begin() + ptrdiff_t(lane) * warpSize);
    });
  }
  advanceClock();
}

void Warp::joinClock(ArrayRef<uint32_t> message) {
  const uint32_t own = known[index];
  join(known, message);
  known[index] = own;
  syncedClock = std::max(syncedClock, message[index]);
  for (uint32_t &clock : laneKnown)
    clock = std::max(clock, syncedClock);
}

void Warp::release() {
  join(block.fenceClock, known);
  advanceClock();
  launch.gridClock.release(block.index, block.epoch++);
}

void Warp::acquire() {
  if (!block.fenceClock.empty())
    joinClock(block.fenceClock);
  launch.gridClock.acquire(block.seenBlocks, block.seenVersion);
}

} // namespace tilewright::sim
