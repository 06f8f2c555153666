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
      values.strides.data(), map.box.data(), elementStrides.data(),
      cuda::tensorMapNoInterleave, getSwizzle(map.swizzleBytes),
      cuda::tensorMapPromote128, cuda::tensorMapFillZeros);
}

llvm::Expected<std::shared_ptr<const CudaTensorMaps::Maps>>
CudaTensorMaps::make(const LoadedKernel &kernel, const Values &values) const {
  auto maps = std::make_shared<Maps>(values.size());
  for (auto [encoded, map, launched] :
       llvm::zip_equal(*maps, kernel.getTensorMaps(), values))
    if (llvm::Error error =
            driver.check(encode(driver, encoded, map, launched),
                         "tensor map of argument " + llvm::Twine(map.pointer) +
                             " of kernel '" + kernel.getName() + "'"))
      return error;
  return maps;
}

std::shared_ptr<const CudaTensorMaps::Maps>
CudaTensorMaps::find(const Values &values) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.values == values; });
  return found == entries.end() ? nullptr : found->maps;
}

void CudaTensorMaps::keep(Values values, std::shared_ptr<const Maps> maps) {
  std::lock_guard<std::mutex> lock(mutex);
  if (entries.size() < maxEntries) {
    entries.push_back({std::move(values), std::move(maps)});
    return;
  }
  entries[oldest] = {std::move(values), std::move(maps)};
  oldest = (oldest + 1) % maxEntries;
}

llvm::Expected<std::shared_ptr<const CudaTensorMaps::Maps>>
CudaTensorMaps::findOrMake(const LoadedKernel &kernel,
                           const spec::ArgumentBlock &arguments) {
  llvm::Expected<Values> values = kernel.evaluateTensorMaps(arguments);
  if (!values)
    return values.takeError();
  if (std::shared_ptr<const Maps> found = find(*values))
    return found;
  llvm::Expected<std::shared_ptr<const Maps>> made = make(kernel, *values);
  if (made)
    keep(std::move(*values), *made);
  return made;
}
