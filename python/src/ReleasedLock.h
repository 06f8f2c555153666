//===- ReleasedLock.h - Work without Python's lock --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A daemon thread that asks for Python's lock when Python has ended is ended by
// Python before 3.14, wherever it is. That unwinds its frames by force, and one
// of C++ that may not throw aborts the process instead. From 3.14 on such
// threads stay where they are until the process ends; here they do with all.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_RELEASEDLOCK_H
#define TILEWRIGHT_PYTHON_RELEASEDLOCK_H

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace tilewright::python {

/// To be called before the first of these: each library has its own copy of
/// what unwinds, which must have thrown once before others unwind through it.
void prepareUnwinding();

/// Does what may ask for Python's lock.
template <typename Work> decltype(auto) stayWherePythonEnds(Work &&work) {
  try {
    return work();
  } catch (abi::__forced_unwind &) {
    while (true)
      pause();
  }
}

/// Lets other threads have Python's lock.
class ReleasedLock {
public:
  ReleasedLock() : thread(PyEval_SaveThread()) {}
  ~ReleasedLock() {
    stayWherePythonEnds([this] { PyEval_RestoreThread(thread); });
  }
  ReleasedLock(const ReleasedLock &) = delete;
  ReleasedLock &operator=(const ReleasedLock &) = delete;

private:
  PyThreadState *thread;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RELEASEDLOCK_H
