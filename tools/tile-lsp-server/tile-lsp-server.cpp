//===- tile-lsp-server.cpp - Tile IR in an editor -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Speaks the Language Server Protocol over standard input and output.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "Proxy.h"
#include "tilewright/Compiler/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace tilewright;

namespace {
struct CommandLine {
  cl::OptionCategory category{"Tilewright options"};
  cl::opt<std::string> target{
      "target", cl::init(GpuTarget::getDefault().name.str()),
      cl::value_desc("sm_NN"),
      cl::desc("GPU whose limits are checked (default: sm_90a)"),
      cl::cat(category)};
  cl::opt<std::string> log{
      "log", cl::init("info"), cl::value_desc("error|info|verbose"),
      cl::desc("How much is written to standard error"), cl::cat(category)};
  cl::opt<bool> pretty{"pretty", cl::desc("Write JSON with line breaks"),
                       cl::cat(category)};
  cl::opt<bool> test{
      "lit-test",
      cl::desc("Read messages that end with '// -----', write them pretty"),
      cl::cat(category)};
};
} // namespace

int tilewright::tileLspServerMain(int argc, char **argv) {
  ProxyOptions options;
  std::string log;
  {
    CommandLine line;
    cl::HideUnrelatedOptions(line.category);
    cl::ParseCommandLineOptions(argc, argv, "Tile IR in an editor\n");
    options.target =
        ExitOnError("tile-lsp-server: error: ")(GpuTarget::parse(line.target));
    options.isDelimited = line.test;
    options.isPretty = line.pretty || line.test;
    log = "--log=" + line.log;
    cl::ResetCommandLineParser(); // MLIR's server has options of these names.
  }
  mlir::DialectRegistry registry;
  registerAll(registry);
  bool isFine = false;
  ExitOnError("tile-lsp-server: error: ")(runBehindProxy(options, [&] {
    char *arguments[] = {argv[0], log.data()};
    isFine = succeeded(mlir::MlirLspServerMain(2, arguments, registry));
  }));
  return isFine ? EXIT_SUCCESS : EXIT_FAILURE;
}
