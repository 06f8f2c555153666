//===- KernelRunner.h - Runs, checks and times a kernel ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a kernel's description, its code and the values of its scalars to an
// answer: is it right, and how fast is it?
//
//   Expected<ScalarValues> scalars = ScalarValues::parse(spec, "M=4096
//   N=4096"); Expected<KernelRunner> runner =
//       KernelRunner::create(device, spec, image, *scalars);
//   RunOptions options;
//   options.timing = TimingPlan();
//   Expected<RunResult> result = runner->run(options);
//   result->print(llvm::outs());
//   return result->passed() ? 0 : 1;
//
// A run fills the inputs with random numbers, poisons the outputs, puts guards
// around every tensor, launches once, compares the outputs with the references
// on the host, and only then times.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_KERNELRUNNER_H
#define TILEWRIGHT_RUNTIME_KERNELRUNNER_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Runtime/RunResult.h"
#include "tilewright/Spec/ReferenceProgram.h"

namespace tilewright::runtime {

struct RunOptions {
  /// Chooses the contents of the inputs, and the sample of a large output.
  uint64_t seed = 0;
  /// Sprinkle NaNs, infinities, zeros of both signs and denormals.
  bool hasSpecials = false;
  /// Where every tensor begins: bytes past a multiple of
  /// Device::allocationAlignment, and fewer.
  uint64_t offset = 0;
  /// Compare with the references, and look for stray writes.
  bool checks = true;
  CheckOptions check;
  /// Time the kernel; the device must be able to.
  std::optional<TimingPlan> timing;
  /// What may end a launch; null: nothing.
  Interrupt *interrupt = nullptr;
};

class KernelRunner {
public:
  /// Everything that can be said without memory: sizes, the grid's limits, the
  /// references. \p device and \p spec must outlive the runner.
  static llvm::Expected<KernelRunner> create(Device &device,
                                             const spec::KernelSpec &spec,
                                             KernelImage image,
                                             const spec::ScalarValues &scalars);

  /// Fails where the kernel could not be run or a device fails. A kernel that
  /// runs and is wrong is a result, not an error. A grid with an axis of 0
  /// blocks launches nothing, and the outputs are checked all the same.
  llvm::Expected<RunResult> run(const RunOptions &options);

private:
  KernelRunner(Device &device, const spec::KernelSpec &spec, KernelImage image,
               spec::Binding binding);

  bool hasBlocks() const;
  RunResult describeRun(const LoadedKernel &kernel) const;
  uint64_t countBytesMoved() const;
  llvm::Error explainFault(llvm::Error error) const;

  Device *device;
  const spec::KernelSpec *spec;
  KernelImage image;
  spec::Binding binding;
  /// The role of each argument; meaningless for scalars.
  std::vector<TensorRole> roles;
  /// One for each reference.
  std::vector<spec::ReferenceProgram> programs;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_KERNELRUNNER_H
