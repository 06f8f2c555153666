//===- Launch.cpp - Blocks on the host's cores ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/Launch.h"
#include "Machine/Block.h"
#include "Machine/LaunchContext.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>

using namespace llvm;

namespace tilewright::sim {
namespace {

/// Blocks that may be under way at once, when they wait for each other.
constexpr size_t maximumLiveBlocks = 4096;

/// Turns without a store, in all blocks, that make a deadlock.
constexpr unsigned patientRuns = 4;
constexpr uint64_t maximumHostThreads = 1024;

constexpr std::chrono::milliseconds watchInterval{100};

/// Hands out blocks to host threads and adds up what they counted.
class GridScheduler {
public:
  explicit GridScheduler(LaunchContext &launch)
      : launch(launch), total(launch.grid.count()),
        counts(launch.program.code.size()) {}

  void run() {
    unsigned threads = launch.options.threads;
    if (threads == 0)
      threads = std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(
        std::min<uint64_t>({threads, total, maximumHostThreads}));
    const LaunchOptions &options = launch.options;
    const bool isWatched = options.isInterrupted || options.progress;
    working = threads;
    std::vector<std::thread> workers;
    for (unsigned i = isWatched ? 0 : 1; i < threads; ++i)
      workers.emplace_back([this] { work(); });
    if (isWatched)
      watch();
    else
      work();
    for (std::thread &worker : workers)
      worker.join();
  }

  LaunchCounts takeCounts() const;

private:
  void work() {
    std::vector<InstrCount> own(counts.size());
    while (std::unique_ptr<Block> block = next()) {
      if (block->run(own) == Block::Result::Suspended)
        putBack(std::move(block));
      else
        finish();
    }
    addCounts(own);
    std::lock_guard<std::mutex> lock(mutex);
    if (--working == 0)
      allDone.notify_one();
  }

  /// What the launching thread does while others work: a block may take long.
  void watch() {
    const LaunchOptions &options = launch.options;
    std::unique_lock<std::mutex> lock(mutex);
    while (
        !allDone.wait_for(lock, watchInterval, [&] { return working == 0; })) {
      if (options.progress && finished != total)
        options.progress(finished, total);
      // Blocks must not wait for what may be another program's code.
      lock.unlock();
      if (options.isInterrupted && !launch.interrupted &&
          options.isInterrupted())
        launch.interrupted = true;
      lock.lock();
    }
  }

  /// New blocks go first; those that wait for others come round again.
  std::unique_ptr<Block> next() {
    std::unique_lock<std::mutex> lock(mutex);
    if (launch.stop)
      return nullptr;
    if (started != total && suspended.size() < maximumLiveBlocks) {
      const uint64_t index = started++;
      lock.unlock();
      return std::make_unique<Block>(launch, index);
    }
    if (suspended.empty())
      return nullptr;
    std::unique_ptr<Block> block = std::move(suspended.front());
    suspended.pop_front();
    return block;
  }

  void putBack(std::unique_ptr<Block> block) {
    std::lock_guard<std::mutex> lock(mutex);
    if (block->hasStored)
      noteProgress();
    if (block->progressEpoch != progressEpoch)
      block->idleRuns = 0;
    block->progressEpoch = progressEpoch;
    if (++block->idleRuns == patientRuns)
      ++idleBlocks;
    // Every block that could end the wait is waiting too.
    const bool canStart =
        started != total && started - finished < maximumLiveBlocks;
    if (!canStart && idleBlocks == started - finished)
      block->reportEndlessWait();
    suspended.push_back(std::move(block));
  }

  void noteProgress() {
    ++progressEpoch;
    idleBlocks = 0;
  }

  void finish() {
    std::lock_guard<std::mutex> lock(mutex);
    ++finished;
    noteProgress();
    if (launch.options.progress)
      launch.options.progress(finished, total);
  }

  void addCounts(ArrayRef<InstrCount> own) {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t pc = 0; pc != counts.size(); ++pc) {
      const InstrCount &from = own[pc];
      InstrCount &to = counts[pc];
      to.issued += from.issued;
      to.threads += from.threads;
      to.accesses += from.accesses;
      to.accessThreads += from.accessThreads;
      to.sectors += from.sectors;
      to.wavefronts += from.wavefronts;
    }
  }

  LaunchContext &launch;
  const uint64_t total;
  std::mutex mutex;
  unsigned working = 0; ///< host threads that run blocks
  std::condition_variable allDone;
  uint64_t started = 0;
  uint64_t finished = 0;
  /// Counts stores and ends of blocks; and the blocks that have been suspended
  /// `patientRuns` times since the last.
  uint64_t progressEpoch = 0;
  uint64_t idleBlocks = 0;
  std::deque<std::unique_ptr<Block>> suspended;
  std::vector<InstrCount> counts;
};

LaunchCounts GridScheduler::takeCounts() const {
  LaunchCounts sums;
  for (size_t pc = 0; pc != counts.size(); ++pc) {
    const InstrCount &count = counts[pc];
    const Instr &instr = launch.program.code[pc];
    if (instr.isComment)
      continue;
    sums.warpInstructions += count.issued;
    sums.threadInstructions += count.threads;
    sums.warpInstructionsByKind[static_cast<size_t>(instr.kind)] +=
        count.issued;
    if (count.accesses == 0)
      continue;
    const InstrInfo &info = launch.program.infos[pc];
    sums.accesses.push_back({info.line, info.text.str(), count.accesses,
                             count.accessThreads, count.sectors,
                             count.wavefronts});
    if (instr.kind == InstrKind::Store) {
      sums.globalStoreSectors += count.sectors;
      sums.sharedStoreWavefronts += count.wavefronts;
    } else if (instr.kind != InstrKind::Atomic) {
      sums.globalLoadSectors += count.sectors;
      // The profiler counts what cp.async writes apart from stores.
      if (instr.kind == InstrKind::AsyncCopy)
        sums.sharedCopyWavefronts += count.wavefronts;
      else if (instr.kind == InstrKind::Load)
        sums.sharedLoadWavefronts += count.wavefronts;
    }
  }
  return sums;
}

Error checkShape(const KernelInfo &kernel, const GpuLimits &limits, Dim3 grid,
                 Dim3 block, ArrayRef<uint8_t> arguments) {
  if (grid.count() == 0 || block.count() == 0)
    return createStringError("an extent of the grid or the block is zero");
  if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535 ||
      grid.count() > UINT32_MAX)
    return createStringError("the grid is larger than a GPU's");
  if (block.count() > limits.threadsPerBlock || block.z > 64)
    return createStringError("a block of " + Twine(block.count()) +
                             " threads is over the limit of " +
                             Twine(limits.threadsPerBlock) + ", 64 in z");
  const std::array<unsigned, 3> extents = {block.x, block.y, block.z};
  if (kernel.requiredThreads[0] != 0 && kernel.requiredThreads != extents)
    return createStringError("the kernel requires blocks of " +
                             Twine(kernel.requiredThreads[0]) + " x " +
                             Twine(kernel.requiredThreads[1]) + " x " +
                             Twine(kernel.requiredThreads[2]) + " threads");
  if (kernel.maximumThreads != 0 && block.count() > kernel.maximumThreads)
    return createStringError("the kernel allows at most " +
                             Twine(kernel.maximumThreads) +
                             " threads a block, not " + Twine(block.count()));
  if (arguments.size() != kernel.argumentBytes)
    return createStringError("the kernel takes " + Twine(kernel.argumentBytes) +
                             " bytes of arguments, not " +
                             Twine(arguments.size()));
  return Error::success();
}

/// Offsets of the shared variables; external ones all start after the others,
/// where the dynamic part is.
Error layoutShared(LaunchContext &launch, uint64_t dynamicBytes) {
  const Program &program = launch.program;
  launch.sharedOffsets.assign(program.variables.size(), 0);
  uint64_t end = firstOffset;
  unsigned dynamicAlign = 16;
  for (int32_t symbol : launch.entry.sharedSymbols) {
    const Variable &variable = program.variables[symbol];
    if (variable.isExtern) {
      dynamicAlign = std::max(dynamicAlign, variable.align);
      continue;
    }
    launch.sharedOffsets[symbol] = alignTo(end, variable.align);
    end = launch.sharedOffsets[symbol] + variable.size;
  }
  if (dynamicBytes != 0)
    end = alignTo(end, dynamicAlign);
  for (int32_t symbol : launch.entry.sharedSymbols)
    if (program.variables[symbol].isExtern)
      launch.sharedOffsets[symbol] = end;
  launch.dynamicSharedBytes = dynamicBytes;
  launch.sharedEnd = SaturatingAdd(end, dynamicBytes);
  const uint64_t limit = launch.memory.limits.sharedBytesPerBlock;
  if (launch.sharedEnd - firstOffset > limit)
    return createStringError(
        "the block needs " + Twine(launch.sharedEnd - firstOffset) +
        " bytes of shared memory and the device has " + Twine(limit));
  return Error::success();
}

void fillConstants(LaunchContext &launch) {
  launch.constants.reserve(launch.program.constants.size() * warpSize);
  for (const Constant &constant : launch.program.constants) {
    uint64_t value = constant.value;
    if (constant.symbol >= 0) {
      const Variable &variable = launch.program.variables[constant.symbol];
      value +=
          variable.space == Space::Shared
              ? launch.sharedOffsets[constant.symbol]
              : launch.memory.symbolAddress(launch.program, constant.symbol);
    }
    launch.constants.insert(launch.constants.end(), warpSize, value);
  }
}

} // namespace

Expected<LaunchReport> launch(const Module &module, StringRef kernelName,
                              Gpu &device, Dim3 grid, Dim3 block,
                              uint64_t dynamicSharedBytes,
                              ArrayRef<uint8_t> arguments,
                              const LaunchOptions &options) {
  const Program &program = module.program();
  const KernelInfo *kernel = module.findKernel(kernelName);
  if (!kernel)
    return createStringError("the module has no kernel '" + kernelName + "'");
  Memory &memory = device.memory();
  auto fail = [&](Error failure) -> Error {
    return createStringError("kernel '" + kernelName +
                             "': " + toString(std::move(failure)));
  };
  if (Error failure =
          checkShape(*kernel, memory.limits, grid, block, arguments))
    return fail(std::move(failure));
  if (Error failure = memory.load(program))
    return fail(std::move(failure));
  LaunchContext context(program,
                        static_cast<uint32_t>(kernel - program.kernels.data()),
                        memory, grid, block, options);
  context.arguments = arguments.vec();
  if (Error failure = layoutShared(context, dynamicSharedBytes))
    return fail(std::move(failure));
  fillConstants(context);
  if (options.checkRaces)
    memory.prepareRaceChecks();

  GridScheduler scheduler(context);
  scheduler.run();
  LaunchReport report;
  report.completed = !context.stop;
  report.interrupted = context.interrupted;
  if (context.stop && options.progress)
    options.progress(grid.count(), grid.count());
  report.findings = context.findings.take();
  report.counts = scheduler.takeCounts();
  return report;
}

} // namespace tilewright::sim
