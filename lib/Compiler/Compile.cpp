//===- Compile.cpp - Source in, kernels out ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Compiler/Compile.h"

#include "Nesting.h"
#include "PlainWords.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tilewright/Compiler/Registration.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutScoresAttr.h"
#include "tilewright/Dialect/Tile/IR/KernelDescription.h"
#include "tilewright/Target/PtxEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

llvm::Expected<Level> tilewright::parseLevel(StringRef name) {
  auto level = llvm::StringSwitch<std::optional<Level>>(name)
                   .Case("tile", Level::Tile)
                   .Case("placed", Level::Placed)
                   .Case("nvvm", Level::NVVM)
                   .Case("llvm", Level::LLVM)
                   .Case("ptx", Level::PTX)
                   .Case("cubin", Level::Cubin)
                   .Default(std::nullopt);
  if (level)
    return *level;
  return llvm::createStringError("unknown output '" + name +
                                 "': tile, placed, nvvm, llvm, ptx and cubin "
                                 "are known");
}

static CompileDiagnostic::Severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return CompileDiagnostic::Severity::Error;
  case DiagnosticSeverity::Warning:
    return CompileDiagnostic::Severity::Warning;
  case DiagnosticSeverity::Remark:
    return CompileDiagnostic::Severity::Remark;
  case DiagnosticSeverity::Note:
    return CompileDiagnostic::Severity::Note;
  }
  llvm_unreachable("unknown severity");
}

static CompileDiagnostic describe(Diagnostic &diagnostic) {
  CompileDiagnostic result;
  result.severity = getSeverity(diagnostic.getSeverity());
  result.message = diagnostic.str();
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    result.place = {place.getFilename().str(), place.getLine(),
                    place.getColumn()};
  for (Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(describe(note));
  return result;
}

namespace {

/// One compilation: the module as it goes down the levels.
class Compilation {
public:
  Compilation(StringRef source, StringRef name, const CompileOptions &options,
              llvm::raw_ostream &diagnostics)
      : options(options), target(options.pipeline.target),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(sourceManager, &context, diagnostics) {
    // Some editors begin a file with a byte order mark.
    source.consume_front("\xEF\xBB\xBF");
    sourceManager.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(source, name), llvm::SMLoc());
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      if (hasError && isAftermath(diagnostic))
        return success();
      hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      // Handled here is written nowhere.
      bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
      if (isRemark && !options.showRemarks)
        return success();
      sayPlainly(diagnostic, sourceManager.getMemoryBuffer(1)->getBuffer());
      if (options.onDiagnostic)
        options.onDiagnostic(describe(diagnostic));
      return failure();
    });
  }

  std::optional<CompiledModule> run() {
    if (failed(checkLimits()))
      return std::nullopt;
    module = parseSourceFile<ModuleOp>(sourceManager, &context);
    if (!module || failed(checkKernels()))
      return std::nullopt;
    result.target = target;
    if (succeeded(runLevels()))
      return std::move(result);
    if (!hasError) // Not every pass of MLIR says why it fails.
      emitError() << "cannot be compiled, and the compiler does not know why";
    return std::nullopt;
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAll(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
    return registry;
  }

  /// An error of the whole module, at a place that a user knows: its first
  /// kernel, or the beginning of the source.
  InFlightDiagnostic emitError() {
    for (Operation &op : module->getOps())
      if (isa<KernelOp, LLVM::LLVMFuncOp>(op))
        return op.emitError();
    return emitErrorAt(0);
  }

  /// At that position of the source.
  InFlightDiagnostic emitErrorAt(size_t position) {
    const llvm::MemoryBuffer *source = sourceManager.getMemoryBuffer(1);
    auto [line, column] = sourceManager.getLineAndColumn(
        llvm::SMLoc::getFromPointer(source->getBufferStart() + position));
    return mlir::emitError(FileLineColLoc::get(
        &context, source->getBufferIdentifier(), line, column));
  }

  /// What MLIR's parser would read with too large a stack, or for too long.
  LogicalResult checkLimits() {
    StringRef source = sourceManager.getMemoryBuffer(1)->getBuffer();
    if (std::optional<size_t> position = findTooDeepNesting(source))
      return emitErrorAt(*position)
             << "more than " << kMaxNesting << " brackets are open here";
    if (std::optional<size_t> position = findTooLongNumber(source))
      return emitErrorAt(*position)
             << "more than " << kMaxDigits << " digits stand here";
    return success();
  }

  static LogicalResult checkKernel(KernelOp kernel) {
    // PTX allows more, but LLVM renames what C does not allow.
    StringRef name = kernel.getSymName();
    bool isIdentifier =
        !name.empty() && !llvm::isDigit(name.front()) && name != "_" &&
        llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isIdentifier)
      return kernel.emitError("a kernel's name is made of letters, digits and "
                              "_, and does not begin with a digit; '")
             << name << "' is no name";
    if (succeeded(describeKernel(kernel)))
      return success();
    return kernel.emitOpError(
        "has an argument of a type that a launch cannot pass: integers have 1, "
        "8, 16, 32 or 64 bits, floats are f8E4M3FN, f8E5M2, f16, bf16, f32 or "
        "f64");
  }

  LogicalResult checkKernels() {
    for (Operation &op : module->getOps())
      if (!isa<KernelOp>(op))
        return op.emitOpError("stands outside of a tile.kernel; a file has "
                              "kernels and nothing beside them");
    if (module->getOps<KernelOp>().empty())
      return emitError() << "there is no tile.kernel to compile";
    for (KernelOp kernel : module->getOps<KernelOp>())
      if (failed(checkKernel(kernel)))
        return failure();
    return success();
  }

  LogicalResult dropOtherKernels() {
    if (options.kernel.empty())
      return success();
    if (!module->lookupSymbol<KernelOp>(options.kernel))
      return emitError() << "there is no tile.kernel @" << options.kernel;
    for (KernelOp kernel :
         llvm::make_early_inc_range(module->getOps<KernelOp>()))
      if (kernel.getSymName() != options.kernel)
        kernel.erase();
    return success();
  }

  LogicalResult runLevels() {
    if (failed(dropOtherKernels()))
      return failure();
    for (KernelOp kernel : module->getOps<KernelOp>())
      result.kernels.emplace_back().description = *describeKernel(kernel);
    if (options.emit == Level::Tile)
      return print(*module);
    if (failed(runPipeline(buildPlacementPipeline)))
      return failure();
    describePlacedKernels();
    if (options.emit == Level::Placed) {
      // Numbers for the report, which is made; too many to read the code with.
      module->walk(
          [](AllocSharedOp tile) { tile->removeAttr(kLayoutScoresAttr); });
      return print(*module);
    }
    if (failed(runPipeline(buildLoweringPipeline)))
      return failure();
    if (options.emit == Level::NVVM)
      return print(*module);
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> llvmModule =
        translateModuleToLLVMIR(*module, llvmContext);
    if (!llvmModule)
      return failure();
    if (options.emit == Level::LLVM)
      return print(*llvmModule);
    PtxOptions ptxOptions;
    ptxOptions.optimize = options.pipeline.optimize;
    llvm::Expected<std::string> ptx = emitPtx(*llvmModule, target, ptxOptions);
    if (!ptx)
      return emitError() << llvm::toString(ptx.takeError());
    result.output = std::move(*ptx);
    return assemble();
  }

  LogicalResult runPipeline(void (*build)(OpPassManager &,
                                          const PipelineOptions &)) {
    PassManager manager(&context);
    // Once at the end instead of after each pass: it takes as long as they do.
    manager.enableVerifier(false);
    build(manager, options.pipeline);
    if (failed(manager.run(*module)))
      return failure();
    return verify(*module);
  }

  LogicalResult print(ModuleOp printable) {
    llvm::raw_string_ostream os(result.output);
    printable.print(os);
    os << "\n";
    return success();
  }
  LogicalResult print(const llvm::Module &printable) {
    llvm::raw_string_ostream os(result.output);
    printable.print(os, /*AAW=*/nullptr);
    return success();
  }

  void describePlacedKernels() {
    for (auto [kernel, compiled] :
         llvm::zip_equal(module->getOps<KernelOp>(), result.kernels)) {
      compiled.description = *describeKernel(kernel);
      compiled.report = makeReport(kernel, target);
      compiled.threadsPerBlock =
          kernel.getNumWarpsOrDefault() * target.warpSize;
      auto bytes = static_cast<int64_t>(kernel.getSharedBytes().value_or(0));
      bool isStatic = bytes <= static_cast<int64_t>(target.staticSharedLimit);
      (isStatic ? compiled.staticSharedBytes : compiled.dynamicSharedBytes) =
          bytes;
    }
  }

  LogicalResult assemble() {
    bool needsPtxas = options.emit == Level::Cubin;
    if (!options.askPtxas && !needsPtxas)
      return success();
    llvm::Expected<std::optional<Ptxas>> ptxas = Ptxas::find();
    if (!ptxas)
      return emitError() << llvm::toString(ptxas.takeError());
    if (!*ptxas) {
      if (!needsPtxas)
        return success();
      return emitError() << "a cubin needs ptxas, and none was found: set "
                            "TILEWRIGHT_PTXAS to one";
    }
    llvm::Expected<PtxasOutput> assembled =
        (*ptxas)->assemble(result.output, target);
    if (!assembled)
      return emitError() << llvm::toString(assembled.takeError());
    for (const PtxasResources &resources : assembled->kernels)
      for (CompiledKernel &kernel : result.kernels)
        if (kernel.description.name == resources.name)
          addResources(kernel.report, resources, target);
    if (needsPtxas)
      result.output.assign(assembled->cubin.begin(), assembled->cubin.end());
    return success();
  }

  const CompileOptions &options;
  const GpuTarget &target;
  llvm::SourceMgr sourceManager;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
  bool hasError = false;
  OwningOpRef<ModuleOp> module;
  CompiledModule result;
};

} // namespace

std::optional<CompiledModule>
tilewright::compile(StringRef source, StringRef name,
                    const CompileOptions &options,
                    llvm::raw_ostream &diagnostics) {
  return Compilation(source, name, options, diagnostics).run();
}

char CompileFailure::ID = 0;

const CompileDiagnostic &CompileFailure::getFirstError() const {
  for (const CompileDiagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == CompileDiagnostic::Severity::Error)
      return diagnostic;
  llvm_unreachable("a failure without an error");
}

llvm::Expected<CompiledModule>
tilewright::compile(StringRef source, StringRef name,
                    const CompileOptions &options) {
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
          compile(source, name, recording, os))
    return std::move(*module);
  return llvm::make_error<CompileFailure>(StringRef(text).rtrim().str(),
                                          std::move(diagnostics));
}

llvm::json::Value CompiledKernel::toJSON() const {
  llvm::json::Object object = *report.toJSON().getAsObject();
  object["launch"] =
      llvm::json::Object{{"threads", threadsPerBlock},
                         {"static_shared_bytes", staticSharedBytes},
                         {"dynamic_shared_bytes", dynamicSharedBytes}};
  llvm::json::Array arguments;
  for (const spec::Argument &argument : description.arguments)
    arguments.push_back(spec::toJSON(argument));
  object["arguments"] = std::move(arguments);
  object["shapes"] = llvm::json::Array(description.shapes);
  object["grid"] = llvm::json::Array(description.grid);
  object["reference"] = llvm::json::Array(description.references);
  return object;
}
