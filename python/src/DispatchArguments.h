//===- DispatchArguments.h - The arguments of a Python kernel ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each object of a call is to the kernel: a constant, which becomes part
// of the code, or the value of an argument, of which the code knows the type.
//
//   DispatchArguments arguments;
//   arguments.read(parameters[0], x);         // an array: *fp32
//   arguments.read(parameters[1], n);         // 1000: i32; 1: a constant
//   arguments.getKey()                        // finds the code
//
// Who needs no data gives types in place of values, and no launch:
// torch.float16 or "*fp16" for an array, "i32:16" for a multiple of 16. An
// object with __tilewright_arguments__, such as a TensorDescriptor, is the
// tuple that this gives.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_DISPATCHARGUMENTS_H
#define TILEWRIGHT_PYTHON_DISPATCHARGUMENTS_H

#include "Arrays.h"
#include "CallKey.h"
#include "Parameter.h"

namespace tilewright::python {

/// What a kernel is told of: an element of a tuple, or an argument of its own.
struct Leaf {
  bool isConstant = true;
  /// Whether code may rely on what it is a multiple of.
  bool specializesAlignment = true;
  // What follows is of those that are no constants.
  SignatureType type = {};
  /// The number of the array, where there is one and not only its type.
  std::optional<unsigned> array;
  /// The bits of a scalar; the address of an array.
  uint64_t bits = 0;
};

class DispatchArguments {
public:
  /// `takesTypes`: objects may be types in place of values.
  explicit DispatchArguments(bool takesTypes) : takesTypes(takesTypes) {}

  void read(const Parameter &parameter, PyObject *object);

  CallKey &getKey() { return key; }
  /// The leaves of all parameters so far, in order.
  llvm::ArrayRef<Leaf> getLeaves() const { return leaves; }
  const Array &getArray(unsigned number) const { return arrays[number]; }
  /// Whether types stand for arguments.
  bool hasTypes() const { return isAbstract; }

  /// What Python's part of the compiler is told.
  struct Description {
    nanobind::object signature;
    nanobind::dict constants;
  };
  Description describe(llvm::ArrayRef<Parameter> parameters,
                       llvm::ArrayRef<PyObject *> objects) const;

private:
  void readArgument(const Parameter &parameter, PyObject *object);
  void readInteger(const Parameter &parameter, PyObject *object);
  void readOther(const Parameter &parameter, PyObject *object);
  bool readDtype(const Parameter &parameter, PyObject *object);
  void readTypeText(const Parameter &parameter, llvm::StringRef text);
  PyObject *takeApart(PyObject *object);
  void readTuple(const Parameter &parameter, PyObject *tuple);
  void addConstant(const Parameter &parameter, PyObject *object);
  void addArgument(const Parameter &parameter, SignatureType type,
                   uint64_t bits, std::optional<unsigned> array = std::nullopt);

  bool takesTypes;
  bool isAbstract = false;
  CallKey key;
  llvm::SmallVector<Leaf, 12> leaves;
  llvm::SmallVector<Array, 6> arrays;
  /// Objects that stand for several arguments, and these.
  llvm::SmallVector<std::pair<PyObject *, nanobind::object>, 0> wholes;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_DISPATCHARGUMENTS_H
