//===- Messages.h - What a compilation says ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_MESSAGES_H
#define TILEWRIGHT_LIB_COMPILER_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "tilewright/Compiler/Compile.h"
#include "llvm/Support/SourceMgr.h"

namespace tilewright {

/// As long as it lives, writes the diagnostics of a context, in the language's
/// words and with the lines that they are about.
class Messages {
public:
  /// The first buffer of `sources`, if any, is the source that places refer to.
  Messages(mlir::MLIRContext &context, llvm::SourceMgr &sources,
           const CompileOptions &options, llvm::raw_ostream &os);
  ~Messages();

  bool hasError() const { return sawError; }

private:
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext &context;
  llvm::SourceMgr &sources;
  const CompileOptions &options;
  bool printedOps;
  bool sawError = false;
  mlir::SourceMgrDiagnosticHandler writer;
  /// Comes before the writer, since it is registered after it.
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_MESSAGES_H
