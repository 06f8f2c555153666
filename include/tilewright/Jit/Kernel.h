//===- Kernel.h - A kernel that is launched on any device -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a Kernel object of Python holds; nothing here knows Python, and any
// thread may call all of it.
//
//   auto kernel = Kernel::create(fromText(text, name), options, settings);
//   auto launches = (*kernel)->getLaunches();       // on memory of a device
//   Error error = (*kernel)->simulate(launch);      // on copies of arrays
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_KERNEL_H
#define TILEWRIGHT_JIT_KERNEL_H

#include "tilewright/Jit/SpecializedKernel.h"
#include "tilewright/Jit/Variants.h"
#include "tilewright/Runtime/SimulatedDevice.h"
#include "tilewright/Runtime/TensorCopies.h"

namespace tilewright::jit {

class Kernel {
public:
  struct Settings {
    /// Launches get variants of their own.
    bool specializes = true;
    /// Variants are compiled when they are needed, also the general one, which
    /// tells else at once that the kernel cannot be compiled.
    bool isLazy = false;
    /// How users name a kernel of a source, say how many instructions the
    /// simulator runs, and name arrays that are meant to race; for messages.
    std::string kernelOption, limitOption, racesOption;
    /// Takes what the kernel prints in the simulator; null: standard output.
    std::function<void(llvm::StringRef)> print = nullptr;
  };

  /// Makes the kernel that the options name, or the only one. `cache` and
  /// `notes`: as of a VariantSet.
  static llvm::Expected<std::unique_ptr<Kernel>>
  create(KernelSource source, CompileOptions options, const Settings &settings,
         std::optional<KernelCache> cache = std::nullopt,
         std::string notes = "");
  /// Makes a kernel whose program was found in a cache.
  static llvm::Expected<std::unique_ptr<Kernel>>
  restore(KernelSource source, CompileOptions options, const Settings &settings,
          KernelCache cache, spec::KernelDescription description);

  const GpuTarget &getTarget() const { return variants->getTarget(); }
  llvm::StringRef getName() const { return variants->getDescription().name; }
  llvm::ArrayRef<spec::Argument> getArguments() const {
    return variants->getArguments();
  }
  /// Its code in variants, as far as they are made.
  VariantSet &getVariants() { return *variants; }

  /// Fails, always with the same text, where the kernel's clauses do not allow
  /// a launch.
  llvm::Expected<SpecializedKernel *> getLaunches();

  /// A launch on copies of arrays, which then go back.
  struct CopyingLaunch {
    /// The values of arguments; those of pointers are written by the launch.
    spec::ArgumentBlock &values;
    llvm::ArrayRef<runtime::TensorView> tensors;
    /// Which argument each tensor is; those behind them are none, and reached
    /// by addresses.
    llvm::ArrayRef<unsigned> arguments;
    runtime::GridSize grid;
    /// What SpecializedKernel::compareTensors() says of the tensors.
    runtime::Overlap overlap = {};
    uintptr_t stream = 0;
    /// The device in whose memory the arrays are; null: they are in the host's.
    runtime::Device *owner = nullptr;
    /// What may end it; null: nothing.
    runtime::Interrupt *interrupt = nullptr;
    /// The most warp instructions of a block; for the simulator.
    uint64_t instructionLimit =
        sim::LaunchOptions().maximumInstructionsPerBlock;
  };
  /// Runs it in the simulator, to its end.
  llvm::Error simulate(const CopyingLaunch &launch);
  /// The same on a GPU.
  llvm::Error runOn(runtime::Device &device, const CopyingLaunch &launch);

  /// What the simulator counted in the last launch there; nothing before.
  std::optional<llvm::json::Value> getSimulation();

private:
  Kernel(std::unique_ptr<VariantSet> variants, const Settings &settings);
  void makeLaunches(const Settings &settings);

  std::unique_ptr<VariantSet> variants;

  /// One launch at a time.
  std::timed_mutex simulatorMutex;
  runtime::SimulatedDevice simulator;

  std::string launchFailure;
  // Last: its loaded kernels must not outlive the simulator.
  std::unique_ptr<SpecializedKernel> launches;
};

/// What the simulator found wrong with a kernel.
class SimulatorFindings : public llvm::ErrorInfo<SimulatorFindings> {
public:
  static char ID;

  explicit SimulatorFindings(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// The GPU of that number, opened at its first use and kept for good.
llvm::Expected<runtime::Device *> openGpu(unsigned ordinal);
/// The same; null where nobody has opened it yet.
runtime::Device *findGpu(unsigned ordinal);

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_KERNEL_H
