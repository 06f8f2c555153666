//===- Kernel.h - The class tilewright.Kernel -------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_KERNEL_H
#define TILEWRIGHT_PYTHON_KERNEL_H

#include "tilewright/Jit/Kernel.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Adds the class and the function that makes its objects.
void bindKernel(nanobind::module_ &module);

/// Carries out kernel(*arguments, **keywords): reads the arguments, checks them
/// against the kernel's, and launches.
void launch(jit::Kernel &kernel, const nanobind::args &arguments,
            const nanobind::kwargs &keywords);

/// The grid of a launch with these values of scalars, by name.
nanobind::tuple getGrid(jit::Kernel &kernel, const nanobind::args &unnamed,
                        const nanobind::kwargs &scalars);

/// "copy(X: f32[n], Y: f32[n], n: i64)".
std::string getSignature(jit::Kernel &kernel);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_KERNEL_H
