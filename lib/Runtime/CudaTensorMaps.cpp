//===- CudaTensorMaps.cpp - Tensor maps made by the driver ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTensorMaps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

/// Launches whose maps are kept: a program that goes through the layers of a
/// model or through a few buffers finds them again.
static constexpr size_t maxEntries = 16;

/// Copies move bits, so that numbers of one size are alike but where the driver
/// has them as floats.
static cuda::TensorMapType getType(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return cuda::tensorMapU8;
  case ElementType::I16:
    return cuda::tensorMapU16;
  case ElementType::I32:
    return cuda::tensorMapU32;
  case ElementType::I64:
    return cuda::tensorMapU64;
  case ElementType::F16:
    return cuda::tensorMapF16;
  case ElementType::BF16:
    return cuda::tensorMapBF16;
  case ElementType::F32:
    return cuda::tensorMapF32;
  case ElementType::F64:
    return cuda::tensorMapF64;
  }
  llvm_unreachable("not an element type");
}

static cuda::TensorMapSwizzle getSwizzle(unsigned bytes) {
  switch (bytes) {
  case 32:
    return cuda::tensorMapSwizzle32;
  case 64:
    return cuda::tensorMapSwizzle64;
  case 128:
    return cuda::tensorMapSwizzle128;
  default:
    return cuda::tensorMapNoSwizzle;
  }
}

static cuda::Result encode(const cuda::Driver &driver, cuda::TensorMap &encoded,
                           const spec::TensorMap &map,
                           const spec::TensorMapValues &values) {
  llvm::SmallVector<uint32_t, 5> elementStrides(map.getRank(), 1);
  return driver.tensorMapEncodeTiled(
      &encoded, getType(map.type), map.getRank(),
      llvm::bit_cast<void *>(values.address), values.extents.data(),
      values.strides.data(), values.box.data(), elementStrides.data(),
      cuda::tensorMapNoInterleave, getSwizzle(map.swizzleBytes),
      cuda::tensorMapPromote128, cuda::tensorMapFillZeros);
}

llvm::Expected<std::shared_ptr<const CudaTensorMaps::Entry>>
CudaTensorMaps::make(const LoadedKernel &kernel, Values values,
                     const Entry *nearest) const {
  auto made = std::make_shared<Entry>();
  made->maps = nearest ? nearest->maps : Maps(values.size());
  for (auto [index, map] : llvm::enumerate(kernel.getTensorMaps())) {
    cuda::TensorMap &encoded = made->maps[index];
    uint64_t address = values[index].address;
    cuda::Result result = cuda::success;
    if (!nearest)
      result = encode(driver, encoded, map, values[index]);
    else if (nearest->values[index].address != address)
      result = driver.tensorMapReplaceAddress(&encoded,
                                              llvm::bit_cast<void *>(address));
    if (llvm::Error error = driver.check(
            result, "tensor map of argument " + llvm::Twine(map.pointer) +
                        " of kernel '" + kernel.getName() + "'"))
      return error;
  }
  made->values = std::move(values);
  return made;
}

std::shared_ptr<const CudaTensorMaps::Entry>
CudaTensorMaps::findNearest(const Values &values) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Entry> nearest;
  for (const std::shared_ptr<const Entry> &entry : entries) {
    if (!llvm::equal(entry->values, values,
                     std::mem_fn(&spec::TensorMapValues::isAlike)))
      continue;
    if (entry->values == values)
      return entry;
    if (!nearest)
      nearest = entry;
  }
  return nearest;
}

void CudaTensorMaps::keep(std::shared_ptr<const Entry> entry) {
  std::lock_guard<std::mutex> lock(mutex);
  if (entries.size() < maxEntries) {
    entries.push_back(std::move(entry));
    return;
  }
  entries[oldest] = std::move(entry);
  oldest = (oldest + 1) % maxEntries;
}

llvm::Expected<std::shared_ptr<const CudaTensorMaps::Maps>>
CudaTensorMaps::findOrMake(const LoadedKernel &kernel,
                           const spec::ArgumentBlock &arguments) {
  llvm::Expected<Values> values = kernel.evaluateTensorMaps(arguments);
  if (!values)
    return values.takeError();
  std::shared_ptr<const Entry> entry = findNearest(*values);
  if (!entry || !(entry->values == *values)) {
    llvm::Expected<std::shared_ptr<const Entry>> made =
        make(kernel, std::move(*values), entry.get());
    if (!made)
      return made.takeError();
    entry = *made;
    keep(std::move(*made));
  }
  return std::shared_ptr<const Maps>(entry, &entry->maps);
}
