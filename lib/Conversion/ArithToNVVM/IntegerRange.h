//===- IntegerRange.h - What is known of an integer -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_INTEGERRANGE_H
#define TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_INTEGERRANGE_H

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace tilewright::arithnvvm {

/// Between which numbers an integer or index lies, by the ops that it is made
/// of: those a few steps back, not through arguments of blocks.
mlir::ConstantIntRanges getRange(mlir::Value value);

} // namespace tilewright::arithnvvm

#endif // TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_INTEGERRANGE_H
