//===- Order.cpp - The logical clocks of a warp ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::sim {

Mark Warp::mark(unsigned lane, bool strong) const {
  Mark mark;
  mark.clock = clocks.known[index];
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
    return clocks.known[earlier.warp] >= earlier.clock;
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
  const uint32_t now = clocks.known[index];
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

bool Warp::isOrderedBeforeAll(const Mark &earlier) const {
  Mark now = mark(0, false);
  if (earlier.block != now.block || earlier.warp != now.warp)
    return isOrdered(earlier, now);
  if (laneKnown.empty())
    return syncedClock >= earlier.clock;
  bool isBeforeAll = true;
  forLanes(alive, [&](unsigned lane) {
    now.lane = static_cast<uint8_t>(lane);
    isBeforeAll = isBeforeAll && isOrdered(earlier, now);
  });
  return isBeforeAll;
}

void Warp::joinClock(const Clocks &message) {
  const uint32_t own = clocks.known[index];
  clocks.join(message);
  clocks.known[index] = own;
  syncedClock = std::max(syncedClock, message.known[index]);
  for (uint32_t &clock : laneKnown)
    clock = std::max(clock, syncedClock);
}

void Warp::release() {
  block.fenceClock.join(clocks);
  advanceClock();
  launch.gridClock.release(block.index, block.epoch++);
}

void Warp::acquire() {
  if (!block.fenceClock.empty())
    joinClock(block.fenceClock);
  launch.gridClock.acquire(block.seenBlocks, block.seenVersion);
}

//===----------------------------------------------------------------------===//
// The async proxy and products
//===----------------------------------------------------------------------===//

void Warp::fenceAsyncProxy(uint32_t mask) {
  clocks.fenced.resize(block.warps.size() * warpSize, 0);
  if (launch.options.readersMayFenceProxy)
    for (auto [thread, fenced] : enumerate(clocks.fenced)) {
      const size_t warp = thread / warpSize;
      fenced =
          std::max(fenced, warp == index ? syncedClock : clocks.known[warp]);
    }
  forLanes(mask, [&](unsigned lane) {
    clocks.fenced[size_t(index) * warpSize + lane] = clocks.known[index];
  });
  advanceClock();
}

bool Warp::isFenced(const Mark &write) const {
  const size_t thread = size_t(write.warp) * warpSize + write.lane;
  return thread < clocks.fenced.size() && clocks.fenced[thread] >= write.clock;
}

unsigned Warp::warpgroupClock() const {
  return static_cast<unsigned>(block.warps.size()) + index / warpgroupWarps;
}

void Warp::completeProducts(uint32_t clock) {
  uint32_t &known = clocks.known[warpgroupClock()];
  known = std::max(known, clock);
}

} // namespace tilewright::sim
