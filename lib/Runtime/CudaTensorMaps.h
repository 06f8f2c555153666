//===- CudaTensorMaps.h - Tensor maps made by the driver --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_CUDATENSORMAPS_H
#define TILEWRIGHT_LIB_RUNTIME_CUDATENSORMAPS_H

#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/Device.h"
#include <mutex>

namespace tilewright::runtime {

/// The tensor maps of a kernel's launches. Those of the last few are kept, so
/// that launches which are alike share them, and one whose tensors only lie
/// elsewhere has its maps from them. Any thread may ask.
class CudaTensorMaps {
public:
  explicit CudaTensorMaps(const cuda::Driver &driver) : driver(driver) {}

  using Maps = std::vector<cuda::TensorMap>;
  /// Null for a kernel that takes none.
  llvm::Expected<std::shared_ptr<const Maps>>
  get(const LoadedKernel &kernel, const spec::ArgumentBlock &arguments) {
    if (LLVM_LIKELY(kernel.getTensorMaps().empty()))
      return nullptr;
    return findOrMake(kernel, arguments);
  }

private:
  using Values = LoadedKernel::TensorMapValues;

  llvm::Expected<std::shared_ptr<const Maps>>
  findOrMake(const LoadedKernel &kernel, const spec::ArgumentBlock &arguments);
  struct Entry {
    Values values;
    Maps maps;
  };
  /// The entry of these values; else one with other addresses; else null.
  std::shared_ptr<const Entry> findNearest(const Values &values);
  llvm::Expected<std::shared_ptr<const Entry>>
  make(const LoadedKernel &kernel, Values values, const Entry *nearest) const;
  void keep(std::shared_ptr<const Entry> entry);

  const cuda::Driver &driver;
  /// Held for moments only, of what follows.
  std::mutex mutex;
  std::vector<std::shared_ptr<const Entry>> entries;
  /// The one to go next, where there are many.
  size_t oldest = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_CUDATENSORMAPS_H
