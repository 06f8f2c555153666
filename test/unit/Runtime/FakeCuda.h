//===- FakeCuda.h - A CUDA driver that only keeps a log ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H

#include "tilewright/Runtime/CudaDriver.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// What the fake driver does and what was asked of it. Its functions have no
/// object, so there is one at a time.
struct FakeCuda {
  FakeCuda();
  ~FakeCuda();
  FakeCuda(const FakeCuda &) = delete;
  FakeCuda &operator=(const FakeCuda &) = delete;

  cuda::Driver driver;

  /// Results of calls, by name of the Driver's member; success by default.
  std::map<std::string, cuda::Result> results;
  int version = 13000;
  int deviceCount = 2;
  std::map<cuda::FunctionAttribute, int> functionAttributes;
  std::string jitLog;

  /// The calls that matter, in order: "memset", "record 1", "launch", ...
  std::vector<std::string> calls;
  cuda::LaunchConfig lastConfig = {};
  /// Of a kernel, that run at once.
  int clusters = 8;
  /// Of the last launch, all that it has.
  std::vector<cuda::LaunchAttribute> lastAttributes;
  std::vector<uint64_t> lastArguments;
  /// What a launch reads of its arguments.
  size_t argumentCount = 0;

  /// A call of tensorMapEncodeTiled; or of tensorMapReplaceAddress, with what
  /// the map had else.
  struct MapCall {
    cuda::TensorMapType type;
    uint64_t address;
    std::vector<uint64_t> extents, strides;
    std::vector<uint32_t> box, elementStrides;
    cuda::TensorMapInterleave interleave;
    cuda::TensorMapSwizzle swizzle;
    cuda::TensorMapPromotion promotion;
    cuda::TensorMapFill fill;
    bool isAligned, isReplacement;
  };
  /// Maps begin with the number of their call, from 1.
  std::vector<MapCall> maps;

  /// The calling thread's.
  cuda::Context currentContext = nullptr;
  /// The calling thread's, now and when modules came and went.
  cuda::CaptureMode captureMode = cuda::captureModeGlobal;
  cuda::CaptureMode loadMode = cuda::captureModeGlobal;
  cuda::CaptureMode unloadMode = cuda::captureModeGlobal;
  int contexts = 0;
  int modules = 0;
  int allocations = 0;
  int events = 0;
  /// Queries that say "not ready" before the work is done; negative: all.
  int queriesUntilReady = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
