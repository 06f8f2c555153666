//===- Spans.h - What is computed anew between barriers ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind a loop of products a program stores in spans, from one barrier to the
// next. Each takes the same addresses and masks:
//
//   barrier; store %p0, store %p1, ...     // %p0 = %base + %row * %n + ...
//   barrier; store %p0 + 64, ...           // kept from there to here
//
// ptxas keeps them all, beside the sums, and spills. So each span computes them
// anew, from the fewest numbers that they can be made of (FewestKept.h).
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SPANS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SPANS_H

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright::tonvvm {

/// Whether warps meet at it.
bool isLoweredBarrier(mlir::Operation &op);

/// Behind a loop of products, where a thread has more than `registers` hold:
/// has what lies between two barriers compute addresses and masks anew, which
/// ptxas would keep from the first that takes them to the last.
void computeInSpans(mlir::LoopLikeOpInterface loop, int64_t registers);

} // namespace tilewright::tonvvm

#endif // TILEWRIGHT_LIB_CONVERSION_TILETONVVM_SPANS_H
