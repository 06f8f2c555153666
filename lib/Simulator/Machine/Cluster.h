//===- Cluster.h - Blocks that run together ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster reach each other's shared memory and wait for each
// other, so they take turns on one host thread:
//
//   block 0  runs until it can only wait for another block   Stuck
//   block 1  runs likewise; what it changes in block 0 counts in `changes`
//   block 0  again, as something has changed ...
//
// A round in which none can go on and none changes another is the end: a
// deadlock, or a wait for memory that another cluster writes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_CLUSTER_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_CLUSTER_H

#include "Machine/Block.h"

namespace tilewright::sim {

class Cluster {
public:
  /// `index` is that in the grid of clusters. A block that is no part of an
  /// explicit cluster is one of its own.
  Cluster(LaunchContext &launch, uint64_t index);

  /// As Block::run.
  Block::Result run(llvm::MutableArrayRef<InstrCount> into,
                    std::optional<uint64_t> turn);

  /// The block with this index in the grid, or null.
  Block *find(uint32_t block);
  std::vector<uint64_t> watchedWords() const;
  bool hasChanged() const;
  bool hasPolledOthers() const;
  uint64_t instructions() const;
  /// Where the report of a wait begins.
  const Block &pollingBlock() const;
  /// What the warps of all blocks but one wait for.
  void describeWaits(llvm::raw_ostream &os, const Block &except) const;

  // barrier.cluster. Each thread arrives and waits in turns.
  void arrive(Warp &warp, uint32_t mask, bool releases);
  /// The lanes whose wait is over; the others must wait.
  uint32_t testWait(Warp &warp, uint32_t mask);
  /// Threads have left: who waits for them need not wait any longer.
  void lanesExited();
  /// A block has no threads any more.
  void blockExited(Block &block);

  LaunchContext &launch;
  const uint32_t index;
  std::deque<Block> blocks; ///< by rank
  /// How often one of the blocks changed another one.
  uint64_t changes = 0;

private:
  /// Threads of a warp, by the barrier's state.
  struct Lanes {
    uint32_t arrived = 0;
    uint32_t mayGoOn = 0; ///< the phase is over, and they have not waited yet
  };
  Lanes &lanesOf(const Warp &warp);
  void completeBarrier();

  std::vector<Lanes> barrierLanes; ///< by block and warp
  ViewRef arriving, completed;
  std::vector<uint8_t> isOver; ///< by rank
  std::optional<std::mt19937_64> random;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_CLUSTER_H
