//===- Scalars.cpp - Python's numbers as scalar arguments -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "Arrays.h"
#include "Errors.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;
using spec::ElementType;

[[noreturn]] static void refuseValue(nb::handle value, llvm::StringRef what,
                                     llvm::StringRef type) {
  raise(PyExc_ValueError, "'" + what + "' is " + nb::repr(value).c_str() +
                              ", which does not fit an " + type);
}

int64_t python::readInteger(nb::handle object, llvm::StringRef what) {
  // Numbers of NumPy have __index__, floats have not.
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    raise(PyExc_TypeError,
          "'" + what + "' is to be an integer, not " + getTypeName(object));
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0)
    refuseValue(number, what, "i64");
  return value;
}

uint64_t python::encodeInteger(int64_t value, const spec::Argument &argument) {
  unsigned width = 8 * spec::getByteSize(argument.type);
  bool isGood = argument.type == ElementType::I1 ? value == 0 || value == 1
                                                 : llvm::isIntN(width, value);
  if (LLVM_UNLIKELY(!isGood))
    refuseValue(nb::int_(value), argument.name, spec::getName(argument.type));
  return spec::encodeInteger(argument.type, value);
}

static uint64_t readReal(nb::handle object, const spec::Argument &argument) {
  double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred()) {
    bool isHuge = PyErr_ExceptionMatches(PyExc_OverflowError);
    PyErr_Clear();
    if (isHuge)
      raise(PyExc_ValueError, "'" + argument.name + "' is too large for an " +
                                  spec::getName(argument.type));
    raise(PyExc_TypeError, "'" + argument.name + "' is to be a number, not " +
                               getTypeName(object));
  }
  // As ScalarValues does: infinity may be asked for, not come by overflow.
  double limit = spec::getLargestFinite(argument.type) *
                 (1 + spec::getUnitRoundoff(argument.type));
  if (std::isfinite(value) && std::fabs(value) > limit)
    refuseValue(object, argument.name, spec::getName(argument.type));
  return spec::encodeReal(argument.type, value);
}

uint64_t python::readScalar(nb::handle object, const spec::Argument &argument) {
  if (spec::isReal(argument.type))
    return readReal(object, argument);
  return encodeInteger(readInteger(object, argument.name), argument);
}
