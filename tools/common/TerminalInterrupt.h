//===- TerminalInterrupt.h - Ctrl-C while a kernel runs ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_COMMON_TERMINALINTERRUPT_H
#define TILEWRIGHT_TOOLS_COMMON_TERMINALINTERRUPT_H

#include "tilewright/Runtime/Interrupt.h"

namespace tilewright {

/// Ends a wait for a device at Ctrl-C, so that people learn where the kernel
/// was. At all other times, and at the second Ctrl-C, the tool just ends.
class TerminalInterrupt : public runtime::Interrupt {
public:
  bool isRequested() override;
  void beginWait() override;
  void endWait() override;
};

/// What a shell sees of a tool that Ctrl-C has ended: 128 + SIGINT.
constexpr int interruptedExitCode = 130;

/// Prints the message and leaves at once: a GPU that still runs a kernel would
/// hold up an orderly end.
[[noreturn]] void exitInterrupted(llvm::StringRef tool, llvm::Error error);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_COMMON_TERMINALINTERRUPT_H
