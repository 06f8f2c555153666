//===- Interrupt.h - Launches that end before their time --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may never end, so whoever waits for one wants a way out: Ctrl-C, a
// signal of Python. A device that is waited for asks now and then:
//
//   class Deadline : public runtime::Interrupt {
//     bool isRequested() override { return Clock::now() > end; }
//   };
//   Error error = device.launch({*kernel, grid, arguments, 0, &deadline});
//   if (error.isA<InterruptedError>()) ...
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_INTERRUPT_H
#define TILEWRIGHT_RUNTIME_INTERRUPT_H

#include "llvm/Support/Error.h"
#include <string>

namespace tilewright::runtime {

class Interrupt {
public:
  virtual ~Interrupt();

  /// Asked some ten times a second by a thread that waits for a device. True
  /// ends the wait with an InterruptedError.
  virtual bool isRequested() = 0;
  /// Around each wait.
  virtual void beginWait() {}
  virtual void endWait() {}
};

/// A wait, from here to the end of the scope. `interrupt` may be null.
class InterruptScope {
public:
  explicit InterruptScope(Interrupt *interrupt) : interrupt(interrupt) {
    if (interrupt)
      interrupt->beginWait();
  }
  ~InterruptScope() {
    if (interrupt)
      interrupt->endWait();
  }
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  Interrupt *interrupt;
};

/// A wait was ended; the text says where the kernel was.
class InterruptedError : public llvm::ErrorInfo<InterruptedError> {
public:
  static char ID;

  explicit InterruptedError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_INTERRUPT_H
