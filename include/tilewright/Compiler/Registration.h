//===- Registration.h - Every dialect and pass of the compiler --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_REGISTRATION_H
#define TILEWRIGHT_COMPILER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// Adds the dialects that the compiler reads and writes.
void registerAll(mlir::DialectRegistry &registry);

/// Makes the compiler's passes and pipelines, and the upstream passes it uses,
/// known to command lines.
void registerAllPasses();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_REGISTRATION_H
