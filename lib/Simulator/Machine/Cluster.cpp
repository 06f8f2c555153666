//===- Cluster.cpp - Blocks that run together -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Cluster.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::sim {

/// The block of rank `rank` in cluster `index`, by its index in the grid.
static uint64_t blockIndex(const LaunchContext &launch, uint64_t index,
                           uint64_t rank) {
  const Dim3 &grid = launch.grid, &extents = launch.cluster;
  const Dim3 clusters = {grid.x / extents.x, grid.y / extents.y,
                         grid.z / extents.z};
  const Dim3 outer = clusters.point(index), inner = extents.point(rank);
  const uint64_t x = uint64_t(outer.x) * extents.x + inner.x,
                 y = uint64_t(outer.y) * extents.y + inner.y,
                 z = uint64_t(outer.z) * extents.z + inner.z;
  return x + grid.x * (y + grid.y * z);
}

Cluster::Cluster(LaunchContext &launch, uint64_t index)
    : launch(launch), index(static_cast<uint32_t>(index)),
      isOver(launch.clusterBlocks(), 0) {
  for (uint64_t rank = 0; rank != launch.clusterBlocks(); ++rank)
    blocks.emplace_back(launch, blockIndex(launch, index, rank), this);
  barrierLanes.resize(blocks.size() * blocks.front().warps.size());
  if (launch.options.seed)
    random.emplace(*launch.options.seed * 0x9E3779B97F4A7C15u + ~index);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Block::Result Cluster::run(MutableArrayRef<InstrCount> into,
                           std::optional<uint64_t> turn) {
  using Result = Block::Result;
  if (blocks.size() == 1)
    return blocks.front().run(into, turn);
  while (true) {
    const uint64_t before = changes;
    bool goesOn = false, waits = false;
    const size_t first = random ? (*random)() % blocks.size() : 0;
    for (size_t i = 0; i != blocks.size(); ++i) {
      const size_t rank = (first + i) % blocks.size();
      if (isOver[rank])
        continue;
      const Result result = blocks[rank].run(into, turn);
      if (result == Result::Stopped)
        return result;
      isOver[rank] = result == Result::Finished;
      goesOn |= result == Result::Suspended || result == Result::Finished;
      waits |= result == Result::Waiting;
    }
    if (!is_contained(isOver, 0))
      return Result::Finished;
    if (goesOn)
      return Result::Suspended;
    if (changes != before)
      continue;
    if (waits)
      return Result::Waiting;
    const size_t stuck = llvm::find(isOver, 0) - isOver.begin();
    blocks[stuck].reportDeadlock("no thread of the cluster can go on");
    return Result::Stopped;
  }
}

Block *Cluster::find(uint32_t block) {
  const auto found =
      find_if(blocks, [&](const Block &peer) { return peer.index == block; });
  return found == blocks.end() ? nullptr : &*found;
}

std::vector<uint64_t> Cluster::watchedWords() const {
  std::vector<uint64_t> words;
  for (const Block &block : blocks)
    if (!block.isFinished())
      append_range(words, block.watchedWords());
  return words;
}

bool Cluster::hasChanged() const {
  return any_of(blocks, [](const Block &block) { return block.hasChanged; });
}

bool Cluster::hasPolledOthers() const {
  return any_of(blocks,
                [](const Block &block) { return block.hasPolledOthers; });
}

uint64_t Cluster::instructions() const {
  uint64_t sum = 0;
  for (const Block &block : blocks)
    sum += block.instructions;
  return sum;
}

const Block &Cluster::pollingBlock() const {
  for (const Block &block : blocks)
    if (!block.isFinished() && block.isWatching())
      return block;
  return blocks.front();
}

void Cluster::describeWaits(raw_ostream &os, const Block &except) const {
  for (const Block &block : blocks) {
    if (&block == &except || block.isFinished())
      continue;
    os << "; in block " << block.position;
    block.describeWaits(os);
  }
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

Cluster::Lanes &Cluster::lanesOf(const Warp &warp) {
  return barrierLanes[warp.block.rank() * blocks.front().warps.size() +
                      warp.index];
}

void Cluster::arrive(Warp &warp, uint32_t mask, bool releases) {
  Lanes &lanes = lanesOf(warp);
  if (const uint32_t twice = mask & (lanes.arrived | lanes.mayGoOn))
    warp.report(FindingKind::InvalidOperand,
                static_cast<unsigned>(llvm::countr_zero(twice)),
                "the thread has arrived before, and not waited since");
  lanes.arrived |= mask;
  arriving = View::join(arriving, releases ? warp.takeView(mask)
                                           : warp.getReleasedView());
  completeBarrier();
}

uint32_t Cluster::testWait(Warp &warp, uint32_t mask) {
  Lanes &lanes = lanesOf(warp);
  const uint32_t without = mask & ~(lanes.arrived | lanes.mayGoOn);
  if (without != 0)
    warp.report(FindingKind::InvalidOperand,
                static_cast<unsigned>(llvm::countr_zero(without)),
                "the thread waits for a barrier at which it has not arrived");
  const uint32_t over = mask & (lanes.mayGoOn | without);
  lanes.mayGoOn &= ~over;
  if ((over & ~without) != 0)
    warp.acquire(completed, Scope::Gpu);
  return over;
}

void Cluster::completeBarrier() {
  bool isOpen = false;
  for (const Block &block : blocks)
    for (const Warp &warp : block.warps) {
      const uint32_t arrived = lanesOf(warp).arrived;
      if ((warp.liveLanes() & ~arrived) != 0)
        return;
      isOpen |= arrived != 0;
    }
  if (!isOpen)
    return;
  ++changes;
  completed = std::exchange(arriving, nullptr);
  for (Block &block : blocks)
    for (Warp &warp : block.warps) {
      Lanes &lanes = lanesOf(warp);
      lanes.mayGoOn |= std::exchange(lanes.arrived, 0);
      const uint32_t waiting = warp.lanesAtBarrier(Block::clusterBarrier);
      if (waiting == 0)
        continue;
      lanes.mayGoOn &= ~waiting;
      warp.acquire(completed, Scope::Gpu);
      warp.releaseBarrier(Block::clusterBarrier);
    }
}

void Cluster::lanesExited() { completeBarrier(); }

/// Shared memory is gone: what others do with it must have come before.
void Cluster::blockExited(Block &block) {
  if (block.remoteAccesses.empty() || !launch.options.checkRaces)
    return;
  ViewRef known;
  for (const Warp &warp : block.warps)
    known = View::join(known, warp.clock().foreign);
  for (const auto &[who, mark] : block.remoteAccesses) {
    const BlockView *other = known ? known->find(mark.block) : nullptr;
    if (other && other->covers(mark.warp, mark.lane, mark.clock))
      continue;
    launch.findings.add(
        FindingKind::UseAfterFree, mark.pc, Instr::noPc,
        launch.grid.point(mark.block),
        launch.blockDim.point(uint64_t(mark.warp) * warpSize + mark.lane), 0,
        ("accesses shared memory of block " + Twine(block.rank()) +
         " of the cluster, and nothing keeps that block from leaving before "
         "(a barrier.cluster at the end of both does)")
            .str());
  }
}

} // namespace tilewright::sim
