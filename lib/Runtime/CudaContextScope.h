//===- CudaContextScope.h - A context for a while ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_CUDACONTEXTSCOPE_H
#define TILEWRIGHT_LIB_RUNTIME_CUDACONTEXTSCOPE_H

#include "tilewright/Runtime/CudaDriver.h"

namespace tilewright::runtime {

/// Makes a context the calling thread's, and gives the thread back the one that
/// it had. A process shares its threads with other libraries (PyTorch, cuBLAS),
/// for which the current context is the current GPU.
class CudaContextScope {
public:
  CudaContextScope(const cuda::Driver &driver, cuda::Context context)
      : driver(driver) {
    result = driver.ctxGetCurrent(&previous);
    if (result != cuda::success || previous == context)
      return;
    result = driver.ctxSetCurrent(context);
    restores = result == cuda::success;
  }
  ~CudaContextScope() {
    if (restores)
      driver.ctxSetCurrent(previous);
  }
  CudaContextScope(const CudaContextScope &) = delete;
  CudaContextScope &operator=(const CudaContextScope &) = delete;

  /// Whether the context is current; what the driver said.
  cuda::Result getResult() const { return result; }

private:
  const cuda::Driver &driver;
  cuda::Context previous = nullptr;
  cuda::Result result = cuda::success;
  bool restores = false;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_CUDACONTEXTSCOPE_H
