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
//   auto overlap = compareTensors(arguments, {{0, &x}, {1, &y}});
//
// Where nothing is shared that is written, it may have code that relies on
// more. Where something is, code that promises otherwise must not run on it.
// Where one lies in gaps of another, as columns of one matrix do, nothing but
// elements may be read.
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

/// What is known of the tensors of a launch, of which the kernel writes some.
struct Overlap {
  Overlap(bool areDisjoint = false, bool areInterleaved = false)
      : areDisjoint(areDisjoint), areInterleaved(areInterleaved) {}

  /// No byte that the kernel writes is reached through two arguments.
  bool areDisjoint;
  /// Between elements of one tensor, there are those of another, and the kernel
  /// writes one of the two.
  bool areInterleaved;
  /// They are disjoint, and each is of less than 2^31 bytes from the first to
  /// the last one.
  bool areShort = false;
};

/// Tensors are not disjoint where that of a pointer is not among `tensors`.
/// Fails where a byte that is written is reached through two arguments, and
/// code that relies on what these say may not run.
llvm::Expected<Overlap> compareTensors(llvm::ArrayRef<spec::Argument> arguments,
                                       llvm::ArrayRef<TensorArgument> tensors);

/// Whether it can lead to other code that tensors are disjoint: there are two
/// pointers, one of them written, that may overlap so far.
bool dependsOnOverlap(llvm::ArrayRef<spec::Argument> arguments);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_OVERLAP_H
