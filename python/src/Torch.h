//===- Torch.h - PyTorch's tensors and streams ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DLPack and the CUDA array interface of PyTorch are Python code and take
// microseconds; the methods of a tensor take a tenth of one, and DLPack's C
// functions, which newer versions have, a hundredth.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_TORCH_H
#define TILEWRIGHT_PYTHON_TORCH_H

#include "Arrays.h"

namespace tilewright::python {

/// Reads a torch.Tensor. False where the object is none. Throws TypeError for
/// one of other elements, or without memory of its own.
bool readTorchTensor(nanobind::handle object, const ArraySlot &slot,
                     Array &array);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_TORCH_H
