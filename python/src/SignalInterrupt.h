//===- SignalInterrupt.h - Python's signals while a kernel runs -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_SIGNALINTERRUPT_H
#define TILEWRIGHT_PYTHON_SIGNALINTERRUPT_H

#include "tilewright/Runtime/Interrupt.h"
#include <nanobind/nanobind.h>
#include <optional>

namespace tilewright::python {

/// Lets Python handle its signals while a kernel runs: Ctrl-C, and handlers of
/// the user's that raise. Python does so in its main thread only, so that
/// others need not ask.
class SignalInterrupt : public runtime::Interrupt {
public:
  static bool isMainThread() {
    nanobind::object main =
        nanobind::module_::import_("threading").attr("main_thread")();
    return nanobind::cast<unsigned long>(main.attr("ident")) ==
           PyThread_get_thread_ident();
  }

  bool isRequested() override {
    nanobind::gil_scoped_acquire acquire;
    if (!raised && PyErr_CheckSignals() != 0)
      raised.emplace();
    return raised.has_value();
  }
  /// Throws what a handler raised, if one did, with a note of where the kernel
  /// was.
  void raiseIfRequested(llvm::Error &where) {
    if (!raised)
      return;
    std::string text = llvm::toString(std::move(where));
    if (nanobind::hasattr(raised->value(), "add_note"))
      raised->value().attr("add_note")(text.c_str());
    throw std::move(*raised);
  }

private:
  std::optional<nanobind::python_error> raised;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SIGNALINTERRUPT_H
