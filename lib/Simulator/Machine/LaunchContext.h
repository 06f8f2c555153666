//===- LaunchContext.h - What all blocks of a launch share ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch has once, and all of its blocks see: the program, the
// arguments, memory, and where findings go. Blocks run on several host threads,
// unless they watch one another; then they take turns on one, and `flags` and
// `waiting` know who waits for whom:
//
//   LaunchContext context(program, kernelIndex, memory, grid, block, options);
//   Block(context, /*index=*/0).run(counts);       // and so on, for each
//   report.findings = context.findings.take();
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_LAUNCHCONTEXT_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_LAUNCHCONTEXT_H

#include "Checks/View.h"
#include "Machine/Memory.h"
#include "Machine/PrintFormat.h"
#include "Machine/Waiting.h"
#include "Program/Program.h"
#include "tilewright/Simulator/Launch.h"
#include "llvm/ADT/DenseMap.h"
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

namespace tilewright::sim {

/// Collects findings from all host threads, one for each kind and pair of
/// instructions.
class FindingSink {
public:
  FindingSink(const Program &program, llvm::StringRef kernel, unsigned maximum)
      : program(program), kernel(kernel), maximum(maximum) {}

  /// `otherPc` tells findings at one instruction apart; it may be noPc.
  void add(FindingKind kind, uint32_t pc, uint32_t otherPc, Dim3 block,
           Dim3 thread, uint64_t address, std::string message,
           bool isGlobalRace = false);
  /// The findings in the order of the text, so that runs compare.
  std::vector<Finding> take();

private:
  const Program &program;
  std::string kernel;
  unsigned maximum;
  std::mutex mutex;
  std::map<std::tuple<uint32_t, FindingKind, uint32_t>, Finding> findings;
};

/// A flag or a lock: what its present value hands over.
struct SyncLocation {
  SyncViews views;
  uint32_t block = 0; ///< that of `views.block`
};
/// Keys are places of values on the host.
using SyncTable = llvm::DenseMap<const uint8_t *, SyncLocation>;

struct LaunchContext {
  LaunchContext(const Program &program, uint32_t kernelIndex, Memory &memory,
                Dim3 grid, Dim3 blockDim, const LaunchOptions &options)
      : program(program), kernel(program.kernels[kernelIndex]),
        entry(program.functions[program.kernelFunctions[kernelIndex]]),
        memory(memory), grid(grid), blockDim(blockDim), options(options),
        findings(program, kernel.name, options.maximumFindings) {}

  const Program &program;
  const KernelInfo &kernel;
  const Function &entry;
  Memory &memory;
  const Dim3 grid;
  const Dim3 blockDim;
  Dim3 cluster;            ///< blocks of a cluster
  bool hasCluster = false; ///< the kernel or who launches it says so
  uint64_t clusterBlocks() const { return cluster.count(); }
  const LaunchOptions &options;
  std::vector<uint8_t> arguments;
  /// 32 equal lanes for each constant of the program.
  std::vector<uint64_t> constants;
  std::vector<uint64_t> sharedOffsets; ///< by symbol
  uint64_t sharedEnd = firstOffset;    ///< one past the last shared byte
  uint64_t dynamicSharedBytes = 0;

  FindingSink findings;
  PrintedText printed;
  /// Blocks see what others do, so they take turns, on one host thread.
  bool isOrdered = false;
  /// Blocks that a device keeps resident at once.
  uint64_t residentBlocks = 0;
  /// Where blocks are ordered: flags and locks in global memory, and who waits.
  SyncTable flags;
  WaitingBlocks waiting;
  std::atomic<bool> stop = false; ///< set by a fatal finding
  /// Set by who launched; the first block that sees it reports it and stops.
  std::atomic<bool> interrupted = false;
  bool isEnding() const {
    return stop.load(std::memory_order_relaxed) ||
           interrupted.load(std::memory_order_relaxed);
  }
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_MACHINE_LAUNCHCONTEXT_H
