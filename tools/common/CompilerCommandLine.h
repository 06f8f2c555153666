//===- CompilerCommandLine.h - Options of tools that compile ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_COMMON_COMPILERCOMMANDLINE_H
#define TILEWRIGHT_TOOLS_COMMON_COMPILERCOMMANDLINE_H

#include "tilewright/Jit/Variants.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

enum class ReportFormat { None, Text, FullText, JSON, HTML };

/// The options that tile-compile and tile-run share. An object of it is a local
/// of the tool's entry point, made before the command line is parsed.
class CompilerCommandLine {
public:
  enum class Files { One, Several };

  llvm::cl::OptionCategory category{"Tilewright options"};
  llvm::cl::list<std::string> files;
  llvm::cl::opt<std::string> kernel;
  llvm::cl::opt<std::string> target;
  llvm::cl::opt<int> numWarps;
  llvm::cl::opt<int> numStages;
  llvm::cl::opt<bool> warpgroupDots;
  llvm::cl::opt<bool> tensorMaps;
  llvm::cl::list<std::string> require;
  llvm::cl::opt<bool> batchPrograms;
  llvm::cl::opt<int> productParts, pairedAxes;
  llvm::cl::opt<bool> optimize;
  llvm::cl::opt<std::string> sharedLayout;
  llvm::cl::list<std::string> argumentTexts;
  llvm::cl::opt<bool> remarks;

  /// Known when the command line is parsed: the first file, and what all --args
  /// say together.
  std::string file;
  std::string arguments;

  explicit CompilerCommandLine(Files taken = Files::One);

  /// Parses argv; `overview` is the first line of --help. What is wrong with
  /// options ends the program, what is wrong with files is an error.
  llvm::Error parse(int argc, const char *const *argv,
                    llvm::StringRef overview);

  /// Takes back what was parsed, so that another command line can be. Options
  /// of LLVM keep what the compiler asked of them.
  void reset();

  bool hasArguments() const { return !argumentTexts.empty(); }

  /// The source text. "-" is standard input.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource() const;

  /// What the only kernel of a source declares, or that of --kernel; makes no
  /// code.
  llvm::Expected<spec::KernelDescription>
  declareKernel(const jit::KernelSource &source, CompileOptions options) const;
  /// The variants of that kernel, of which none is made yet.
  llvm::Expected<std::unique_ptr<jit::VariantSet>>
  declareVariants(jit::KernelSource source, CompileOptions options) const;

  /// Checks what is common: the target, which `defaultTarget` stands for where
  /// none was named, the layout policy and the number of warps.
  llvm::Expected<CompileOptions>
  makeOptions(llvm::StringRef defaultTarget) const;

private:
  Files taken;
};

/// What a launch with these values has, for the choice of its code: pointers
/// are `offset` bytes past where memory begins, to tensors of their own, and
/// integers are what they are.
spec::ArgumentBlock makeLaunchValues(const spec::KernelSpec &spec,
                                     const spec::ScalarValues &values,
                                     uint64_t offset = 0);

/// The variant of such a launch.
llvm::Expected<jit::Variant *> getForLaunch(jit::VariantSet &variants,
                                            const spec::KernelSpec &spec,
                                            const spec::ScalarValues &values,
                                            uint64_t offset = 0);

/// Ends the program where a source does not compile: its messages were written
/// as they came, and say where.
template <typename T>
llvm::Expected<T> exitIfNotCompiled(llvm::Expected<T> made) {
  if (!made.template errorIsA<CompileFailure>())
    return made;
  llvm::consumeError(made.takeError());
  std::exit(EXIT_FAILURE);
}

/// Fails where something that was written to `os`, which writes to `path`, did
/// not arrive, on a full disk for example.
llvm::Error finishOutput(llvm::raw_fd_ostream &os, llvm::StringRef path);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_COMMON_COMPILERCOMMANDLINE_H
