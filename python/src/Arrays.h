//===- Arrays.h - Python's arrays as tensors --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays are taken as they are, never copied: tensors of PyTorch by their own
// methods, which is quickest, others by __cuda_array_interface__,
// __array_interface__ or DLPack. No array library is imported: where a user has
// not done so, there are none of its arrays.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_ARRAYS_H
#define TILEWRIGHT_PYTHON_ARRAYS_H

#include "ElementKind.h"
#include "tilewright/Runtime/TensorView.h"
#include "tilewright/Spec/KernelSpec.h"
#include <memory>
#include <nanobind/nanobind.h>

namespace tilewright::python {

struct Array;

/// What an array is given for.
struct ArraySlot {
  /// The name of the parameter, for messages.
  llvm::StringRef name;
  /// The elements that it takes; nothing: all that kernels have.
  std::optional<spec::ElementType> type;
  /// Else one without gaps may be described as if it had a single axis.
  bool needsShape = true;

  explicit ArraySlot(llvm::StringRef name) : name(name), needsShape(false) {}
  ArraySlot(const spec::Argument &argument, bool needsShape)
      : name(argument.name), type(argument.type), needsShape(needsShape) {}

  /// Writes what an array's elements are, for it and for the kernel. False
  /// where they do not fit.
  bool fits(std::optional<ElementKind> kind, Array &array) const;
  /// The same, with a TypeError; `elements`: how the array calls them.
  void take(std::optional<ElementKind> kind, nanobind::handle elements,
            Array &array) const;
  [[noreturn]] void refuse(const llvm::Twine &elements) const;
};

struct Array {
  runtime::TensorView view;
  /// What its owner calls the elements.
  ElementKind kind = {};
  bool isOnGpu = false;
  /// The number of the GPU; nothing where the array is empty and nobody says.
  std::optional<unsigned> device;
  /// The tensor, where it is PyTorch's; it outlives the launch.
  PyObject *torchTensor = nullptr;
  /// Where the owner's work on it is queued, if it says so.
  std::optional<uintptr_t> stream;
  /// What keeps the memory, beside the object itself.
  std::shared_ptr<void> owner;
};

/// Reads an array. False where the object is none. Throws TypeError for one of
/// other elements, or that cannot be taken.
bool readArray(nanobind::handle object, const ArraySlot &slot, Array &array);

/// Fails where no kernel can be given the array: it has no memory, or elements
/// that are not aligned.
void checkAddress(const Array &array, llvm::StringRef name);

/// The stream on which PyTorch works on a GPU at the moment.
uintptr_t getTorchStream(unsigned device);

/// Tells PyTorch that a tensor is used on a stream that is not its own, so that
/// the memory is not given to others before that is done.
void recordTorchStream(PyObject *tensor, uintptr_t stream, unsigned device);

/// The handle of what a user gives as `stream=`: a number, or a stream of
/// PyTorch, CuPy or another library that has __cuda_stream__.
uintptr_t readStream(nanobind::handle object);

/// "numpy.ndarray"
std::string getTypeName(nanobind::handle object);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_ARRAYS_H
