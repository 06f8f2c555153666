//===- JitKernel.h - A kernel's source with its variants --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here knows Python: it is what a Kernel object holds, and all of it
// may be called without Python's lock.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_JITKERNEL_H
#define TILEWRIGHT_PYTHON_JITKERNEL_H

#include "tilewright/Compiler/Compile.h"
#include "tilewright/Runtime/HostTensors.h"
#include "tilewright/Runtime/SimulatedDevice.h"
#include "tilewright/Runtime/SpecializedKernel.h"

namespace tilewright::python {

/// A kernel as it was compiled for certain promises.
struct Variant {
  std::string ptx;
  CompiledKernel kernel;

  /// The report, with what ptxas says where there is one. Asked for the first
  /// time it runs ptxas.
  llvm::Expected<const KernelReport *> getReport(const GpuTarget &target);

private:
  std::mutex mutex;
  bool hasResources = false;
};

class JitKernel {
public:
  struct Source {
    std::string text;
    /// Stands for the text in messages.
    std::string name;
  };

  /// Compiles the kernel that the options name, or the only one, without any
  /// knowledge of its launches. With `specializes`, launches get variants of
  /// their own.
  static llvm::Expected<std::unique_ptr<JitKernel>>
  create(Source source, CompileOptions options, bool specializes);

  const Variant &getBase() const { return *base; }
  const GpuTarget &getTarget() const { return options.pipeline.target; }
  llvm::StringRef getName() const { return getBase().kernel.description.name; }
  llvm::ArrayRef<spec::Argument> getArguments() const {
    return getBase().kernel.description.arguments;
  }
  /// All variants so far, the general one first.
  std::vector<Variant *> getVariants();

  /// Fails, always with the same text, where the kernel's clauses do not allow
  /// a launch.
  llvm::Expected<runtime::SpecializedKernel *> getLaunches();

  /// A launch on arrays of the host.
  struct HostLaunch {
    /// One an argument; those of pointers are written by the launch.
    spec::ArgumentBlock &values;
    llvm::ArrayRef<runtime::TensorView> tensors;
    /// Which argument each tensor is.
    llvm::ArrayRef<unsigned> arguments;
    runtime::GridSize grid;
    uintptr_t stream = 0;
    /// What may end it; null: nothing.
    runtime::Interrupt *interrupt = nullptr;
    /// Of a block, in warp instructions; for the simulator.
    uint64_t instructionLimit =
        sim::LaunchOptions().maximumInstructionsPerBlock;
  };
  /// Runs it in the simulator, to its end.
  llvm::Error simulate(const HostLaunch &launch);
  /// The same on a GPU, with copies there and back.
  llvm::Error runOn(runtime::Device &device, const HostLaunch &launch);

  /// What the simulator counted in the last launch there; nothing before.
  std::optional<llvm::json::Value> getSimulation();

private:
  JitKernel(Source source, CompileOptions options);

  llvm::Expected<runtime::KernelImage>
  compileVariant(llvm::ArrayRef<unsigned> divisibility);
  llvm::Expected<std::unique_ptr<Variant>>
  compileWith(const CompileOptions &options) const;

  Source source;
  CompileOptions options;
  std::unique_ptr<Variant> base;
  std::mutex variantsMutex;
  /// For launches, beside the base.
  std::vector<std::unique_ptr<Variant>> variants;

  /// One launch at a time.
  std::timed_mutex simulatorMutex;
  runtime::SimulatedDevice simulator;

  std::string launchFailure;
  // Last: its loaded kernels must not outlive the simulator.
  std::unique_ptr<runtime::SpecializedKernel> launches;
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

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_JITKERNEL_H
