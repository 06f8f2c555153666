//===- SimulatedDevice.h - The PTX simulator as a device --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_SIMULATEDDEVICE_H
#define TILEWRIGHT_RUNTIME_SIMULATEDDEVICE_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Simulator/Launch.h"
#include <functional>

namespace tilewright::runtime {

/// A device without a GPU: PTX runs in the simulator, one launch at a time.
/// What the simulator finds wrong with a kernel (races, bad accesses, a
/// deadlock) comes back from synchronize() as an error. It cannot time.
class SimulatedDevice : public Device {
public:
  explicit SimulatedDevice(sim::LaunchOptions options = {});
  ~SimulatedDevice() override;

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes,
                                         uint64_t offset) override;
  llvm::Error allocateAt(DeviceAddress address, uint64_t bytes) override;
  void setName(DeviceAddress address, llvm::StringRef name) override;
  void allowRaces(DeviceAddress address) override;
  llvm::Error free(DeviceAddress address) override;
  llvm::Error copyToDevice(DeviceAddress target, const void *source,
                           uint64_t bytes) override;
  llvm::Error copyToHost(void *target, DeviceAddress source,
                         uint64_t bytes) override;
  llvm::Error fill(DeviceAddress target, uint8_t value,
                   uint64_t bytes) override;
  llvm::Error forget(DeviceAddress target, uint64_t bytes) override;
  llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const KernelImage &image) override;
  llvm::Error launch(const Launch &launch) override;
  using Device::synchronize;
  llvm::Error synchronize(Interrupt *interrupt) override;
  bool checksBounds() const override { return true; }
  /// The byte, and whether it was written.
  unsigned hostBytesPerByte() const override { return 2; }

  /// Limits the launches from now on.
  void setInstructionLimit(uint64_t warpInstructionsPerBlock) {
    options.maximumInstructionsPerBlock = warpInstructionsPerBlock;
  }
  /// The same: chooses the order of warps and blocks (sim::LaunchOptions).
  void setSeed(std::optional<uint64_t> seed) { options.seed = seed; }
  /// Takes what kernels print, at the end of each launch. Without it, that goes
  /// to standard output.
  void setPrinter(std::function<void(llvm::StringRef)> printer) {
    print = std::move(printer);
  }
  /// The seed that the environment asks for, by TILEWRIGHT_SIM_SEED.
  static llvm::Expected<std::optional<uint64_t>> readSeed();

  /// What the last launch counted and found.
  const std::optional<sim::LaunchReport> &getLastReport() const {
    return lastReport;
  }

private:
  sim::LaunchOptions options;
  std::function<void(llvm::StringRef)> print;
  sim::Gpu device;
  std::optional<sim::LaunchReport> lastReport;
  /// Findings that synchronize() has not told yet.
  std::string pendingFindings;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_SIMULATEDDEVICE_H
