//===- TestRun.cpp - Runs a test on a device ------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestRun.h"

#include "tilewright/Runtime/RandomFill.h"
#include "tilewright/Spec/ElementCodec.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;
using spec::ElementType;

/// What fills the memory that a kernel has to write, and what fills it in a
/// second launch, where some of it still looks as before the first.
static constexpr char poison = static_cast<char>(0xa5);
static constexpr char secondPoison = 0x3c;

/// The bits that arithmetic treats specially, of integers and of floats.
static SmallVector<uint64_t> getSpecials(ElementType type) {
  SmallVector<uint64_t> specials;
  if (type == ElementType::I1)
    return {0, 1};
  uint64_t sign = uint64_t(1) << (8 * spec::getByteSize(type) - 1);
  if (spec::isInteger(type))
    return {0, 1, ~uint64_t(0), sign, sign - 1, sign + 1};
  double smallest = spec::getSmallestDenormal(type);
  double largest = spec::getLargestFinite(type);
  for (double value : {0.0, 1.0, smallest, largest, double(INFINITY)})
    for (double signedValue : {value, -value})
      specials.push_back(spec::encodeReal(type, signedValue));
  uint64_t nan = spec::encodeReal(type, NAN);
  uint64_t smallestNormal =
      spec::encodeReal(type, smallest / (2 * spec::getUnitRoundoff(type)));
  specials.append({nan, nan | sign, smallestNormal, smallestNormal - 1,
                   smallestNormal | sign, (smallestNormal - 1) | sign});
  return specials;
}

/// Half of the elements ordinary numbers, a quarter random bits, a quarter
/// special or small ones.
static void fillAny(ElementType type, void *data, uint64_t count,
                    uint64_t seed) {
  runtime::fillRandom(type, data, count, {seed, /*hasSpecials=*/false});
  SmallVector<uint64_t> specials = getSpecials(type);
  uint64_t choiceSeed = runtime::getRandomBits(seed, ~uint64_t(0));
  unsigned byteSize = spec::getByteSize(type);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t random = runtime::getRandomBits(choiceSeed, i);
    uint64_t choice = random >> 60;
    uint64_t bits = random & 63;
    if (choice < 3 || type == ElementType::I1)
      bits = specials[(random & 0xffffffff) % specials.size()];
    else if (choice >= 4 && choice < 8)
      bits = runtime::getRandomBits(random, i);
    else if (choice >= 8)
      continue;
    spec::writeElement(type, static_cast<char *>(data) + i * byteSize, bits);
  }
}

static std::vector<char> makeBuffer(const TestArgument &argument,
                                    uint64_t seed) {
  std::vector<char> bytes(argument.getByteSize(), poison);
  switch (argument.contents) {
  case Contents::Poison:
    break;
  case Contents::Any:
    fillAny(argument.declared.type, bytes.data(), argument.count, seed);
    break;
  case Contents::Normal:
    runtime::fillRandom(argument.declared.type, bytes.data(), argument.count,
                        {seed, /*hasSpecials=*/false});
    break;
  case Contents::Iota:
    spec::dispatchElementType(argument.declared.type, [&](auto codec) {
      for (uint64_t i = 0; i < argument.count; ++i)
        codec.store(bytes.data(), i, codec.encode(i));
    });
    break;
  case Contents::Zero:
    fill(bytes, 0);
    break;
  }
  return bytes;
}

BufferBytes diff::makeContents(const KernelTest &test) {
  BufferBytes contents;
  for (auto [index, argument] : enumerate(test.arguments))
    contents.push_back(
        argument.declared.isPointer()
            ? makeBuffer(argument, runtime::getRandomBits(test.seed, index))
            : std::vector<char>());
  return contents;
}

static Expected<BufferBytes> launch(runtime::Device &device,
                                    const KernelTest &test,
                                    const BufferBytes &contents) {
  std::vector<runtime::DeviceBuffer> buffers;
  spec::ArgumentBlock arguments(
      to_vector(map_range(test.arguments, [](const TestArgument &argument) {
        return argument.declared;
      })));
  for (auto [index, argument] : enumerate(test.arguments)) {
    const std::vector<char> &bytes = contents[index];
    if (!argument.declared.isPointer()) {
      arguments.set(index, argument.bits);
      continue;
    }
    Expected<runtime::DeviceBuffer> buffer =
        runtime::DeviceBuffer::allocate(device, bytes.size());
    if (!buffer)
      return buffer.takeError();
    if (Error error = device.copyToDevice(buffer->getAddress(), bytes.data(),
                                          bytes.size()))
      return error;
    arguments.set(index, buffer->getAddress());
    buffers.push_back(std::move(*buffer));
  }

  Expected<std::unique_ptr<runtime::LoadedKernel>> kernel =
      device.load(test.image);
  if (!kernel)
    return kernel.takeError();
  bool hasBlocks = !is_contained(test.grid, 0);
  if (hasBlocks)
    if (Error error = device.launch({**kernel, test.grid, arguments}))
      return error;
  if (Error error = device.synchronize())
    return error;

  BufferBytes results = contents;
  auto buffer = buffers.begin();
  for (auto [argument, bytes] : zip(test.arguments, results))
    if (argument.declared.isPointer())
      if (Error error = device.copyToHost(
              bytes.data(), (buffer++)->getAddress(), bytes.size()))
        return error;
  return results;
}

/// The elements of poisoned memory that still hold only \p poison, by argument.
static std::vector<std::vector<bool>>
findPoison(const KernelTest &test, const BufferBytes &results, char poison) {
  std::vector<std::vector<bool>> found(test.arguments.size());
  for (auto [argument, bytes, isPoison] : zip(test.arguments, results, found)) {
    if (!argument.declared.isPointer() || argument.contents != Contents::Poison)
      continue;
    unsigned byteSize = spec::getByteSize(argument.declared.type);
    for (uint64_t i = 0; i < argument.count; ++i)
      isPoison.push_back(all_of(ArrayRef(bytes).slice(i * byteSize, byteSize),
                                [&](char byte) { return byte == poison; }));
  }
  return found;
}

/// Fails where an element is left as it was in both of two launches.
static Error verifyWritten(const KernelTest &test,
                           const std::vector<std::vector<bool>> &afterFirst,
                           const std::vector<std::vector<bool>> &afterSecond) {
  for (auto [argument, first, second] :
       zip(test.arguments, afterFirst, afterSecond)) {
    uint64_t unwritten = 0;
    for (auto [a, b] : zip(first, second))
      unwritten += a && b;
    if (unwritten)
      return createStringError(Twine(unwritten) + " of " +
                               Twine(argument.count) + " elements of '" +
                               argument.declared.name + "' are not written");
  }
  return Error::success();
}

Expected<BufferBytes> diff::runTest(runtime::Device &device,
                                    const KernelTest &test,
                                    const BufferBytes &contents) {
  Expected<BufferBytes> results = launch(device, test, contents);
  if (!results)
    return results.takeError();
  std::vector<std::vector<bool>> left = findPoison(test, *results, poison);
  if (none_of(left, [](const std::vector<bool> &elements) {
        return is_contained(elements, true);
      }))
    return results;
  BufferBytes repoisoned = contents;
  for (auto [argument, bytes] : zip(test.arguments, repoisoned))
    if (argument.contents == Contents::Poison)
      fill(bytes, secondPoison);
  Expected<BufferBytes> again = launch(device, test, repoisoned);
  if (!again)
    return again.takeError();
  if (Error error =
          verifyWritten(test, left, findPoison(test, *again, secondPoison)))
    return error;
  return results;
}
