//===- Launch.h - Run a kernel in the simulator -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is run on the host, one warp instruction after the other. What a GPU
// would leave to chance is found: races, addresses of nobody, barriers that not
// all reach. What it would count is counted.
//
//   sim::Module module = llvm::cantFail(sim::Module::parse(ptx));
//   sim::Gpu device;
//   uint64_t x = llvm::cantFail(device.allocate(4096));
//   llvm::cantFail(device.write(x, hostBytes));
//   sim::LaunchReport report = llvm::cantFail(sim::launch(
//       module, "scale", device, /*grid=*/{8}, /*block=*/{128},
//       /*dynamicSharedBytes=*/0,
//       sim::ArgumentBlock().add(x).add(int32_t(1024)).bytes()));
//   for (const sim::Finding &finding : report.findings)
//     llvm::errs() << finding.message << "\n";
//   llvm::cantFail(device.read(x, hostBytes));
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SIMULATOR_LAUNCH_H
#define TILEWRIGHT_SIMULATOR_LAUNCH_H

#include "tilewright/Simulator/Gpu.h"
#include "tilewright/Simulator/LaunchReport.h"
#include "tilewright/Simulator/Module.h"
#include <functional>
#include <optional>

namespace tilewright::sim {

struct LaunchOptions {
  /// Without a seed, warps and blocks run in their order and each as far as it
  /// gets. With one, the next of them and the length of its turn are drawn at
  /// random, which brings out code that relies on an order, on one host thread.
  std::optional<uint64_t> seed;
  /// Blocks that a multiprocessor keeps at once, where the caller knows (it may
  /// know the registers); 0: as the limits of the device say.
  unsigned residentBlocksPerMultiprocessor = 0;
  /// Blocks of a cluster, where the kernel does not say it itself.
  std::optional<Dim3> cluster;
  bool checkRaces = true;
  bool checkUninitialized = true;
  /// A `fence.proxy.async` makes visible what its own thread has written. With
  /// this, also what others have written and a barrier has ordered before it:
  /// PTX does not say so, and Triton relies on it.
  bool readersMayFenceProxy = false;
  /// Sectors and wavefronts; instructions are always counted.
  bool countAccesses = true;
  /// Host threads; 0: one for each core. Blocks that see what others do, by
  /// atomics or volatile accesses, take turns on one.
  unsigned threads = 0;
  /// The launch ends with a finding after this many warp instructions in one
  /// block, so that an endless loop does not hang.
  uint64_t maximumInstructionsPerBlock = uint64_t(1) << 28;
  /// What sets that limit, for the finding.
  std::string limitOption = "the simulator";
  /// What names arrays that are meant to race (Gpu::allowRaces), for whoever is
  /// told of a race in one; empty: nothing that a user could say.
  std::string racesOption;
  unsigned maximumFindings = 100; ///< distinct ones that are kept
  /// Called from one thread at a time with blocks finished and in all: for each
  /// that has finished, and some ten times a second. The last call has two
  /// equal numbers, also where the launch was cut short.
  std::function<void(uint64_t, uint64_t)> progress;
  /// Called some ten times a second, from the thread that launches. True ends
  /// the launch, with a finding that says where it was.
  std::function<bool()> isInterrupted;
};

/// Runs `kernel` to its end. `arguments` is the argument block as the CUDA
/// driver packs it (see KernelInfo::parameters for the offsets).
///
/// An error means that the launch could not start: unknown kernel, an extent
/// of zero or over a limit, too much shared memory, or arguments of a wrong
/// size. What goes wrong while running is in the report.
llvm::Expected<LaunchReport>
launch(const Module &module, llvm::StringRef kernel, Gpu &device, Dim3 grid,
       Dim3 block, uint64_t dynamicSharedBytes,
       llvm::ArrayRef<uint8_t> arguments, const LaunchOptions &options = {});

/// Packs kernel arguments, each at its natural alignment:
///   ArgumentBlock().add(pointer).add(int32_t(5)).bytes()
class ArgumentBlock {
public:
  template <class T> ArgumentBlock &add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    block.resize((block.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto *data = reinterpret_cast<const uint8_t *>(&value);
    block.insert(block.end(), data, data + sizeof(T));
    return *this;
  }
  llvm::ArrayRef<uint8_t> bytes() const { return block; }

private:
  std::vector<uint8_t> block;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_SIMULATOR_LAUNCH_H
