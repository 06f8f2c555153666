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
  options->messages = &errs();
  // What the kernel takes decides which variant of it to compile.
  Expected<std::unique_ptr<jit::VariantSet>> variants = exitIfNotCompiled(
      line.declareVariants(jit::fromText(source.str(), file.str()), *options));
  if (!variants)
    return variants.takeError();
  Expected<spec::KernelSpec> spec =
      spec::KernelSpec::create((*variants)->getDescription());
  if (!spec)
    return spec.takeError();
  Expected<spec::ScalarValues> values =
      spec::ScalarValues::parse(*spec, line.arguments);
  if (!values)
    return values.takeError();
  Expected<spec::Binding> binding = spec->bind(*values);
  if (!binding)
    return binding.takeError();

  Expected<jit::Variant *> variant =
      exitIfNotCompiled(getForLaunch(**variants, *spec, *values));
  if (!variant)
    return variant.takeError();
  KernelTest test;
  test.file = file.str();
  test.image = std::move((*variant)->image);
  test.grid = binding->grid;
  test.arguments = makeArguments(*spec, *binding, inputs, tolerance);
  return test;
}
