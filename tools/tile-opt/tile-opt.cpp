//===- tile-opt.cpp - Runs passes over tile IR ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "tilewright/Compiler/Registration.h"
#include "tilewright/Compiler/SourceLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tilewright;

/// Says on standard error what MLIR's parser must not be given.
static LogicalResult checkLimits(llvm::MemoryBufferRef input) {
  return isBytecode(input) ? success() : checkSourceLimits(input, llvm::errs());
}

static LogicalResult run(StringRef inputName, StringRef outputName,
                         DialectRegistry &registry,
                         const MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input && failed(checkLimits(input->getMemBufferRef())))
    return failure();
  if (input)
    output = openOutputFile(outputName, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int tilewright::tileOptMain(int argc, char **argv) {
  DialectRegistry registry;
  registerAll(registry);
  registerAllPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tilewright's optimizer: runs passes over tile IR\n",
      registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // What is asked of the registry reads no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(run(input, output, registry, config));
}
