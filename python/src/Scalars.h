//===- Scalars.h - Python's numbers as scalar arguments ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_SCALARS_H
#define TILEWRIGHT_PYTHON_SCALARS_H

#include "tilewright/Spec/KernelSpec.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// The bits of a number in the type of an argument. Throws TypeError for what
/// is no number of that sort, ValueError for one that does not fit.
uint64_t readScalar(nanobind::handle object, const spec::Argument &argument);

/// The bits of a size that the shapes of arrays tell. Throws ValueError where
/// it is too large for the type.
uint64_t encodeSize(int64_t size, const spec::Argument &argument);

/// A number as its user wrote it, if that is short.
std::string describeNumber(nanobind::handle number);

/// An integer of 64 bits; `what` names it in errors.
int64_t readInteger(nanobind::handle object, llvm::StringRef what);

/// One that counts something, of the launch of `kernel`: True is an integer of
/// Python's, and counts nothing.
int64_t readCount(nanobind::handle object, llvm::StringRef what,
                  llvm::StringRef kernel);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SCALARS_H
