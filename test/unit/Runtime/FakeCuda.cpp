//===- FakeCuda.cpp - A CUDA driver that only keeps a log -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <utility>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

static FakeCuda *fake = nullptr;

static Result getResult(const char *member) {
  auto found = fake->results.find(member);
  return found == fake->results.end() ? success : found->second;
}

/// Counts a resource that was made or given back.
static Result count(const char *member, int &resource, int change) {
  Result result = getResult(member);
  if (result == success)
    resource += change;
  return result;
}

template <typename Handle> static Handle makeHandle(uintptr_t number) {
  return llvm::bit_cast<Handle>(number);
}

static Result deviceGetAttribute(int *value, DeviceAttribute attribute,
                                 DeviceHandle) {
  switch (attribute) {
  case deviceMultiprocessorCount:
    *value = 132;
    break;
  case deviceL2CacheSize:
    *value = 1 << 20;
    break;
  case deviceComputeCapabilityMajor:
    *value = 9;
    break;
  case deviceComputeCapabilityMinor:
    *value = 0;
    break;
  case deviceMaxSharedMemoryPerBlockOptin:
    *value = 232448;
    break;
  }
  return getResult("deviceGetAttribute");
}

static Result moduleLoadDataEx(Module *module, const void *, unsigned count,
                               JitOption *options, void **values) {
  *module = makeHandle<Module>(1);
  if (count == 2 && options[0] == jitErrorLogBuffer &&
      options[1] == jitErrorLogBufferSizeBytes)
    std::strncpy(static_cast<char *>(values[0]), fake->jitLog.c_str(),
                 llvm::bit_cast<uintptr_t>(values[1]));
  fake->loadMode = fake->captureMode;
  Result result = getResult("moduleLoadDataEx");
  if (result == success)
    ++fake->modules;
  else
    *module = nullptr;
  return result;
}

static Result launchKernelEx(const LaunchConfig *config, Function,
                             void **arguments, void **) {
  fake->calls.emplace_back("launch");
  fake->lastConfig = *config;
  fake->lastAttributes.assign(config->attributes,
                              config->attributes + config->attributeCount);
  fake->lastArguments.clear();
  for (size_t i = 0; i < fake->argumentCount; ++i) {
    uint64_t value;
    std::memcpy(&value, arguments[i], sizeof(value));
    fake->lastArguments.push_back(value);
  }
  return getResult("launchKernelEx");
}

static Result
tensorMapEncodeTiled(TensorMap *map, TensorMapType type, uint32_t rank,
                     void *address, const uint64_t *extents,
                     const uint64_t *strides, const uint32_t *box,
                     const uint32_t *elementStrides,
                     TensorMapInterleave interleave, TensorMapSwizzle swizzle,
                     TensorMapPromotion promotion, TensorMapFill fill) {
  fake->maps.push_back({type,
                        llvm::bit_cast<uint64_t>(address),
                        {extents, extents + rank},
                        {strides, strides + rank - 1},
                        {box, box + rank},
                        {elementStrides, elementStrides + rank},
                        interleave,
                        swizzle,
                        promotion,
                        fill,
                        llvm::bit_cast<uintptr_t>(map) % 128 == 0,
                        /*isReplacement=*/false});
  map->opaque[0] = fake->maps.size();
  return getResult("tensorMapEncodeTiled");
}

static Result tensorMapReplaceAddress(TensorMap *map, void *address) {
  FakeCuda::MapCall call = fake->maps[map->opaque[0] - 1];
  call.address = llvm::bit_cast<uint64_t>(address);
  call.isAligned = llvm::bit_cast<uintptr_t>(map) % 128 == 0;
  call.isReplacement = true;
  fake->maps.push_back(call);
  map->opaque[0] = fake->maps.size();
  return getResult("tensorMapReplaceAddress");
}

static void setDeviceFunctions(Driver &driver) {
  driver.init = [](unsigned) { return getResult("init"); };
  driver.driverGetVersion = [](int *version) {
    *version = fake->version;
    return getResult("driverGetVersion");
  };
  driver.getErrorName = [](Result result, const char **name) {
    *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return static_cast<Result>(success);
  };
  driver.getErrorString = [](Result result, const char **text) {
    *text =
        result == 700 ? "an illegal memory access was encountered" : "other";
    return static_cast<Result>(success);
  };
  driver.deviceGetCount = [](int *count) {
    *count = fake->deviceCount;
    return getResult("deviceGetCount");
  };
  driver.deviceGet = [](DeviceHandle *handle, int ordinal) {
    *handle = ordinal;
    return getResult("deviceGet");
  };
  driver.deviceGetName = [](char *name, int bytes, DeviceHandle) {
    std::strncpy(name, "NVIDIA Fake", bytes);
    return getResult("deviceGetName");
  };
  driver.deviceGetAttribute = deviceGetAttribute;
  driver.deviceTotalMem = [](size_t *bytes, DeviceHandle) {
    *bytes = size_t(1) << 37;
    return getResult("deviceTotalMem");
  };
  driver.primaryCtxRetain = [](Context *context, DeviceHandle) {
    *context = makeHandle<Context>(1);
    return count("primaryCtxRetain", fake->contexts, 1);
  };
  driver.primaryCtxRelease = [](DeviceHandle) {
    return count("primaryCtxRelease", fake->contexts, -1);
  };
  driver.ctxGetCurrent = [](Context *context) {
    *context = fake->currentContext;
    return getResult("ctxGetCurrent");
  };
  driver.ctxSetCurrent = [](Context context) {
    fake->currentContext = context;
    return getResult("ctxSetCurrent");
  };
  driver.ctxSynchronize = [] { return getResult("ctxSynchronize"); };
}

static void setMemoryFunctions(Driver &driver) {
  driver.memGetInfo = [](size_t *free, size_t *total) {
    *free = 1000;
    *total = 5000;
    return getResult("memGetInfo");
  };
  driver.memAlloc = [](DevicePointer *address, size_t) {
    *address = 0x1000;
    return count("memAlloc", fake->allocations, 1);
  };
  driver.memFree = [](DevicePointer) {
    return count("memFree", fake->allocations, -1);
  };
  driver.pointerGetAttribute = [](void *value, PointerAttribute,
                                  DevicePointer) {
    *static_cast<int *>(value) = 0;
    return getResult("pointerGetAttribute");
  };
  driver.memcpyHtoD = [](DevicePointer, const void *, size_t) {
    fake->calls.emplace_back("copy in");
    return getResult("memcpyHtoD");
  };
  driver.memcpyDtoH = [](void *, DevicePointer, size_t) {
    fake->calls.emplace_back("copy out");
    return getResult("memcpyDtoH");
  };
  driver.memsetD8 = [](DevicePointer, unsigned char, size_t) {
    fake->calls.emplace_back("fill");
    return getResult("memsetD8");
  };
  driver.memsetD8Async = [](DevicePointer, unsigned char, size_t bytes,
                            Stream) {
    fake->calls.push_back("flush " + std::to_string(bytes));
    return getResult("memsetD8Async");
  };
}

static void setKernelFunctions(Driver &driver) {
  driver.threadExchangeCaptureMode = [](CaptureMode *mode) {
    std::swap(*mode, fake->captureMode);
    return getResult("threadExchangeCaptureMode");
  };
  driver.moduleLoadDataEx = moduleLoadDataEx;
  driver.moduleUnload = [](Module) {
    fake->unloadMode = fake->captureMode;
    return count("moduleUnload", fake->modules, -1);
  };
  driver.moduleGetFunction = [](Function *function, Module, const char *) {
    *function = makeHandle<Function>(1);
    return getResult("moduleGetFunction");
  };
  driver.funcGetAttribute = [](int *value, FunctionAttribute attribute,
                               Function) {
    *value = fake->functionAttributes[attribute];
    return getResult("funcGetAttribute");
  };
  driver.funcSetAttribute = [](Function, FunctionAttribute attribute,
                               int value) {
    fake->calls.push_back("set " + std::to_string(attribute) + " " +
                          std::to_string(value));
    return getResult("funcSetAttribute");
  };
  driver.occupancyMaxActiveBlocks = [](int *blocks, Function, int, size_t) {
    *blocks = 8;
    return getResult("occupancyMaxActiveBlocks");
  };
  driver.occupancyMaxActiveClusters = [](int *clusters, Function,
                                         const LaunchConfig *) {
    *clusters = fake->clusters;
    return getResult("occupancyMaxActiveClusters");
  };
  driver.launchKernelEx = launchKernelEx;
  driver.tensorMapEncodeTiled = tensorMapEncodeTiled;
  driver.tensorMapReplaceAddress = tensorMapReplaceAddress;
  driver.eventCreate = [](Event *event, unsigned) {
    *event = makeHandle<Event>(fake->events + 1);
    return count("eventCreate", fake->events, 1);
  };
  driver.eventRecord = [](Event event, Stream) {
    fake->calls.push_back("record " +
                          std::to_string(llvm::bit_cast<uintptr_t>(event)));
    return getResult("eventRecord");
  };
  driver.eventQuery = [](Event) {
    if (fake->queriesUntilReady == 0)
      return getResult("eventQuery");
    if (fake->queriesUntilReady > 0)
      --fake->queriesUntilReady;
    return static_cast<Result>(errorNotReady);
  };
  driver.eventElapsedTime = [](float *milliseconds, Event start, Event stop) {
    *milliseconds = static_cast<float>(llvm::bit_cast<uintptr_t>(start) +
                                       llvm::bit_cast<uintptr_t>(stop));
    return getResult("eventElapsedTime");
  };
  driver.eventDestroy = [](Event) {
    return count("eventDestroy", fake->events, -1);
  };
}

FakeCuda::FakeCuda() {
  fake = this;
  functionAttributes = {{functionMaxThreadsPerBlock, 1024},
                        {functionSharedSizeBytes, 1024},
                        {functionLocalSizeBytes, 16},
                        {functionNumRegs, 40}};
  setDeviceFunctions(driver);
  setMemoryFunctions(driver);
  setKernelFunctions(driver);
}

FakeCuda::~FakeCuda() { fake = nullptr; }
