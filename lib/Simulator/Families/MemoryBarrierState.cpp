//===- MemoryBarrierState.cpp - The phases of mbarriers -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/MemoryBarrier.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace tilewright::sim {

void MemoryBarrier::completeIfDone() {
  if (pending > 0 || bytes != 0)
    return;
  ++phase;
  pending = expected;
  completed = std::exchange(arriving, Clocks());
  completedPeers = std::exchange(arrivingPeers, nullptr);
}

MemoryBarrier *MemoryBarriers::find(uint64_t offset) {
  const auto found = objects.find(offset);
  return found != objects.end() && found->second.isLive ? &found->second
                                                        : nullptr;
}

uint64_t MemoryBarriers::getHash() const {
  hash_code hash(0);
  for (const auto &[offset, barrier] : objects)
    hash = hash_combine(hash, offset, barrier.phase, barrier.pending,
                        barrier.bytes, barrier.transfers.size());
  return static_cast<size_t>(hash);
}

/// ", of which 3 phases are over and the next waits for 1 of 32 arrivals and
/// 4096 bytes".
void MemoryBarriers::describeWord(raw_ostream &os, uint64_t offset) const {
  const auto found = objects.find(offset);
  if (found == objects.end())
    return;
  const MemoryBarrier &barrier = found->second;
  os << ", of which " << barrier.phase << " phases are over and the next needs "
     << barrier.pending << " of " << barrier.expected << " arrivals";
  if (barrier.bytes > 0)
    os << " and " << barrier.bytes << " bytes";
  else if (barrier.bytes < 0)
    os << ", and has " << -barrier.bytes
       << " bytes more than mbarrier.expect_tx has announced";
}

void MemoryBarriers::finish(Block &block) {
  for (const auto &[offset, barrier] : objects)
    for (const Transfer &transfer : barrier.transfers)
      if (transfer.arrivals == 0)
        block.launch.findings.add(
            FindingKind::PendingCopy, transfer.pc, Instr::noPc,
            block.launch.grid.point(transfer.issuer.block),
            block.launch.blockDim.point(uint64_t(transfer.issuer.warp) *
                                            warpSize +
                                        transfer.issuer.lane),
            offset + firstOffset,
            "the block leaves, and nobody has waited for the mbarrier that "
            "tells when the copy has been written");
}

/// The bytes of a bulk copy. One that is counted in a later phase than it was
/// issued in has come too late for those who waited.
static void landBulk(Block &block, const Transfer &transfer,
                     const MemoryBarrier &barrier) {
  for (const Transfer::Piece &piece : transfer.pieces)
    std::memcpy(transfer.target->shared.data() + piece.offset,
                transfer.data.data() + piece.first, piece.bytes);
  if (transfer.phase != barrier.phase)
    block.launch.findings.add(
        FindingKind::InvalidOperand, transfer.pc, Instr::noPc, block.position,
        block.warps.front().thread(0), 0,
        ("its " + Twine(transfer.bytes) +
         " bytes come after the end of the mbarrier's phase in which it was "
         "issued: mbarrier.expect_tx has announced too few")
            .str());
}

void landTransfers(Block &block, uint64_t offset, MemoryBarrier &barrier) {
  const uint32_t agent = block.agents.get({AsyncAgent::Kind::Thread, offset});
  for (const Transfer &transfer : std::exchange(barrier.transfers, {})) {
    if (transfer.arrivals != 0) {
      block.asyncCopies.landCounted(
          transfer.thread, agent, barrier.clock(),
          [&](const PendingCopy &copy) { block.land(copy); });
      barrier.pending -= std::min<int64_t>(transfer.arrivals, barrier.pending);
      barrier.arriving.join(transfer.clocks);
    } else {
      landBulk(block, transfer, barrier);
      barrier.bytes -= transfer.bytes;
    }
    barrier.completeIfDone();
  }
}

} // namespace tilewright::sim
