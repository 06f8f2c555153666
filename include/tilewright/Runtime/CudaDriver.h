//===- CudaDriver.h - The CUDA Driver API, loaded at run time ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The project builds without the CUDA toolkit and starts without a GPU: the
// driver's library is opened when a device is first asked for, and the
// functions used are declared here. Names, numbers and layouts are those of the
// CUDA Driver API reference; each function is its first 64-bit version, which
// every driver since CUDA 12.0 has.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_CUDADRIVER_H
#define TILEWRIGHT_RUNTIME_CUDADRIVER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace tilewright::runtime::cuda {

using Result = int;
using DeviceHandle = int;
using DevicePointer = uint64_t;
using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;

enum ResultCode : Result {
  success = 0,
  errorInvalidValue = 1,
  errorOutOfMemory = 2,
  errorNotInitialized = 3,
  errorNoDevice = 100,
  errorNoBinaryForGpu = 209,
  errorUnsupportedPtxVersion = 222,
  errorNotFound = 500,
  errorNotReady = 600,
  errorStreamCaptureUnsupported = 900,
  errorStreamCaptureInvalidated = 901,
  errorStreamCaptureImplicit = 906
};

enum EventFlags : unsigned { eventDisableTiming = 2 };

enum DeviceAttribute : int {
  deviceMultiprocessorCount = 16,
  deviceL2CacheSize = 38,
  deviceComputeCapabilityMajor = 75,
  deviceComputeCapabilityMinor = 76,
  deviceMaxSharedMemoryPerBlockOptin = 97
};

enum FunctionAttribute : int {
  functionMaxThreadsPerBlock = 0,
  functionSharedSizeBytes = 1,
  functionLocalSizeBytes = 3,
  functionNumRegs = 4,
  functionMaxDynamicSharedSizeBytes = 8,
  functionNonPortableClusterSizeAllowed = 14
};

enum PointerAttribute : int { pointerDeviceOrdinal = 9 };

/// What a thread may do while a stream of the process is captured.
enum CaptureMode : int { captureModeGlobal = 0, captureModeRelaxed = 2 };

enum JitOption : int { jitErrorLogBuffer = 5, jitErrorLogBufferSizeBytes = 6 };

enum LaunchAttributeId : int {
  launchIgnore = 0,
  launchClusterDimension = 4,
  launchProgrammaticStreamSerialization = 6
};

/// CUlaunchAttribute: an id and a 64-byte union, of which one member is used.
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    unsigned clusterDim[3];
    int isProgrammaticStreamSerializationAllowed;
    char otherMembers[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72, "the driver's layout");

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDim[3];
  unsigned blockDim[3];
  unsigned dynamicSharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56, "the driver's layout");

enum TensorMapType : int {
  tensorMapU8 = 0,
  tensorMapU16 = 1,
  tensorMapU32 = 2,
  tensorMapU64 = 4,
  tensorMapF16 = 6,
  tensorMapF32 = 7,
  tensorMapF64 = 8,
  tensorMapBF16 = 9
};

enum TensorMapInterleave : int { tensorMapNoInterleave = 0 };

enum TensorMapSwizzle : int {
  tensorMapNoSwizzle = 0,
  tensorMapSwizzle32 = 1,
  tensorMapSwizzle64 = 2,
  tensorMapSwizzle128 = 3
};

/// What the second-level cache reads of memory at a time.
enum TensorMapPromotion : int { tensorMapPromote128 = 2 };

/// What a box has outside of the tensor.
enum TensorMapFill : int { tensorMapFillZeros = 0 };

/// CUtensorMap.
struct alignas(128) TensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMap) == 128, "the driver's layout");

/// X(member, symbol, parameters): the functions used, all returning Result.
#define TILEWRIGHT_CUDA_FUNCTIONS(X)                                           \
  X(init, "cuInit", (unsigned flags))                                          \
  X(driverGetVersion, "cuDriverGetVersion", (int *version))                    \
  X(getErrorName, "cuGetErrorName", (Result, const char **))                   \
  X(getErrorString, "cuGetErrorString", (Result, const char **))               \
  X(deviceGetCount, "cuDeviceGetCount", (int *count))                          \
  X(deviceGet, "cuDeviceGet", (DeviceHandle *, int ordinal))                   \
  X(deviceGetName, "cuDeviceGetName", (char *, int bytes, DeviceHandle))       \
  X(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *, DeviceAttribute, DeviceHandle))                                    \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, DeviceHandle))           \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (Context *, DeviceHandle))   \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle))         \
  X(ctxGetCurrent, "cuCtxGetCurrent", (Context *))                             \
  X(ctxSetCurrent, "cuCtxSetCurrent", (Context))                               \
  X(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  /* free, total */                                                            \
  X(memGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *))                       \
  X(memAlloc, "cuMemAlloc_v2", (DevicePointer *, size_t bytes))                \
  X(memFree, "cuMemFree_v2", (DevicePointer))                                  \
  X(memcpyHtoD, "cuMemcpyHtoD_v2",                                             \
    (DevicePointer, const void *, size_t bytes))                               \
  X(memcpyDtoH, "cuMemcpyDtoH_v2", (void *, DevicePointer, size_t bytes))      \
  X(memsetD8, "cuMemsetD8_v2",                                                 \
    (DevicePointer, unsigned char value, size_t bytes))                        \
  X(memsetD8Async, "cuMemsetD8Async",                                          \
    (DevicePointer, unsigned char value, size_t bytes, Stream))                \
  X(pointerGetAttribute, "cuPointerGetAttribute",                              \
    (void *, PointerAttribute, DevicePointer))                                 \
  X(threadExchangeCaptureMode, "cuThreadExchangeStreamCaptureMode",            \
    (CaptureMode *))                                                           \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (Module *, const void *image, unsigned optionCount, JitOption *options,    \
     void **optionValues))                                                     \
  X(moduleUnload, "cuModuleUnload", (Module))                                  \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    (Function *, Module, const char *name))                                    \
  X(funcGetAttribute, "cuFuncGetAttribute",                                    \
    (int *, FunctionAttribute, Function))                                      \
  X(funcSetAttribute, "cuFuncSetAttribute",                                    \
    (Function, FunctionAttribute, int value))                                  \
  X(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",   \
    (int *blocks, Function, int threads, size_t dynamicSharedBytes))           \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    (const LaunchConfig *, Function, void **arguments, void **extra))          \
  X(eventCreate, "cuEventCreate", (Event *, unsigned flags))                   \
  X(eventRecord, "cuEventRecord", (Event, Stream))                             \
  X(eventQuery, "cuEventQuery", (Event))                                       \
  X(eventElapsedTime, "cuEventElapsedTime",                                    \
    (float *milliseconds, Event start, Event stop))                            \
  X(eventDestroy, "cuEventDestroy_v2", (Event))

/// The same: those that only some kernels need, null where the driver has none.
#define TILEWRIGHT_CUDA_OPTIONAL_FUNCTIONS(X)                                  \
  X(occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                \
    (int *clusters, Function, const LaunchConfig *))                           \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                            \
    (TensorMap *, TensorMapType, uint32_t rank, void *address,                 \
     const uint64_t *extents, const uint64_t *strides, const uint32_t *box,    \
     const uint32_t *elementStrides, TensorMapInterleave, TensorMapSwizzle,    \
     TensorMapPromotion, TensorMapFill))                                       \
  X(tensorMapReplaceAddress, "cuTensorMapReplaceAddress",                      \
    (TensorMap *, void *address))

/// The functions of a loaded driver.
struct Driver {
// A parameter list takes no further parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define TILEWRIGHT_DECLARE(member, symbol, parameters)                         \
  Result(*member) parameters = nullptr;
  TILEWRIGHT_CUDA_FUNCTIONS(TILEWRIGHT_DECLARE)
  TILEWRIGHT_CUDA_OPTIONAL_FUNCTIONS(TILEWRIGHT_DECLARE)
#undef TILEWRIGHT_DECLARE
  // NOLINTEND(bugprone-macro-parentheses)

  /// Opens \p library and finds the functions, without calling any.
  static llvm::Expected<Driver> load(llvm::StringRef library);

  /// The system's driver, loaded and initialised once for the process.
  static llvm::Expected<const Driver *> get();

  /// Success, or an error of the form "what: CUDA_ERROR_...: description", with
  /// what to do where the code tells.
  llvm::Error check(Result result, const llvm::Twine &what) const;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDADRIVER_H
