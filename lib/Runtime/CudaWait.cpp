//===- CudaWait.cpp - Waits for a GPU that can be interrupted -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaWait.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <chrono>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

using Clock = std::chrono::steady_clock;
static constexpr std::chrono::milliseconds askInterval{100};
/// Polls come soon after the start, then less often.
static constexpr std::chrono::microseconds firstPause{20};
static constexpr std::chrono::microseconds longestPause{2000};

bool CudaWait::wait(cuda::Stream stream, Interrupt &interrupt) {
  cuda::Event event = nullptr;
  if (driver.eventCreate(&event, cuda::eventDisableTiming) != cuda::success)
    return true; // the caller's next call fails, too, and says why
  if (driver.eventRecord(event, stream) != cuda::success) {
    driver.eventDestroy(event);
    return true;
  }
  InterruptScope scope(&interrupt);
  Clock::time_point asked = Clock::now();
  std::chrono::microseconds pause = firstPause;
  while (driver.eventQuery(event) == cuda::errorNotReady) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longestPause);
    if (Clock::now() - asked < askInterval)
      continue;
    asked = Clock::now();
    if (!interrupt.isRequested())
      continue;
    std::lock_guard<std::mutex> lock(mutex);
    abandoned.push_back(event);
    return false;
  }
  driver.eventDestroy(event);
  return true;
}

bool CudaWait::hasAbandonedWork() {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::erase_if(abandoned, [&](cuda::Event event) {
    if (driver.eventQuery(event) == cuda::errorNotReady)
      return false;
    driver.eventDestroy(event);
    return true;
  });
  return !abandoned.empty();
}
