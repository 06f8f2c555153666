//===- LaunchOptions.cpp - Choices of a launch ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchOptions.h"

#include "Errors.h"
#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

/// Arrays have __index__ too, but only those of one element give a number.
static bool isInteger(nb::handle number) {
  if (LLVM_LIKELY(PyLong_Check(number.ptr()) || !PyIndex_Check(number.ptr())))
    return PyLong_Check(number.ptr()) && !PyBool_Check(number.ptr());
  bool isOne = nb::steal(PyNumber_Index(number.ptr())).is_valid();
  if (!isOne)
    PyErr_Clear();
  return isOne;
}

/// How many blocks an axis has.
static int64_t readBlocks(nb::handle number, llvm::StringRef kernel) {
  if (nb::hasattr(number, "is_integer") && PyIndex_Check(number.ptr()) == 0)
    raise(PyExc_TypeError,
          kernel + ": a grid has whole numbers of blocks, not a float: "
                   "tilewright.cdiv(n, BLOCK) and n // BLOCK are whole");
  if (!isInteger(number))
    raise(PyExc_TypeError,
          kernel +
              ": a grid is a number of programs, a tuple of one to three "
              "of them, or a function that gives one, not " +
              getTypeName(number));
  return readInteger(number, "grid");
}

runtime::GridSize python::readGrid(nb::handle object, llvm::StringRef kernel) {
  runtime::GridSize size = {1, 1, 1};
  bool isTuple = PyTuple_Check(object.ptr()) != 0;
  if (isTuple || PyList_Check(object.ptr())) {
    Py_ssize_t count = PySequence_Size(object.ptr());
    if (count < 1 || count > 3)
      raise(PyExc_ValueError,
            kernel + ": a grid has one to three numbers of blocks, not " +
                llvm::Twine(count));
    for (Py_ssize_t axis = 0; axis < count; ++axis)
      size[axis] = readBlocks(isTuple ? PyTuple_GetItem(object.ptr(), axis)
                                      : PyList_GetItem(object.ptr(), axis),
                              kernel);
  } else {
    size[0] = readBlocks(object, kernel);
  }
  for (int64_t blocks : size)
    if (blocks < 0)
      raise(PyExc_ValueError, kernel + ": a grid has 0 or more blocks, not " +
                                  llvm::Twine(blocks));
  return size;
}

/// "cuda" or "cuda:1", and the number; false for anything else.
static bool readGpuName(llvm::StringRef text, std::optional<unsigned> &number) {
  if (!text.consume_front("cuda"))
    return false;
  unsigned ordinal = 0;
  if (text.empty())
    return true;
  if (!text.consume_front(":") || text.getAsInteger(10, ordinal))
    return false;
  number = ordinal;
  return true;
}

void LaunchOptions::readDevice(nb::handle value, llvm::StringRef kernel) {
  // torch.device prints as what is expected here.
  std::string text = nb::str(value).c_str();
  deviceNumber.reset();
  if (text == "sim")
    kind = Kind::Simulator;
  else if (readGpuName(text, deviceNumber))
    kind = Kind::Gpu;
  else
    raise(PyExc_ValueError,
          kernel + ": device is \"sim\", \"cuda\" or \"cuda:N\", not " +
              llvm::Twine(nb::repr(value).c_str()));
}

/// The names of arrays that an option has, one or several.
static std::vector<std::string>
readNames(nb::handle value, llvm::StringRef option, llvm::StringRef kernel) {
  if (nb::isinstance<nb::str>(value))
    return {nb::cast<std::string>(value)};
  std::vector<std::string> names;
  if (!nb::try_cast(value, names))
    raise(PyExc_TypeError,
          kernel + ": " + option +
              " is the name of an array, or a tuple of names, not " +
              llvm::Twine(nb::repr(value).c_str()));
  return names;
}

void LaunchOptions::readReached(nb::handle value, llvm::StringRef kernel) {
  if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr()))
    raise(PyExc_TypeError, kernel +
                               ": reaches is a tuple or list of arrays, not " +
                               getTypeName(value));
  reached.clear();
  for (nb::handle object : nb::borrow<nb::sequence>(value)) {
    std::string name = "reaches[" + std::to_string(reached.size()) + "]";
    Array array;
    if (!readArray(object, ArraySlot(name), array))
      raise(PyExc_TypeError, kernel + ": " + name + " is to be an array, not " +
                                 getTypeName(object));
    array.view.keepsAddress = true;
    reached.push_back(std::move(array));
  }
}

LaunchOptions::Kind LaunchOptions::getDefaultKind() {
  static const Kind kind = [] {
    const char *text = std::getenv("TILEWRIGHT_DEVICE");
    llvm::StringRef device = text ? text : "";
    if (!device.empty() && device != "sim" && device != "cuda")
      raise(PyExc_ValueError, "TILEWRIGHT_DEVICE in the environment is sim or "
                              "cuda, not '" +
                                  device + "'");
    return device == "sim"    ? Kind::Simulator
           : device == "cuda" ? Kind::Gpu
                              : Kind::OfArrays;
  }();
  return kind;
}

bool LaunchOptions::read(llvm::StringRef name, nb::handle value,
                         llvm::StringRef kernel) {
  if (!llvm::is_contained(names, name))
    return false;
  if (value.is_none())
    return true;
  if (name == "stream") {
    stream = readStream(value);
  } else if (name == "device") {
    readDevice(value, kernel);
  } else if (name == "uninitialized") {
    uninitialized = readNames(value, name, kernel);
  } else if (name == "races") {
    races = readNames(value, name, kernel);
  } else if (name == "reaches") {
    readReached(value, kernel);
  } else {
    int64_t limit = readCount(value, "instruction_limit", kernel);
    if (limit < 1)
      raise(PyExc_ValueError, kernel +
                                  ": instruction_limit is 1 or more, not " +
                                  llvm::Twine(limit));
    instructionLimit = limit;
  }
  return true;
}
