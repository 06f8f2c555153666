//===- JitKernel.cpp - A kernel's source with its variants ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JitKernel.h"

#include "tilewright/Runtime/CudaDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::python;

char SimulatorFindings::ID = 0;

llvm::Expected<runtime::Device *> python::openGpu(unsigned ordinal) {
  // Never closed: kernels and other libraries use it until the process ends.
  static auto *mutex = new std::mutex();
  static auto *devices =
      new std::map<unsigned, std::unique_ptr<runtime::Device>>();
  std::lock_guard<std::mutex> lock(*mutex);
  if (auto found = devices->find(ordinal); found != devices->end())
    return found->second.get();
  llvm::Expected<std::unique_ptr<runtime::Device>> device =
      runtime::createCudaDevice(ordinal);
  if (!device)
    return device.takeError();
  return ((*devices)[ordinal] = std::move(*device)).get();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

llvm::Expected<const KernelReport *>
Variant::getReport(const GpuTarget &target) {
  std::lock_guard<std::mutex> lock(mutex);
  if (hasResources)
    return &kernel.report;
  llvm::Expected<std::optional<Ptxas>> ptxas = Ptxas::find();
  if (!ptxas)
    return ptxas.takeError();
  if (const std::optional<Ptxas> &assembler = *ptxas) {
    llvm::Expected<PtxasOutput> assembled = assembler->assemble(ptx, target);
    if (!assembled)
      return assembled.takeError();
    for (const PtxasResources &resources : assembled->kernels)
      if (kernel.description.name == resources.name)
        addResources(kernel.report, resources, target);
  }
  hasResources = true;
  return &kernel.report;
}

llvm::Expected<std::unique_ptr<Variant>>
JitKernel::compileWith(const CompileOptions &options) const {
  llvm::Expected<CompiledModule> module =
      compile(source.text, source.name, options);
  if (!module)
    return module.takeError();
  if (module->kernels.size() != 1)
    return llvm::createStringError(
        "the source has several kernels, name one with kernel=: " +
        llvm::join(llvm::map_range(module->kernels,
                                   [](const CompiledKernel &kernel) {
                                     return kernel.description.name;
                                   }),
                   ", "));
  auto variant = std::make_unique<Variant>();
  variant->ptx = std::move(module->output);
  variant->kernel = std::move(module->kernels.front());
  return variant;
}

static sim::LaunchOptions makeSimulatorOptions() {
  sim::LaunchOptions options;
  options.limitOption = "instruction_limit=";
  return options;
}

JitKernel::JitKernel(Source source, CompileOptions options)
    : source(std::move(source)), options(std::move(options)),
      simulator(makeSimulatorOptions()) {}

llvm::Expected<std::unique_ptr<JitKernel>>
JitKernel::create(Source source, CompileOptions options, bool specializes) {
  std::unique_ptr<JitKernel> kernel(
      new JitKernel(std::move(source), std::move(options)));
  llvm::Expected<std::unique_ptr<Variant>> base =
      kernel->compileWith(kernel->options);
  if (!base)
    return base.takeError();
  kernel->base = std::move(*base);
  kernel->options.kernel = kernel->getName().str();
  JitKernel *self = kernel.get();
  llvm::Expected<std::unique_ptr<runtime::SpecializedKernel>> launches =
      runtime::SpecializedKernel::create(
          kernel->getBase().kernel.description,
          [self](llvm::ArrayRef<unsigned> divisibility) {
            return self->compileVariant(divisibility);
          },
          specializes, kernel->options.pipeline.target.globalVectorBytes());
  if (launches)
    kernel->launches = std::move(*launches);
  else
    kernel->launchFailure = llvm::toString(launches.takeError());
  return kernel;
}

static runtime::KernelImage makeImage(const Variant &variant) {
  runtime::KernelImage image;
  image.code = variant.ptx;
  image.entry = variant.kernel.description.name;
  image.threadsPerBlock = variant.kernel.threadsPerBlock;
  image.staticSharedBytes = variant.kernel.staticSharedBytes;
  image.dynamicSharedBytes = variant.kernel.dynamicSharedBytes;
  return image;
}

llvm::Expected<runtime::KernelImage>
JitKernel::compileVariant(llvm::ArrayRef<unsigned> divisibility) {
  bool isBase = true;
  for (auto [argument, divisor] : llvm::zip_equal(getArguments(), divisibility))
    isBase &= argument.divisibility == divisor;
  if (isBase)
    return makeImage(getBase());
  CompileOptions promised = options;
  for (auto [argument, divisor] : llvm::zip_equal(getArguments(), divisibility))
    if (argument.hasDivisibility())
      promised.pipeline.divisibility.push_back(argument.name + ":" +
                                               std::to_string(divisor));
  llvm::Expected<std::unique_ptr<Variant>> variant = compileWith(promised);
  if (!variant)
    return variant.takeError();
  runtime::KernelImage image = makeImage(**variant);
  std::lock_guard<std::mutex> lock(variantsMutex);
  variants.push_back(std::move(*variant));
  return image;
}

std::vector<Variant *> JitKernel::getVariants() {
  std::lock_guard<std::mutex> lock(variantsMutex);
  std::vector<Variant *> result{base.get()};
  for (const std::unique_ptr<Variant> &variant : variants)
    result.push_back(variant.get());
  return result;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

llvm::Expected<runtime::SpecializedKernel *> JitKernel::getLaunches() {
  if (LLVM_LIKELY(launches != nullptr))
    return launches.get();
  return llvm::createStringError(launchFailure);
}

llvm::Error JitKernel::runOn(runtime::Device &device,
                             const HostLaunch &launch) {
  llvm::Expected<runtime::HostTensors> tensors =
      runtime::HostTensors::copyIn(device, launch.tensors);
  if (!tensors)
    return tensors.takeError();
  llvm::SmallVector<llvm::StringRef> names;
  for (auto [index, argument] : llvm::enumerate(launch.arguments)) {
    launch.values.set(argument, tensors->getAddress(index));
    names.push_back(getArguments()[argument].name);
  }
  if (llvm::Error error = launches->launch({device, launch.values, launch.grid,
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

llvm::Error JitKernel::simulate(const HostLaunch &launch) {
  // The launch of another thread may never end.
  std::unique_lock<std::timed_mutex> lock(simulatorMutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(100)))
    if (launch.interrupt && launch.interrupt->isRequested())
      return llvm::make_error<runtime::InterruptedError>(
          getName().str() + ": another thread runs it in the simulator");
  simulator.setInstructionLimit(launch.instructionLimit);
  return runOn(simulator, launch);
}

std::optional<llvm::json::Value> JitKernel::getSimulation() {
  std::lock_guard<std::timed_mutex> lock(simulatorMutex);
  if (const std::optional<sim::LaunchReport> &report =
          simulator.getLastReport())
    return sim::toJSON(*report);
  return std::nullopt;
}
