//===- Launch.cpp - From arguments to a report ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/Launch.h"
#include "Machine/GridScheduler.h"
#include "Machine/LaunchContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

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

/// The extents of clusters, which the kernel has or the launch gives it.
Expected<Dim3> findCluster(const KernelInfo &kernel, const GpuLimits &limits,
                           Dim3 grid, const std::optional<Dim3> &given) {
  const auto &[x, y, z] = kernel.requiredCluster;
  if (x != 0 && given && (given->x != x || given->y != y || given->z != z))
    return createStringError("the kernel requires clusters of " + Twine(x) +
                             " x " + Twine(y) + " x " + Twine(z) + " blocks");
  if (x == 0 && !given && kernel.isExplicitCluster)
    return createStringError("the kernel must be launched in clusters");
  const Dim3 cluster = x != 0 ? Dim3{x, y, z} : given.value_or(Dim3());
  if (cluster.count() == 0 || cluster.count() > limits.blocksPerCluster)
    return createStringError("a cluster has 1 to " +
                             Twine(limits.blocksPerCluster) + " blocks, not " +
                             Twine(cluster.count()));
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0)
    return createStringError(
        "a grid of " + Twine(grid.x) + " x " + Twine(grid.y) + " x " +
        Twine(grid.z) + " blocks does not divide into clusters of " +
        Twine(cluster.x) + " x " + Twine(cluster.y) + " x " + Twine(cluster.z));
  return cluster;
}

/// Blocks that depend on each other take turns, in an order that is the same in
/// each launch. So do all where a seed chooses the order, or results may hang
/// on it.
bool needsOrder(const LaunchContext &launch) {
  if (launch.options.seed || launch.memory.mayRace())
    return true;
  const Program &program = launch.program;
  return any_of(program.functions, [&](const Function &function) {
    if (function.isEntry && &function != &launch.entry)
      return false;
    return any_of(ArrayRef(program.code)
                      .slice(function.begin, function.end - function.begin),
                  [](const Instr &instr) { return instr.seesOtherBlocks; });
  });
}

/// How many blocks a device keeps at once. PTX does not tell how many registers
/// ptxas will take, so without LaunchOptions it may be fewer.
uint64_t countResident(const LaunchContext &launch) {
  const GpuLimits &limits = launch.memory.limits;
  uint64_t each = launch.options.residentBlocksPerMultiprocessor;
  if (each == 0)
    each =
        std::min<uint64_t>({limits.blocksPerMultiprocessor,
                            limits.threadsPerMultiprocessor /
                                alignTo(launch.blockDim.count(), warpSize),
                            limits.sharedBytesPerMultiprocessor /
                                (alignTo(launch.sharedEnd - firstOffset, 128) +
                                 limits.reservedSharedBytesPerBlock)});
  return std::max<uint64_t>(each, 1) * limits.multiprocessors;
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
    if (constant.symbol >= 0)
      value += launch.memory.symbolAddress(launch.program, constant.symbol);
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
  Expected<Dim3> cluster =
      findCluster(*kernel, memory.limits, grid, options.cluster);
  if (!cluster)
    return fail(cluster.takeError());
  context.cluster = *cluster;
  context.hasCluster = options.cluster || kernel->requiredCluster[0] != 0;
  if (Error failure = layoutShared(context, dynamicSharedBytes))
    return fail(std::move(failure));
  fillConstants(context);
  if (options.checkRaces)
    memory.prepareRaceChecks();
  context.isOrdered = needsOrder(context);
  context.residentBlocks = countResident(context);

  GridScheduler scheduler(context);
  scheduler.run();
  LaunchReport report;
  report.completed = !context.stop;
  report.interrupted = context.interrupted;
  if (context.stop && options.progress)
    options.progress(grid.count(), grid.count());
  report.findings = context.findings.take();
  report.counts = scheduler.takeCounts();
  report.printed = context.printed.take();
  return report;
}

} // namespace tilewright::sim
