//===- CompilerLibrary.cpp - The compiler behind a door -------*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/CompilerLibrary.h"

using namespace tilewright;

namespace {

class Library : public CompilerLibrary {
public:
  CompileOutcome compile(const std::string &source, const std::string &name,
                         const CompileOptions &options) override {
    CompileOutcome outcome;
    llvm::Expected<CompiledModule> module =
        tilewright::compile(source, name, options);
    if (module) {
      outcome.module = std::move(*module);
      return outcome;
    }
    llvm::handleAllErrors(
        module.takeError(), [&](const CompileFailure &failure) {
          outcome.text = failure.getText();
          outcome.diagnostics = failure.getDiagnostics().vec();
        });
    return outcome;
  }

  std::unique_ptr<ProgramBuilder> createBuilder(const std::string &file,
                                                unsigned line,
                                                unsigned column) override {
    return createProgramBuilder(file, line, column);
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) CompilerLibrary *
tilewrightGetCompiler() {
  static Library library;
  return &library;
}
