//===- IrBuilder.h - The class tilewright._core.IrBuilder -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_IRBUILDER_H
#define TILEWRIGHT_PYTHON_IRBUILDER_H

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Adds the class by which the front end writes tile programs, and those of
/// its values and regions.
void bindIrBuilder(nanobind::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_IRBUILDER_H
