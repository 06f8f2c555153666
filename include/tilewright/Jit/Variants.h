//===- Variants.h - A kernel's source, compiled as launches ask -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel in several variants, each code that relies on a key:
//
//   KernelSource source = fromText(text, "transpose.mlir");
//   auto variants = VariantSet::create(source, options, "--kernel");
//   auto variant = (*variants)->get(VariantKey::ofLaunch(...));
//   device.load((*variant)->image);
//
// Who needs a single variant asks for what the kernel declares, and compiles:
//
//   auto declared = declareKernel(source, options, "--kernel");
//   auto variant = compileVariant(source, options, declared->arguments, key);
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_VARIANTS_H
#define TILEWRIGHT_JIT_VARIANTS_H

#include "tilewright/Compiler/Compile.h"
#include "tilewright/Jit/VariantKey.h"
#include "tilewright/Runtime/Device.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tilewright::jit {

/// What makes modules of a source, again for each variant.
using KernelSource =
    std::function<llvm::Expected<CompiledModule>(const CompileOptions &)>;

/// Text in the tile dialect; `name` stands for it in messages.
KernelSource fromText(std::string text, std::string name);

/// A kernel as it was compiled for a key.
struct Variant {
  CompiledKernel kernel;
  runtime::KernelImage image;

  explicit Variant(CompiledModule module);
  llvm::StringRef getPtx() const { return image.code; }
  /// The report, with what ptxas says where there is one. Asked for the first
  /// time it runs ptxas.
  llvm::Expected<const KernelReport *> getReport(const GpuTarget &target);

private:
  std::mutex mutex;
  bool hasResources = false;
};

/// What the kernel that the options name, or the only one, declares. Makes no
/// code. `option`: how a user names a kernel, for messages.
llvm::Expected<spec::KernelDescription>
declareKernel(const KernelSource &source, CompileOptions options,
              llvm::StringRef option);

/// Compiles the kernel that the options name for a key.
llvm::Expected<std::unique_ptr<Variant>>
compileVariant(const KernelSource &source, CompileOptions options,
               llvm::ArrayRef<spec::Argument> arguments, const VariantKey &key);

/// Each variant is made when it is first asked for, and kept. Any thread may
/// ask.
class VariantSet {
public:
  /// Compiles the kernel that the options name, or the only one, without any
  /// knowledge of its launches. `option`: as above.
  static llvm::Expected<std::unique_ptr<VariantSet>>
  create(KernelSource source, CompileOptions options, llvm::StringRef option);

  /// The one that relies on nothing but the kernel's own promises.
  const Variant &getBase() const { return *base; }
  const GpuTarget &getTarget() const { return options.pipeline.target; }
  llvm::ArrayRef<spec::Argument> getArguments() const {
    return base->kernel.description.arguments;
  }

  llvm::Expected<const Variant *> get(const VariantKey &key);
  /// All so far, the base first.
  std::vector<Variant *> getAll();

private:
  VariantSet(KernelSource source, CompileOptions options)
      : source(std::move(source)), options(std::move(options)) {}

  void add(const VariantKey &key, std::unique_ptr<Variant> variant);

  KernelSource source;
  CompileOptions options;
  /// Held while a variant is made, so that none is made twice.
  std::mutex compileMutex;
  /// Held for moments only.
  std::mutex mutex;
  std::vector<std::unique_ptr<Variant>> variants;
  llvm::StringMap<const Variant *> byKey;
  const Variant *base = nullptr;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_VARIANTS_H
