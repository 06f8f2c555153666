//===- CompileTest.cpp - Failures of the compiler as errors ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/Compiler/Registration.h"
#include "llvm/Support/FormatVariadic.h"
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

/// The bits of each parameter that PTX declares, in order.
static std::vector<unsigned> readParameterBits(llvm::StringRef ptx) {
  std::vector<unsigned> result;
  llvm::StringRef list = ptx.split(".entry").second.split(')').first;
  llvm::SmallVector<llvm::StringRef> parameters;
  list.split(parameters, ".param", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef parameter : llvm::drop_begin(parameters)) {
    // ".u64 .ptr .global .align 1 k_param_0" or ".align 2 .b8 k_param_1[2]".
    unsigned bits = 0, bytes = 0;
    llvm::StringRef type = parameter.ltrim();
    if (type.consume_front(".align")) {
      llvm::StringRef extent = type.split('[').second;
      extent.consumeInteger(10, bytes);
      bits = 8 * bytes;
    } else {
      type = type.drop_front(2);
      type.consumeInteger(10, bits);
    }
    result.push_back(bits);
  }
  return result;
}

TEST(Compile, ParametersAreAsTheArgumentsAreDescribed) {
  constexpr llvm::StringLiteral types[] = {
      "i1",     "i8",  "i16",  "i32", "i64", "index",         "f8E4M3FN",
      "f8E5M2", "f16", "bf16", "f32", "f64", "!tile.ptr<i8>", "!tile.ptr<f64>"};
  std::string arguments;
  for (auto [index, type] : llvm::enumerate(types))
    arguments += llvm::formatv("{0}%a{1}: {2}", index ? ", " : "", index, type);
  for (llvm::StringRef target : {"sm_80", "sm_90a", "sm_120a"}) {
    CompileOptions options;
    options.pipeline.target = llvm::cantFail(GpuTarget::parse(target));
    CompiledModule module = llvm::cantFail(
        compile("tile.kernel @k(" + arguments + ") {\n  tile.return\n}\n",
                "k.mlir", options));
    std::vector<unsigned> described;
    for (const spec::Argument &argument :
         module.kernels[0].description.arguments) {
      described.push_back(8 * argument.getByteSize());
      EXPECT_EQ(argument.getAlignment(), argument.getByteSize());
    }
    EXPECT_EQ(readParameterBits(module.output), described);
    EXPECT_EQ(described.size(), std::size(types));
  }
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
    EXPECT_FALSE(error.shortage.has_value());
  });
  EXPECT_TRUE(isHandled);
}

TEST(Compile, FailuresTellWhatABlockHasTooLittleOf) {
  CompileOptions options;
  options.pipeline.target = llvm::cantFail(GpuTarget::parse("sm_86"));
  llvm::Expected<CompiledModule> module = compile(R"(
tile.kernel @k(%X: !tile.ptr<f16>, %Y: !tile.ptr<f32>, %n: index) {
  %x = tile.view %X, shape [%n, %n], strides [%n, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16, [?, 1]>
  %y = tile.view %Y, shape [%n, %n], strides [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, [?, 1]>
  %t = tile.load_view %x[%n, %n] : !tile.view<?x?xf16, [?, 1]> -> tensor<256x256xf16>
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %d = tile.dot %t, %t, %zero : tensor<256x256xf16>, tensor<256x256xf16>, tensor<256x256xf32>
  tile.store_view %d, %y[%n, %n] : tensor<256x256xf32>, !tile.view<?x?xf32, [?, 1]>
  tile.return
})",
                                                  "k.mlir", options);
  ASSERT_FALSE(bool(module));
  llvm::handleAllErrors(module.takeError(), [&](const CompileFailure &failure) {
    const CompileDiagnostic &error = failure.getFirstError();
    ASSERT_TRUE(error.shortage.has_value()) << error.message;
    EXPECT_EQ(error.shortage->name, "shared memory");
    EXPECT_EQ(error.shortage->required, 131072);
    EXPECT_EQ(error.shortage->limit, 101376);
  });
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

namespace {

/// A front end that has a context of its own, and knows nothing of lowering.
class CompileOfModules : public testing::Test {
protected:
  CompileOfModules()
      : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {}
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAll(registry);
    return registry;
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
    return mlir::parseSourceString<mlir::ModuleOp>(text, config, "kernel.py");
  }

  mlir::MLIRContext context;
};

constexpr llvm::StringLiteral kCopy = R"(
func.func private @load(%X: !tile.ptr<f32>, %n: index) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%c0] : !tile.view<?xf32, [1]> -> tensor<32xf32>
  func.return %t : tensor<32xf32>
}
tile.kernel @copy(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t = func.call @load(%X, %n) : (!tile.ptr<f32>, index) -> tensor<32xf32>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  tile.store_view %t, %y[%c0] : tensor<32xf32>, !tile.view<?xf32, [1]>
  tile.return
}
)";

} // namespace

TEST_F(CompileOfModules, GivesTheCodeOfTheText) {
  auto module = parse(kCopy);
  ASSERT_TRUE(module);
  mlir::OwningOpRef<mlir::ModuleOp> clone = module->clone();
  CompiledModule ofText =
      llvm::cantFail(compile(kCopy, "kernel.py", makeOptions()));
  for (mlir::ModuleOp each : {*module, *clone}) {
    CompiledModule ofModule = llvm::cantFail(compile(each, makeOptions()));
    EXPECT_EQ(ofModule.output, ofText.output);
    ASSERT_EQ(ofModule.kernels.size(), 1u);
    EXPECT_EQ(ofModule.kernels[0].description.arguments.size(), 3u);
    EXPECT_EQ(ofModule.kernels[0].threadsPerBlock, 128u);
  }
}

TEST_F(CompileOfModules, FailuresKnowTheirPlace) {
  auto module = parse("tile.kernel @k() {\n  %a = tile.iota 0 : "
                      "tensor<3xi32>\n  tile.return\n}\n");
  ASSERT_TRUE(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  CompileOptions options = makeOptions();
  options.messages = &os;
  llvm::Expected<CompiledModule> compiled = compile(*module, options);
  ASSERT_FALSE(bool(compiled));
  llvm::handleAllErrors(
      compiled.takeError(), [&](const CompileFailure &failed) {
        EXPECT_EQ(failed.getFirstError().place.file, "kernel.py");
        EXPECT_EQ(failed.getFirstError().place.line, 2u);
        EXPECT_EQ(failed.getText(), "");
      });
  EXPECT_EQ(text.rfind("kernel.py:2:8: error: ", 0), 0u);
}

TEST_F(CompileOfModules, AnErrorOfTheModuleHasAPlace) {
  auto module = parse("");
  std::string text =
      llvm::toString(compile(*module, makeOptions()).takeError());
  EXPECT_EQ(text, "kernel.py:1:1: error: there is no tile.kernel to compile");
  mlir::OwningOpRef<mlir::ModuleOp> empty =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  EXPECT_NE(llvm::toString(compile(*empty, makeOptions()).takeError())
                .find("there is no tile.kernel to compile"),
            std::string::npos);
}

TEST_F(CompileOfModules, LeavesTheContextAsItWas) {
  context.printOpOnDiagnostic(true);
  unsigned heard = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &) { return ++heard, mlir::success(); });
  auto module = parse("");
  llvm::consumeError(compile(*module, makeOptions()).takeError());
  EXPECT_EQ(heard, 0u);
  mlir::emitError(mlir::UnknownLoc::get(&context), "after");
  EXPECT_EQ(heard, 1u);
  EXPECT_TRUE(context.shouldPrintOpOnDiagnostic());
}
