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

//===----------------------------------------------------------------------===//
// One variant
//===----------------------------------------------------------------------===//

Variant::Variant(CompiledModule module, VariantKey key)
    : kernel(std::move(module.kernels.front())), key(std::move(key)),
      hasReport(true) {
  // Only ptxas knows the registers, and it may not have been asked: at most.
  setImage(std::move(module.output),
           module.target
               .occupancy(kernel.threadsPerBlock, /*registersPerThread=*/1,
                          kernel.staticSharedBytes + kernel.dynamicSharedBytes)
               .blocksPerSM);
}

Variant::Variant(CompiledKernel found, std::string ptx, unsigned blocks,
                 VariantKey key)
    : kernel(std::move(found)), key(std::move(key)) {
  setImage(std::move(ptx), blocks);
}

void Variant::setImage(std::string ptx, unsigned blocks) {
  image.code = std::move(ptx);
  image.entry = kernel.description.name;
  image.threadsPerBlock = kernel.threadsPerBlock;
  image.staticSharedBytes = kernel.staticSharedBytes;
  image.dynamicSharedBytes = kernel.dynamicSharedBytes;
  image.tensorMaps = kernel.tensorMaps;
  image.isPersistent = kernel.isPersistent;
  image.blockPrograms = kernel.blockPrograms;
  image.clusterBlocks = kernel.clusterBlocks;
  image.beginsEarly = kernel.beginsEarly;
  for (unsigned axis = 0; axis < image.pairedAxes.size(); ++axis)
    image.pairedAxes[axis] = (kernel.evenAxes >> axis & 1) != 0;
  image.blocksPerMultiprocessor = blocks;
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

/// A module of nothing but the kernel that the options name, or the only one.
static llvm::Expected<CompiledModule> compileOne(const KernelSource &source,
                                                 const CompileOptions &options,
                                                 llvm::StringRef option) {
  llvm::Expected<CompiledModule> module = source(options);
  if (!module)
    return module;
  if (llvm::Error error = selectKernel(*module, options.kernel, option))
    return error;
  return module;
}

llvm::Expected<std::unique_ptr<Variant>>
jit::compileVariant(const KernelSource &source, CompileOptions options,
                    llvm::ArrayRef<spec::Argument> arguments,
                    const VariantKey &key) {
  key.applyTo(options.pipeline, arguments);
  llvm::Expected<CompiledModule> module =
      compileOne(source, options, /*option=*/"");
  if (!module)
    return module.takeError();
  return std::make_unique<Variant>(std::move(*module), key);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<VariantSet>>
VariantSet::create(KernelSource source, CompileOptions options,
                   llvm::StringRef option, bool compilesBase,
                   std::optional<KernelCache> cache, std::string notes) {
  std::unique_ptr<VariantSet> set(
      new VariantSet(std::move(source), std::move(options)));
  set->cache = std::move(cache);
  if (compilesBase) {
    llvm::Expected<CompiledModule> base =
        compileOne(set->source, set->options, option);
    if (!base)
      return base.takeError();
    set->description = base->kernels.front().description;
    Variant *variant = set->add(std::make_unique<Variant>(
        std::move(*base), VariantKey::ofDeclared(set->getArguments())));
    if (set->cache)
      set->cache->saveVariant(*variant);
  } else {
    llvm::Expected<spec::KernelDescription> declared =
        declareKernel(set->source, set->options, option);
    if (!declared)
      return declared.takeError();
    set->description = std::move(*declared);
  }
  set->options.kernel = set->description.name;
  if (set->cache)
    set->cache->saveProgram(
        {set->source.getText().str(), set->description, std::move(notes)});
  return set;
}

std::unique_ptr<VariantSet>
VariantSet::restore(KernelSource source, CompileOptions options,
                    KernelCache cache, spec::KernelDescription description) {
  std::unique_ptr<VariantSet> set(
      new VariantSet(std::move(source), std::move(options)));
  set->cache = std::move(cache);
  set->options.emit = Level::PTX;
  set->options.kernel = description.name;
  set->description = std::move(description);
  return set;
}

Variant *VariantSet::add(std::unique_ptr<Variant> variant) {
  std::lock_guard<std::mutex> lock(mutex);
  byKey[variant->key.getBytes()] = variant.get();
  variants.push_back(std::move(variant));
  return variants.back().get();
}

llvm::Expected<Variant *> VariantSet::get(const VariantKey &key) {
  std::lock_guard<std::mutex> compileLock(compileMutex);
  if (Variant *found = byKey.lookup(key.getBytes()))
    return found;
  if (cache)
    if (std::unique_ptr<Variant> kept = cache->loadVariant(key))
      return add(std::move(kept));
  llvm::Expected<std::unique_ptr<Variant>> made =
      compileVariant(source, options, getArguments(), key);
  if (!made)
    return made.takeError();
  if (cache)
    cache->saveVariant(**made);
  return add(std::move(*made));
}

llvm::Expected<Variant *>
VariantSet::getForLaunch(const spec::ArgumentBlock &values,
                         runtime::Overlap overlap, unsigned most) {
  const PipelineOptions &pipeline = options.pipeline;
  VariantKey key =
      VariantKey::ofLaunch(getArguments(), values, overlap, most)
          .withProductParts(static_cast<unsigned>(pipeline.productParts))
          .withPairedAxes(static_cast<unsigned>(pipeline.pairedAxes));
  llvm::Expected<Variant *> variant = get(key);
  if (!variant || spec::canHave((*variant)->image.tensorMaps, values))
    return variant;
  const spec::KernelDescription &kernel = (*variant)->kernel.description;
  if (kernel.requiresTensorMaps)
    if (llvm::Error error = spec::refuseWithoutMaps(
            kernel.name, getArguments(), (*variant)->image.tensorMaps, values))
      return error;
  return get(key.withoutTensorMaps());
}

llvm::Expected<Variant *> VariantSet::getFirst() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!variants.empty())
      return variants.front().get();
  }
  return getBase();
}

llvm::Expected<const KernelReport *>
VariantSet::getReport(Variant &variant) const {
  std::lock_guard<std::mutex> lock(variant.mutex);
  if (!variant.hasReport) {
    CompileOptions reporting = options;
    reporting.emit = Level::NVVM;
    llvm::Expected<std::unique_ptr<Variant>> compiled =
        compileVariant(source, reporting, getArguments(), variant.key);
    if (!compiled)
      return compiled.takeError();
    variant.kernel.report = std::move((*compiled)->kernel.report);
    variant.hasReport = true;
  }
  if (!variant.hasResources) {
    llvm::Expected<std::optional<PtxasOutput>> assembled =
        assemble(variant.getPtx(), getTarget(), variant.kernel);
    if (!assembled)
      return assembled.takeError();
    variant.hasResources = true;
  }
  return &variant.kernel.report;
}

llvm::Expected<std::string> VariantSet::emit(const Variant &variant,
                                             Level level) const {
  CompileOptions emitting = options;
  variant.key.applyTo(emitting.pipeline, getArguments());
  emitting.emit = level;
  llvm::Expected<CompiledModule> module = source(emitting);
  if (!module)
    return module.takeError();
  return std::move(module->output);
}

std::vector<Variant *> VariantSet::getAll() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Variant *> result;
  result.reserve(variants.size());
  for (const std::unique_ptr<Variant> &variant : variants)
    result.push_back(variant.get());
  return result;
}
