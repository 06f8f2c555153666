//===- Patterns.h - The families of arithmetic ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_PATTERNS_H
#define TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "tilewright/Target/GpuTarget.h"

namespace tilewright::arithnvvm {

/// Conversions between numbers: which instructions, and how often rounded.
void populateConversionPatterns(mlir::RewritePatternSet &patterns,
                                const GpuTarget &target);

/// Whether the target has the conversion, if `op` is one; an error at the op if
/// not.
mlir::LogicalResult checkConversion(mlir::Operation *op,
                                    const GpuTarget &target);

/// Quotients that need not be rounded correctly.
void populateFloatPatterns(mlir::RewritePatternSet &patterns);

/// Divisions, remainders and shifts.
void populateIntegerPatterns(mlir::RewritePatternSet &patterns);

} // namespace tilewright::arithnvvm

#endif // TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_PATTERNS_H
