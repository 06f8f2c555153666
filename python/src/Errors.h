//===- Errors.h - LLVM's errors as Python's exceptions ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_ERRORS_H
#define TILEWRIGHT_PYTHON_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Throws an exception of a Python type, such as PyExc_ValueError.
[[noreturn]] void raise(PyObject *type, const llvm::Twine &text);

/// Throws what an error is in Python: a CompileFailure is a CompileError, with
/// its places; any other is of the class of that name in tilewright.errors.
[[noreturn]] void raise(llvm::Error error, const char *otherwise);

/// The value, or its error thrown.
template <typename T> T unwrap(llvm::Expected<T> value, const char *otherwise) {
  if (LLVM_LIKELY(bool(value)))
    return std::move(*value);
  raise(value.takeError(), otherwise);
}

/// For functions that Python's C API calls: their result, or null with the
/// exception set.
template <typename Function> PyObject *returnToPython(Function function) {
  try {
    nanobind::object result = function();
    return result.release().ptr();
  } catch (nanobind::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// Throws RecursionError where calls are nested as deep as Python allows: what
/// follows lists and tuples into each other has one.
class RecursionGuard {
public:
  RecursionGuard() {
    if (Py_EnterRecursiveCall(" in the arguments of a kernel"))
      throw nanobind::python_error();
  }
  ~RecursionGuard() { Py_LeaveRecursiveCall(); }
  RecursionGuard(const RecursionGuard &) = delete;
  RecursionGuard &operator=(const RecursionGuard &) = delete;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_ERRORS_H
