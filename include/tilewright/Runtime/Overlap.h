//===- Overlap.h - Tensors of a launch that share memory --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code may rely on it that what one argument reaches is not written
// through another (spec::Argument::isDisjoint). A launch compares the memory of
// its tensors:
//
//   auto areDisjoint = compareTensors(arguments, {{0, &x}, {1, &y}});
//
// Where nothing is shared that is written, it may have code that relies on
// more. Where something is, code that promises otherwise must not run on it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_OVERLAP_H
#define TILEWRIGHT_RUNTIME_OVERLAP_H

#include "tilewright/Runtime/TensorView.h"
#include "tilewright/Spec/Argument.h"

namespace tilewright::runtime {

/// Whether two tensors may have a byte in common. Exact for those that are
/// dense but for one stride, such as columns or every second element of a
/// matrix.
bool mayOverlap(const TensorView &a, const TensorView &b);

/// What a launch gives for a pointer.
struct TensorArgument {
  unsigned argument;
  const TensorView *tensor;
};

/// Whether no byte that the kernel writes is reached through two arguments: not
/// where a pointer's tensor is not among `tensors`. Fails where one is, and
/// code that relies on what these arguments say may not run.
llvm::Expected<bool> compareTensors(llvm::ArrayRef<spec::Argument> arguments,
                                    llvm::ArrayRef<TensorArgument> tensors);

/// Whether the answer of compareTensors() can lead to other code: there are two
/// pointers, one of them written, that may overlap so far.
bool dependsOnOverlap(llvm::ArrayRef<spec::Argument> arguments);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_OVERLAP_H
