//===- SpecializedKernel.cpp - A kernel in variants for launches ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/SpecializedKernel.h"

#include "tilewright/Runtime/LaunchChoices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::jit;
using namespace tilewright::runtime;

/// Plans that are kept. Beyond that all are dropped: a kernel that sees so many
/// sizes does not see them again soon.
static constexpr unsigned maxPlans = 1024;

//===----------------------------------------------------------------------===//
// What the kernel declares
//===----------------------------------------------------------------------===//

llvm::Error
SpecializedKernel::setSpec(const spec::KernelDescription &description) {
  declaresGrid = !description.grid.empty();
  if (!declaresGrid && description.shapes.empty())
    return llvm::Error::success();
  spec::KernelDescription complete = description;
  if (!declaresGrid) // Stands in for that of each launch.
    complete.grid = {"1"};
  llvm::Expected<spec::KernelSpec> created = spec::KernelSpec::create(complete);
  if (!created)
    return llvm::createStringError(
        "'" + description.name +
        "' cannot be run: " + llvm::toString(created.takeError()));
  spec = std::move(*created);
  return llvm::Error::success();
}

void SpecializedKernel::findSizeSources() {
  sizeSources.resize(arguments.size());
  for (const spec::Argument &argument : arguments)
    shapeTexts.push_back(argument.name);
  if (!spec)
    return;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (!argument.isPointer())
      continue;
    std::string extents;
    for (auto [axis, extent] : llvm::enumerate(spec->getShape(index).extents)) {
      extents += (axis ? ", " : "") + extent.getText().str();
      std::optional<unsigned> size = spec->findArgument(extent.getText());
      if (size && !sizeSources[*size])
        sizeSources[*size] = {static_cast<unsigned>(index),
                              static_cast<unsigned>(axis)};
    }
    shapeTexts[index] += "[" + extents + "]";
  }
}

llvm::Expected<std::unique_ptr<SpecializedKernel>>
SpecializedKernel::create(const spec::KernelDescription &description,
                          VariantCompiler compile, bool specializes,
                          unsigned mostDivisibility) {
  std::unique_ptr<SpecializedKernel> kernel(new SpecializedKernel());
  kernel->name = description.name;
  kernel->arguments = description.arguments;
  kernel->compile = std::move(compile);
  for (unsigned index = 0; !specializes && index < kernel->arguments.size();
       ++index)
    kernel->keepDeclared(index);
  if (llvm::any_of(kernel->arguments, [](const spec::Argument &argument) {
        return argument.hasBounds();
      }))
    kernel->setPromised();
  kernel->dependsOnOverlap =
      specializes && runtime::dependsOnOverlap(kernel->arguments);
  kernel->mostDivisibility = mostDivisibility;
  kernel->requiresTensorMaps = description.requiresTensorMaps;
  for (auto [index, argument] : llvm::enumerate(kernel->arguments))
    if (specializes && argument.productStep != 0)
      kernel->endOfProducts = index;
  if (llvm::Error error = kernel->setSpec(description))
    return error;
  kernel->findSizeSources();
  return kernel;
}

void SpecializedKernel::keepDeclared(unsigned argument) {
  arguments[argument].isSpecialized = false;
  setPromised();
}

void SpecializedKernel::setPromised() {
  promised = arguments;
  for (spec::Argument &each : promised)
    if (each.isSpecialized)
      each.divisibility = 1;
}

llvm::Expected<std::shared_ptr<const LaunchPlan>>
SpecializedKernel::plan(llvm::ArrayRef<uint64_t> bits) {
  llvm::StringRef key(reinterpret_cast<const char *>(bits.data()),
                      bits.size() * sizeof(uint64_t));
  {
    std::lock_guard<std::mutex> lock(cacheMutex);
    if (auto found = plans.find(key); LLVM_LIKELY(found != plans.end()))
      return found->second;
  }
  auto plan = std::make_shared<LaunchPlan>();
  if (!spec) {
    plan->extents.resize(arguments.size());
  } else {
    llvm::Expected<spec::ScalarValues> values =
        spec::ScalarValues::fromBits(*spec, bits);
    if (!values)
      return values.takeError();
    llvm::Expected<spec::Binding> binding = spec->bind(*values);
    if (!binding)
      return binding.takeError();
    plan->extents = std::move(binding->extents);
    if (declaresGrid)
      plan->grid = binding->grid;
  }
  std::lock_guard<std::mutex> lock(cacheMutex);
  if (plans.size() >= maxPlans)
    plans.clear();
  plans[key] = plan;
  return plan;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

llvm::Expected<VariantKey>
SpecializedKernel::makeKey(const spec::ArgumentBlock &values,
                           Overlap overlap) const {
  if (values.size() != arguments.size())
    return llvm::createStringError(
        "'" + name + "' has " + llvm::Twine(arguments.size()) +
        " arguments, not " + llvm::Twine(values.size()));
  return makeKeyOf(values, overlap);
}

VariantKey SpecializedKernel::makeKeyOf(const spec::ArgumentBlock &values,
                                        Overlap overlap) const {
  overlap.areDisjoint &= dependsOnOverlap;
  overlap.areShort &= dependsOnOverlap;
  return VariantKey::ofLaunch(arguments, values, overlap, mostDivisibility);
}

unsigned SpecializedKernel::chooseParts(const Launch &launch,
                                        bool areLoaded) const {
  if (!endOfProducts)
    return 1;
  const spec::Argument &argument = arguments[*endOfProducts];
  int64_t step = argument.productStep;
  int64_t end = launch.arguments.getInteger(*endOfProducts);
  int64_t trips = end <= 0 ? 0 : (end - 1) / step + 1;
  return chooseProductParts(launch.grid, trips, argument.hasFullProducts,
                            launch.device.getInfo().multiprocessors, areLoaded);
}

/// Where rows are no multiple of a word apart, elements of less than a word
/// come by no copy.
static bool isBesideWords(int64_t rowBytes) {
  constexpr int64_t wordBytes = 4;
  return rowBytes % wordBytes != 0;
}

/// Where rows are an odd multiple of 16 bytes apart, every other one begins in
/// the middle of a sector, and takes one sector more of the L2 cache
/// (docs/decisions/0097-boxes-of-neighbours.md).
static bool isBesideSectors(int64_t rowBytes) {
  constexpr int64_t sectorBytes = 32, mapBytes = 16;
  return rowBytes % sectorBytes == mapBytes;
}

bool SpecializedKernel::hasRows(const Launch &launch,
                                bool (*test)(int64_t rowBytes)) const {
  return llvm::any_of(llvm::enumerate(arguments), [&](const auto &each) {
    return each.value().rowBytes != 0 &&
           test(launch.arguments.getInteger(each.index()) *
                each.value().rowBytes);
  });
}

void SpecializedKernel::divideProducts(VariantKey &key,
                                       const Launch &launch) const {
  if (LLVM_LIKELY(!endOfProducts))
    return;
  key =
      key.withProductParts(chooseParts(launch, hasRows(launch, isBesideWords)));
  if (key.getProductParts() == 1 && hasRows(launch, isBesideSectors))
    key = key.withPairedAxes(
        choosePairedAxes(launch.grid, launch.device.getInfo().multiprocessors));
}

LoadedKernel *SpecializedKernel::findLoaded(const Device &device,
                                            const VariantKey &key) {
  const LoadedVariant *variant = last.load(std::memory_order_acquire);
  if (LLVM_LIKELY(variant && variant->device == &device && variant->key == key))
    return variant->kernel.get();
  std::lock_guard<std::mutex> lock(cacheMutex);
  auto variants = loaded.find(&device);
  if (variants == loaded.end())
    return nullptr;
  auto found = variants->second.find(key.getBytes());
  if (found == variants->second.end())
    return nullptr;
  last.store(found->second.get(), std::memory_order_release);
  return found->second->kernel.get();
}

llvm::Expected<LoadedKernel *> SpecializedKernel::load(Device &device,
                                                       const VariantKey &key) {
  std::lock_guard<std::mutex> loadLock(loadMutex);
  // Another thread may have loaded it in the meantime.
  if (LoadedKernel *found = findLoaded(device, key))
    return found;
  std::future<void> preparation;
  if (!isCached)
    preparation = device.expectPtx();
  llvm::Expected<const KernelImage *> image = compile(key);
  if (!image)
    return image.takeError();
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel =
      loader ? loader(device, key, **image) : device.load(**image);
  if (!kernel)
    return kernel.takeError();
  LoadedKernel *result = kernel->get();
  auto variant = std::make_unique<LoadedVariant>(
      LoadedVariant{&device, key, std::move(*kernel)});
  std::lock_guard<std::mutex> lock(cacheMutex);
  loaded[&device][key.getBytes()] = std::move(variant);
  return result;
}

llvm::Error
SpecializedKernel::verifyPromises(const spec::ArgumentBlock &values) const {
  if (promised.empty() || values.size() != arguments.size())
    return llvm::Error::success();
  return verifyDivisibility(name, promised, values);
}

llvm::Expected<Overlap> SpecializedKernel::compareTensors(
    llvm::ArrayRef<TensorArgument> tensors) const {
  return runtime::compareTensors(arguments, tensors);
}

llvm::Error
SpecializedKernel::allowWithout(llvm::ArrayRef<spec::TensorMap> maps,
                                const spec::ArgumentBlock &values) const {
  if (!requiresTensorMaps)
    return llvm::Error::success();
  return spec::refuseWithoutMaps(name, arguments, maps, values);
}

llvm::Error SpecializedKernel::prepare(const spec::ArgumentBlock &values,
                                       Overlap overlap) {
  llvm::Expected<VariantKey> key = makeKey(values, overlap);
  if (!key)
    return key.takeError();
  llvm::Expected<const KernelImage *> image = compile(*key);
  if (!image)
    return image.takeError();
  if (spec::canHave((*image)->tensorMaps, values))
    return llvm::Error::success();
  if (llvm::Error error = allowWithout((*image)->tensorMaps, values))
    return error;
  return compile(key->withoutTensorMaps()).takeError();
}

llvm::Expected<LoadedKernel *>
SpecializedKernel::getLoaded(const Launch &launch, const VariantKey &key) {
  if (LoadedKernel *found = findLoaded(launch.device, key); LLVM_LIKELY(found))
    return found;
  if (llvm::Error error = verifyGrid(name, launch.grid))
    return error;
  return load(launch.device, key);
}

/// Whether all clusters run at one time.
static bool runsAtOnce(const LoadedKernel &variant,
                       const SpecializedKernel::Launch &launch) {
  std::optional<int64_t> most = variant.getResources().clustersAtOnce;
  return !most || getBlocks(launch.grid, *most + 1)[0] <= *most;
}

/// Whether each block may have a multiprocessor for itself.
static bool haveMultiprocessors(const LoadedKernel &variant,
                                const SpecializedKernel::Launch &launch) {
  int64_t multiprocessors = launch.device.getInfo().multiprocessors;
  int64_t fitting = multiprocessors / variant.getClusterBlocks();
  return getBlocks(launch.grid, fitting + 1)[0] <= fitting;
}

/// How many parts are tried where there is no room for so many. Not all GPUs
/// have clusters of more than eight blocks, and those that do have few.
static unsigned getFewerParts(unsigned parts, unsigned otherwise) {
  return parts > portableClusterBlocks ? portableClusterBlocks : otherwise;
}

bool SpecializedKernel::reduceKey(VariantKey &key, const LoadedKernel &variant,
                                  const Launch &launch) const {
  if (LLVM_UNLIKELY(variant.takesProgramCounts()) && key.getPairedAxes() == 0 &&
      !servesBatch(launch.grid, variant.getBlockPrograms(),
                   launch.device.getInfo().multiprocessors)) {
    key = key.withoutBatches();
    return true;
  }
  if (LLVM_UNLIKELY(variant.getClusterBlocks() > 1) &&
      !(variant.getResources().canRunClusters &&
        allowsClusters(launch.grid, variant.getClusterBlocks()))) {
    unsigned parts = key.getProductParts();
    key = parts > 1 ? key.withProductParts(getFewerParts(parts, 1))
          : key.getPairedAxes() != 0 ? key.withPairedAxes(0)
                                     : key.withoutBatches();
    return true;
  }
  if (LLVM_UNLIKELY(key.getProductParts() > 1) &&
      !runsAtOnce(variant, launch)) {
    unsigned parts = key.getProductParts();
    if (haveMultiprocessors(variant, launch)) {
      // Of four, three are more than half.
      key = key.withProductParts(getFewerParts(parts, parts - 1));
      return true;
    }
    unsigned fewer = chooseParts(launch, /*areLoaded=*/false);
    if (fewer < parts) {
      key = key.withProductParts(fewer);
      return true;
    }
  }
  if (LLVM_LIKELY(spec::canHave(variant.getTensorMaps(), launch.arguments)))
    return false;
  key = key.withoutTensorMaps();
  return true;
}

LoadedKernel *SpecializedKernel::find(const Launch &launch) {
  if (LLVM_UNLIKELY(launch.arguments.size() != arguments.size()))
    return nullptr;
  VariantKey key = makeKeyOf(launch.arguments, launch.overlap);
  divideProducts(key, launch);
  LoadedKernel *found = findLoaded(launch.device, key);
  // A launch that requires them is told so.
  if (LLVM_UNLIKELY(requiresTensorMaps) && found &&
      !spec::canHave(found->getTensorMaps(), launch.arguments))
    return nullptr;
  while (found && LLVM_UNLIKELY(reduceKey(key, *found, launch)))
    found = findLoaded(launch.device, key);
  return found;
}

llvm::Error SpecializedKernel::launch(const Launch &launch) {
  llvm::Expected<VariantKey> key = makeKey(launch.arguments, launch.overlap);
  if (!key)
    return key.takeError();
  if (llvm::is_contained(launch.grid, 0))
    return llvm::Error::success();
  divideProducts(*key, launch);
  llvm::Expected<LoadedKernel *> variant = getLoaded(launch, *key);
  while (variant && reduceKey(*key, **variant, launch)) {
    if (llvm::Error error =
            allowWithout((*variant)->getTensorMaps(), launch.arguments))
      return error;
    variant = getLoaded(launch, *key);
  }
  if (!variant)
    return variant.takeError();
  return launch.device.launch({**variant, launch.grid, launch.arguments,
                               launch.stream, launch.interrupt});
}
