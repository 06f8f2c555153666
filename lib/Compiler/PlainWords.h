//===- PlainWords.h - MLIR's messages in the language's words ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser and its generic checks speak to those who build compilers: of
// SSA values, terminators and dialects to register. What a user can do about
// it is said here.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_PLAINWORDS_H
#define TILEWRIGHT_LIB_COMPILER_PLAINWORDS_H

#include "mlir/IR/Diagnostics.h"

namespace tilewright {

/// Rewrites a message of MLIR's own, and its notes, where there are plainer
/// words for it. `source` is what the diagnostic's place refers to.
void sayPlainly(mlir::Diagnostic &diagnostic, llvm::StringRef source);

/// Whether the message only tells that something failed, after another has told
/// what.
bool isAftermath(const mlir::Diagnostic &diagnostic);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_PLAINWORDS_H
