//===- TileSource.cpp - A tile kernel as a test ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileSource.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::diff;

/// compile(), with its diagnostics as the error.
static Expected<CompiledModule> compileOrFail(StringRef source, StringRef file,
                                              const CompileOptions &options) {
  std::string diagnostics;
  raw_string_ostream os(diagnostics);
  std::optional<CompiledModule> module = compile(source, file, options, os);
  if (!module)
    return createStringError(StringRef(diagnostics).rtrim());
  errs() << diagnostics;
  return std::move(*module);
}

/// A tensor that references read keeps its contents; one that they only write
/// has to be written by the kernel.
static bool isOnlyWritten(const spec::KernelSpec &spec, unsigned argument) {
  return any_of(spec.getReferences(),
                [&](const spec::Reference &reference) {
                  return reference.getOutput() == argument;
                }) &&
         none_of(spec.getReferences(), [&](const spec::Reference &reference) {
           return is_contained(reference.getInputs(), argument);
         });
}

static std::vector<TestArgument> makeArguments(const spec::KernelSpec &spec,
                                               const spec::Binding &binding,
                                               Contents inputs,
                                               Tolerance tolerance) {
  std::vector<TestArgument> arguments;
  for (auto [index, argument] : enumerate(spec.getArguments())) {
    TestArgument test;
    test.declared = argument;
    if (argument.isPointer()) {
      test.count = binding.getElementCount(index);
      test.contents = isOnlyWritten(spec, index) ? Contents::Poison : inputs;
      test.tolerance = tolerance;
    } else {
      test.bits = binding.scalars.getBits(index);
    }
    arguments.push_back(std::move(test));
  }
  return arguments;
}

Expected<KernelTest> diff::makeTileTest(const CompilerCommandLine &line,
                                        StringRef file, StringRef source,
                                        StringRef defaultTarget,
                                        Contents inputs, Tolerance tolerance) {
  Expected<CompileOptions> options = line.makeOptions(defaultTarget);
  if (!options)
    return options.takeError();
  // What the kernel takes decides which variant of it to compile.
  options->emit = Level::Tile;
  Expected<CompiledModule> parsed = compileOrFail(source, file, *options);
  if (!parsed)
    return parsed.takeError();
  Expected<const CompiledKernel *> declared = findKernel(*parsed, line.kernel);
  if (!declared)
    return declared.takeError();
  Expected<spec::KernelSpec> spec =
      spec::KernelSpec::create((*declared)->description);
  if (!spec)
    return spec.takeError();
  Expected<spec::ScalarValues> values =
      spec::ScalarValues::parse(*spec, line.arguments);
  if (!values)
    return values.takeError();
  Expected<spec::Binding> binding = spec->bind(*values);
  if (!binding)
    return binding.takeError();

  options->emit = Level::PTX;
  options->kernel = spec->getName();
  options->pipeline.divisibility =
      makePromises(*spec, *values, options->pipeline.target);
  Expected<CompiledModule> module = compileOrFail(source, file, *options);
  if (!module)
    return module.takeError();
  const CompiledKernel &kernel = module->kernels.front();
  KernelTest test;
  test.file = file.str();
  test.image.code = std::move(module->output);
  test.image.entry = spec->getName();
  test.image.threadsPerBlock = kernel.threadsPerBlock;
  test.image.staticSharedBytes = kernel.staticSharedBytes;
  test.image.dynamicSharedBytes = kernel.dynamicSharedBytes;
  test.grid = binding->grid;
  test.arguments = makeArguments(*spec, *binding, inputs, tolerance);
  return test;
}
