//===- tile-run.cpp - Compiles a kernel, runs it, checks and times it -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "common/CompilerCommandLine.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "tilewright/Runtime/KernelRunner.h"
#include "tilewright/Runtime/SimulatedDevice.h"

using namespace llvm;
using namespace tilewright;

static constexpr StringLiteral toolName = "tile-run";

namespace {
enum class DeviceKind { Auto, Cuda, Simulator };

/// The tool's own options beside those that all compiling tools have.
struct CommandLine : CompilerCommandLine {
  cl::opt<std::string> kernel{
      "kernel", cl::value_desc("NAME"),
      cl::desc("Which kernel to run, where the file has several"),
      cl::cat(category)};
  cl::opt<DeviceKind> device{
      "device", cl::init(DeviceKind::Auto), cl::desc("Where to run"),
      cl::cat(category),
      cl::values(
          clEnumValN(DeviceKind::Auto, "auto",
                     "The GPU, or the simulator where there is none (default)"),
          clEnumValN(DeviceKind::Cuda, "cuda", "The GPU"),
          clEnumValN(DeviceKind::Simulator, "sim", "The PTX simulator"))};
  cl::opt<bool> check{
      "check", cl::desc("Compare the outputs with the kernel's reference"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Time the kernel"), cl::cat(category)};
  cl::opt<unsigned> repeats{"repeats", cl::init(20), cl::value_desc("N"),
                            cl::desc("Timed runs"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print the result as JSON"),
                     cl::cat(category)};
  cl::opt<bool> specials{
      "specials",
      cl::desc("Mix NaNs, infinities, zeros and denormals into the inputs"),
      cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::value_desc("N"),
                         cl::desc("Chooses the random inputs"),
                         cl::cat(category)};
};

/// A device, and the target whose code it runs.
struct Machine {
  std::unique_ptr<runtime::Device> device;
  std::string target;
};
} // namespace

/// The simulator stands for any GPU; code for this one exercises the most.
static constexpr StringLiteral simulatedTarget = "sm_90a";

static Machine openSimulator() {
  return {std::make_unique<runtime::SimulatedDevice>(), simulatedTarget.str()};
}

static Expected<Machine> openCuda() {
  Expected<std::unique_ptr<runtime::Device>> device =
      runtime::createCudaDevice();
  if (!device)
    return device.takeError();
  StringRef architecture = (*device)->getInfo().architecture;
  unsigned capability = 0;
  std::optional<GpuTarget> target;
  if (architecture.consume_front("sm_") &&
      !architecture.getAsInteger(10, capability))
    target = GpuTarget::forDevice(capability / 10, capability % 10);
  if (!target)
    return createStringError("the GPU " + (*device)->getInfo().name + ", " +
                             (*device)->getInfo().architecture +
                             ", is older than sm_80, the oldest supported");
  return Machine{std::move(*device), target->name.str()};
}

static Expected<Machine> openMachine(DeviceKind kind) {
  if (kind == DeviceKind::Simulator)
    return openSimulator();
  Expected<Machine> machine = openCuda();
  if (machine || kind == DeviceKind::Cuda)
    return machine;
  errs() << toolName << ": " << toString(machine.takeError())
         << "; running in the simulator\n";
  return openSimulator();
}

/// The kernel to run: the one named, or the only one.
static Expected<const CompiledKernel *> findKernel(const CompiledModule &module,
                                                   StringRef name) {
  if (name.empty() && module.kernels.size() == 1)
    return &module.kernels.front();
  std::string known;
  for (const CompiledKernel &kernel : module.kernels) {
    if (kernel.description.name == name)
      return &kernel;
    known += (known.empty() ? "" : ", ") + kernel.description.name;
  }
  if (name.empty())
    return createStringError("the file has several kernels, name one with "
                             "--kernel: " +
                             known);
  return createStringError("the file has no kernel '" + name +
                           "'; it has: " + known);
}

static runtime::KernelImage makeImage(const CompiledModule &module,
                                      const CompiledKernel &kernel) {
  runtime::KernelImage image;
  image.code = module.output;
  image.entry = kernel.description.name;
  image.threadsPerBlock = kernel.threadsPerBlock;
  image.staticSharedBytes = kernel.staticSharedBytes;
  image.dynamicSharedBytes = kernel.dynamicSharedBytes;
  return image;
}

static runtime::RunOptions makeRunOptions(const CommandLine &line) {
  runtime::RunOptions options;
  options.seed = line.seed;
  options.hasSpecials = line.specials;
  options.checks = line.check;
  if (line.time) {
    options.timing.emplace();
    options.timing->repeats = std::max(1u, line.repeats.getValue());
  }
  return options;
}

static void printResult(const CommandLine &line, const CompiledKernel &kernel,
                        const Machine &machine,
                        const runtime::RunResult &result) {
  if (!line.json) {
    result.print(outs());
    return;
  }
  json::Object object = result.toJSON();
  object["report"] = kernel.toJSON();
  if (line.device != DeviceKind::Cuda &&
      machine.device->getInfo().name == "PTX simulator")
    if (const auto &counted =
            static_cast<runtime::SimulatedDevice &>(*machine.device)
                .getLastReport())
      object["simulator"] = sim::toJSON(*counted);
  outs() << formatv("{0:2}\n", json::Value(std::move(object)));
}

/// Diagnostics of a failed compilation are on standard error already.
static constexpr int failedExitCode = 1;

static int run(const CommandLine &line) {
  Expected<std::unique_ptr<MemoryBuffer>> source = line.readSource();
  if (!source)
    return reportError(toolName, source.takeError());
  Expected<Machine> machine = openMachine(line.device);
  if (!machine)
    return reportError(toolName, machine.takeError());
  Expected<CompileOptions> options = line.makeOptions(machine->target);
  if (!options)
    return reportError(toolName, options.takeError());

  // What the kernel takes decides which variant of it to compile.
  StringRef text = (*source)->getBuffer();
  options->stage = Stage::Tile;
  std::optional<CompiledModule> parsed =
      compile(text, line.file, *options, errs());
  if (!parsed)
    return failedExitCode;
  Expected<const CompiledKernel *> declared = findKernel(*parsed, line.kernel);
  if (!declared)
    return reportError(toolName, declared.takeError());
  Expected<spec::KernelSpec> declaredSpec =
      spec::KernelSpec::create((*declared)->description);
  if (!declaredSpec)
    return reportError(toolName, declaredSpec.takeError());
  Expected<spec::ScalarValues> values =
      spec::ScalarValues::parse(*declaredSpec, line.arguments);
  if (!values)
    return reportError(toolName, values.takeError());

  options->stage = Stage::PTX;
  options->pipeline.divisibility = makePromises(*declaredSpec, *values);
  options->kernel = (*declared)->description.name;
  std::optional<CompiledModule> module =
      compile(text, line.file, *options, errs());
  if (!module)
    return failedExitCode;
  const CompiledKernel &kernel =
      *cantFail(findKernel(*module, options->kernel));
  Expected<spec::KernelSpec> spec =
      spec::KernelSpec::create(kernel.description);
  if (!spec)
    return reportError(toolName, spec.takeError());
  Expected<runtime::KernelRunner> runner = runtime::KernelRunner::create(
      *machine->device, *spec, makeImage(*module, kernel), *values);
  if (!runner)
    return reportError(toolName, runner.takeError());
  Expected<runtime::RunResult> result = runner->run(makeRunOptions(line));
  if (!result)
    return reportError(toolName, result.takeError());
  printResult(line, kernel, *machine, *result);
  return result->passed() ? 0 : failedExitCode;
}

int tilewright::tileRunMain(int argc, char **argv) {
  CommandLine line;
  line.parse(argc, argv,
             "Tilewright's runner: compiles a kernel, runs, checks and times "
             "it\n");
  return run(line);
}
