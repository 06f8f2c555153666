//===- GridScheduler.h - Which block runs when ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that do not see each other run in parallel on the host's cores, each
// to its end. Where they do (LaunchContext::isOrdered), one host thread gives
// them turns, so that a launch is the same each time:
//
//  - Without a seed, a block runs until it ends or waits; then the next one
//    starts, and when no more may start, those go on whose wait has ended.
//  - With a seed, turns are short, and the next block is drawn.
//
// At most as many blocks are under way as a device keeps resident. When they
// all wait, the others are let start one by one: either they end the wait,
// which is a finding (a GPU would hang), or it is a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_GRIDSCHEDULER_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_GRIDSCHEDULER_H

#include "Machine/Cluster.h"
#include "Machine/LaunchContext.h"
#include "llvm/ADT/DenseSet.h"
#include <condition_variable>
#include <deque>
#include <random>

namespace tilewright::sim {

/// Hands out clusters of blocks, most often of one each, to host threads and
/// adds up what they counted.
class GridScheduler {
public:
  explicit GridScheduler(LaunchContext &launch);
  void run();
  LaunchCounts takeCounts() const;

private:
  void work();
  void watch();
  std::unique_ptr<Cluster> next();
  bool startsAnother();
  uint64_t pickStart();
  void putBack(std::unique_ptr<Cluster> cluster, Block::Result result,
               uint64_t instructions);
  void finish();
  void addCounts(llvm::ArrayRef<InstrCount> own);

  // Blocks that wait.
  void wake();
  bool letAnotherStart();
  void reportDeadlock();
  void reportNotResident(const Cluster &cluster, uint32_t writer);

  LaunchContext &launch;
  const uint64_t total; ///< this and the other numbers are of clusters
  std::mutex mutex;
  unsigned working = 0; ///< host threads that run blocks
  std::condition_variable allDone;
  uint64_t started = 0;
  uint64_t finished = 0;
  uint64_t mostBlocks; ///< that may be under way at once
  std::optional<std::mt19937_64> random;
  /// Where the order is random: which blocks before `admitted` may start.
  std::vector<uint32_t> startable;
  uint32_t admitted = 0;
  std::deque<std::unique_ptr<Cluster>> suspended; ///< can go on
  std::map<uint32_t, std::unique_ptr<Cluster>> waiting;
  /// Blocks that waited when all resident blocks did.
  llvm::DenseSet<uint32_t> stuck;
  bool exceedsDevice = false;
  /// Executed by blocks that poll, since one of them changed anything.
  uint64_t idleInstructions = 0;
  std::vector<InstrCount> counts;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_GRIDSCHEDULER_H
