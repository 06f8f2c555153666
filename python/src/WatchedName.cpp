//===- WatchedName.cpp - Variables of Python in a kernel ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WatchedName.h"

#include "Arrays.h"
#include "Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <array>

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

/// What cannot be compared is another value.
static bool isEqual(nb::handle a, nb::handle b) {
  int equal = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  PyErr_Clear();
  return equal == 1;
}

/// Whether two functions of Python are one that was defined again. A method has
/// an object, too, and is none of them.
static bool isSameFunction(nb::handle a, nb::handle b) {
  auto function = nb::module_::import_("types").attr("FunctionType");
  if (!a.type().is(function) || !b.type().is(function) ||
      !nb::getattr(a, "__globals__").is(nb::getattr(b, "__globals__")))
    return false;
  return llvm::all_of(
      std::array{"__code__", "__defaults__", "__kwdefaults__", "__closure__"},
      [&](const char *part) {
        return isEqual(nb::getattr(a, part), nb::getattr(b, part));
      });
}

/// A number of NumPy, whose == passes over the sign of zeros, and says that NaN
/// is another than itself.
static bool isNumberOfNumPy(nb::handle object) {
  return llvm::StringRef(getTypeName(object)).starts_with("numpy.") &&
         nb::isinstance(object, nb::module_::import_("numpy").attr("generic"));
}

namespace {

/// Compares two values of one name.
class ValueComparison {
public:
  /// With `byContents`, objects of one class are the same that have the same in
  /// them, where their class says nothing of ==.
  explicit ValueComparison(bool byContents) : byContents(byContents) {}

  bool isSame(nb::handle a, nb::handle b) const;
  /// Whether a copy of one would be a copy of the other.
  bool hasSameContents(nb::handle a, nb::handle b) const;

private:
  bool hasSameElements(nb::handle a, nb::handle b) const;
  bool hasSameItems(nb::handle a, nb::handle b) const;

  bool byContents;
};

} // namespace

/// What has nothing in it, as a mark, is told by which object it is.
static bool hasContents(nb::handle object) {
  nb::object reduced = object.attr("__reduce_ex__")(2);
  return PyTuple_Check(reduced.ptr()) && nb::len(reduced) > 2 &&
         !nb::object(reduced[2]).is_none();
}

/// Whether a kernel is the same with both. 1, 1.0 and True are equal, and so
/// are 0.0 and -0.0, but they are not the same constants.
bool ValueComparison::isSame(nb::handle a, nb::handle b) const {
  if (a.is(b))
    return true;
  if (!a.type().is(b.type()))
    return false;
  if (PyFloat_CheckExact(a.ptr()))
    return llvm::bit_cast<uint64_t>(PyFloat_AsDouble(a.ptr())) ==
           llvm::bit_cast<uint64_t>(PyFloat_AsDouble(b.ptr()));
  RecursionGuard guard;
  if (PyTuple_CheckExact(a.ptr()) || (byContents && PyList_CheckExact(a.ptr())))
    return hasSameElements(a, b);
  if (byContents && PyDict_CheckExact(a.ptr()))
    return hasSameItems(a, b);
  auto constant = nb::module_::import_("tilewright.language").attr("constexpr");
  if (a.type().is(constant))
    return isSame(a.attr("value"), b.attr("value"));
  if (isNumberOfNumPy(a))
    return isEqual(a.attr("tobytes")(), b.attr("tobytes")());
  if (isSameFunction(a, b) || isEqual(a, b))
    return true;
  return byContents && hasContents(a) && hasSameContents(a, b);
}

bool ValueComparison::hasSameElements(nb::handle a, nb::handle b) const {
  return nb::len(a) == nb::len(b) &&
         llvm::all_of(llvm::seq<size_t>(nb::len(a)),
                      [&](size_t at) { return isSame(a[at], b[at]); });
}

bool ValueComparison::hasSameItems(nb::handle a, nb::handle b) const {
  auto others = nb::borrow<nb::dict>(b);
  if (nb::len(a) != nb::len(b))
    return false;
  for (auto [key, value] : nb::borrow<nb::dict>(a))
    if (!others.contains(key) || !isSame(value, others[key]))
      return false;
  return true;
}

bool ValueComparison::hasSameContents(nb::handle a, nb::handle b) const {
  nb::handle object(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  if (!a.type().is(b.type()) ||
      !nb::getattr(a.type(), "__eq__").is(nb::getattr(object, "__eq__")))
    return false;
  return isSame(a.attr("__reduce_ex__")(2), b.attr("__reduce_ex__")(2));
}

WatchedName::WatchedName(nb::object owner, nb::object name, nb::object value,
                         nb::object shown)
    : owner(std::move(owner)), name(std::move(name)), value(std::move(value)),
      shown(std::move(shown)) {
  nb::object now = read();
  isMadeAnew = now.is_valid() && !now.is(this->value);
  if (isMadeAnew && !isSame(now))
    raise(PyExc_NameError,
          llvm::Twine("'") + nb::str(this->shown).c_str() +
              "' is another value each time it is read: pass what the kernel "
              "needs of it as a parameter");
}

bool WatchedName::isOf(nb::handle owner, nb::handle name) const {
  return this->owner.is(owner) && this->name.equal(name);
}

/// Not valid where it has no value now.
nb::object WatchedName::read() const {
  nb::object now;
  if (PyDict_Check(owner.ptr()))
    now = nb::borrow(PyDict_GetItem(owner.ptr(), name.ptr()));
  else
    now = nb::steal(PyObject_GetAttr(owner.ptr(), name.ptr()));
  PyErr_Clear();
  return now;
}

bool WatchedName::isSame(nb::handle now) const {
  // The same line may have been run again.
  ValueComparison comparison(isMadeAnew);
  try {
    return comparison.isSame(now, value) ||
           (isMadeAnew && comparison.hasSameContents(now, value));
  } catch (nb::python_error &) {
    // What cannot be compared is another value.
    return false;
  }
}

bool WatchedName::hasChanged() const {
  nb::object now = read();
  return !now.is_valid() || !isSame(now);
}
