//===- Variants.cpp - A kernel's source, compiled as launches ask ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/Variants.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::jit;

KernelSource jit::fromText(std::string text, std::string name) {
  return [text = std::move(text),
          name = std::move(name)](const CompileOptions &options) {
    return compile(text, name, options);
  };
}

//===----------------------------------------------------------------------===//
// One variant
//===----------------------------------------------------------------------===//

Variant::Variant(CompiledModule module)
    : kernel(std::move(module.kernels.front())) {
  image.code = std::move(module.output);
  image.entry = kernel.description.name;
  image.threadsPerBlock = kernel.threadsPerBlock;
  image.staticSharedBytes = kernel.staticSharedBytes;
  image.dynamicSharedBytes = kernel.dynamicSharedBytes;
}

llvm::Expected<const KernelReport *>
Variant::getReport(const GpuTarget &target) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasResources) {
    llvm::Expected<std::optional<PtxasOutput>> assembled =
        assemble(getPtx(), target, kernel);
    if (!assembled)
      return assembled.takeError();
    hasResources = true;
  }
  return &kernel.report;
}

/// The only kernel of a module.
static llvm::Error selectKernel(CompiledModule &module, llvm::StringRef name,
                                llvm::StringRef option) {
  auto isOther = [&](const CompiledKernel &kernel) {
    return kernel.description.name != name;
  };
  std::string known =
      llvm::join(llvm::map_range(module.kernels,
                                 [](const CompiledKernel &kernel) {
                                   return kernel.description.name;
                                 }),
                 ", ");
  if (!name.empty())
    llvm::erase_if(module.kernels, isOther);
  if (module.kernels.size() == 1)
    return llvm::Error::success();
  if (name.empty())
    return llvm::createStringError(
        "the source has several kernels, name one with " + option + ": " +
        known);
  return llvm::createStringError("the source has no kernel '" + name +
                                 "'; it has: " + known);
}

llvm::Expected<spec::KernelDescription>
jit::declareKernel(const KernelSource &source, CompileOptions options,
                   llvm::StringRef option) {
  std::string name = std::exchange(options.kernel, {});
  options.emit = Level::Tile;
  llvm::Expected<CompiledModule> module = source(options);
  if (!module)
    return module.takeError();
  if (llvm::Error error = selectKernel(*module, name, option))
    return error;
  return std::move(module->kernels.front().description);
}

static llvm::Expected<std::unique_ptr<Variant>>
compileOne(const KernelSource &source, CompileOptions options,
           llvm::StringRef option) {
  options.emit = Level::PTX;
  llvm::Expected<CompiledModule> module = source(options);
  if (!module)
    return module.takeError();
  if (llvm::Error error = selectKernel(*module, options.kernel, option))
    return error;
  auto variant = std::make_unique<Variant>(std::move(*module));
  // Only ptxas knows the registers, and it may not have been asked: at most.
  runtime::KernelImage &image = variant->image;
  image.blocksPerMultiprocessor =
      options.pipeline.target
          .occupancy(image.threadsPerBlock, /*registersPerThread=*/1,
                     image.staticSharedBytes + image.dynamicSharedBytes)
          .blocksPerSM;
  return variant;
}

llvm::Expected<std::unique_ptr<Variant>>
jit::compileVariant(const KernelSource &source, CompileOptions options,
                    llvm::ArrayRef<spec::Argument> arguments,
                    const VariantKey &key) {
  key.applyTo(options.pipeline, arguments);
  return compileOne(source, std::move(options), /*option=*/"");
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<VariantSet>>
VariantSet::create(KernelSource source, CompileOptions options,
                   llvm::StringRef option) {
  std::unique_ptr<VariantSet> set(
      new VariantSet(std::move(source), std::move(options)));
  llvm::Expected<std::unique_ptr<Variant>> base =
      compileOne(set->source, set->options, option);
  if (!base)
    return base.takeError();
  set->base = base->get();
  set->options.kernel = (*base)->kernel.description.name;
  VariantKey key = VariantKey::ofDeclared(set->getArguments());
  set->add(key, std::move(*base));
  return set;
}

void VariantSet::add(const VariantKey &key, std::unique_ptr<Variant> variant) {
  std::lock_guard<std::mutex> lock(mutex);
  byKey[key.getBytes()] = variant.get();
  variants.push_back(std::move(variant));
}

llvm::Expected<const Variant *> VariantSet::get(const VariantKey &key) {
  std::lock_guard<std::mutex> compileLock(compileMutex);
  if (const Variant *found = byKey.lookup(key.getBytes()))
    return found;
  llvm::Expected<std::unique_ptr<Variant>> made =
      compileVariant(source, options, getArguments(), key);
  if (!made)
    return made.takeError();
  const Variant *variant = made->get();
  add(key, std::move(*made));
  return variant;
}

std::vector<Variant *> VariantSet::getAll() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Variant *> result;
  for (const std::unique_ptr<Variant> &variant : variants)
    result.push_back(variant.get());
  return result;
}
