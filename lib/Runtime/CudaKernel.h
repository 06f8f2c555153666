//===- CudaKernel.h - A kernel loaded by the CUDA driver --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_CUDAKERNEL_H
#define TILEWRIGHT_LIB_RUNTIME_CUDAKERNEL_H

#include "CudaTensorMaps.h"
#include "CudaWait.h"
#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/Device.h"

namespace tilewright::runtime {

/// The device's context must be current wherever one is made or used.
class CudaKernel : public LoadedKernel {
public:
  static llvm::Expected<std::unique_ptr<CudaKernel>>
  create(const cuda::Driver &driver, cuda::Context context, CudaWait &waits,
         const DeviceInfo &device, const KernelImage &image);
  ~CudaKernel() override;

  /// The tensor maps that a launch with these arguments takes; null where the
  /// kernel takes none.
  llvm::Expected<std::shared_ptr<const CudaTensorMaps::Maps>>
  getTensorMaps(const spec::ArgumentBlock &arguments) const {
    return tensorMaps.get(*this, arguments);
  }
  /// Starts it on the stream of the launch, whose maps these are.
  cuda::Result launch(const Launch &launch,
                      const CudaTensorMaps::Maps *maps) const;

private:
  CudaKernel(const cuda::Driver &driver, cuda::Context context, CudaWait &waits,
             const KernelImage &image);

  llvm::Error verifyDriver(const DeviceInfo &device) const;
  llvm::Error load(const KernelImage &image, const DeviceInfo &device);
  llvm::Error readResources();
  llvm::Error verifyThreads() const;
  /// Asks for the dynamic shared memory that a kernel gets only on request.
  llvm::Error allowSharedMemory(const DeviceInfo &device);
  llvm::Error readOccupancy(const DeviceInfo &device);
  cuda::LaunchAttribute makeClusterAttribute() const;
  static cuda::LaunchAttribute makeEarlyAttribute();
  /// Whether the device runs clusters of so many blocks; where the driver does
  /// not say so, it does not.
  void readClusters();

  const cuda::Driver &driver;
  cuda::Context context;
  CudaWait &waits;
  mutable CudaTensorMaps tensorMaps;
  /// Blocks that the whole device runs at one time.
  int64_t blocksAtOnce = 0;
  /// Whether launches begin before the kernel in front of them has ended.
  bool beginsEarly = false;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_CUDAKERNEL_H
