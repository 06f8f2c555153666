//===- Compile.h - Sources and modules in, kernels out ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole compiler behind one function:
//
//   CompileOptions options;
//   options.pipeline.target = *GpuTarget::parse("sm_90a");
//   std::optional<CompiledModule> module =
//       compile(source, "transpose.mlir", options, llvm::errs());
//   if (!module) return 1;                       // errs() says where and why
//   module->output;                              // PTX, for a driver
//   module->kernels[0].description;              // arguments, shapes, grid
//   module->kernels[0].report.print(llvm::outs());
//
// A front end that has built a module hands that over in place of text. Beside
// its kernels, a module may have private functions (func.func) that they call.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_COMPILE_H
#define TILEWRIGHT_COMPILER_COMPILE_H

#include "tilewright/Compiler/KernelReport.h"
#include "tilewright/Compiler/PassPipeline.h"
#include "tilewright/Spec/KernelSpec.h"
#include "tilewright/Spec/TensorMap.h"
#include "tilewright/Target/Shortage.h"

#include <functional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright {

/// How far a compilation goes; the text of each is CompiledModule::output.
enum class Level {
  Tile,   ///< the tile program as it was understood
  Placed, ///< layouts, shared memory and barriers decided
  NVVM,   ///< what one thread does, in MLIR
  LLVM,   ///< the same in LLVM IR
  PTX,    ///< for a driver
  Cubin   ///< machine code, by ptxas
};

/// "tile", "placed", "nvvm", "llvm", "ptx" or "cubin".
llvm::Expected<Level> parseLevel(llvm::StringRef name);

/// What the compiler has to say about a place of the source.
struct CompileDiagnostic {
  enum class Severity { Error, Warning, Remark, Note };
  Severity severity = Severity::Error;
  SourcePlace place;
  std::string message;
  std::vector<CompileDiagnostic> notes;
  /// What a block has too little of, where that is why an error was made.
  std::optional<Shortage> shortage;
};

struct CompileOptions {
  PipelineOptions pipeline;
  Level emit = Level::PTX;
  /// The only kernel of the source to compile; empty for all of them.
  std::string kernel;
  /// Let ptxas, where there is one, say what the kernels cost. Level::Cubin
  /// needs one.
  bool askPtxas = false;
  /// Write remarks (why a layout, why not a wider vector) beside warnings and
  /// errors.
  bool showRemarks = false;
  /// Where messages go as they come; null: where compile() says.
  llvm::raw_ostream *messages = nullptr;
  /// Told of everything that is written, for callers that need more than text.
  std::function<void(const CompileDiagnostic &)> onDiagnostic;
  /// Asked before each pass, if there is one. True ends the compilation with an
  /// error soon.
  std::function<bool()> isInterrupted;
};

struct CompiledKernel {
  /// Arguments, with what the code assumes of them, and the declared clauses.
  spec::KernelDescription description;
  // What follows is known from Level::Placed on.
  KernelReport report;
  unsigned threadsPerBlock = 0;
  /// Shared memory that is part of the code, and that is asked for at launch.
  int64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
  /// Parameters of the code behind its arguments, in their order.
  std::vector<spec::TensorMap> tensorMaps;
  /// Whether a launch has blocks that run several programs each
  /// (runtime::KernelImage::isPersistent).
  bool isPersistent = false;
  /// Programs along x, y and z that a block runs at once
  /// (runtime::KernelImage::blockPrograms).
  std::array<unsigned, 3> blockPrograms = {1, 1, 1};
  /// Blocks that run a program (runtime::KernelImage::clusterBlocks).
  unsigned clusterBlocks = 1;
  /// Whether a launch begins before the kernel in front of it has ended
  /// (runtime::KernelImage::beginsEarly).
  bool beginsEarly = false;
  /// Axes along which clusters have several programs, and a launch a multiple
  /// of them (runtime::KernelImage::pairedAxes): a bit for each.
  unsigned evenAxes = 0;

  /// The report, and what a launch needs to know.
  llvm::json::Value toJSON() const;
};

struct CompiledModule {
  GpuTarget target;
  /// The output at the level asked for: text, or the bytes of a cubin.
  std::string output;
  std::vector<CompiledKernel> kernels;
};

/// Compiles MLIR text. `name` stands for the source in messages. On failure,
/// nothing is returned and `diagnostics` has at least one error with its place.
std::optional<CompiledModule> compile(llvm::StringRef source,
                                      llvm::StringRef name,
                                      const CompileOptions &options,
                                      llvm::raw_ostream &diagnostics);

/// Compiles a module that was built in memory, and lowers it where it stands:
/// pass a clone to keep it. Messages have the lines of the files that its
/// locations name, where there are such files. No one else may use its context
/// at the same time.
std::optional<CompiledModule> compile(mlir::ModuleOp module,
                                      const CompileOptions &options,
                                      llvm::raw_ostream &diagnostics);

/// Why a source could not be compiled: all errors with their places, and the
/// text that the tools print.
class CompileFailure : public llvm::ErrorInfo<CompileFailure> {
public:
  static char ID;

  CompileFailure(std::string text, std::vector<CompileDiagnostic> diagnostics)
      : text(std::move(text)), diagnostics(std::move(diagnostics)) {}

  const std::string &getText() const { return text; }
  /// At least one error; warnings and remarks in their order with it.
  llvm::ArrayRef<CompileDiagnostic> getDiagnostics() const {
    return diagnostics;
  }
  const CompileDiagnostic &getFirstError() const;

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
  std::vector<CompileDiagnostic> diagnostics;
};

/// The same with a CompileFailure as the error. Without `messages` in the
/// options, it has the text, and warnings are dropped where the source
/// compiles; with, all was written there, and its text is empty.
llvm::Expected<CompiledModule> compile(llvm::StringRef source,
                                       llvm::StringRef name,
                                       const CompileOptions &options);

llvm::Expected<CompiledModule> compile(mlir::ModuleOp module,
                                       const CompileOptions &options);

/// Has ptxas, where there is one, make machine code of PTX, and adds what it
/// says to the reports of these kernels.
llvm::Expected<std::optional<PtxasOutput>>
assemble(llvm::StringRef ptx, const GpuTarget &target,
         llvm::MutableArrayRef<CompiledKernel> kernels);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILE_H
