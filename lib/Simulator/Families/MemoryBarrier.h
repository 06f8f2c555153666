//===- MemoryBarrier.h - mbarrier objects -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier is a word of shared memory that counts two things for its
// current phase: arrivals that are still to come, and bytes of asynchronous
// copies (the transaction count). When both are zero the phase completes, the
// arrivals start anew, and whoever waits for the phase goes on:
//
//   mbarrier.init [b], 32                 phase 0, 32 arrivals to come
//   32 threads: mbarrier.arrive s, [b]    phase 0 completes, phase 1 begins
//   mbarrier.test_wait.parity p, [b], 0   true: the phase of parity 0 is over
//
// The state is kept beside the memory; the word itself holds the phase.
//
// What an mbarrier counts of asynchronous copies comes to its end when somebody
// waits for a phase that is not over: the latest moment that PTX allows. So a
// program that looks at the target before finds what was there.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MEMORYBARRIER_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MEMORYBARRIER_H

#include "Machine/Block.h"

namespace tilewright::sim {

/// A copy under way, or the end of a thread's copies, that an mbarrier counts.
struct Transfer {
  /// Bytes of `data` for shared memory of the mbarrier's block, or of `target`.
  struct Piece {
    uint64_t offset = 0; ///< in shared memory
    uint64_t first = 0;  ///< in `data`
    uint64_t bytes = 0;
  };
  uint32_t pc = 0;
  uint64_t phase = 0; ///< when it was issued
  Mark issuer;
  Block *target = nullptr;
  std::vector<uint8_t> data;
  std::vector<Piece> pieces;
  uint32_t bytes = 0; ///< of the transaction count
  /// What `cp.async.mbarrier.arrive` waits for: whose copies, up to which clock
  /// of the agent, and what it is ordered after.
  uint32_t arrivals = 0;
  unsigned thread = 0;
  Clocks clocks;
};

struct MemoryBarrier {
  bool isLive = true; ///< until mbarrier.inval
  uint64_t phase = 0;
  uint32_t expected = 0; ///< arrivals of a phase
  int64_t pending = 0;   ///< arrivals still to come
  int64_t bytes = 0;     ///< transaction count
  Clocks arriving;       ///< joined clocks of the current phase
  Clocks completed;      ///< those of the phase before
  ViewRef arrivingPeers; ///< the same of other blocks of the cluster
  ViewRef completedPeers;
  std::vector<Transfer> transfers;
  /// Who carries them out (see AsyncAgent.h); 0: nobody yet.
  uint32_t bulkAgent = 0;
  uint32_t threadAgent = 0;
  Mark init;
  bool isInitFenced = false; ///< by fence.mbarrier_init
  /// Phases of whatever mbarriers were here before.
  uint32_t earlierPhases = 0;

  /// The clock of copies that belong to the current phase (see AsyncAgent.h).
  uint32_t clock() const {
    return earlierPhases + static_cast<uint32_t>(phase) + 1;
  }
  void completeIfDone();
};

/// The mbarriers of a block, by shared offset.
struct MemoryBarriers final : FamilyState {
  static constexpr char key = 0;
  std::map<uint64_t, MemoryBarrier> objects;

  /// Null if there is no live one.
  MemoryBarrier *find(uint64_t offset);
  uint64_t getHash() const override;
  void describeWord(llvm::raw_ostream &os, uint64_t offset) const override;
  void finish(Block &block) override;
};

/// PTX ISA: the largest count of arrivals of a phase, and of bytes either way.
constexpr uint32_t maximumBarrierCount = (1 << 20) - 1;

/// `block` has an mbarrier at `offset`, for which somebody waits: what it
/// counts comes to its end.
void landTransfers(Block &block, uint64_t offset, MemoryBarrier &barrier);

/// An mbarrier that lanes of a warp name.
struct BarrierPlace {
  Block &block;
  uint64_t offset;
  MemoryBarrier &barrier;
};

/// Resolves the addresses of `lanes`, of any access to mbarriers, and calls
/// `f(lane, place)` for each lane whose address holds one.
template <class F> void forBarriers(Warp &warp, LaneAccess &lanes, F f) {
  lanes.kind = AccessKind::Atomic;
  lanes.bytes = 8;
  // They are atomic for each other, in the whole cluster.
  lanes.strong = Scope::Cluster;
  lanes.isMemoryBarrier = true;
  const uint32_t done = warp.access(lanes);
  forLanes(done, [&](unsigned lane) {
    Block *owner = warp.block.ownerOf(lanes.pointers[lane]);
    MemoryBarrier *barrier = nullptr;
    uint64_t offset = 0;
    if (owner) {
      offset =
          static_cast<uint64_t>(lanes.pointers[lane] - owner->shared.data());
      barrier = owner->state<MemoryBarriers>().find(offset);
    }
    if (barrier)
      return f(lane, BarrierPlace{*owner, offset, *barrier});
    warp.report(FindingKind::InvalidOperand, lane,
                "there is no initialised mbarrier at this address",
                lanes.addresses[lane]);
  });
}

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_MEMORYBARRIER_H
