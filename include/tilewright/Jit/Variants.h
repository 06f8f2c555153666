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
// Who has the values of a launch asks by them:
//
//   auto variant = (*variants)->getForLaunch(values, overlap, most);
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
#include "tilewright/Jit/KernelCache.h"
#include "tilewright/Jit/VariantKey.h"
#include "tilewright/Runtime/Device.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tilewright::jit {

/// What makes modules of a source, again for each variant.
class KernelSource {
public:
  using Compiler =
      std::function<llvm::Expected<CompiledModule>(const CompileOptions &)>;

  explicit KernelSource(Compiler compile, std::string text = "")
      : compile(std::move(compile)), text(std::move(text)) {}

  llvm::Expected<CompiledModule>
  operator()(const CompileOptions &options) const {
    return compile(options);
  }
  /// As it was given; empty where it was no text.
  llvm::StringRef getText() const { return text; }

private:
  Compiler compile;
  std::string text;
};

/// Text in the tile dialect; `name` stands for it in messages. For programs
/// that have the compiler in them; LoadedCompiler.h has what others take.
KernelSource fromText(std::string text, std::string name);

/// A kernel as it was compiled for a key.
struct Variant {
  CompiledKernel kernel;
  runtime::KernelImage image;
  VariantKey key;

  /// As it was just compiled.
  Variant(CompiledModule module, VariantKey key);
  /// As it was found in a cache: without the report. `blocks`: that a
  /// multiprocessor keeps at once.
  Variant(CompiledKernel kernel, std::string ptx, unsigned blocks,
          VariantKey key);
  llvm::StringRef getPtx() const { return image.code; }

private:
  friend class VariantSet;

  void setImage(std::string ptx, unsigned blocks);

  /// Guards what follows, and the report.
  std::mutex mutex;
  bool hasReport = false;
  bool hasResources = false;
};

/// What the kernel that the options name, or the only one, declares. Makes no
/// code. `option`: how a user names a kernel, for messages.
llvm::Expected<spec::KernelDescription>
declareKernel(const KernelSource &source, CompileOptions options,
              llvm::StringRef option);

/// Compiles the kernel that the options name for a key, as far as they say:
/// short of PTX there is a report, and no code.
llvm::Expected<std::unique_ptr<Variant>>
compileVariant(const KernelSource &source, CompileOptions options,
               llvm::ArrayRef<spec::Argument> arguments, const VariantKey &key);

/// Each variant is made when it is first asked for, and kept. Any thread may
/// ask.
class VariantSet {
public:
  /// Of the kernel that the options name, or the only one. `option`: as above.
  /// `compilesBase`: it fails where the kernel cannot be compiled without any
  /// knowledge of its launches; else nothing is compiled before it is needed.
  /// Short of PTX, as the options may say, variants have reports and no code.
  /// `cache`: of this source with these options, to be filled with `notes`.
  static llvm::Expected<std::unique_ptr<VariantSet>>
  create(KernelSource source, CompileOptions options, llvm::StringRef option,
         bool compilesBase = true,
         std::optional<KernelCache> cache = std::nullopt,
         std::string notes = "");
  /// Of a kernel whose program was found in a cache.
  static std::unique_ptr<VariantSet>
  restore(KernelSource source, CompileOptions options, KernelCache cache,
          spec::KernelDescription description);

  const KernelSource &getSource() const { return source; }
  const GpuTarget &getTarget() const { return options.pipeline.target; }
  const spec::KernelDescription &getDescription() const { return description; }
  llvm::ArrayRef<spec::Argument> getArguments() const {
    return description.arguments;
  }

  llvm::Expected<Variant *> get(const VariantKey &key);
  /// The variant of a launch: as VariantKey::ofLaunch() of the same says,
  /// without tensor maps where it cannot have them.
  llvm::Expected<Variant *> getForLaunch(const spec::ArgumentBlock &values,
                                         runtime::Overlap overlap,
                                         unsigned most);
  /// The one that relies on nothing but the kernel's own promises.
  llvm::Expected<Variant *> getBase() {
    return get(VariantKey::ofDeclared(getArguments()));
  }
  /// The one that was made first; the base where there is none yet.
  llvm::Expected<Variant *> getFirst();
  /// All so far, in the order in which they were made.
  std::vector<Variant *> getAll();

  /// The report of a variant, with what ptxas says where there is one. Asked
  /// for the first time it runs ptxas, and compiles what came from a cache.
  llvm::Expected<const KernelReport *> getReport(Variant &variant) const;

  const std::optional<KernelCache> &getCache() const { return cache; }

  /// The text of a variant on its way through the compiler.
  llvm::Expected<std::string> emit(const Variant &variant, Level level) const;

private:
  VariantSet(KernelSource source, CompileOptions options)
      : source(std::move(source)), options(std::move(options)) {}

  Variant *add(std::unique_ptr<Variant> variant);

  KernelSource source;
  CompileOptions options;
  std::optional<KernelCache> cache;
  spec::KernelDescription description;
  /// Held while a variant is made, so that none is made twice.
  std::mutex compileMutex;
  /// Held for moments only.
  std::mutex mutex;
  std::vector<std::unique_ptr<Variant>> variants;
  llvm::StringMap<Variant *> byKey;
};

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_VARIANTS_H
