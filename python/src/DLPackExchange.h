//===- DLPackExchange.h - Arrays described without Python -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DLPack 1.3 has a table of C functions that a class of arrays may give ("C
// Exchange API"): they describe an array, and tell the stream of its library,
// in a tenth of the time of five methods of Python. PyTorch has it since 2.10.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_DLPACKEXCHANGE_H
#define TILEWRIGHT_PYTHON_DLPACKEXCHANGE_H

#include "Arrays.h"

namespace tilewright::python {

class DLPackExchange {
public:
  /// An exchange without functions.
  DLPackExchange() = default;
  /// The functions of a class; none where it has none that are known here.
  explicit DLPackExchange(nanobind::handle type);

  /// False where the functions cannot describe the array, or it does not fit:
  /// who asks in another way finds out why.
  bool read(PyObject *object, const ArraySlot &slot, Array &array) const;
  /// The stream on which the library works on a GPU at the moment.
  std::optional<uintptr_t> getStream(unsigned device) const;

private:
  struct Functions;
  /// They live as long as the process.
  const Functions *functions = nullptr;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_DLPACKEXCHANGE_H
