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

#include "tilewright/Runtime/TensorView.h"
#include "tilewright/Spec/KernelSpec.h"
#include <memory>
#include <nanobind/nanobind.h>

namespace tilewright::python {

struct Array {
  runtime::TensorView view;
  bool isOnGpu = false;
  /// Of the GPU; nothing where the array is empty and nobody says.
  std::optional<unsigned> device;
  bool isTorch = false;
  /// Where the owner's work on it is queued, if it says so.
  std::optional<uintptr_t> stream;
  /// What keeps the memory, beside the object itself.
  std::shared_ptr<void> owner;
};

/// Reads an array that is given for a pointer argument. Throws TypeError where
/// it is no array, or one of other elements.
Array readArray(nanobind::handle object, const spec::Argument &argument);

/// The stream on which PyTorch works on a GPU at the moment.
uintptr_t getTorchStream(unsigned device);

/// The handle of what a user gives as `stream=`: a number, or a stream of
/// PyTorch, CuPy or another library that has __cuda_stream__.
uintptr_t readStream(nanobind::handle object);

/// "numpy.ndarray"
std::string getTypeName(nanobind::handle object);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_ARRAYS_H
