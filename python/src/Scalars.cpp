//===- Scalars.cpp - Python's numbers as scalar arguments -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "Arrays.h"
#include "Errors.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

std::string python::describeNumber(nb::handle number) {
  constexpr int mostBits = 128;
  if (!PyLong_Check(number.ptr()))
    return nb::repr(number).c_str();
  auto bits = nb::cast<int64_t>(number.attr("bit_length")());
  if (bits > mostBits)
    return "an integer of " + std::to_string(bits) + " bits";
  return nb::str(number).c_str();
}

[[noreturn]] static void refuseValue(nb::handle number,
                                     const spec::Argument &argument) {
  raise(PyExc_ValueError,
        llvm::toString(spec::makeRangeError(argument, describeNumber(number))));
}

static bool isTruthOfNumPy(nb::handle object) {
  if (PyLong_Check(object.ptr()))
    return false;
  std::string type = getTypeName(object);
  return type == "numpy.bool" || type == "numpy.bool_";
}

/// What Python calls an integer: numbers of NumPy have __index__, floats have
/// not. NumPy's truth values have none, or warn of it up to NumPy 2.2, but
/// Python's own are integers.
static nb::object toInteger(nb::handle object, llvm::StringRef what) {
  if (LLVM_UNLIKELY(isTruthOfNumPy(object)))
    return nb::int_(PyObject_IsTrue(object.ptr()));
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (LLVM_LIKELY(number.is_valid()))
    return number;
  PyErr_Clear();
  raise(PyExc_TypeError,
        "'" + what + "' is to be an integer, not " + getTypeName(object));
}

int64_t python::readInteger(nb::handle object, llvm::StringRef what) {
  nb::object number = toInteger(object, what);
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0)
    raise(PyExc_ValueError, "'" + what + "' is " + describeNumber(number) +
                                ", which does not fit an i64");
  return value;
}

int64_t python::readCount(nb::handle object, llvm::StringRef what,
                          llvm::StringRef kernel) {
  if (LLVM_UNLIKELY(PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())))
    raise(PyExc_TypeError,
          kernel + ": " + what + " is to be int, not " + getTypeName(object));
  return readInteger(object, what);
}

uint64_t python::encodeSize(int64_t size, const spec::Argument &argument) {
  uint64_t bits = spec::encodeInteger(argument.type, size);
  // Shapes and grids read integers with their sign.
  if (LLVM_UNLIKELY(spec::decodeInteger(argument.type, bits) != size))
    raise(PyExc_ValueError, "the shapes make '" + argument.name + "' " +
                                llvm::Twine(size) +
                                ", which is no size that an " +
                                spec::getName(argument.type) + " can have");
  return bits;
}

static uint64_t readInteger(nb::handle object, const spec::Argument &argument) {
  nb::object number = toInteger(object, argument.name);
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  auto magnitude = static_cast<uint64_t>(value);
  if (overflow != 0) {
    magnitude = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      refuseValue(number, argument);
    }
    value = 0;
  }
  std::optional<uint64_t> bits = spec::encodeGivenInteger(
      argument.type, value < 0, value < 0 ? 0 - magnitude : magnitude);
  if (LLVM_UNLIKELY(!bits))
    refuseValue(number, argument);
  return *bits;
}

static uint64_t readReal(nb::handle object, const spec::Argument &argument) {
  double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred()) {
    bool isHuge = PyErr_ExceptionMatches(PyExc_OverflowError);
    PyErr_Clear();
    if (isHuge)
      refuseValue(object, argument);
    raise(PyExc_TypeError, "'" + argument.name + "' is to be a number, not " +
                               getTypeName(object));
  }
  std::optional<uint64_t> bits = spec::encodeGivenReal(argument.type, value);
  if (LLVM_UNLIKELY(!bits))
    refuseValue(object, argument);
  return *bits;
}

uint64_t python::readScalar(nb::handle object, const spec::Argument &argument) {
  if (spec::isReal(argument.type))
    return readReal(object, argument);
  return ::readInteger(object, argument);
}
