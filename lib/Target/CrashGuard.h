//===- CrashGuard.h - LLVM's fatal errors as an Error -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's code generator ends the process on input that it cannot handle. A
// compiler that is also a library must not.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_CRASHGUARD_H
#define TILEWRIGHT_LIB_TARGET_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tilewright {

/// Runs `body`. Nothing comes back when it returns; LLVM's message when it
/// ended in a fatal error or a crash. In that case the stack frames below were
/// dropped without their destructors, so what `body` worked on must be leaked,
/// never touched or destroyed.
std::optional<std::string> runGuarded(llvm::function_ref<void()> body);

/// Ends the innermost runGuarded of this thread, which returns the message, as
/// a fatal error would.
[[noreturn]] void leaveGuard(const char *message);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_CRASHGUARD_H
