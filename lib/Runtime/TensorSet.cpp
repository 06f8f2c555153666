//===- TensorSet.cpp - The tensors of a launch, fenced --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace tilewright;
using namespace tilewright::runtime;

/// Keeps the tensor's alignment.
static constexpr uint64_t maxGuardSize = 4096;
/// Read as a number of any float type it is a NaN or very large, so reading a
/// guard spoils a result.
static constexpr uint8_t guardByte = 0xfd;

TensorSet::TensorSet(Device &device, const spec::KernelSpec &spec,
                     const spec::Binding &binding)
    : device(device), spec(spec), binding(binding),
      guardSize(device.checksBounds() ? 0 : maxGuardSize) {}

/// "tensor 'A' [4096, 4096] of f16".
std::string TensorSet::describe(unsigned argument) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor '" << spec.getArguments()[argument].name << "' "
     << llvm::interleaved_array(binding.extents[argument]) << " of "
     << getName(spec.getArguments()[argument].type);
  return text;
}

llvm::Error TensorSet::add(unsigned argument, TensorRole role,
                           uint64_t offset) {
  uint64_t byteSize = binding.getElementCount(argument) *
                      getByteSize(spec.getArguments()[argument].type);
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError(describe(argument) + ": " +
                                   llvm::toString(std::move(error)));
  };
  llvm::Expected<DeviceBuffer> buffer =
      DeviceBuffer::allocate(device, byteSize + 2 * guardSize, offset);
  if (!buffer)
    return fail(buffer.takeError());
  DeviceAddress address = buffer->getAddress() + guardSize;
  Tensor tensor{argument,           role,    byteSize,
                std::move(*buffer), address, HostBuffer()};
  if (tensor.hasInitial()) {
    llvm::Expected<HostBuffer> initial = HostBuffer::allocate(byteSize);
    if (!initial)
      return fail(initial.takeError());
    tensor.initial = std::move(*initial);
  }
  tensors.push_back(std::move(tensor));
  return llvm::Error::success();
}

llvm::Expected<TensorSet> TensorSet::create(Device &device,
                                            const spec::KernelSpec &spec,
                                            const spec::Binding &binding,
                                            llvm::ArrayRef<TensorRole> roles,
                                            uint64_t offset) {
  uint64_t largest = 0;
  uint64_t needed = 0;
  for (auto [argument, role] : llvm::enumerate(roles)) {
    if (!spec.getArguments()[argument].isPointer())
      continue;
    uint64_t bytes = binding.getElementCount(argument) *
                     getByteSize(spec.getArguments()[argument].type);
    largest = std::max(largest, bytes);
    const unsigned copies =
        device.hostBytesPerByte() + (role != TensorRole::Output);
    needed = llvm::SaturatingMultiplyAdd<uint64_t>(bytes, copies, needed);
  }
  needed = llvm::SaturatingAdd(needed, largest);
  if (uint64_t memory = getHostMemory(); needed > memory)
    return llvm::createStringError(
        llvm::formatv("the tensors of '{0}' need {1} bytes of host memory to "
                      "fill and check; this machine has {2}",
                      spec.getName(), needed, memory)
            .str());

  TensorSet set(device, spec, binding);
  for (auto [argument, role] : llvm::enumerate(roles))
    if (spec.getArguments()[argument].isPointer())
      if (llvm::Error error = set.add(argument, role, offset))
        return error;
  llvm::Expected<HostBuffer> readBuffer = HostBuffer::allocate(largest);
  if (!readBuffer)
    return readBuffer.takeError();
  set.readBuffer = std::move(*readBuffer);
  return set;
}

void TensorSet::fill(const RandomFill &fill) {
  for (Tensor &tensor : tensors) {
    if (!tensor.hasInitial())
      continue;
    RandomFill own = fill;
    own.seed = getRandomBits(fill.seed, tensor.argument);
    own.range = binding.ranges[tensor.argument];
    fillRandom(spec.getArguments()[tensor.argument].type, tensor.initial.data(),
               binding.getElementCount(tensor.argument), own);
  }
}

llvm::Error TensorSet::fillGuard(DeviceAddress address) {
  if (guardSize == 0)
    return llvm::Error::success();
  return device.fill(address, guardByte, guardSize);
}

llvm::Error TensorSet::prepare(uint8_t poison) {
  for (Tensor &tensor : tensors) {
    DeviceAddress address = tensor.address;
    for (DeviceAddress guard : {address - guardSize, address + tensor.byteSize})
      if (llvm::Error error = fillGuard(guard))
        return error;
    if (tensor.byteSize == 0)
      continue;
    if (llvm::Error error =
            tensor.hasInitial()
                ? device.copyToDevice(address, tensor.initial.data(),
                                      tensor.byteSize)
                : device.poison(address, poison, tensor.byteSize))
      return error;
  }
  return llvm::Error::success();
}

spec::ArgumentBlock TensorSet::getArguments() const {
  spec::ArgumentBlock arguments(spec.getArguments());
  for (auto [index, argument] : llvm::enumerate(spec.getArguments()))
    if (!argument.isPointer())
      arguments.set(index, binding.scalars.getBits(index));
  for (const Tensor &tensor : tensors)
    arguments.set(tensor.argument, tensor.address);
  return arguments;
}

llvm::SmallVector<const void *> TensorSet::getHostData() const {
  llvm::SmallVector<const void *> data(spec.getArguments().size(), nullptr);
  for (const Tensor &tensor : tensors)
    data[tensor.argument] = tensor.initial.data();
  return data;
}

llvm::Expected<const void *> TensorSet::read(unsigned argument) {
  for (const Tensor &tensor : tensors)
    if (tensor.argument == argument && tensor.byteSize != 0)
      if (llvm::Error error = device.copyToHost(
              readBuffer.data(), tensor.address, tensor.byteSize))
        return error;
  return readBuffer.data();
}

llvm::Error TensorSet::checkGuard(const Tensor &tensor, bool isAfter,
                                  std::vector<std::string> &violations) {
  if (guardSize == 0)
    return llvm::Error::success();
  std::vector<uint8_t> guard(guardSize);
  DeviceAddress address = tensor.address;
  if (llvm::Error error = device.copyToHost(guard.data(),
                                            isAfter ? address + tensor.byteSize
                                                    : address - guardSize,
                                            guard.size()))
    return error;
  auto isOverwritten = [](uint8_t byte) { return byte != guardByte; };
  unsigned count = llvm::count_if(guard, isOverwritten);
  if (count == 0)
    return llvm::Error::success();
  // The distance of the nearest overwritten byte from the tensor.
  uint64_t distance =
      isAfter ? llvm::find_if(guard, isOverwritten) - guard.begin()
              : std::find_if(guard.rbegin(), guard.rend(), isOverwritten) -
                    guard.rbegin() + 1;
  violations.push_back(
      llvm::formatv("out-of-bounds write: {0} bytes {1} {2} were overwritten, "
                    "the nearest {3} bytes {4}",
                    count, isAfter ? "after" : "before",
                    describe(tensor.argument), distance,
                    isAfter ? "past its end" : "before its start")
          .str());
  return llvm::Error::success();
}

/// The first position where two memories differ; nothing if they do not.
static std::optional<uint64_t> findDifference(const char *a, const char *b,
                                              uint64_t bytes) {
  constexpr uint64_t chunk = 1 << 20;
  uint64_t chunks = llvm::divideCeil(bytes, chunk);
  std::vector<char> differs(chunks, 0);
  llvm::parallelFor(0, chunks, [&](size_t i) {
    uint64_t begin = i * chunk;
    differs[i] =
        std::memcmp(a + begin, b + begin, std::min(chunk, bytes - begin)) != 0;
  });
  auto first = llvm::find(differs, 1);
  if (first == differs.end())
    return std::nullopt;
  uint64_t position = (first - differs.begin()) * chunk;
  while (a[position] == b[position])
    ++position;
  return position;
}

llvm::Error TensorSet::checkUnchanged(const Tensor &tensor,
                                      std::vector<std::string> &violations) {
  llvm::Expected<const void *> now = read(tensor.argument);
  if (!now)
    return now.takeError();
  std::optional<uint64_t> difference = findDifference(
      tensor.initial.data(), static_cast<const char *>(*now), tensor.byteSize);
  if (difference)
    violations.push_back(
        llvm::formatv(
            "input overwritten: element {0} of {1}, which no "
            "reference writes, was changed",
            *difference /
                getByteSize(spec.getArguments()[tensor.argument].type),
            describe(tensor.argument))
            .str());
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> TensorSet::findViolations() {
  std::vector<std::string> violations;
  for (const Tensor &tensor : tensors) {
    for (bool isAfter : {false, true})
      if (llvm::Error error = checkGuard(tensor, isAfter, violations))
        return error;
    if (tensor.role == TensorRole::Input)
      if (llvm::Error error = checkUnchanged(tensor, violations))
        return error;
  }
  return violations;
}
