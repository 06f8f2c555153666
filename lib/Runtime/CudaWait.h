//===- CudaWait.h - Waits for a GPU that can be interrupted -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_RUNTIME_CUDAWAIT_H
#define TILEWRIGHT_LIB_RUNTIME_CUDAWAIT_H

#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/Interrupt.h"
#include <mutex>
#include <vector>

namespace tilewright::runtime {

/// The driver's own waits cannot be left, and neither can the calls that wait
/// without saying so, such as freeing memory. Here a wait polls an event, and
/// what goes on running after an interrupt is remembered, so that nothing is
/// freed under it. The device's context must be current in all calls.
class CudaWait {
public:
  explicit CudaWait(const cuda::Driver &driver) : driver(driver) {}

  /// Waits for what was queued on the stream, whether it succeeds or fails;
  /// false where the interrupt came first.
  bool wait(cuda::Stream stream, Interrupt &interrupt);
  /// Whether work still runs that nobody waits for any more.
  bool hasAbandonedWork();

private:
  const cuda::Driver &driver;
  std::mutex mutex;
  /// The events that abandoned work has still to reach.
  std::vector<cuda::Event> abandoned;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_CUDAWAIT_H
