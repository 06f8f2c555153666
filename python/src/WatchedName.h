//===- WatchedName.h - Variables of Python in a kernel ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_WATCHEDNAME_H
#define TILEWRIGHT_PYTHON_WATCHEDNAME_H

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// A variable of Python whose value is part of the code: a name in a dictionary
/// of globals, or an attribute of a module, a class, an object or a closure's
/// cell.
class WatchedName {
public:
  /// `shown` is what is called by that name where the code is made. Throws
  /// NameError where each read gives a value that is not as the one before.
  WatchedName(nanobind::object owner, nanobind::object name,
              nanobind::object value, nanobind::object shown);

  bool isOf(nanobind::handle owner, nanobind::handle name) const;
  bool hasChanged() const;

  nanobind::handle getOwner() const { return owner; }
  nanobind::handle getValue() const { return value; }
  nanobind::handle getShown() const { return shown; }

private:
  nanobind::object read() const;
  bool isSame(nanobind::handle now) const;

  nanobind::object owner, name, value, shown;
  /// Whether each read makes an object, as a property may: then it is not which
  /// object it is that counts, but what is in it.
  bool isMadeAnew = false;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_WATCHEDNAME_H
