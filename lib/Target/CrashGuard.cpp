//===- CrashGuard.cpp - LLVM's fatal errors as an Error -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <mutex>

using namespace llvm;
using namespace tilewright;

namespace {

/// Where this thread's fatal error goes; null outside of a guard.
thread_local std::string *fatalMessage = nullptr;

/// Called by LLVM with its message just before it would end the process.
void onFatalError(void *, const char *reason, bool) {
  if (!fatalMessage || !CrashRecoveryContext::GetCurrent())
    return;
  *fatalMessage = reason;
  CrashRecoveryContext::GetCurrent()->HandleExit(EXIT_FAILURE);
}

/// LLVM's crash recovery and its fatal error handler belong to the process:
/// they are on only while some thread is inside a guard.
class ProcessHandlers {
public:
  ProcessHandlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0) {
      CrashRecoveryContext::Enable();
      install_fatal_error_handler(onFatalError);
    }
  }
  ~ProcessHandlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0) {
      remove_fatal_error_handler();
      CrashRecoveryContext::Disable();
    }
  }
  ProcessHandlers(const ProcessHandlers &) = delete;
  ProcessHandlers &operator=(const ProcessHandlers &) = delete;

private:
  static std::mutex mutex;
  static unsigned users;
};

std::mutex ProcessHandlers::mutex;
unsigned ProcessHandlers::users = 0;

} // namespace

void tilewright::leaveGuard(const char *message) {
  onFatalError(nullptr, message, false);
  llvm_unreachable("outside of a guard");
}

std::optional<std::string> tilewright::runGuarded(function_ref<void()> body) {
  ProcessHandlers handlers;
  std::string message;
  fatalMessage = &message;
  CrashRecoveryContext context;
  bool finished = context.RunSafely(body);
  fatalMessage = nullptr;
  if (finished)
    return std::nullopt;
  if (message.empty())
    message = "the code generator crashed";
  return message;
}
