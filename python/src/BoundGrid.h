//===- BoundGrid.h - A Python kernel with its grid --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_BOUNDGRID_H
#define TILEWRIGHT_PYTHON_BOUNDGRID_H

#include "Dispatcher.h"

namespace tilewright::python {

/// What `kernel[grid]` is: to be called once, most often, and dropped. A class
/// of its own in the C API: nanobind's objects take longer to make and to call.
/// `dispatcher`: the object of Python's that `kernel` is in.
nanobind::object makeBoundGrid(PyObject *dispatcher, Dispatcher &kernel,
                               PyObject *grid);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_BOUNDGRID_H
