//===- CallKey.h - What the code for a call depends on ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Python kernel is compiled anew for other types, constants and options.
// Calls with equal keys share the code:
//
//   add[grid](x, y, 1000, BLOCK=256)   // *fp32, *fp32, i32; 256
//   add[grid](y, x, 2000, BLOCK=256)   // the same
//   add[grid](x, y, 1, BLOCK=256)      // *fp32, *fp32; 1, 256
//
// A key is a row of words, and the objects that no words can tell apart, such
// as texts and functions: their hashes are among the words. Constants are
// compared by value and type, so that 1, 1.0 and True are three; a number of
// NumPy is the one of Python that it stands for, and a tl.constexpr its value.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_CALLKEY_H
#define TILEWRIGHT_PYTHON_CALLKEY_H

#include "SignatureType.h"
#include "llvm/ADT/SmallVector.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// What a tl.constexpr stands for; not valid where the object is none.
nanobind::object unwrapConstexpr(nanobind::handle object);

class CallKey {
public:
  void addType(SignatureType type) {
    words.push_back(makeWord(Tag::Type, type.id << 1 | type.isPointer));
  }
  /// `name`: of the parameter, for messages. The object must live as long as
  /// the key; see keep().
  void addConstant(PyObject *object, llvm::StringRef name);
  /// What follows belongs to a tuple of so many.
  void openTuple(size_t size) { words.push_back(makeWord(Tag::Tuple, size)); }
  /// What follows is an option of that number.
  void openOption(size_t number) {
    words.push_back(makeWord(Tag::Option, number));
  }

  /// Equal for equal keys, to look up by; then isSame() decides.
  llvm::StringRef getBytes() const {
    return {reinterpret_cast<const char *>(words.data()),
            words.size() * sizeof(uint64_t)};
  }
  /// Whether the objects are the same, where the bytes are. May run Python.
  bool isSame(const CallKey &other) const;

  /// Keeps the objects alive from now on.
  void keep();
  /// Forgets them again.
  void release();
  llvm::ArrayRef<PyObject *> getObjects() const { return objects; }

private:
  enum class Tag : uint8_t {
    Type,
    None,
    Bool,
    Int,
    Float,
    Tuple,
    List,
    Object,
    Option
  };
  static uint64_t makeWord(Tag tag, uint64_t value) {
    return value << 8 | static_cast<uint8_t>(tag);
  }
  bool addNumber(PyObject *object);
  void addObject(PyObject *object, llvm::StringRef name);

  llvm::SmallVector<uint64_t, 48> words;
  llvm::SmallVector<PyObject *, 8> objects;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_CALLKEY_H
