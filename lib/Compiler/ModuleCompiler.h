//===- ModuleCompiler.h - A module down the levels --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `compile` does once there is a module: the stations of one, in order.
//
//   given    ops of the language alone, kernels that can be described
//   placed   layouts, shared tiles, barriers (buildPlacementPipeline); where
//            shared memory does not suffice, again from the given module, with
//            fewer stages or programs a block
//   lowered  the LLVM dialect (buildLoweringPipeline)
//   code     LLVM IR, then PTX, and what ptxas makes of it where that is asked
//
// The options say at which one it ends. What launches choose their code by, as
// loops and divisors, is described as it was given, all else as it was placed.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_MODULECOMPILER_H
#define TILEWRIGHT_LIB_COMPILER_MODULECOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/Compiler/Compile.h"

namespace mlir {
class PassManager;
} // namespace mlir
namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Checks a module and takes it to the level that the options ask for. Errors
/// go to the context of the module.
class ModuleCompiler {
public:
  ModuleCompiler(mlir::ModuleOp module, const CompileOptions &options)
      : module(module), options(options), target(options.pipeline.target) {}

  mlir::LogicalResult run();

  /// An error of the whole module, at a place that a user knows: its first
  /// kernel, or the module.
  mlir::InFlightDiagnostic emitError();

  CompiledModule takeResult() { return std::move(result); }

private:
  mlir::LogicalResult checkOps();
  mlir::LogicalResult checkKernels();
  mlir::LogicalResult dropOtherKernels();
  mlir::LogicalResult lower();
  /// Where shared memory has no room for all stages of loops, with fewer.
  mlir::LogicalResult place();
  bool isInterrupted() const {
    return options.isInterrupted && options.isInterrupted();
  }
  mlir::LogicalResult runPipeline(void (*build)(mlir::OpPassManager &,
                                                const PipelineOptions &));
  /// As its launches see it, before any pass.
  spec::KernelDescription describeGiven(tile::KernelOp kernel) const;
  void describePlacedKernels();
  /// Describes shared memory, with what threads keep there, and mbarriers,
  /// which lowering finds.
  void describeSharedMemory();
  mlir::LogicalResult makeCode();
  mlir::LogicalResult askPtxas();
  /// As a remark on each kernel whose threads have too few registers.
  void tellShortages();
  template <typename Printable>
  mlir::LogicalResult print(const Printable &printable);

  mlir::ModuleOp module;
  const CompileOptions &options;
  const GpuTarget &target;
  CompiledModule result;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_MODULECOMPILER_H
