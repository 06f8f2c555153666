//===- Passes.h - Arithmetic that means what it says ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES_H
#define TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright {

#define GEN_PASS_DECL
#include "tilewright/Conversion/ArithToNVVM/Passes.h.inc"

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_ARITHTONVVM_PASSES_H
