//===- RepeatedCall.h - A call as one before it -----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most launches in a loop differ from the one before them in numbers and
// addresses only. What such a call is to be like is written down once, a step
// for each parameter, so that the next one is compared with it while it is
// read: no key is made and no code is looked for. What differs in anything else
// goes the way of the first (DispatchArguments, CallKey), and says there what
// is wrong with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_REPEATEDCALL_H
#define TILEWRIGHT_PYTHON_REPEATEDCALL_H

#include "DispatchArguments.h"

namespace tilewright::python {

class KernelLaunch;

class RepeatedCall {
public:
  /// Of a call that was read. Not every call can be compared so: nothing, where
  /// a tuple is among the arguments, or an array that is not PyTorch's.
  static std::optional<RepeatedCall>
  create(llvm::ArrayRef<Parameter> parameters,
         llvm::ArrayRef<PyObject *> objects, llvm::ArrayRef<PyObject *> options,
         const DispatchArguments &arguments);

  /// Gives the launch its arguments, from one object a parameter. False where
  /// the call is another one; then the launch has some of them. The arrays are
  /// to stay where they are until the launch is over.
  bool read(llvm::ArrayRef<Parameter> parameters,
            llvm::ArrayRef<PyObject *> objects,
            llvm::ArrayRef<PyObject *> options, KernelLaunch &launch,
            llvm::SmallVectorImpl<Array> &arrays) const;

private:
  /// What an object of the next call is to be.
  struct Step {
    enum Kind : uint8_t {
      /// This very one: None, a truth value, a text.
      Object,
      /// A number of this value and of Python's own class.
      Integer,
      Float,
      // Any value of a type.
      I32,
      I64,
      FP32,
      Truth,
      /// A number, for a parameter whose annotation says the type.
      Number,
      Tensor
    };
    Kind kind = Object;
    /// The bits of the constant, or of the elements of the tensor.
    uint64_t bits = 0;
    ElementKind elements = {};
    nanobind::object object;
  };

  static std::optional<Step> describeConstant(PyObject *object);
  static std::optional<Step> describe(const Parameter &parameter,
                                      PyObject *object, const Leaf &leaf,
                                      const DispatchArguments &arguments);
  static bool isSameConstant(const Step &step, PyObject *object);
  static bool readScalar(const Step &step, const Parameter &parameter,
                         PyObject *object, uint64_t &bits);

  /// One a parameter.
  std::vector<Step> steps;
  /// One an option of the compiler; kind Object and null where it is not given.
  std::vector<Step> options;
  unsigned arrayCount = 0;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_REPEATEDCALL_H
