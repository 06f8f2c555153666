//===- CompileInterrupt.h - Ctrl-C while kernels are compiled -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_COMPILEINTERRUPT_H
#define TILEWRIGHT_PYTHON_COMPILEINTERRUPT_H

#include "ForkGuard.h"
#include "SignalInterrupt.h"
#include "tilewright/Jit/LoadedCompiler.h"
#include <chrono>

namespace tilewright::python {

/// Whether Ctrl-C was pressed. Its handler does not run yet: it may be one of
/// the user's, that compiles, and waits for locks which this compilation has.
class CompileInterrupt : public runtime::Interrupt {
public:
  bool isRequested() override {
    auto now = std::chrono::steady_clock::now();
    if (isPressed || now < next)
      return isPressed;
    nanobind::gil_scoped_acquire acquire;
    isPressed = PyOS_InterruptOccurred() != 0;
    next = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    return isPressed;
  }
  /// Whether it was: Python then handles it when it next handles signals.
  bool handBack() {
    if (isPressed)
      trip();
    return std::exchange(isPressed, false);
  }

private:
  /// Who reads the descriptor that signals wake, as asyncio, has heard of it.
  static void trip() {
    auto wake = nanobind::module_::import_("signal").attr("set_wakeup_fd");
    nanobind::object before = wake(-1);
    PyErr_SetInterrupt();
    wake(before, nanobind::arg("warn_on_full_buffer") = false);
  }

  bool isPressed = false;
  std::chrono::steady_clock::time_point next;
};

inline bool hasFailed(llvm::Error &error) { return bool(error); }
inline llvm::Error takeError(llvm::Error &error) { return std::move(error); }
template <typename T> bool hasFailed(llvm::Expected<T> &value) {
  return !value;
}
template <typename T> llvm::Error takeError(llvm::Expected<T> &value) {
  return value.takeError();
}

/// Does what takes long without Python's lock. Ctrl-C ends what it compiles;
/// where the handler returns all the same, the work is done again, to its end.
template <typename Work> auto doLongWork(Work work) {
  CompileInterrupt interrupt;
  for (bool mayEnd = SignalInterrupt::isMainThread();; mayEnd = false) {
    std::optional<decltype(work())> result;
    {
      LongWork longWork;
      jit::CompileInterruptScope scope(mayEnd ? &interrupt : nullptr);
      result.emplace(work());
    }
    if (!interrupt.handBack() || !hasFailed(*result))
      return std::move(*result);
    llvm::consumeError(takeError(*result));
    if (PyErr_CheckSignals() != 0)
      throw nanobind::python_error();
  }
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_COMPILEINTERRUPT_H
