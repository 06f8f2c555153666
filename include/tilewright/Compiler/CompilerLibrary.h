//===- CompilerLibrary.h - The compiler behind a door ---*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler with all of MLIR is a shared library of its own beside the
// Python package, whose processes mostly find their kernels compiled and then
// never load it. This is what the library has: one function, which gives one
// object.
//
//   auto get = find(library, "tilewrightGetCompiler");
//   CompileOutcome outcome = get()->compile(text, "add.mlir", options);
//
// Both sides are of one build, but each has LLVM's support code for itself: no
// llvm::Error crosses, whose classes are known by their addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_COMPILERLIBRARY_H
#define TILEWRIGHT_COMPILER_COMPILERLIBRARY_H

#include "tilewright/Compiler/Compile.h"
#include "tilewright/Compiler/ProgramBuilder.h"

namespace tilewright {

/// A module, or why there is none: what a CompileFailure has.
struct CompileOutcome {
  std::optional<CompiledModule> module;
  std::string text;
  std::vector<CompileDiagnostic> diagnostics;
};

class CompilerLibrary {
public:
  virtual ~CompilerLibrary() = default;

  /// Any thread may compile.
  virtual CompileOutcome compile(const std::string &source,
                                 const std::string &name,
                                 const CompileOptions &options) = 0;
  virtual std::unique_ptr<ProgramBuilder>
  createBuilder(const std::string &file, unsigned line, unsigned column) = 0;
};

/// The type of the one function that the library has.
using GetCompilerFunction = CompilerLibrary *();
constexpr const char *getCompilerSymbol = "tilewrightGetCompiler";

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILERLIBRARY_H
