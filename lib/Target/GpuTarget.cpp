//===- GpuTarget.cpp - What the compiler knows of each GPU ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/GpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <tuple>

using namespace llvm;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr unsigned kib(unsigned n) { return n * 1024; }

static GpuTarget makeTarget(StringRef name, unsigned major, unsigned minor,
                            unsigned ptxVersion) {
  GpuTarget target;
  target.name = name;
  target.computeMajor = major;
  target.computeMinor = minor;
  target.ptxVersion = ptxVersion;
  return target;
}

/// From a data sheet: GB/s of memory, SMs, boost clock in GHz.
static void setDevice(GpuTarget &target, StringRef device, double gigabytes,
                      unsigned multiprocessors, double gigahertz) {
  target.device = device;
  target.multiprocessors = multiprocessors;
  target.memoryBytesPerClock = gigabytes / gigahertz / multiprocessors;
}

/// A100. PTX 7.4 (CUDA 11.4, driver 470) has the L2 cache hints and prefetch
/// sizes of loads and of cp.async; the rest of Ampere came with 7.0.
static GpuTarget makeSm80() {
  GpuTarget target = makeTarget("sm_80", 8, 0, 74);
  target.maxThreadsPerSM = 2048;
  target.maxBlocksPerSM = 32;
  target.sharedBytesPerSM = kib(164);
  target.maxSharedBytesPerBlock = kib(163);
  target.f32PerClock = 64;
  target.f64PerClock = 32;
  target.tensorPerClock = 1024;
  target.tensorF64PerClock = 64;
  setDevice(target, "A100 SXM 80 GB", 2039, 108, 1.41);
  return target;
}

/// GeForce 30 series, A10, A40. PTX version: as sm_80.
static GpuTarget makeSm86() {
  GpuTarget target = makeTarget("sm_86", 8, 6, 74);
  target.maxThreadsPerSM = 1536;
  target.maxBlocksPerSM = 16;
  target.sharedBytesPerSM = kib(100);
  target.maxSharedBytesPerBlock = kib(99);
  setDevice(target, "A10", 600, 72, 1.695);
  return target;
}

/// GeForce 40 series, L4, L40. PTX 8.1 is the first in which sm_89 has the
/// 8-bit float conversions, PTX 8.4 (CUDA 12.4, driver 550) the products.
static GpuTarget makeSm89() {
  GpuTarget target = makeTarget("sm_89", 8, 9, 84);
  target.maxThreadsPerSM = 1536;
  target.maxBlocksPerSM = 24;
  target.sharedBytesPerSM = kib(100);
  target.maxSharedBytesPerBlock = kib(99);
  target.float8 = true;
  setDevice(target, "L40S", 864, 142, 2.52);
  return target;
}

/// H100, H200, GH200. PTX 8.0 introduced sm_90a with wgmma, setmaxnreg and the
/// bulk tensor copies; PTX 8.1 atomics on vectors; PTX 8.4 (CUDA 12.4, driver
/// 550) mma.sync of 8-bit floats.
static GpuTarget makeSm90a() {
  GpuTarget target = makeTarget("sm_90a", 9, 0, 84);
  target.maxThreadsPerSM = 2048;
  target.maxBlocksPerSM = 32;
  target.sharedBytesPerSM = kib(228);
  target.maxSharedBytesPerBlock = kib(227);
  target.wgmma = true;
  target.tma = true;
  target.maxClusterBlocks = 16;
  target.bf16Arithmetic = true;
  target.vectorAtomics = true;
  target.earlyLaunches = true;
  target.f64PerClock = 64;
  target.tensorPerClock = 2048;
  target.tensorF64PerClock = 128;
  target.float8 = true;
  target.f64ProductsOf16x8x8 = true;
  setDevice(target, "H100 SXM", 3350, 132, 1.83);
  return target;
}

/// B200, GB200. sm_100a itself came with PTX 8.6; PTX 8.8 (CUDA 12.9, driver
/// 575) is the first with 32-byte global accesses.
static GpuTarget makeSm100a() {
  GpuTarget target = makeTarget("sm_100a", 10, 0, 88);
  target.maxThreadsPerSM = 2048;
  target.maxBlocksPerSM = 32;
  target.sharedBytesPerSM = kib(228);
  target.maxSharedBytesPerBlock = kib(227);
  target.tma = true;
  target.maxClusterBlocks = 16;
  target.tcgen05 = true;
  target.bf16Arithmetic = true;
  target.mixedArithmetic = true;
  target.vectorAtomics = true;
  target.earlyLaunches = true;
  target.wideGlobalAccess = true;
  target.f64PerClock = 64;
  target.tensorPerClock = 4096;
  target.tensorF64PerClock = 64;
  target.float8 = true;
  target.f64ProductsOf16x8x8 = true;
  setDevice(target, "B200", 8000, 148, 1.85);
  return target;
}

/// GeForce 50 series, RTX PRO 6000. sm_120a itself came with PTX 8.7; PTX 8.8
/// for the reason given at sm_100a.
static GpuTarget makeSm120a() {
  GpuTarget target = makeTarget("sm_120a", 12, 0, 88);
  target.maxThreadsPerSM = 1536;
  target.maxBlocksPerSM = 24;
  target.sharedBytesPerSM = kib(100);
  target.maxSharedBytesPerBlock = kib(99);
  target.tma = true;
  target.maxClusterBlocks = 8;
  target.bf16Arithmetic = true;
  target.mixedArithmetic = true;
  target.vectorAtomics = true;
  target.earlyLaunches = true;
  target.wideGlobalAccess = true;
  target.float8 = true;
  target.f64ProductsOf16x8x8 = true;
  setDevice(target, "RTX 5090", 1792, 170, 2.407);
  return target;
}

const GpuTarget &GpuTarget::getDefault() {
  return *llvm::find_if(
      all(), [](const GpuTarget &target) { return target.name == "sm_90a"; });
}

ArrayRef<GpuTarget> GpuTarget::all() {
  static const std::array<GpuTarget, 6> targets = {makeSm80(),   makeSm86(),
                                                   makeSm89(),   makeSm90a(),
                                                   makeSm100a(), makeSm120a()};
  return targets;
}

//===----------------------------------------------------------------------===//
// Finding a target
//===----------------------------------------------------------------------===//

/// A known target that `name` was probably meant to be: "sm_90", "sm90a",
/// "90a" and "SM_90A" all mean sm_90a. Null where nothing is close.
static const GpuTarget *findSimilar(StringRef name) {
  auto strip = [](StringRef text) {
    std::string key = text.lower();
    StringRef digits = key;
    digits.consume_front("sm");
    digits.consume_front("_");
    digits.consume_back("a");
    return digits.str();
  };
  std::string wanted = strip(name);
  const auto *found = find_if(GpuTarget::all(), [&](const GpuTarget &target) {
    return strip(target.name) == wanted;
  });
  return found == GpuTarget::all().end() ? nullptr : found;
}

Expected<GpuTarget> GpuTarget::parse(StringRef name) {
  for (const GpuTarget &target : all())
    if (target.name == name)
      return target;

  std::string known = join(
      map_range(all(), [](const GpuTarget &target) { return target.name; }),
      ", ");
  std::string hint;
  if (const GpuTarget *similar = findSimilar(name))
    hint = ("; did you mean '" + similar->name + "'?").str();
  return createStringError("unknown target '" + name +
                           "': the known targets are " + known + hint);
}

std::optional<GpuTarget> GpuTarget::forDevice(unsigned major, unsigned minor) {
  std::optional<GpuTarget> best;
  auto capability = std::tie(major, minor);
  for (const GpuTarget &target : all()) {
    auto own = std::tie(target.computeMajor, target.computeMinor);
    bool loads =
        target.name.ends_with("a") ? own == capability : own <= capability;
    if (loads)
      best = target;
  }
  return best;
}

std::optional<GpuTarget> GpuTarget::forDevice(StringRef architecture) {
  unsigned capability = 0;
  if (!architecture.consume_front("sm_") ||
      architecture.getAsInteger(10, capability))
    return std::nullopt;
  return forDevice(capability / 10, capability % 10);
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

StringRef tilewright::stringifyOccupancyLimiter(OccupancyLimiter limiter) {
  switch (limiter) {
  case OccupancyLimiter::Threads:
    return "threads";
  case OccupancyLimiter::Blocks:
    return "blocks";
  case OccupancyLimiter::Registers:
    return "registers";
  case OccupancyLimiter::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("all limiters are named above");
}

unsigned GpuTarget::registersPerThread(unsigned threads) const {
  auto warps =
      alignTo(divideCeil(std::max(threads, 1u), warpSize), partitionsPerSM);
  auto perWarp = alignDown(registersPerSM / warps, registerAllocationUnit);
  return std::min<unsigned>(perWarp / warpSize, maxRegistersPerThread);
}

/// Blocks of `warps` warps that the register file holds. Each warp's registers
/// come out of one scheduler's share; a launch is refused when the block would
/// not fit with its warps spread evenly over the schedulers.
static unsigned blocksByRegisters(const GpuTarget &target, unsigned warps,
                                  unsigned registersPerThread) {
  if (registersPerThread > target.maxRegistersPerThread)
    return 0;
  uint64_t registersPerWarp =
      alignTo(uint64_t(std::max(registersPerThread, 1u)) * target.warpSize,
              target.registerAllocationUnit);
  if (registersPerWarp * alignTo(warps, target.partitionsPerSM) >
      target.registersPerSM)
    return 0;
  uint64_t warpsPerPartition =
      target.registersPerSM / target.partitionsPerSM / registersPerWarp;
  return warpsPerPartition * target.partitionsPerSM / warps;
}

static unsigned blocksByShared(const GpuTarget &target, unsigned sharedBytes) {
  if (sharedBytes > target.maxSharedBytesPerBlock)
    return 0;
  uint64_t bytesPerBlock =
      alignTo(uint64_t(sharedBytes) + target.reservedSharedBytesPerBlock,
              target.sharedAllocationUnit);
  return target.sharedBytesPerSM / bytesPerBlock;
}

Occupancy GpuTarget::occupancy(unsigned threads, unsigned registersPerThread,
                               unsigned sharedBytes) const {
  if (threads == 0 || threads > maxThreadsPerBlock)
    return {};
  unsigned warps = divideCeil(threads, warpSize);
  const std::pair<unsigned, OccupancyLimiter> limits[] = {
      {maxWarpsPerSM() / warps, OccupancyLimiter::Threads},
      {maxBlocksPerSM, OccupancyLimiter::Blocks},
      {blocksByRegisters(*this, warps, registersPerThread),
       OccupancyLimiter::Registers},
      {blocksByShared(*this, sharedBytes), OccupancyLimiter::SharedMemory},
  };
  auto [blocks, limiter] =
      *min_element(limits, [](const auto &lhs, const auto &rhs) {
        return lhs.first < rhs.first;
      });
  return {blocks, blocks * warps, limiter};
}
