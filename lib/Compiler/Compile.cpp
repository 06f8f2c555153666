//===- Compile.cpp - Sources and modules in, kernels out --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"

#include "Messages.h"
#include "ModuleCompiler.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "tilewright/Compiler/Registration.h"
#include "tilewright/Compiler/SourceLimits.h"

using namespace mlir;
using namespace tilewright;

/// All that a module passes through on its way.
static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAll(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  return registry;
}

namespace {
/// Lets no pass begin any more when the compilation is to end.
class InterruptScope {
public:
  InterruptScope(MLIRContext &context, const std::function<bool()> &isRequested)
      : context(context), isActive(isRequested != nullptr) {
    if (isActive)
      context.registerActionHandler([&](llvm::function_ref<void()> carryOut,
                                        const tracing::Action &action) {
        if (!isa<PassExecutionAction>(action) || !isRequested())
          carryOut();
      });
  }
  ~InterruptScope() {
    if (isActive)
      context.registerActionHandler(nullptr);
  }
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  MLIRContext &context;
  bool isActive;
};
} // namespace

static std::optional<CompiledModule> compile(ModuleOp module,
                                             const CompileOptions &options,
                                             const Messages &messages) {
  InterruptScope interrupt(*module.getContext(), options.isInterrupted);
  ModuleCompiler compiler(module, options);
  if (succeeded(compiler.run()))
    return compiler.takeResult();
  if (!messages.hasError()) // Not every pass of MLIR says why it fails.
    compiler.emitError()
        << "cannot be compiled, and the compiler does not know why";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::optional<CompiledModule>
tilewright::compile(StringRef source, StringRef name,
                    const CompileOptions &options,
                    llvm::raw_ostream &diagnostics) {
  // Some editors begin a file with a byte order mark.
  source.consume_front("\xEF\xBB\xBF");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, name),
                             llvm::SMLoc());
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  Messages messages(context, sources, options, diagnostics);
  if (failed(checkSourceLimits(sources, context)))
    return std::nullopt;
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  return module ? ::compile(*module, options, messages) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

std::optional<CompiledModule>
tilewright::compile(ModuleOp module, const CompileOptions &options,
                    llvm::raw_ostream &diagnostics) {
  MLIRContext &context = *module.getContext();
  context.appendDialectRegistry(makeRegistry());
  // Sources that places name are read where there are such files.
  llvm::SourceMgr sources;
  Messages messages(context, sources, options, diagnostics);
  if (failed(verify(module)))
    return std::nullopt;
  return ::compile(module, options, messages);
}

//===----------------------------------------------------------------------===//
// Failures as errors
//===----------------------------------------------------------------------===//

using Compiler = llvm::function_ref<std::optional<CompiledModule>(
    const CompileOptions &, llvm::raw_ostream &)>;

static llvm::Expected<CompiledModule>
compileOrFail(const CompileOptions &options, Compiler compile) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<CompileDiagnostic> diagnostics;
  CompileOptions recording = options;
  recording.onDiagnostic = [&](const CompileDiagnostic &diagnostic) {
    diagnostics.push_back(diagnostic);
    if (options.onDiagnostic)
      options.onDiagnostic(diagnostic);
  };
  if (std::optional<CompiledModule> module =
          compile(recording, options.messages ? *options.messages : os))
    return std::move(*module);
  return llvm::make_error<CompileFailure>(StringRef(text).rtrim().str(),
                                          std::move(diagnostics));
}

llvm::Expected<CompiledModule>
tilewright::compile(StringRef source, StringRef name,
                    const CompileOptions &options) {
  return compileOrFail(
      options, [&](const CompileOptions &recording, llvm::raw_ostream &os) {
        return compile(source, name, recording, os);
      });
}

llvm::Expected<CompiledModule>
tilewright::compile(ModuleOp module, const CompileOptions &options) {
  return compileOrFail(
      options, [&](const CompileOptions &recording, llvm::raw_ostream &os) {
        return compile(module, recording, os);
      });
}
