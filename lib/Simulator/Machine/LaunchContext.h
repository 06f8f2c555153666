//===- LaunchContext.h - What all blocks of a launch share ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_MACHINE_LAUNCHCONTEXT_H
#define TILEWRIGHT_LIB_SIMULATOR_MACHINE_LAUNCHCONTEXT_H

#include "Machine/Memory.h"
#include "Program/Program.h"
#include "tilewright/Simulator/Launch.h"
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
           Dim3 thread, uint64_t address, std::string message);
  /// In the order of the text, so that runs compare.
  std::vector<Finding> take();

private:
  const Program &program;
  std::string kernel;
  unsigned maximum;
  std::mutex mutex;
  std::map<std::tuple<uint32_t, FindingKind, uint32_t>, Finding> findings;
};

/// What each block has made visible to others, as block epochs. A release by
/// any thread of a block covers what the block did before; an acquire sees
/// all releases so far. That is coarser than PTX, which ties the two together
/// by the location of a flag: it can miss a race and never invents one.
class GridClock {
public:
  void release(uint32_t block, uint32_t epoch) {
    std::lock_guard<std::mutex> lock(mutex);
    if (released.size() <= block)
      released.resize(size_t(block) + 1, 0);
    released[block] = std::max(released[block], epoch);
    ++version;
  }
  /// Epochs never shrink, so the copy is also the maximum with `seen`.
  void acquire(std::vector<uint32_t> &seen, uint64_t &seenVersion) {
    if (seenVersion == version.load())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    seen = released;
    seenVersion = version;
  }

private:
  std::atomic<uint64_t> version = 0;
  std::mutex mutex;
  std::vector<uint32_t> released;
};

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
  const LaunchOptions &options;
  std::vector<uint8_t> arguments;
  /// 32 equal lanes for each constant of the program.
  std::vector<uint64_t> constants;
  std::vector<uint64_t> sharedOffsets; ///< by symbol
  uint64_t sharedEnd = firstOffset;    ///< one past the last shared byte
  uint64_t dynamicSharedBytes = 0;

  FindingSink findings;
  GridClock gridClock;
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
