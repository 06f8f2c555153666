//===- CudaCaptureScope.h - Work beside a captured stream -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_CUDACAPTURESCOPE_H
#define TILEWRIGHT_LIB_RUNTIME_CUDACAPTURESCOPE_H

#include "tilewright/Runtime/CudaDriver.h"

namespace tilewright::runtime {

/// Lets the calling thread load, allocate and free while a stream of this
/// process is captured, by this thread or another. Else the driver refuses,
/// and the capture is lost; what is done here is no part of the graph.
class CudaCaptureScope {
public:
  explicit CudaCaptureScope(const cuda::Driver &driver) : driver(driver) {
    restores = driver.threadExchangeCaptureMode(&mode) == cuda::success;
  }
  ~CudaCaptureScope() {
    if (restores)
      driver.threadExchangeCaptureMode(&mode);
  }
  CudaCaptureScope(const CudaCaptureScope &) = delete;
  CudaCaptureScope &operator=(const CudaCaptureScope &) = delete;

private:
  const cuda::Driver &driver;
  /// The exchange leaves the one before here.
  cuda::CaptureMode mode = cuda::captureModeRelaxed;
  bool restores = false;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_CUDACAPTURESCOPE_H
