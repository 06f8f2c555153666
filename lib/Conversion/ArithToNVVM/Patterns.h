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
#include "llvm/ADT/DenseSet.h"

namespace tilewright::arithnvvm {

/// Conversions between numbers: which instructions, and how often rounded.
void populateConversionPatterns(mlir::RewritePatternSet &patterns);

/// Whether the target has the conversion, if `op` is one; an error at the op if
/// not.
mlir::LogicalResult checkConversion(mlir::Operation *op,
                                    const GpuTarget &target);

/// Divisions of 64 bits without signs whose dividends 32 bits hold: most
/// dividends are made of a program's number, which has 31.
llvm::DenseSet<mlir::Operation *> findNarrowDivisions(mlir::Operation *root);

/// Divisions, of which those are done in 32 bits, and shifts.
void populateIntegerPatterns(
    mlir::RewritePatternSet &patterns,
    const llvm::DenseSet<mlir::Operation *> &narrowDivisions);

} // namespace tilewright::arithnvvm

#endif // TILEWRIGHT_LIB_CONVERSION_ARITHTONVVM_PATTERNS_H
