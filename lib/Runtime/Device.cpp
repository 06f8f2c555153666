//===- Device.cpp - What runs kernels -------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Device.h"

#include "tilewright/Spec/PairedAxes.h"
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

GridSize runtime::getBlocks(const GridSize &grid, int64_t blocks) {
  // As many programs as 64 bits count: more never end anyhow.
  std::optional<int64_t> plane = llvm::checkedMul(grid[0], grid[1]);
  std::optional<int64_t> programs =
      plane ? llvm::checkedMul(*plane, grid[2]) : std::nullopt;
  return {std::min(programs.value_or(blocks), std::max<int64_t>(blocks, 1)), 1,
          1};
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

bool runtime::allowsClusters(const GridSize &grid, unsigned clusterBlocks) {
  return grid[0] <= std::numeric_limits<int32_t>::max() / clusterBlocks;
}

bool runtime::servesBatch(const GridSize &grid,
                          const std::array<unsigned, 3> &blockPrograms,
                          unsigned multiprocessors) {
  GridSize blocks = getBlocks(grid, blockPrograms);
  // As many as 64 bits count are enough.
  std::optional<int64_t> plane = llvm::checkedMul(blocks[0], blocks[1]);
  std::optional<int64_t> all =
      plane ? llvm::checkedMul(*plane, blocks[2]) : std::nullopt;
  bool areFull = llvm::all_of(llvm::seq(3), [&](unsigned axis) {
    // An eighth of all places may stay empty.
    return grid[axis] % blockPrograms[axis] == 0 || blocks[axis] > 8;
  });
  bool isBatch = blockPrograms != std::array<unsigned, 3>{1, 1, 1};
  return !isBatch || multiprocessors == 0 ||
         (areFull && (!all || *all >= int64_t(multiprocessors)));
}

/// Of so many programs, which a multiprocessor does one after the other.
static unsigned choosePartsOfWaves(int64_t programs, int64_t trips,
                                   unsigned multiprocessors) {
  // What a block begins with and ends with takes as long as some trips, and so
  // does the exchange of sums (docs/decisions/0098-products-of-few-rows.md).
  constexpr int64_t around = 2, exchange = 4;
  auto getTrips = [&](unsigned parts) {
    int64_t blocks = llvm::divideCeil(programs * parts, multiprocessors);
    int64_t more = around + (parts > 1 ? exchange : 0);
    return static_cast<double>(blocks) *
           (static_cast<double>(trips) / parts + static_cast<double>(more));
  };
  constexpr unsigned mostParts = 8;
  unsigned best = 1;
  // Of larger clusters fewer multiprocessors find room for one.
  for (unsigned parts = 2; parts <= mostParts; ++parts)
    if (getTrips(parts) < (best == 1 ? 0.95 : 0.9) * getTrips(best))
      best = parts;
  return best;
}

unsigned runtime::chooseProductParts(const GridSize &grid, int64_t trips,
                                     bool areFull, unsigned multiprocessors) {
  // By numbers of trips, so that tests have several.
  if (multiprocessors == 0)
    return (trips & 2) == 0 ? 1 : (trips & 4) == 0 ? 2 : 3;
  if (areFull) {
    // Of many more programs few multiprocessors wait for the last ones.
    int64_t most = int64_t(16) * multiprocessors;
    int64_t programs = getBlocks(grid, most)[0];
    return programs == most
               ? 1
               : choosePartsOfWaves(programs, trips, multiprocessors);
  }
  // Shorter parts gain less than the exchange costs, eight no more than four
  // (docs/decisions/0089-products-in-parts.md).
  constexpr int64_t mostParts = 4, leastTrips = 16;
  int64_t programs = getBlocks(grid, multiprocessors)[0];
  int64_t parts = 1;
  while (parts < mostParts && 2 * parts * programs <= multiprocessors &&
         2 * parts * leastTrips <= trips)
    parts *= 2;
  return static_cast<unsigned>(parts);
}

unsigned runtime::choosePairedAxes(const GridSize &grid,
                                   unsigned multiprocessors) {
  using Axes = spec::PairedAxes;
  if (grid[0] % 2 == 0)
    return Axes::first;
  // The block without a program is slower than others, which in one wave all
  // wait for (docs/decisions/0097-boxes-of-neighbours.md).
  int64_t each = grid[1] * grid[2];
  std::optional<int64_t> all = llvm::checkedMul(grid[0], each);
  auto countWaves = [&](int64_t programs) {
    return llvm::divideCeil(programs, std::max(multiprocessors, 1u));
  };
  bool isSlower =
      multiprocessors != 0 && (!all || countWaves(*all) == 1 ||
                               countWaves(*all + each) > countWaves(*all));
  if (grid[0] > 1 && !isSlower)
    return Axes::first | Axes::uneven;
  return grid[1] % 2 == 0 ? Axes::second : Axes::none;
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
    if (LLVM_UNLIKELY(kernel.hasPairs(axis)) && grid[axis] % 2 != 0)
      return llvm::createStringError(
          llvm::formatv("kernel '{0}' runs pairs of programs along grid axis "
                        "{1}, which has {2}, an odd number: compile it without "
                        "paired axes",
                        kernel.getName(), axis, grid[axis])
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
