//===- CompileTest.cpp - Failures of the compiler as errors ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"
#include "gtest/gtest.h"

using namespace tilewright;
using Severity = CompileDiagnostic::Severity;

static CompileOptions makeOptions() {
  CompileOptions options;
  options.pipeline.target = llvm::cantFail(GpuTarget::parse("sm_80"));
  return options;
}

TEST(Compile, GivesTheCode) {
  llvm::Expected<CompiledModule> module = compile(
      "tile.kernel @k() {\n  tile.return\n}\n", "k.mlir", makeOptions());
  ASSERT_TRUE(bool(module));
  EXPECT_NE(module->output.find(".entry k("), std::string::npos);
}

TEST(Compile, FailuresKnowTheirPlace) {
  llvm::Expected<CompiledModule> module =
      compile("tile.kernel @k() {\n  %a = tile.iota 0 : tensor<3xi32>\n"
              "  tile.return\n}\n",
              "k.mlir", makeOptions());
  ASSERT_FALSE(bool(module));
  bool isHandled = false;
  llvm::handleAllErrors(module.takeError(), [&](const CompileFailure &failure) {
    isHandled = true;
    const CompileDiagnostic &error = failure.getFirstError();
    EXPECT_EQ(error.severity, Severity::Error);
    EXPECT_EQ(error.place.file, "k.mlir");
    EXPECT_EQ(error.place.line, 2u);
    EXPECT_EQ(error.place.column, 8u);
    EXPECT_NE(error.message.find("tensor<3xi32>"), std::string::npos);
    EXPECT_EQ(failure.getText().rfind("k.mlir:2:8: error: ", 0), 0u);
    EXPECT_NE(failure.getText().back(), '\n');
  });
  EXPECT_TRUE(isHandled);
}

TEST(Compile, NotesBelongToTheirError) {
  llvm::Expected<CompiledModule> module =
      compile("tile.kernel @k() {\n  tile.return\n}\n"
              "tile.kernel @k() {\n  tile.return\n}\n",
              "k.mlir", makeOptions());
  ASSERT_FALSE(bool(module));
  llvm::handleAllErrors(module.takeError(), [&](const CompileFailure &failure) {
    const CompileDiagnostic &error = failure.getFirstError();
    EXPECT_EQ(error.place.line, 4u);
    ASSERT_EQ(error.notes.size(), 1u);
    EXPECT_EQ(error.notes[0].severity, Severity::Note);
    EXPECT_EQ(error.notes[0].place.line, 1u);
  });
}
