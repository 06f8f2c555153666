//===- Block.h - One thread block -------------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of a block and what they share: memory, barriers, copies under way.
// Its warps take turns on one host thread, each as far as it gets. Where all of
// them wait for other blocks, `run` returns, and the block is run again later
// (GridScheduler.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_BLOCK_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_BLOCK_H

#include "Machine/AsyncAgent.h"
#include "Machine/AsyncCopy.h"
#include "Machine/Waiting.h"
#include "Machine/Warp.h"
#include "llvm/ADT/BitVector.h"
#include <deque>
#include <map>
#include <random>

namespace tilewright::sim {

/// Counts of one instruction within a block.
struct InstrCount {
  uint64_t issued = 0;  ///< warp instructions
  uint64_t threads = 0; ///< active lanes in all
  uint64_t accesses = 0;
  uint64_t accessThreads = 0;
  uint64_t sectors = 0;
  uint64_t wavefronts = 0;
};

/// The last pattern of addresses of an instruction and its wavefronts. Banks
/// are words, so a pattern that is moved by whole words costs the same.
struct WavefrontPattern {
  uint32_t mask = 0;
  std::array<int32_t, warpSize> words = {}; ///< relative to the first lane's
  unsigned wavefronts = 0;
};

/// A named barrier of PTX (`bar`, `barrier`).
struct Barrier {
  uint32_t expected = 0;  ///< threads; 0: all that live
  uint32_t arrived = 0;   ///< threads
  bool isOpen = false;    ///< somebody arrived, not yet complete
  uint32_t firstPc = 0;   ///< of whoever came first
  Clocks clock;           ///< joined clocks of those who arrived
  uint32_t countTrue = 0; ///< lanes with a true predicate, for bar.red
  uint32_t countAll = 0;  ///< lanes that gave a predicate
};

/// What an instruction family keeps for a block, made when first asked for.
struct FamilyState {
  virtual ~FamilyState() = default;
  /// A hash of what decides how the block goes on (see Waiting.h).
  virtual uint64_t getHash() const { return 0; }
  /// For reports of who waits for what: more about a word of shared memory, or
  /// about a place where warps wait; nothing if it is not of this family.
  virtual void describeWord(llvm::raw_ostream &, uint64_t /*offset*/) const {}
  virtual void describeWait(llvm::raw_ostream &, uint32_t /*barrier*/) const {}
  /// All threads of the block have left.
  virtual void finish(Block &) {}
};

class Cluster;

class Block {
public:
  /// `index` is that in the grid.
  Block(LaunchContext &launch, uint64_t index, Cluster *cluster = nullptr);

  /// Barriers of PTX have ids below this. Those above are places where warps
  /// wait for others: of their warpgroup, from the first id on for a product
  /// and from the second for `setmaxnreg`; and for the cluster.
  static constexpr unsigned namedBarriers = 16;
  static constexpr unsigned productBarriers = namedBarriers;
  static constexpr unsigned registerBarriers = 24;
  static constexpr unsigned clusterBarrier = 32;

  enum class Result : uint8_t { Finished, Suspended, Waiting, Stuck, Stopped };
  /// Runs until the end, or until the block has had a turn and should make room
  /// for another one (Suspended), or can only go on when another one writes a
  /// word of `detector` (Waiting) or something in this block (Stuck, where a
  /// cluster has several). What it executes is added to `into`, by pc.
  /// With `turn`, the block is suspended after so many instructions; without,
  /// only where it polls.
  Result run(llvm::MutableArrayRef<InstrCount> into,
             std::optional<uint64_t> turn = std::nullopt);

  /// Threads of `warp` arrive at barrier `id`. When that completes it, all
  /// lanes that wait there are released. `expected` is the stated number of
  /// threads, 0 for all; `threads` counts those that arrive.
  void arrive(Warp &warp, uint32_t id, uint32_t expected, uint32_t threads);
  /// Adds the predicates of a reduction over the barrier's threads.
  void addPredicates(uint32_t id, uint32_t mask, uint32_t truth);
  /// Lanes have exited: barriers that wait for all threads may complete.
  void lanesExited();
  void describeBarrier(llvm::raw_ostream &os, uint32_t id) const;
  void describeWord(llvm::raw_ostream &os, uint64_t offset) const;
  const Barrier &barrier(uint32_t id) const { return barriers[id]; }

  /// The state of one family; `T` derives from FamilyState and has a static
  /// member `key`, whose address tells families apart.
  template <class T> T &state() {
    std::unique_ptr<FamilyState> &slot = familyStates[&T::key];
    if (!slot)
      slot = std::make_unique<T>();
    return static_cast<T &>(*slot);
  }

  /// Global memory has another value.
  void noteChange() {
    hasChanged = true;
    detector.noteChange();
  }
  void notePoll() { pollsInTurn = true; }
  bool isWatching() const { return detector.isWatching(); }
  void watch(uint64_t address, unsigned bytes) {
    detector.watch(address, bytes);
  }
  llvm::ArrayRef<uint64_t> watchedWords() const {
    return detector.watchedWords();
  }
  uint64_t getStateHash() const;
  uint64_t getPlaceHash() const;
  /// "; block 0,0,0 waits ...", for reports of what all blocks wait for.
  void describeWait(llvm::raw_ostream &os) const;
  /// The same of each warp.
  void describeWaits(llvm::raw_ostream &os) const;
  void reportDeadlock(llvm::StringRef what);
  /// A warp that polls, for the place of a report; the first if there is none.
  const Warp &pollingWarp() const;

  /// The block of the cluster that has this index in the grid, or this place in
  /// shared memory; null for none.
  Block *peerOf(uint32_t index);
  /// The block of a rank in the cluster, as addresses have it.
  Block *peerAt(uint64_t rank);
  Block *ownerOf(const uint8_t *location);
  /// The rank of the block in its cluster.
  uint32_t rank() const;
  bool isFinished() const { return liveThreads() == 0; }
  /// A warp of this block accesses shared memory of `owner`. False with a
  /// finding if that has left.
  bool noteRemoteAccess(Warp &warp, const LaneAccess &lanes, uint32_t mask,
                        Block &owner);
  /// An asynchronous copy comes to its end, and this is who has written.
  void land(const PendingCopy &copy);
  void overwriteMark(const PendingCopy &copy, Mark mark);

  LaunchContext &launch;
  const uint32_t index;
  const Dim3 position;
  Cluster *const cluster; ///< null where a block is run on its own
  std::deque<Warp> warps;

  /// Shared memory and its shadow, from `firstOffset` on.
  std::vector<uint8_t> shared;
  std::vector<uint8_t> sharedValid;
  std::vector<ShadowPage> sharedShadow;
  AsyncCopies asyncCopies;
  AsyncAgents agents;
  /// Which words of 8 bytes hold an mbarrier; empty where none does.
  llvm::BitVector memoryBarriers;

  /// The last access of each warp of other blocks to shared memory of this one,
  /// by block and warp.
  std::map<std::pair<uint32_t, uint32_t>, Mark> remoteAccesses;

  /// What flags in shared memory hand over, by the place of each.
  SyncTable flags;

  /// Counts for each pc; they belong to the host thread that runs the block.
  llvm::MutableArrayRef<InstrCount> counts;
  std::map<uint32_t, WavefrontPattern> patterns; ///< by pc
  uint64_t instructions = 0;

  /// For the grid's scheduler: whether the last run changed global memory.
  bool hasChanged = false;
  /// The same: whether it has read what another block may change.
  bool hasPolledOthers = false;

private:
  bool isFull(uint32_t id) const;
  void completeIfFull(uint32_t id);
  Warp *pickWarp();
  uint32_t liveThreads() const;
  Result afterDeadlock();
  Result afterRepetition();

  std::vector<Barrier> barriers;
  std::map<const void *, std::unique_ptr<FamilyState>> familyStates;
  std::optional<std::mt19937_64> random;
  size_t nextWarp = 0;
  bool pollsInTurn = false;
  bool hasWaited = false; ///< at the end of the last run
  CycleDetector detector{*this};
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_BLOCK_H
