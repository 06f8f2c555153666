//===- SharedAccess.cpp - Shared memory of a block and its cluster --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Warp.h"

using namespace llvm;

namespace tilewright::sim {

StringRef accessVerb(AccessKind kind) {
  return kind == AccessKind::Load    ? "reads"
         : kind == AccessKind::Store ? "writes"
                                     : "updates";
}

bool Warp::checkMemoryBarrier(const LaneAccess &lanes, unsigned lane,
                              const Block &owner) {
  if (owner.memoryBarriers.empty() || lanes.isMemoryBarrier)
    return true;
  const uint64_t offset = lanes.addresses[lane] - firstOffset;
  const auto first = static_cast<unsigned>(offset / 8),
             end = static_cast<unsigned>((offset + lanes.bytes + 7) / 8);
  const int barrier = owner.memoryBarriers.find_first_in(first, end);
  if (barrier < 0)
    return true;
  report(FindingKind::InvalidOperand, lane,
         Twine(accessVerb(lanes.kind)) + " the mbarrier at shared offset " +
             Twine(barrier * 8) +
             ", which only instructions for mbarriers may access before "
             "mbarrier.inval",
         lanes.addresses[lane]);
  return false;
}

/// Shared memory of the own block, or of another one of the cluster.
uint32_t Warp::accessCluster(LaneAccess &lanes, uint32_t mask) {
  uint32_t done = 0;
  while (mask != 0) {
    const auto first = static_cast<unsigned>(llvm::countr_zero(mask));
    const uint64_t rank = lanes.addresses[first] / window::blockSize;
    uint32_t together = 0;
    forLanes(mask, [&](unsigned lane) {
      if (lanes.addresses[lane] / window::blockSize == rank)
        together |= 1u << lane;
    });
    mask &= ~together;
    Block *owner = block.peerAt(rank);
    if (!owner) {
      report(FindingKind::OutOfBounds, first,
             Twine(accessVerb(lanes.kind)) + " shared memory of block " +
                 Twine(rank) + " of a cluster that has " +
                 Twine(launch.clusterBlocks()),
             lanes.addresses[first]);
      continue;
    }
    if (lanes.space == Space::Shared && owner != &block) {
      report(FindingKind::OutOfBounds, first,
             Twine(accessVerb(lanes.kind)) + " shared memory of block " +
                 Twine(rank) + " of the cluster in that of block " +
                 Twine(block.rank()) + ", which needs .shared::cluster",
             lanes.addresses[first]);
      continue;
    }
    forLanes(together, [&](unsigned lane) {
      lanes.addresses[lane] %= window::blockSize;
    });
    done |= accessShared(lanes, together, *owner);
  }
  return done;
}

void Warp::landCopies(unsigned lane, uint64_t keep, bool all) {
  block.asyncCopies.wait(index * warpSize + lane, keep, all,
                         [&](const PendingCopy &copy) {
                           if (!copy.hasLanded)
                             block.land(copy);
                           if (copy.agent != 0)
                             learn(copy.agent, copy.agentClock);
                           else if (launch.options.checkRaces)
                             block.overwriteMark(copy, mark(lane, Scope::None));
                         });
}

} // namespace tilewright::sim
