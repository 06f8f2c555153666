//===- Kernel.cpp - A kernel that is launched on any device ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Jit/Kernel.h"

#include "tilewright/Runtime/CudaDevice.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>

using namespace tilewright;
using namespace tilewright::jit;

char SimulatorFindings::ID = 0;

// Never closed: kernels and other libraries use it until the process ends.
static std::array<std::atomic<runtime::Device *>, 256> gpus;

runtime::Device *jit::findGpu(unsigned ordinal) {
  return LLVM_LIKELY(ordinal < gpus.size())
             ? gpus[ordinal].load(std::memory_order_acquire)
             : nullptr;
}

llvm::Expected<runtime::Device *> jit::openGpu(unsigned ordinal) {
  if (ordinal >= gpus.size())
    return llvm::createStringError("there is no GPU " + llvm::Twine(ordinal));
  if (runtime::Device *found = findGpu(ordinal))
    return found;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (runtime::Device *found = findGpu(ordinal))
    return found;
  llvm::Expected<std::unique_ptr<runtime::Device>> device =
      runtime::createCudaDevice(ordinal);
  if (!device)
    return device.takeError();
  gpus[ordinal].store(device->release(), std::memory_order_release);
  return findGpu(ordinal);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static sim::LaunchOptions
makeSimulatorOptions(const Kernel::Settings &settings) {
  sim::LaunchOptions options;
  options.limitOption = settings.limitOption;
  options.racesOption = settings.racesOption;
  return options;
}

Kernel::Kernel(std::unique_ptr<VariantSet> variants, const Settings &settings)
    : variants(std::move(variants)), simulator(makeSimulatorOptions(settings)) {
  if (settings.print)
    simulator.setPrinter(settings.print);
}

void Kernel::makeLaunches(const Settings &settings) {
  llvm::Expected<std::unique_ptr<SpecializedKernel>> made =
      SpecializedKernel::create(
          variants->getDescription(),
          [variants = variants.get()](const VariantKey &key)
              -> llvm::Expected<const runtime::KernelImage *> {
            llvm::Expected<Variant *> variant = variants->get(key);
            if (!variant)
              return variant.takeError();
            return &(*variant)->image;
          },
          settings.specializes, getTarget().globalVectorBytes());
  if (!made) {
    launchFailure = llvm::toString(made.takeError());
    return;
  }
  launches = std::move(*made);
  if (variants->getCache())
    launches->setLoader([variants = variants.get()](
                            runtime::Device &device, const VariantKey &key,
                            const runtime::KernelImage &image) {
      return loadCached(*variants->getCache(), device, variants->getTarget(),
                        key, image);
    });
}

llvm::Expected<std::unique_ptr<Kernel>>
Kernel::create(KernelSource source, CompileOptions options,
               const Settings &settings, std::optional<KernelCache> cache,
               std::string notes) {
  llvm::Expected<std::unique_ptr<VariantSet>> made = VariantSet::create(
      std::move(source), std::move(options), settings.kernelOption,
      !settings.isLazy, std::move(cache), std::move(notes));
  if (!made)
    return made.takeError();
  std::unique_ptr<Kernel> kernel(new Kernel(std::move(*made), settings));
  kernel->makeLaunches(settings);
  return kernel;
}

llvm::Expected<std::unique_ptr<Kernel>>
Kernel::restore(KernelSource source, CompileOptions options,
                const Settings &settings, KernelCache cache,
                spec::KernelDescription description) {
  std::unique_ptr<Kernel> kernel(
      new Kernel(VariantSet::restore(std::move(source), std::move(options),
                                     std::move(cache), std::move(description)),
                 settings));
  if (!settings.isLazy)
    if (llvm::Expected<Variant *> base = kernel->variants->getBase(); !base)
      return base.takeError();
  kernel->makeLaunches(settings);
  if (kernel->launches)
    kernel->launches->expectCached();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Expected<SpecializedKernel *> Kernel::getLaunches() {
  if (LLVM_LIKELY(launches != nullptr))
    return launches.get();
  return llvm::createStringError(launchFailure);
}

llvm::Error Kernel::runOn(runtime::Device &device,
                          const CopyingLaunch &launch) {
  llvm::Expected<runtime::TensorCopies> tensors =
      runtime::TensorCopies::copyIn(device, launch.tensors, launch.owner);
  if (!tensors)
    return tensors.takeError();
  llvm::SmallVector<llvm::StringRef> names;
  for (auto [index, argument] : llvm::enumerate(launch.arguments)) {
    launch.values.set(argument, tensors->getAddress(index));
    names.push_back(getArguments()[argument].name);
  }
  names.resize(launch.tensors.size(), "an array that it reaches");
  tensors->setNames(names);
  if (llvm::Error error =
          launches->launch({device, launch.values, launch.grid, launch.overlap,
                            launch.stream, launch.interrupt}))
    return error;
  if (llvm::Error error = device.synchronize(launch.interrupt)) {
    if (&device != &simulator)
      return error;
    return llvm::make_error<SimulatorFindings>(
        llvm::toString(std::move(error)));
  }
  return tensors->copyOut(names);
}

llvm::Error Kernel::simulate(const CopyingLaunch &launch) {
  // The launch of another thread may never end.
  std::unique_lock<std::timed_mutex> lock(simulatorMutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(100)))
    if (launch.interrupt && launch.interrupt->isRequested())
      return llvm::make_error<runtime::InterruptedError>(
          getName().str() + ": another thread runs it in the simulator");
  simulator.setInstructionLimit(launch.instructionLimit);
  llvm::Expected<std::optional<uint64_t>> seed =
      runtime::SimulatedDevice::readSeed();
  if (!seed)
    return seed.takeError();
  simulator.setSeed(*seed);
  return runOn(simulator, launch);
}

std::optional<llvm::json::Value> Kernel::getSimulation() {
  std::lock_guard<std::timed_mutex> lock(simulatorMutex);
  if (const std::optional<sim::LaunchReport> &report =
          simulator.getLastReport())
    return sim::toJSON(*report);
  return std::nullopt;
}
