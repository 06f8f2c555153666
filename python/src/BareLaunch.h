//===- BareLaunch.h - What the driver takes for a launch --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_BARELAUNCH_H
#define TILEWRIGHT_PYTHON_BARELAUNCH_H

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Adds the class BareLaunch, against which a launch from Python is measured:
/// the driver's launches in a loop of C++, with nothing around them.
void bindBareLaunch(nanobind::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_BARELAUNCH_H
