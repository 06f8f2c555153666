//===- Block.cpp - Scheduling and barriers of a block ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Cluster.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright::sim {

/// Warp instructions of a warp before another one gets its turn.
static constexpr uint64_t warpTurn = 16384;
/// Longest turn in a random order; short ones bring out more orders.
static constexpr uint64_t randomTurn = 256;
/// Warp instructions of a block that polls before another block, for which it
/// may be waiting, gets its turn.
static constexpr uint64_t pollingTurn = 65536;

Block::Block(LaunchContext &launch, uint64_t index, Cluster *cluster)
    : launch(launch), index(static_cast<uint32_t>(index)),
      position(launch.grid.point(index)), cluster(cluster),
      shared(launch.sharedEnd - firstOffset, 0xCD),
      sharedValid(shared.size(), 0),
      sharedShadow(divideCeil(shared.size(), ShadowPage::bytes)),
      asyncCopies(
          static_cast<unsigned>(alignTo(launch.blockDim.count(), warpSize))),
      agents(static_cast<uint32_t>(
          divideCeil(launch.blockDim.count(), warpSize) +
          divideCeil(launch.blockDim.count(), warpSize * warpgroupWarps))),
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

Block::Result Block::run(MutableArrayRef<InstrCount> into,
                         std::optional<uint64_t> turnOfBlock) {
  counts = into;
  hasChanged = hasPolledOthers = false;
  detector.restart(std::exchange(hasWaited, false));
  const uint64_t end = instructions + turnOfBlock.value_or(pollingTurn);
  bool polls = false;
  while (liveThreads() != 0) {
    if (launch.stop)
      return Result::Stopped;
    Warp *warp = pickWarp();
    if (!warp)
      return afterDeadlock();
    const uint64_t turn = random ? 1 + (*random)() % randomTurn : warpTurn;
    uint64_t budget = turn;
    pollsInTurn = false;
    warp->run(budget);
    const uint64_t used = turn - budget;
    instructions += used;
    polls |= pollsInTurn;
    if (launch.interrupted && !launch.stop.exchange(true)) {
      warp->reportInterrupt();
      return Result::Stopped;
    }
    // A warp that could not move, as its lanes wait for each other, uses none.
    if (used == 0 && !warp->isDone() && !warp->isReady() && !pickWarp())
      return afterDeadlock();
    if (instructions > launch.options.maximumInstructionsPerBlock) {
      warp->reportLimit();
      launch.stop = true;
      return Result::Stopped;
    }
    if (detector.repeats(warp->index, used, pollsInTurn))
      return afterRepetition();
    if (instructions > end && (polls || turnOfBlock))
      return Result::Suspended;
  }
  for (auto &[key, state] : familyStates)
    state->finish(*this);
  if (cluster)
    cluster->blockExited(*this);
  return Result::Finished;
}

/// Nothing in the block can go on.
Block::Result Block::afterDeadlock() {
  hasWaited = true;
  if (launch.clusterBlocks() > 1)
    return Result::Stuck;
  reportDeadlock("no thread of the block can go on");
  return Result::Stopped;
}

/// The block does the same again and again, and only what it has read of global
/// memory could change that.
Block::Result Block::afterRepetition() {
  if (detector.watchedWords().empty())
    return afterDeadlock();
  hasWaited = launch.isOrdered && !detector.hasOverflown();
  return hasWaited ? Result::Waiting : Result::Suspended;
}

uint64_t Block::getPlaceHash() const {
  hash_code hash(0);
  for (const Warp &warp : warps)
    hash = hash_combine(hash, warp.getPlaceHash());
  return static_cast<size_t>(hash);
}

uint64_t Block::getStateHash() const {
  hash_code hash = hash_combine(getPlaceHash(), xxh3_64bits(shared));
  for (const Warp &warp : warps)
    if (!warp.isDone())
      hash = hash_combine(hash, warp.getStateHash());
  for (const auto &[key, state] : familyStates)
    hash = hash_combine(hash, state->getHash());
  return static_cast<size_t>(hash);
}

uint32_t Block::liveThreads() const {
  uint32_t count = 0;
  for (const Warp &warp : warps)
    count += static_cast<uint32_t>(llvm::popcount(warp.liveLanes()));
  return count;
}

const Warp &Block::pollingWarp() const {
  for (const Warp &warp : warps)
    if (!warp.isDone() && warp.isReady() && warp.lastPoll().pc != Instr::noPc)
      return warp;
  for (const Warp &warp : warps)
    if (!warp.isDone())
      return warp;
  return warps.front();
}

void Block::describeWait(raw_ostream &os) const {
  os << "; block " << position.x << "," << position.y << "," << position.z;
  pollingWarp().describePoll(os);
}

void Block::describeWaits(raw_ostream &os) const {
  for (const Warp &warp : warps)
    if (!warp.isDone())
      warp.describeWaits(os);
}

void Block::reportDeadlock(StringRef what) {
  std::string text = what.str();
  raw_string_ostream os(text);
  describeWaits(os);
  if (cluster)
    cluster->describeWaits(os, *this);
  const Warp *first =
      &*find_if(warps, [](const Warp &warp) { return !warp.isDone(); });
  const Warp &polling = pollingWarp();
  const bool polls = polling.isReady() && polling.lastPoll().pc != Instr::noPc;
  launch.findings.add(FindingKind::Deadlock,
                      polls ? polling.lastPoll().pc : first->waitingPc(),
                      Instr::noPc, position, first->thread(0), 0, text);
  launch.stop = true;
}

/// " waits at barrier 3 (64 of 128 threads have arrived)".
void Block::describeBarrier(raw_ostream &os, uint32_t id) const {
  if (id < namedBarriers) {
    os << " waits at barrier " << id << " (" << barriers[id].arrived << " of "
       << barriers[id].expected << " threads have arrived)";
    return;
  }
  if (id == clusterBarrier)
    os << " waits for the cluster";
  else if (id < registerBarriers)
    os << " waits for the other warps of its warpgroup";
  for (const auto &[key, state] : familyStates)
    state->describeWait(os, id);
}

void Block::describeWord(raw_ostream &os, uint64_t offset) const {
  for (const auto &[key, state] : familyStates)
    state->describeWord(os, offset);
}

//===----------------------------------------------------------------------===//
// Copies and the cluster
//===----------------------------------------------------------------------===//

void Block::land(const PendingCopy &copy) {
  std::memcpy(shared.data() + copy.target, copy.data.data(), copy.bytes);
  std::memset(sharedValid.data() + copy.target, 1, copy.bytes);
}

void Block::overwriteMark(const PendingCopy &copy, Mark mark) {
  mark.pc = copy.pc;
  sharedShadow[copy.target / ShadowPage::bytes].overwrite(
      copy.target % ShadowPage::bytes, copy.bytes, mark);
}

uint32_t Block::rank() const {
  const Dim3 &extents = launch.cluster;
  return position.x % extents.x +
         extents.x *
             (position.y % extents.y + extents.y * (position.z % extents.z));
}

Block *Block::peerOf(uint32_t other) {
  if (other == index)
    return this;
  return cluster ? cluster->find(other) : nullptr;
}

Block *Block::peerAt(uint64_t rank) {
  if (rank >= launch.clusterBlocks())
    return nullptr;
  return cluster ? &cluster->blocks[rank] : this;
}

Block *Block::ownerOf(const uint8_t *location) {
  auto owns = [&](const Block &block) {
    return location >= block.shared.data() &&
           location < block.shared.data() + block.shared.size();
  };
  if (owns(*this))
    return this;
  if (cluster)
    for (Block &peer : cluster->blocks)
      if (owns(peer))
        return &peer;
  return nullptr;
}

bool Block::noteRemoteAccess(Warp &warp, const LaneAccess &lanes, uint32_t mask,
                             Block &owner) {
  const auto lane = static_cast<unsigned>(llvm::countr_zero(mask));
  if (owner.isFinished()) {
    warp.report(FindingKind::UseAfterFree, lane,
                "accesses shared memory of block " + Twine(owner.rank()) +
                    " of the cluster, which has left",
                lanes.addresses[lane]);
    return false;
  }
  // Copies have not ended before somebody has waited for their mbarrier.
  if (!lanes.isAsync)
    owner.remoteAccesses[{index, warp.index}] = warp.mark(lane, Scope::None);
  if (lanes.kind != AccessKind::Load)
    ++cluster->changes;
  return true;
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
  if (cluster)
    cluster->lanesExited();
}

} // namespace tilewright::sim
