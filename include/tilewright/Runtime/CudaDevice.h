//===- CudaDevice.h - A GPU through the CUDA Driver API ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_CUDADEVICE_H
#define TILEWRIGHT_RUNTIME_CUDADEVICE_H

#include "tilewright/Runtime/Device.h"

namespace tilewright::runtime {

namespace cuda {
struct Driver;
} // namespace cuda

/// The GPU of that number, in the driver's order. Fails without a driver, a GPU
/// or one of that number. The device's primary context is used, so memory and
/// streams are shared with other libraries of the process (PyTorch, cuBLAS). No
/// call changes which context is the calling thread's.
llvm::Expected<std::unique_ptr<Device>> createCudaDevice(unsigned ordinal = 0);

/// The same through a driver of the caller's, which must outlive the device.
llvm::Expected<std::unique_ptr<Device>>
createCudaDevice(const cuda::Driver &driver, unsigned ordinal);

/// The architecture of a GPU, "sm_90", without the cost of opening it.
llvm::Expected<std::string> getCudaArchitecture(unsigned ordinal = 0);

/// The number of the GPU in whose memory an address lies. Fails where it lies
/// in none.
llvm::Expected<unsigned> findCudaDevice(DeviceAddress address);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CUDADEVICE_H
