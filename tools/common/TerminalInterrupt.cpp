//===- TerminalInterrupt.cpp - Ctrl-C while a kernel runs -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/TerminalInterrupt.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdlib>

using namespace tilewright;

/// Signal handlers have no object.
static std::atomic<bool> isAsked = false;

bool TerminalInterrupt::isRequested() { return isAsked; }

void TerminalInterrupt::beginWait() {
  llvm::sys::SetInterruptFunction([] { isAsked = true; });
}

void TerminalInterrupt::endWait() { llvm::sys::SetInterruptFunction(nullptr); }

void tilewright::exitInterrupted(llvm::StringRef tool, llvm::Error error) {
  llvm::errs() << tool << ": " << llvm::toString(std::move(error)) << "\n";
  llvm::outs().flush();
  std::_Exit(interruptedExitCode);
}
