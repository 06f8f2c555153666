//===- CallArguments.cpp - From Python's objects to values ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "Scalars.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Which object is which argument
//===----------------------------------------------------------------------===//

/// What is no argument of the kernel but a choice of the launch.
bool Call::readOption(llvm::StringRef name, nb::handle value) {
  if (name != "grid")
    return options.read(name, value, kernel.getName());
  if (!value.is_none())
    grid = readGrid(value, kernel.getName());
  return true;
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
    if (!takesOptions || !readOption(name, value))
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
    if (!readArray(given[index], {argument, launches.hasShapes()},
                   arrays[index]))
      raise(PyExc_TypeError,
            "'" + argument.name + "' is to be an array of " +
                spec::getName(argument.type) + ", not " +
                (PyType_Check(given[index].ptr()) ? "a class"
                                                  : getTypeName(given[index])));
    launch.addArray(index, arrays[index]);
  }
}

/// The value of a scalar that was left out.
int64_t Call::readSize(unsigned scalar) {
  const std::optional<jit::SizeSource> &source = launches.getSizeSource(scalar);
  if (!source)
    refuse(PyExc_TypeError, "'" + declared[scalar].name +
                                "' is missing; it is " + getSignature(kernel));
  llvm::ArrayRef<int64_t> extents = arrays[source->argument].view.extents;
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
    launch.setScalar(index, bits[index]);
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
