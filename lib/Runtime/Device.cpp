//===- Device.cpp - What runs kernels -------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::runtime;

LoadedKernel::~LoadedKernel() = default;

llvm::Expected<LoadedKernel::TensorMapValues>
LoadedKernel::evaluateTensorMaps(const spec::ArgumentBlock &arguments) const {
  TensorMapValues values;
  for (const spec::TensorMap &map : tensorMaps) {
    std::optional<spec::TensorMapValues> found = evaluate(map, arguments);
    if (!found)
      return llvm::createStringError(
          "kernel '" + name + "' reaches argument " + llvm::Twine(map.pointer) +
          " through a tensor map, which takes an address and strides that are "
          "multiples of 16 bytes, strides below 2^40, and extents from 1 to "
          "2^31 - 2^20 - 1; compile it without tensor maps");
    values.push_back(std::move(*found));
  }
  return values;
}

int64_t runtime::countAll(const GridSize &grid) {
  // More than 64 bits count never end anyhow.
  std::optional<int64_t> plane = llvm::checkedMul(grid[0], grid[1]);
  std::optional<int64_t> all =
      plane ? llvm::checkedMul(*plane, grid[2]) : std::nullopt;
  return all.value_or(std::numeric_limits<int64_t>::max());
}

GridSize runtime::getBlocks(const GridSize &grid, int64_t blocks) {
  return {std::min(countAll(grid), std::max<int64_t>(blocks, 1)), 1, 1};
}

GridSize runtime::getBlocks(const GridSize &grid,
                            const std::array<unsigned, 3> &blockPrograms,
                            unsigned clusterBlocks) {
  GridSize blocks;
  for (auto [axis, programs] : llvm::enumerate(blockPrograms))
    blocks[axis] = llvm::divideCeil(grid[axis], programs);
  blocks[0] *= clusterBlocks;
  return blocks;
}

Device::~Device() = default;
Interrupt::~Interrupt() = default;
char InterruptedError::ID = 0;

llvm::Error Device::allocateAt(DeviceAddress, uint64_t) {
  return llvm::createStringError("memory of the device '" + info.name +
                                 "' is where the device wants it");
}

llvm::Expected<std::vector<double>> Device::time(const Launch &,
                                                 const TimingPlan &) {
  return llvm::createStringError(llvm::Twine("the device '") + info.name +
                                 "' cannot time kernels");
}

llvm::Error runtime::verifyGrid(llvm::StringRef kernel, const GridSize &grid) {
  constexpr GridSize limits = {2147483647, 65535, 65535};
  for (auto [axis, blocks] : llvm::enumerate(grid)) {
    if (blocks < 1)
      return llvm::createStringError(
          llvm::formatv("kernel '{0}': grid axis {1} has {2} blocks; at least "
                        "1 is needed",
                        kernel, axis, blocks)
              .str());
    if (blocks > limits[axis])
      return llvm::createStringError(
          llvm::formatv("kernel '{0}': grid axis {1} has {2} blocks, more than "
                        "the {3} that a GPU can launch; {4}",
                        kernel, axis, blocks, limits[axis],
                        axis == 0 ? "use larger tiles, or let a block compute "
                                    "several"
                                  : "put the largest axis on grid axis 0, "
                                    "which takes 2147483647")
              .str());
  }
  return llvm::Error::success();
}

llvm::Error runtime::verifyGrid(const LoadedKernel &kernel,
                                const GridSize &grid) {
  if (llvm::Error error = verifyGrid(kernel.getName(), grid))
    return error;
  for (unsigned axis : llvm::seq(3))
    if (unsigned programs = kernel.getBlockPrograms()[axis];
        LLVM_UNLIKELY(kernel.hasPairs(axis)) && grid[axis] % programs != 0)
      return llvm::createStringError(
          llvm::formatv("kernel '{0}' runs clusters of {1} programs along grid "
                        "axis {2}, which has {3}, no multiple: compile it "
                        "without paired axes",
                        kernel.getName(), programs, axis, grid[axis])
              .str());
  return llvm::Error::success();
}

std::string runtime::toString(const GridSize &grid) {
  return llvm::formatv("{0} x {1} x {2}", grid[0], grid[1], grid[2]).str();
}

llvm::Expected<DeviceBuffer>
DeviceBuffer::allocate(Device &device, uint64_t bytes, uint64_t offset) {
  llvm::Expected<DeviceAddress> address = device.allocate(bytes, offset);
  if (!address)
    return address.takeError();
  return DeviceBuffer(device, *address, bytes);
}

llvm::Expected<DeviceBuffer> DeviceBuffer::allocateAt(Device &device,
                                                      DeviceAddress address,
                                                      uint64_t bytes) {
  if (llvm::Error error = device.allocateAt(address, bytes))
    return error;
  return DeviceBuffer(device, address, bytes);
}

DeviceBuffer::~DeviceBuffer() {
  // After a kernel's failure the memory is gone with the context, and the
  // failure has been reported.
  if (device)
    llvm::consumeError(device->free(address));
}
