//===- KernelCache.h - One kernel in the cache on disk -------*- C++ -*- ===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a later process needs of a kernel so that it need not compile it: the
// program that the front end made; its variants, PTX with the facts of a
// launch; and their machine code, by who made it.
//
//   KernelCache cache(disk, key);
//   std::optional<KernelCache::Program> program = cache.loadProgram();
//   std::unique_ptr<Variant> variant = cache.loadVariant(variantKey);
//
// `key` is a digest of all that the program depends on, with the identity of
// the compiler; what the entries here depend on beside is part of their own
// keys. Reports are not kept: a variant that was found here compiles again for
// its report.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_JIT_KERNELCACHE_H
#define TILEWRIGHT_JIT_KERNELCACHE_H

#include "tilewright/Jit/DiskCache.h"
#include "tilewright/Jit/VariantKey.h"
#include "tilewright/Runtime/Device.h"
#include "tilewright/Spec/KernelSpec.h"

namespace tilewright::jit {

struct Variant;

class KernelCache {
public:
  KernelCache(DiskCache disk, std::string key)
      : disk(std::move(disk)), key(std::move(key)) {}

  struct Program {
    /// The text, in the tile dialect.
    std::string text;
    spec::KernelDescription description;
    /// What the front end wants to be told again.
    std::string notes;
  };
  std::optional<Program> loadProgram() const;
  void saveProgram(const Program &program) const;

  /// Null where there is none.
  std::unique_ptr<Variant> loadVariant(const VariantKey &variant) const;
  void saveVariant(const Variant &variant) const;

  /// `assembler`: what made it, and for what.
  std::optional<std::string> loadMachineCode(const VariantKey &variant,
                                             llvm::StringRef assembler) const;
  void saveMachineCode(const VariantKey &variant, llvm::StringRef assembler,
                       llvm::StringRef code) const;

private:
  std::string getKey(llvm::StringRef kind, llvm::StringRef part = "",
                     llvm::StringRef assembler = "") const {
    return makeDigest({kind, key, part, assembler});
  }

  DiskCache disk;
  std::string key;
};

/// What of this build is behind all keys: the compiler's library by its bytes,
/// LLVM, our version. Empty where nobody knows; then nothing is kept.
std::string getBuildIdentity();

/// Loads a variant on a device, from machine code where the cache has some.
/// What was made of the PTX here becomes part of the cache.
llvm::Expected<std::unique_ptr<runtime::LoadedKernel>>
loadCached(const KernelCache &cache, runtime::Device &device,
           const GpuTarget &target, const VariantKey &variant,
           const runtime::KernelImage &image);

} // namespace tilewright::jit

#endif // TILEWRIGHT_JIT_KERNELCACHE_H
