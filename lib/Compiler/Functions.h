//===- Functions.h - Functions that kernels call ----------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module may have private functions beside its kernels. A kernel is one
// program without calls, so that all of them become part of their callers
// before anything looks at a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_FUNCTIONS_H
#define TILEWRIGHT_LIB_COMPILER_FUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Inlines all functions of a module and takes them out. Fails, with an error,
/// where one is public, has no body, several blocks, or ops that the language
/// does not have, or calls itself.
mlir::LogicalResult inlineFunctions(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_FUNCTIONS_H
