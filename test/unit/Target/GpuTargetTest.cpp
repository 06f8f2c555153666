//===- GpuTargetTest.cpp - Target names and occupancy ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Target/FirstLevelCache.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

static GpuTarget get(StringRef name) {
  return cantFail(GpuTarget::parse(name));
}

static std::string parseError(StringRef name) {
  Expected<GpuTarget> target = GpuTarget::parse(name);
  return target ? "" : toString(target.takeError());
}

TEST(GpuTarget, EveryTargetIsFoundByItsName) {
  for (const GpuTarget &target : GpuTarget::all()) {
    GpuTarget found = get(target.name);
    EXPECT_EQ(found.name, target.name);
    EXPECT_EQ(found.computeMajor, target.computeMajor);
  }
}

TEST(GpuTarget, UnknownNameListsTheKnownOnes) {
  EXPECT_EQ(parseError("sm_75"),
            "unknown target 'sm_75': the known targets are sm_80, sm_86, "
            "sm_89, sm_90a, sm_100a, sm_120a");
  EXPECT_EQ(parseError(""),
            "unknown target '': the known targets are sm_80, sm_86, sm_89, "
            "sm_90a, sm_100a, sm_120a");
}

TEST(GpuTarget, NearNameIsHinted) {
  for (StringRef name : {"sm_90", "SM_90A", "sm90", "90a"})
    EXPECT_TRUE(
        StringRef(parseError(name)).ends_with("; did you mean 'sm_90a'?"))
        << parseError(name);
  EXPECT_TRUE(
      StringRef(parseError("sm_80a")).ends_with("; did you mean 'sm_80'?"));
}

TEST(GpuTarget, DeviceGetsTheNewestPtxThatLoadsOnIt) {
  auto nameFor = [](unsigned major, unsigned minor) -> StringRef {
    std::optional<GpuTarget> target = GpuTarget::forDevice(major, minor);
    return target ? target->name : "";
  };
  EXPECT_EQ(nameFor(7, 5), "");
  EXPECT_EQ(nameFor(8, 0), "sm_80");
  EXPECT_EQ(nameFor(8, 7), "sm_86");
  EXPECT_EQ(nameFor(8, 9), "sm_89");
  EXPECT_EQ(nameFor(9, 0), "sm_90a");
  EXPECT_EQ(nameFor(10, 0), "sm_100a");
  // sm_100a code does not load on 10.3.
  EXPECT_EQ(nameFor(10, 3), "sm_89");
  EXPECT_EQ(nameFor(12, 0), "sm_120a");
}

TEST(GpuTarget, DeviceIsKnownByItsArchitecture) {
  EXPECT_EQ(GpuTarget::forDevice("sm_90")->name, "sm_90a");
  EXPECT_EQ(GpuTarget::forDevice("sm_120")->name, "sm_120a");
  for (StringRef name : {"sm_75", "any", "sm_", "sm_9x", ""})
    EXPECT_FALSE(GpuTarget::forDevice(name)) << name.str();
}

TEST(GpuTarget, SharedMemoryOfABlockLeavesTheReservedPart) {
  for (const GpuTarget &target : GpuTarget::all())
    EXPECT_EQ(target.maxSharedBytesPerBlock +
                  target.reservedSharedBytesPerBlock,
              target.sharedBytesPerSM)
        << target.name.str();
}

TEST(GpuTarget, TheFirstLevelCacheHasWhatBlocksLeave) {
  // Two blocks have 178 KB, five 225 KB, and six, by their threads, 12 KB.
  EXPECT_EQ(countCacheBytes(get("sm_90a"), 512, 90064), 60u * 1024);
  EXPECT_EQ(countCacheBytes(get("sm_90a"), 256, 45008), 28u * 1024);
  // Registers leave room for fewer blocks: 6 for 8.
  EXPECT_EQ(countCacheBytes(get("sm_90a"), 256, 25 * 1024), 28u * 1024);
  EXPECT_EQ(countCacheBytes(get("sm_90a"), 256, 25 * 1024, 40), 92u * 1024);
  EXPECT_EQ(countCacheBytes(get("sm_86"), 256, 1024), 112u * 1024);
  // One block of 91 KB.
  EXPECT_EQ(countCacheBytes(get("sm_80"), 512, 92160), 92u * 1024);
  EXPECT_EQ(countCacheBytes(get("sm_120a"), 512, 92160), 28u * 1024);
  // Nothing has room.
  EXPECT_EQ(countCacheBytes(get("sm_89"), 256, 128 * 1024), 0u);
  // The system takes 1 KB for each block: 16 of them, or 12.
  for (const GpuTarget &target : GpuTarget::all())
    EXPECT_EQ(countCacheBytes(target, 128, 0),
              target.sharedBytesPerSM + 12 * 1024)
        << target.name.str();
}

namespace {
struct OccupancyCase {
  const char *target;
  unsigned threads, registers, sharedBytes;
  unsigned blocks;
  OccupancyLimiter limiter;
};
} // namespace

/// Expected values from the rule of the CUDA Toolkit's cuda_occupancy.h.
TEST(GpuTarget, OccupancyMatchesTheToolkitsRule) {
  using L = OccupancyLimiter;
  const OccupancyCase cases[] = {
      {"sm_90a", 256, 32, 0, 8, L::Threads},
      {"sm_90a", 256, 64, 0, 4, L::Registers},
      {"sm_90a", 256, 32, 100 * 1024, 2, L::SharedMemory},
      // 33 registers take as many as 40.
      {"sm_90a", 256, 33, 0, 6, L::Registers},
      // 168 registers: 3 warps in each of 4 schedulers, so 12 warps.
      {"sm_90a", 128, 168, 0, 3, L::Registers},
      {"sm_90a", 32, 16, 0, 32, L::Blocks},
      {"sm_90a", 33, 16, 0, 32, L::Threads},
      {"sm_90a", 1024, 64, 0, 1, L::Registers},
      {"sm_90a", 1024, 65, 0, 0, L::Registers},
      {"sm_90a", 384, 168, 227 * 1024, 1, L::Registers},
      {"sm_90a", 128, 32, 227 * 1024 + 1, 0, L::SharedMemory},
      {"sm_90a", 128, 256, 0, 0, L::Registers},
      {"sm_90a", 0, 32, 0, 0, L::Threads},
      {"sm_90a", 1025, 16, 0, 0, L::Threads},
      // 49 KiB and the reserved 1 KiB: exactly two of them in 100 KiB.
      {"sm_86", 128, 32, 49 * 1024, 2, L::SharedMemory},
      {"sm_86", 128, 32, 49 * 1024 + 1, 1, L::SharedMemory},
      {"sm_86", 512, 40, 0, 3, L::Threads},
      {"sm_86", 64, 32, 0, 16, L::Blocks},
      {"sm_89", 64, 32, 0, 24, L::Threads},
      {"sm_80", 256, 32, 0, 8, L::Threads},
      {"sm_80", 256, 32, 163 * 1024, 1, L::SharedMemory},
      {"sm_120a", 1024, 32, 0, 1, L::Threads},
      {"sm_100a", 512, 128, 0, 1, L::Registers},
      {"sm_90a", ~0u, ~0u, ~0u, 0, L::Threads},
      {"sm_90a", 32, ~0u, ~0u, 0, L::Registers},
      // A kernel that uses no register is limited by the rest alone.
      {"sm_90a", 256, 0, 0, 8, L::Threads},
  };
  for (const OccupancyCase &c : cases) {
    Occupancy o =
        get(c.target).occupancy(c.threads, c.registers, c.sharedBytes);
    std::string what =
        (Twine(c.target) + " threads=" + Twine(c.threads) +
         " registers=" + Twine(c.registers) + " shared=" + Twine(c.sharedBytes))
            .str();
    EXPECT_EQ(o.blocksPerSM, c.blocks) << what;
    EXPECT_EQ(stringifyOccupancyLimiter(o.limiter),
              stringifyOccupancyLimiter(c.limiter))
        << what;
    EXPECT_EQ(o.warpsPerSM, c.blocks * ((uint64_t(c.threads) + 31) / 32))
        << what;
  }
}

/// By the "Target ISA Notes" of the instructions in the PTX ISA manual: what
/// one capability has, later ones have too.
TEST(GpuTarget, InstructionsFollowTheComputeCapability) {
  for (const GpuTarget &target : GpuTarget::all()) {
    unsigned capability = target.computeMajor * 10 + target.computeMinor;
    EXPECT_EQ(target.wideGlobalAccess, capability >= 100) << target.name.str();
    EXPECT_EQ(target.globalVectorBytes(), capability >= 100 ? 32u : 16u);
    EXPECT_EQ(target.float8, capability >= 89) << target.name.str();
    EXPECT_EQ(target.f64ProductsOf16x8x8, capability >= 90)
        << target.name.str();
  }
  EXPECT_EQ(GpuTarget::getDefault().name, "sm_90a");
}

TEST(GpuTarget, MemoryIsThatOfADevice) {
  for (const GpuTarget &target : GpuTarget::all()) {
    EXPECT_FALSE(target.device.empty()) << target.name.str();
    EXPECT_GT(target.multiprocessors, 0u) << target.name.str();
    EXPECT_GT(target.memoryBytesPerClock, 0) << target.name.str();
  }
  EXPECT_EQ(get("sm_90a").multiprocessors, 132u);
}

/// C7602 of ptxas: 512 threads have 128 registers each, and no more.
TEST(GpuTarget, RegistersOfAThread) {
  for (const GpuTarget &target : GpuTarget::all()) {
    EXPECT_EQ(target.registersPerThread(32), 255u);
    EXPECT_EQ(target.registersPerThread(256), 255u);
    EXPECT_EQ(target.registersPerThread(288), 168u);
    EXPECT_EQ(target.registersPerThread(512), 128u);
    EXPECT_EQ(target.registersPerThread(1024), 64u);
    for (unsigned warps = 1; warps <= 32; ++warps) {
      unsigned most = target.registersPerThread(32 * warps);
      EXPECT_GT(target.occupancy(32 * warps, most, 0).blocksPerSM, 0u);
      if (most < target.maxRegistersPerThread) {
        EXPECT_EQ(target.occupancy(32 * warps, most + 1, 0).blocksPerSM, 0u);
      }
    }
  }
}
