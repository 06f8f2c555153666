//===- CallKey.cpp - What the code for a call depends on ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallKey.h"

#include "Arrays.h"
#include "Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

/// Compared by Python's ==, within one class.
void CallKey::addObject(PyObject *object, llvm::StringRef name) {
  Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      throw nb::python_error();
    PyErr_Clear();
    raise(PyExc_TypeError, "'" + name + "' is a constant of the kernel, and " +
                               getTypeName(object) +
                               " is no value that calls can be told apart by: "
                               "it has no hash; what a kernel reads at run "
                               "time is a parameter without tl.constexpr");
  }
  words.push_back(makeWord(Tag::Object, 0));
  words.push_back(llvm::bit_cast<uint64_t>(Py_TYPE(object)));
  words.push_back(static_cast<uint64_t>(hash));
  objects.push_back(object);
}

/// False for what is no number of Python's own, or one that no word holds.
bool CallKey::addNumber(PyObject *object) {
  if (PyBool_Check(object)) {
    words.push_back(makeWord(Tag::Bool, object == Py_True));
    return true;
  }
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0)
      return false;
    words.push_back(makeWord(Tag::Int, 0));
    words.push_back(static_cast<uint64_t>(value));
    return true;
  }
  if (PyFloat_CheckExact(object)) {
    words.push_back(makeWord(Tag::Float, 0));
    words.push_back(llvm::bit_cast<uint64_t>(PyFloat_AsDouble(object)));
    return true;
  }
  return false;
}

/// What a number of NumPy stands for; not valid where the object is none.
static nb::object unwrapNumPy(nb::handle object) {
  // Most that are no numbers are told quickly.
  if (!PyNumber_Check(object.ptr()) ||
      !llvm::StringRef(getTypeName(object)).starts_with("numpy.") ||
      !nb::hasattr(object, "item") || !nb::hasattr(object, "shape") ||
      nb::len(nb::object(object.attr("shape"))) != 0)
    return {};
  return object.attr("item")();
}

nb::object python::unwrapConstexpr(nb::handle object) {
  // Of the language, which says so by its class.
  static constexpr char name[] = "__tilewright_value__";
  if (PyUnicode_CheckExact(object.ptr()) || !nb::hasattr(object.type(), name))
    return {};
  return object.attr(name);
}

void CallKey::addConstant(PyObject *object, llvm::StringRef name) {
  if (object == Py_None) {
    words.push_back(makeWord(Tag::None, 0));
    return;
  }
  if (LLVM_LIKELY(addNumber(object)))
    return;
  if (nb::object value = unwrapConstexpr(object); value.is_valid())
    // It lives as long as what it was wrapped in.
    return addConstant(value.ptr(), name);
  bool isTuple = PyTuple_CheckExact(object);
  if (!isTuple && !PyList_CheckExact(object)) {
    nb::object number = unwrapNumPy(object);
    if (!number.is_valid() || !addNumber(number.ptr()))
      addObject(object, name);
    return;
  }
  // A list is what it has now: its elements are compared, not itself.
  RecursionGuard guard;
  Py_ssize_t size = PySequence_Size(object);
  words.push_back(makeWord(isTuple ? Tag::Tuple : Tag::List, size));
  for (Py_ssize_t i = 0; i < size; ++i)
    addConstant(
        isTuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i), name);
}

bool CallKey::isSame(const CallKey &other) const {
  // The words say how many there are, and of which classes.
  for (auto [a, b] : llvm::zip_equal(objects, other.objects)) {
    if (LLVM_LIKELY(a == b))
      continue;
    int isEqual = PyObject_RichCompareBool(a, b, Py_EQ);
    if (isEqual < 0)
      throw nb::python_error();
    if (isEqual == 0)
      return false;
  }
  return true;
}

void CallKey::keep() {
  for (PyObject *object : objects)
    Py_INCREF(object);
}

void CallKey::release() {
  llvm::SmallVector<PyObject *, 8> released = std::move(objects);
  objects.clear();
  for (PyObject *object : released)
    Py_DECREF(object);
}
