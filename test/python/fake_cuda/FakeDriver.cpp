//===- FakeDriver.cpp - A CUDA driver without a GPU -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 for tests of what the Python package asks of a driver: memory
// is that of the host, kernels do nothing, and the last launch is kept for
// fake_last_launch(). Two devices, of architecture sm_90.
//
// It also has DLPack's table of C functions, as PyTorch has one: each object is
// a tensor of 1000 floats on the first device, at an address of its own.
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/CudaDriver.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <utility>
#include <vector>

using namespace tilewright::runtime::cuda;

namespace {
/// What a test reads through ctypes.
struct LastLaunch {
  uint64_t launches;
  uint64_t stream;
  uint64_t context;
  uint32_t grid[3];
  uint32_t threads;
  uint32_t sharedBytes;
  uint32_t argumentCount;
  /// The first of them.
  uint64_t arguments[16];
  /// Of the process, for all work.
  uint64_t waits;
};

/// A loaded kernel: all that a fake one needs to know of itself.
struct FakeKernel {
  std::vector<uint32_t> argumentBytes;
};
} // namespace

static LastLaunch last = {};
static thread_local Context current = nullptr;
static int failure = success;
/// Whether a stream is captured, and what the thread may do beside.
static std::atomic<bool> isCapturing = false;
static thread_local CaptureMode captureMode = captureModeGlobal;
/// Whether this process was forked from the one that called cuInit: it has no
/// GPU.
static bool isForked = false;
/// Whether the GPU works on its last launch for good. Then Ctrl-C comes, once.
static bool hangs = std::getenv("TILEWRIGHT_FAKE_CUDA_HANGS") != nullptr;

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE const LastLaunch *fake_last_launch() { return &last; }
/// The result of all launches from now on.
FAKE void fake_fail_launches(int result) { failure = result; }

FAKE void fake_hang(int does) { hangs = does; }

/// From now on launches are recorded, and what is not allowed beside is
/// refused.
FAKE void fake_capture(int does) { isCapturing = does; }

FAKE Result cuInit(unsigned) {
  pthread_atfork(nullptr, nullptr, [] { isForked = true; });
  return success;
}
FAKE Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  std::swap(*mode, captureMode);
  return success;
}
FAKE Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}
FAKE Result cuGetErrorName(Result, const char **name) {
  *name = "CUDA_ERROR_FAKE";
  return success;
}
FAKE Result cuGetErrorString(Result, const char **text) {
  *text = "as the test asked";
  return success;
}
FAKE Result cuDeviceGetCount(int *count) {
  *count = 2;
  return success;
}
FAKE Result cuDeviceGet(DeviceHandle *handle, int ordinal) {
  *handle = ordinal;
  return success;
}
FAKE Result cuDeviceGetName(char *name, int bytes, DeviceHandle) {
  std::strncpy(name, "NVIDIA Fake", bytes);
  return success;
}
FAKE Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                 DeviceHandle) {
  *value = attribute == deviceComputeCapabilityMajor         ? 9
           : attribute == deviceComputeCapabilityMinor       ? 0
           : attribute == deviceMaxSharedMemoryPerBlockOptin ? 232448
                                                             : 132;
  return success;
}
FAKE Result cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle) {
  *bytes = size_t(1) << 37;
  return success;
}
FAKE Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle handle) {
  *context = llvm::bit_cast<Context>(static_cast<uintptr_t>(handle) + 1);
  return success;
}
FAKE Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return success; }
FAKE Result cuCtxGetCurrent(Context *context) {
  *context = current;
  return isForked ? static_cast<Result>(errorNotInitialized)
                  : static_cast<Result>(success);
}
FAKE Result cuCtxSetCurrent(Context context) {
  current = context;
  return success;
}
FAKE Result cuCtxSynchronize() {
  if (isCapturing)
    return errorStreamCaptureUnsupported;
  ++last.waits;
  return success;
}
FAKE Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 37;
  return success;
}
FAKE Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  *address = reinterpret_cast<DevicePointer>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return success;
}
FAKE Result cuMemFree_v2(DevicePointer address) {
  std::free(llvm::bit_cast<void *>(address));
  return success;
}
FAKE Result cuMemcpyHtoD_v2(DevicePointer target, const void *source,
                            size_t bytes) {
  std::memcpy(llvm::bit_cast<void *>(target), source, bytes);
  return success;
}
FAKE Result cuMemcpyDtoH_v2(void *target, DevicePointer source, size_t bytes) {
  std::memcpy(target, llvm::bit_cast<void *>(source), bytes);
  return success;
}
FAKE Result cuMemsetD8_v2(DevicePointer, unsigned char, size_t) {
  return success;
}
FAKE Result cuMemsetD8Async(DevicePointer, unsigned char, size_t, Stream) {
  return success;
}

/// Memory of device N begins with its number + 1 in the top byte; what has 0
/// there is on no device.
FAKE Result cuPointerGetAttribute(void *value, PointerAttribute,
                                  DevicePointer address) {
  int ordinal = static_cast<int>(address >> 40) - 1;
  *static_cast<int *>(value) = ordinal;
  return ordinal < 0 || ordinal > 1 ? static_cast<Result>(errorInvalidValue)
                                    : static_cast<Result>(success);
}

FAKE Result cuModuleLoadDataEx(Module *module, const void *image, unsigned,
                               JitOption *, void **) {
  if (isCapturing && captureMode != captureModeRelaxed)
    return errorStreamCaptureUnsupported;
  auto *kernel = new FakeKernel();
  const char *text = static_cast<const char *>(image);
  while ((text = std::strstr(text, ".param .")) != nullptr) {
    text += std::strlen(".param .");
    // "u64", "b8": bits follow the letter. Of a tensor map, which has an
    // alignment, the first bytes.
    bool isMap = std::strncmp(text, "align", std::strlen("align")) == 0;
    kernel->argumentBytes.push_back(
        isMap ? sizeof(uint64_t) : std::strtoul(text + 1, nullptr, 10) / 8);
  }
  *module = reinterpret_cast<Module>(kernel);
  return success;
}

FAKE Result cuModuleUnload(Module module) {
  delete reinterpret_cast<FakeKernel *>(module);
  return success;
}
FAKE Result cuModuleGetFunction(Function *function, Module module,
                                const char *) {
  *function = reinterpret_cast<Function>(module);
  return success;
}
FAKE Result cuFuncGetAttribute(int *value, FunctionAttribute, Function) {
  *value = 1024;
  return success;
}
FAKE Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  return success;
}
FAKE Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function,
                                                        int, size_t) {
  *blocks = 1;
  return success;
}
FAKE Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                             void **arguments, void **) {
  if (failure != success)
    return failure;
  const auto *kernel = reinterpret_cast<const FakeKernel *>(function);
  ++last.launches;
  last.stream = reinterpret_cast<uint64_t>(config->stream);
  last.context = reinterpret_cast<uint64_t>(current);
  std::memcpy(last.grid, config->gridDim, sizeof(last.grid));
  last.threads = config->blockDim[0];
  last.sharedBytes = config->dynamicSharedBytes;
  last.argumentCount = kernel->argumentBytes.size();
  size_t kept =
      std::min(kernel->argumentBytes.size(), std::size(last.arguments));
  for (size_t i = 0; i < kept; ++i) {
    last.arguments[i] = 0;
    std::memcpy(&last.arguments[i], arguments[i], kernel->argumentBytes[i]);
  }
  return success;
}
/// A map is the address of its tensor, and zeros.
FAKE Result cuTensorMapEncodeTiled(TensorMap *map, TensorMapType, uint32_t,
                                   void *address, const uint64_t *,
                                   const uint64_t *, const uint32_t *,
                                   const uint32_t *, TensorMapInterleave,
                                   TensorMapSwizzle, TensorMapPromotion,
                                   TensorMapFill) {
  *map = {{llvm::bit_cast<uint64_t>(address)}};
  return success;
}
FAKE Result cuTensorMapReplaceAddress(TensorMap *map, void *address) {
  map->opaque[0] = llvm::bit_cast<uint64_t>(address);
  return success;
}
FAKE Result cuEventCreate(Event *, unsigned) { return success; }
FAKE Result cuEventRecord(Event, Stream) { return success; }
FAKE Result cuEventQuery(Event) {
  static bool isPressed = false;
  if (!hangs)
    return success;
  if (!std::exchange(isPressed, true))
    std::raise(SIGINT);
  return errorNotReady;
}
FAKE Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 1;
  return success;
}
FAKE Result cuEventDestroy_v2(Event) { return success; }

//===----------------------------------------------------------------------===//
// DLPack
//===----------------------------------------------------------------------===//

namespace {
/// DLTensor.
struct FakeTensor {
  uint64_t data;
  int32_t deviceType, device, dimensions;
  uint8_t typeCode, typeBits;
  uint16_t typeLanes;
  const int64_t *shape, *strides;
  uint64_t byteOffset;
};

/// DLPackExchangeAPI.
struct FakeExchange {
  uint32_t major, minor;
  const void *previous;
  void *allocate, *exportOwned, *import;
  int (*describe)(void *object, FakeTensor *tensor);
  int (*getStream)(int32_t deviceType, int32_t device, void **stream);
};
} // namespace

static int describeObject(void *object, FakeTensor *tensor) {
  static const int64_t extent = 1000, stride = 1;
  constexpr int32_t cuda = 2;
  constexpr uint8_t floating = 2;
  uint64_t place = reinterpret_cast<uint64_t>(object) & 0xfffffff;
  uint64_t address = (uint64_t(1) << 40) + (place << 8);
  *tensor = {address, cuda, 0, 1, floating, 32, 1, &extent, &stride, 0};
  return 0;
}

static int getDefaultStream(int32_t, int32_t, void **stream) {
  *stream = nullptr;
  return 0;
}

FAKE const FakeExchange *fake_exchange() {
  static const FakeExchange table = {
      1,       3,       nullptr,        nullptr,
      nullptr, nullptr, describeObject, getDefaultStream};
  return &table;
}
