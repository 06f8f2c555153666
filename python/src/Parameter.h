//===- Parameter.h - A parameter of a Python kernel -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_PARAMETER_H
#define TILEWRIGHT_PYTHON_PARAMETER_H

#include "SignatureType.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// As the function that the kernel is made of declares it.
struct Parameter {
  /// Interned, so that names are mostly compared by their addresses.
  nanobind::object key;
  std::string name;
  /// `constexpr`: its value is part of the code.
  bool isConstant = false;
  /// Launches get code for an integer that is 1.
  bool specializesOne = true;
  /// And for what it is a multiple of.
  bool specializesAlignment = true;
  /// None where it must be given: not valid then.
  nanobind::object defaultValue;
  /// The option of Triton's that has its name: who gives one by name gives
  /// both.
  std::optional<unsigned> sharedOption;
  /// The type of a scalar that its annotation says, with how it is encoded.
  std::optional<SignatureType> type;
  spec::Argument declared;
};

/// Reads the tuple (name, is_constexpr, do_not_specialize,
/// do_not_specialize_on_alignment, default, annotation). `required`: stands for
/// no default.
Parameter readParameter(nanobind::handle description,
                        nanobind::handle required);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_PARAMETER_H
