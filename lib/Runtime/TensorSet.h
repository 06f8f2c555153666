//===- TensorSet.h - The tensors of a launch, fenced ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tensor stands on the device between two guards, whose bytes must survive
// the launch; on a device that checks bounds itself, alone. Inputs have random
// contents with a copy on the host; outputs are filled with a poison byte, so
// that elements that are never written show.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_TENSORSET_H
#define TILEWRIGHT_LIB_RUNTIME_TENSORSET_H

#include "HostBuffer.h"
#include "tilewright/Runtime/RandomFill.h"
#include "tilewright/Runtime/RunResult.h"
#include "tilewright/Spec/KernelSpec.h"

namespace tilewright::runtime {

class TensorSet {
public:
  /// Reserves memory; no contents yet. \p roles is by argument; every tensor
  /// begins \p offset bytes past a multiple of Device::allocationAlignment.
  static llvm::Expected<TensorSet> create(Device &device,
                                          const spec::KernelSpec &spec,
                                          const spec::Binding &binding,
                                          llvm::ArrayRef<TensorRole> roles,
                                          uint64_t offset);

  /// Draws the contents of everything but the outputs, on the host.
  void fill(const RandomFill &fill);

  /// Brings the device to the state before a launch.
  llvm::Error prepare(uint8_t poison);

  /// The launch's arguments, in order.
  spec::ArgumentBlock getArguments() const;

  /// The contents from before the launch, by argument; null for scalars and
  /// outputs.
  llvm::SmallVector<const void *> getHostData() const;

  /// A tensor's contents on the device, valid until the next call.
  llvm::Expected<const void *> read(unsigned argument);

  /// Which guards and inputs the kernel overwrote, in words.
  llvm::Expected<std::vector<std::string>> findViolations();

private:
  struct Tensor {
    unsigned argument;
    TensorRole role;
    uint64_t byteSize;
    DeviceBuffer buffer;
    DeviceAddress address;
    /// Empty for outputs.
    HostBuffer initial;

    bool hasInitial() const { return role != TensorRole::Output; }
  };

  TensorSet(Device &device, const spec::KernelSpec &spec,
            const spec::Binding &binding);

  llvm::Error add(unsigned argument, TensorRole role, uint64_t offset);
  llvm::Error fillGuard(DeviceAddress address);
  llvm::Error checkGuard(const Tensor &tensor, bool isAfter,
                         std::vector<std::string> &violations);
  llvm::Error checkUnchanged(const Tensor &tensor,
                             std::vector<std::string> &violations);
  std::string describe(unsigned argument) const;

  Device &device;
  const spec::KernelSpec &spec;
  const spec::Binding &binding;
  /// Bytes before and after each tensor.
  uint64_t guardSize;
  std::vector<Tensor> tensors;
  /// As large as the largest tensor.
  HostBuffer readBuffer;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_TENSORSET_H
