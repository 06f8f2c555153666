//===- Block.cpp - Scheduling and barriers of a block ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::sim {

/// Warp instructions of a warp before another one gets its turn.
static constexpr uint64_t warpTurn = 16384;
/// Longest turn in a random order; short ones bring out more orders.
static constexpr uint64_t randomTurn = 256;
/// Warp instructions with polls and without a store, after which a block lets
/// another one run, for which it may be waiting.
static constexpr uint64_t idleTurn = 65536;

Block::Block(LaunchContext &launch, uint64_t index)
    : launch(launch), index(static_cast<uint32_t>(index)),
      position(launch.grid.point(index)),
      shared(launch.sharedEnd - firstOffset, 0xCD),
      sharedValid(shared.size(), 0),
      sharedShadow(divideCeil(shared.size(), ShadowPage::bytes)),
      asyncCopies(
          static_cast<unsigned>(alignTo(launch.blockDim.count(), warpSize))),
      barriers(namedBarriers) {
  if (launch.options.seed)
    random.emplace(*launch.options.seed * 0x9E3779B97F4A7C15u + index);
  const uint64_t warpCount = divideCeil(launch.blockDim.count(), warpSize);
  for (unsigned warp = 0; warp != warpCount; ++warp)
    warps.emplace_back(*this, warp);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// The next warp in line that can go on, or a random one; null if none can.
Warp *Block::pickWarp() {
  if (random)
    nextWarp = (*random)() % warps.size();
  for (size_t i = 0; i != warps.size(); ++i) {
    Warp &warp = warps[(nextWarp + i) % warps.size()];
    if (warp.isDone() || !warp.isReady())
      continue;
    nextWarp = (nextWarp + i + 1) % warps.size();
    return &warp;
  }
  return nullptr;
}

Block::Result Block::run(MutableArrayRef<InstrCount> into) {
  counts = into;
  hasStored = false;
  uint64_t idle = 0;
  while (liveThreads() != 0) {
    if (launch.stop)
      return Result::Stopped;
    Warp *warp = pickWarp();
    if (!warp) {
      reportDeadlock();
      return Result::Stopped;
    }
    const uint64_t turn = random ? 1 + (*random)() % randomTurn : warpTurn;
    uint64_t budget = turn;
    storesInTurn = pollsInTurn = false;
    warp->run(budget);
    const uint64_t used = turn - budget;
    instructions += used;
    idle = storesInTurn || !pollsInTurn ? 0 : idle + used;
    if (launch.interrupted && !launch.stop.exchange(true)) {
      warp->reportInterrupt();
      return Result::Stopped;
    }
    // A warp that could not move, as its lanes wait for each other, uses none.
    if (used == 0 && !warp->isDone() && !warp->isReady() && !pickWarp()) {
      reportDeadlock();
      return Result::Stopped;
    }
    if (instructions > launch.options.maximumInstructionsPerBlock) {
      warp->reportLimit();
      launch.stop = true;
      return Result::Stopped;
    }
    if (idle > idleTurn)
      return Result::Suspended;
  }
  return Result::Finished;
}

uint32_t Block::liveThreads() const {
  uint32_t count = 0;
  for (const Warp &warp : warps)
    count += static_cast<uint32_t>(llvm::popcount(warp.liveLanes()));
  return count;
}

void Block::reportEndlessWait() {
  for (const Warp &warp : warps)
    if (!warp.isDone()) {
      launch.findings.add(FindingKind::Deadlock, warp.anyPc(), Instr::noPc,
                          position, warp.thread(0), 0,
                          "all blocks that are left poll memory, and none "
                          "stores anything");
      break;
    }
  launch.stop = true;
}

void Block::reportDeadlock() {
  std::string text = "no thread of the block can go on";
  raw_string_ostream os(text);
  Warp *first = nullptr;
  for (Warp &warp : warps) {
    if (warp.isDone())
      continue;
    warp.describeWaits(os);
    if (!first)
      first = &warp;
  }
  launch.findings.add(FindingKind::Deadlock, first->waitingPc(), Instr::noPc,
                      position, first->thread(0), 0, text);
  launch.stop = true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Block::arrive(Warp &warp, uint32_t id, uint32_t expected,
                   uint32_t threads) {
  Barrier &barrier = barriers[id];
  if (!barrier.isOpen) {
    barrier.isOpen = true;
    barrier.arrived = 0;
    barrier.clock = Clocks();
    barrier.firstPc = warp.pc();
    barrier.expected = expected;
  } else if (barrier.expected != expected) {
    warp.report(FindingKind::InvalidOperand, 0,
                "barrier " + Twine(id) + " is used for " + Twine(expected) +
                    " threads (0: all), and line " +
                    Twine(launch.program.infos[barrier.firstPc].line) +
                    " uses it for " + Twine(barrier.expected));
  }
  barrier.arrived += threads;
  barrier.clock.join(warp.clock());
  warp.advanceClock();
  completeIfFull(id);
}

void Block::addPredicates(uint32_t id, uint32_t mask, uint32_t truth) {
  Barrier &barrier = barriers[id];
  if (!barrier.isOpen)
    barrier.countTrue = barrier.countAll = 0;
  barrier.countTrue += static_cast<uint32_t>(llvm::popcount(mask & truth));
  barrier.countAll += static_cast<uint32_t>(llvm::popcount(mask));
}

/// Without a stated count, all threads that have not exited must wait here.
bool Block::isFull(uint32_t id) const {
  if (barriers[id].expected != 0)
    return barriers[id].arrived >= barriers[id].expected;
  return all_of(warps, [&](const Warp &warp) {
    return warp.lanesAtBarrier(id) == warp.liveLanes();
  });
}

void Block::completeIfFull(uint32_t id) {
  Barrier &barrier = barriers[id];
  if (!barrier.isOpen || !isFull(id))
    return;
  barrier.isOpen = false;
  for (Warp &warp : warps)
    if (warp.lanesAtBarrier(id) != 0) {
      warp.joinClock(barrier.clock);
      warp.releaseBarrier(id);
    }
}

void Block::lanesExited() {
  for (uint32_t id = 0; id != barriers.size(); ++id)
    if (barriers[id].isOpen && barriers[id].expected == 0)
      completeIfFull(id);
}

} // namespace tilewright::sim
