//===- FakeDevice.h - A device whose kernels are lambdas --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H

#include "tilewright/Runtime/Device.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

namespace tilewright::runtime {

/// The arguments of a launch, as a host function sees them.
struct HostArguments {
  const spec::ArgumentBlock &arguments;
  GridSize grid;

  template <typename T> T *pointer(unsigned index) const {
    return reinterpret_cast<T *>(arguments.getBits(index));
  }
  int64_t integer(unsigned index, spec::ElementType type) const {
    return spec::decodeInteger(type, arguments.getBits(index));
  }
  double real(unsigned index, spec::ElementType type) const {
    return spec::decodeReal(type, arguments.getBits(index));
  }
};

/// Memory of the host; a launch calls the function, whatever the image says.
class FakeDevice : public Device {
public:
  using Kernel = std::function<void(const HostArguments &)>;

  explicit FakeDevice(Kernel kernel) : kernel(std::move(kernel)) {
    info.name = "fake";
    info.architecture = "host";
  }
  void setMultiprocessors(unsigned count) { info.multiprocessors = count; }
  ~FakeDevice() override {
    for (auto &[address, memory] : allocations)
      std::free(memory);
  }

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes,
                                         uint64_t offset) override {
    if (bytes > memoryLimit)
      return llvm::createStringError("out of memory on 'fake': " +
                                     llvm::Twine(bytes) + " bytes asked for");
    void *memory = std::aligned_alloc(256, llvm::alignTo(bytes + 512, 256));
    DeviceAddress address =
        reinterpret_cast<DeviceAddress>(memory) + offset + misalignment;
    allocations[address] = memory;
    sizes.push_back(bytes);
    return address;
  }
  llvm::Error free(DeviceAddress address) override {
    auto found = allocations.find(address);
    if (found == allocations.end())
      return llvm::createStringError("not allocated");
    std::free(found->second);
    allocations.erase(found);
    return llvm::Error::success();
  }
  llvm::Error copyToDevice(DeviceAddress target, const void *source,
                           uint64_t bytes) override {
    std::memcpy(reinterpret_cast<void *>(target), source, bytes);
    return llvm::Error::success();
  }
  llvm::Error copyToHost(void *target, DeviceAddress source,
                         uint64_t bytes) override {
    std::memcpy(target, reinterpret_cast<void *>(source), bytes);
    return llvm::Error::success();
  }
  llvm::Error fill(DeviceAddress target, uint8_t value,
                   uint64_t bytes) override {
    std::memset(reinterpret_cast<void *>(target), value, bytes);
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const KernelImage &image) override {
    return std::make_unique<LoadedKernel>(image);
  }
  std::future<void> expectPtx() override {
    ++expectations;
    return {};
  }
  llvm::Error launch(const Launch &launch) override {
    ++launches;
    if (onLaunch)
      onLaunch(launch);
    kernel({launch.arguments, launch.grid});
    return llvm::Error::success();
  }
  bool checksBounds() const override { return hasBoundsChecks; }
  unsigned hostBytesPerByte() const override { return hostBytes; }
  using Device::synchronize;
  llvm::Error synchronize(Interrupt *) override {
    if (failure.empty())
      return llvm::Error::success();
    return llvm::createStringError(failure);
  }
  bool canTime() const override { return !samples.empty(); }
  llvm::Expected<std::vector<double>> time(const Launch &launch,
                                           const TimingPlan &plan) override {
    if (samples.empty())
      return Device::time(launch, plan);
    return samples;
  }

  size_t countAllocations() const { return allocations.size(); }

  Kernel kernel;
  /// Sees all of a launch.
  std::function<void(const Launch &)> onLaunch;
  unsigned launches = 0;
  /// Calls of expectPtx().
  unsigned expectations = 0;
  uint64_t memoryLimit = ~uint64_t(0);
  uint64_t misalignment = 0;
  bool hasBoundsChecks = false;
  unsigned hostBytes = 0;
  /// What allocate() was asked for.
  std::vector<uint64_t> sizes;
  /// What synchronize() fails with.
  std::string failure;
  /// What time() gives.
  std::vector<double> samples;

private:
  std::map<DeviceAddress, void *> allocations;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H
