//===- CallArguments.cpp - From Python's objects to values ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Which object is which argument
//===----------------------------------------------------------------------===//

void Call::readGrid(nb::handle object) {
  runtime::GridSize size = {1, 1, 1};
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    nb::sequence axes = nb::borrow<nb::sequence>(object);
    size_t count = nb::len(axes);
    if (count < 1 || count > 3)
      refuse(PyExc_ValueError, "grid has one to three numbers of blocks");
    for (size_t axis = 0; axis < count; ++axis)
      size[axis] = readInteger(axes[axis], "grid");
  } else {
    size[0] = readInteger(object, "grid");
  }
  for (int64_t blocks : size)
    if (blocks < 0)
      refuse(PyExc_ValueError,
             "a grid has 0 or more blocks, not " + llvm::Twine(blocks));
  grid = size;
}

void Call::readInstructionLimit(nb::handle object) {
  int64_t limit = readInteger(object, "instruction_limit");
  if (limit < 1)
    refuse(PyExc_ValueError,
           "instruction_limit is 1 or more, not " + llvm::Twine(limit));
  instructionLimit = limit;
}

/// What is no argument of the kernel but a choice of the launch.
void Call::readOption(llvm::StringRef name, nb::handle value, bool &isOption) {
  isOption = true;
  if (name == "stream") {
    if (!value.is_none())
      stream = readStream(value);
    return;
  }
  if (name == "grid") {
    if (!value.is_none())
      readGrid(value);
    return;
  }
  if (name == "instruction_limit") {
    if (!value.is_none())
      readInstructionLimit(value);
    return;
  }
  isOption = name == "device";
  if (!isOption || value.is_none())
    return;
  // torch.device prints as what is expected here.
  std::string text = nb::str(value).c_str();
  auto [kind, number] = llvm::StringRef(text).split(':');
  unsigned ordinal = 0;
  bool hasNumber = kind.size() != text.size();
  bool isGood =
      kind == "sim"
          ? !hasNumber
          : kind == "cuda" && !(hasNumber && number.getAsInteger(10, ordinal));
  if (!isGood)
    refuse(PyExc_ValueError, "device is \"sim\", \"cuda\" or \"cuda:N\", not " +
                                 llvm::Twine(nb::repr(value).c_str()));
  deviceKind = kind.str();
  if (hasNumber)
    deviceNumber = ordinal;
}

void Call::readKeywords(const nb::kwargs &keywords, bool takesOptions) {
  for (auto [key, value] : keywords) {
    Py_ssize_t size = 0;
    const char *data = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (!data)
      throw nb::python_error();
    llvm::StringRef name(data, size);
    const auto *argument =
        llvm::find_if(declared, [&](const spec::Argument &each) {
          return each.name == name;
        });
    if (argument != declared.end()) {
      given[argument - declared.begin()] = value;
      continue;
    }
    bool isOption = false;
    if (takesOptions)
      readOption(name, value, isOption);
    if (!isOption)
      refuse(PyExc_TypeError, "there is no argument '" + name + "'; it is " +
                                  getSignature(kernel));
  }
}

/// Puts positional arguments in their places: all in order, or without the
/// sizes that the arrays tell.
void Call::place(const nb::args &arguments) {
  size_t count = arguments.size();
  size_t open = llvm::count_if(
      given, [](nb::handle object) { return !object.is_valid(); });
  bool leavesSizesOut = count != open;
  size_t next = 0;
  for (auto [index, slot] : llvm::enumerate(given)) {
    bool isSize = launches.getSizeSource(index).has_value();
    if (slot.is_valid()) {
      // Only sizes may be named in front of what is not.
      if (next < count && (!isSize || count == declared.size()))
        refuseTwice(index);
      continue;
    }
    if (leavesSizesOut && isSize)
      continue;
    if (next == count)
      refuse(PyExc_TypeError, "'" + declared[index].name +
                                  "' is missing; it is " +
                                  getSignature(kernel));
    slot = arguments[next++];
  }
  if (next != count)
    refuse(PyExc_TypeError, llvm::Twine(count) +
                                " arguments are too many; it is " +
                                getSignature(kernel));
}

void Call::readArrays() {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (!argument.isPointer())
      continue;
    arrays.push_back(readArray(given[index], argument));
    arrayArguments.push_back(index);
    const Array &array = arrays.back();
    values.set(index, array.view.address);
    unsigned bytes = spec::getByteSize(argument.type);
    if (LLVM_LIKELY(array.view.address != 0 &&
                    array.view.address % bytes == 0) ||
        array.view.getElementCount() == 0)
      continue;
    if (array.view.address == 0)
      refuse(PyExc_ValueError, "'" + argument.name +
                                   "' has no memory: it was freed, or never "
                                   "had any");
    refuse(PyExc_ValueError,
           "'" + argument.name + "' begins at 0x" +
               llvm::utohexstr(array.view.address, /*LowerCase=*/true) +
               ", no multiple of the " + llvm::Twine(bytes) +
               " bytes of an element: pass an aligned copy");
  }
}

/// The value of a scalar that was left out.
int64_t Call::readSize(unsigned scalar) {
  const std::optional<jit::SizeSource> &source = launches.getSizeSource(scalar);
  if (!source)
    refuse(PyExc_TypeError, "'" + declared[scalar].name +
                                "' is missing; it is " + getSignature(kernel));
  size_t position =
      llvm::find(arrayArguments, source->argument) - arrayArguments.begin();
  llvm::ArrayRef<int64_t> extents = arrays[position].view.extents;
  if (source->axis >= extents.size())
    refuse(PyExc_ValueError, "'" + declared[source->argument].name + "' is " +
                                 runtime::formatExtents(extents) +
                                 "; the kernel takes " +
                                 launches.getShapeText(source->argument));
  return extents[source->axis];
}

/// The values of the scalars, some of them from the shapes.
void Call::readSizes() {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (argument.isPointer())
      continue;
    bits[index] = given[index].is_valid()
                      ? readScalar(given[index], argument)
                      : encodeSize(readSize(index), argument);
    values.set(index, bits[index]);
  }
}

void Call::readArguments(const nb::args &arguments,
                         const nb::kwargs &keywords) {
  if (keywords.size() != 0)
    readKeywords(keywords, /*takesOptions=*/true);
  place(arguments);
  readArrays();
  readSizes();
}
