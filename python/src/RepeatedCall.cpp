//===- RepeatedCall.cpp - A call as one before it -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedCall.h"

#include "KernelLaunch.h"
#include "Scalars.h"
#include "Torch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// What a call was
//===----------------------------------------------------------------------===//

/// A tuple that cannot become another one: of words.
static bool hasWordsOnly(PyObject *object) {
  if (!PyTuple_CheckExact(object))
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i)
    if (!PyUnicode_CheckExact(PyTuple_GetItem(object, i)))
      return false;
  return true;
}

/// Constants that are the same as long as the object is: not what can be
/// changed in place, nor what has an equality of its own.
std::optional<RepeatedCall::Step>
RepeatedCall::describeConstant(PyObject *object) {
  Step step;
  if (!object || object == Py_None || PyBool_Check(object) ||
      PyUnicode_CheckExact(object) || hasWordsOnly(object)) {
    step.object = nb::borrow(object);
    return step;
  }
  if (PyFloat_CheckExact(object)) {
    step.kind = Step::Float;
    step.bits = llvm::bit_cast<uint64_t>(PyFloat_AsDouble(object));
    return step;
  }
  int overflow = 0;
  if (!PyLong_CheckExact(object))
    return std::nullopt;
  step.kind = Step::Integer;
  step.bits = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 ? std::optional(step) : std::nullopt;
}

std::optional<RepeatedCall::Step>
RepeatedCall::describe(const Parameter &parameter, PyObject *object,
                       const Leaf &leaf, const DispatchArguments &arguments) {
  if (leaf.isConstant)
    return describeConstant(object);
  Step step;
  if (leaf.array) {
    const Array &array = arguments.getArray(*leaf.array);
    if (!array.torchTensor)
      return std::nullopt;
    step.kind = Step::Tensor;
    step.elements = array.kind;
  } else if (parameter.type) {
    step.kind = Step::Number;
  } else if (PyBool_Check(object)) {
    step.kind = Step::Truth;
  } else if (PyFloat_CheckExact(object)) {
    step.kind = Step::FP32;
  } else if (PyLong_CheckExact(object) && leaf.type.id == SignatureType::I32) {
    step.kind = Step::I32;
  } else if (PyLong_CheckExact(object) && leaf.type.id == SignatureType::I64) {
    step.kind = Step::I64;
  } else {
    return std::nullopt;
  }
  return step;
}

std::optional<RepeatedCall>
RepeatedCall::create(llvm::ArrayRef<Parameter> parameters,
                     llvm::ArrayRef<PyObject *> objects,
                     llvm::ArrayRef<PyObject *> givenOptions,
                     const DispatchArguments &arguments) {
  RepeatedCall call;
  // A tuple has as many leaves as elements.
  if (arguments.getLeaves().size() != parameters.size() ||
      llvm::any_of(objects, [](PyObject *object) {
        return PyTuple_Check(object) || PyList_Check(object);
      }))
    return std::nullopt;
  for (auto [parameter, object, leaf] :
       llvm::zip_equal(parameters, objects, arguments.getLeaves())) {
    std::optional<Step> step = describe(parameter, object, leaf, arguments);
    if (!step)
      return std::nullopt;
    call.arrayCount += step->kind == Step::Tensor;
    call.steps.push_back(std::move(*step));
  }
  for (PyObject *option : givenOptions) {
    std::optional<Step> step = describeConstant(option);
    if (!step)
      return std::nullopt;
    call.options.push_back(std::move(*step));
  }
  return call;
}

//===----------------------------------------------------------------------===//
// Whether the next one is the same
//===----------------------------------------------------------------------===//

bool RepeatedCall::isSameConstant(const Step &step, PyObject *object) {
  if (step.kind == Step::Object)
    return object == step.object.ptr();
  if (!object)
    return false;
  if (step.kind == Step::Float)
    return PyFloat_CheckExact(object) &&
           llvm::bit_cast<uint64_t>(PyFloat_AsDouble(object)) == step.bits;
  int overflow = 0;
  return PyLong_CheckExact(object) &&
         static_cast<uint64_t>(
             PyLong_AsLongLongAndOverflow(object, &overflow)) == step.bits &&
         overflow == 0;
}

/// False where a general look at the object would give it another type.
bool RepeatedCall::readScalar(const Step &step, const Parameter &parameter,
                              PyObject *object, uint64_t &bits) {
  bool isInteger = PyLong_CheckExact(object);
  switch (step.kind) {
  case Step::I32:
  case Step::I64: {
    int overflow = 0;
    if (!isInteger)
      return false;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    bits = static_cast<uint64_t>(value);
    return overflow == 0 &&
           llvm::isInt<32>(value) == (step.kind == Step::I32) &&
           !(value == 1 && parameter.specializesOne);
  }
  case Step::Truth:
    bits = object == Py_True;
    return PyBool_Check(object);
  case Step::FP32:
    if (!PyFloat_CheckExact(object))
      return false;
    break;
  default:
    if (!isInteger && !PyFloat_CheckExact(object) && !PyBool_Check(object))
      return false;
  }
  bits = python::readScalar(object, parameter.declared);
  return true;
}

bool RepeatedCall::read(llvm::ArrayRef<Parameter> parameters,
                        llvm::ArrayRef<PyObject *> objects,
                        llvm::ArrayRef<PyObject *> givenOptions,
                        KernelLaunch &launch,
                        llvm::SmallVectorImpl<Array> &arrays) const {
  for (auto [step, option] : llvm::zip_equal(options, givenOptions))
    if (LLVM_UNLIKELY(!isSameConstant(step, option)))
      return false;
  // They are pointed to.
  arrays.reserve(arrayCount);
  unsigned argument = 0;
  for (auto [step, parameter, object] :
       llvm::zip_equal(steps, parameters, objects)) {
    if (step.kind <= Step::Float) {
      if (LLVM_UNLIKELY(!isSameConstant(step, object)))
        return false;
      continue;
    }
    if (step.kind == Step::Tensor) {
      Array &array = arrays.emplace_back();
      if (LLVM_UNLIKELY(
              !readTorchTensor(object, ArraySlot(parameter.name), array) ||
              !(array.kind == step.elements)))
        return false;
      launch.addArray(argument++, array);
      continue;
    }
    uint64_t bits = 0;
    if (LLVM_UNLIKELY(!readScalar(step, parameter, object, bits)))
      return false;
    launch.setScalar(argument++, bits);
  }
  return true;
}
