//===- tile-run.cpp - Compiles a kernel, runs it, checks and times it -----===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "Requests.h"
#include "common/CompilerCommandLine.h"
#include "common/Machine.h"
#include "common/NamedParser.h"
#include "common/TerminalInterrupt.h"
#include "tilewright/Runtime/KernelRunner.h"
#include "tilewright/Simulator/Module.h"

using namespace llvm;
using namespace tilewright;

static constexpr StringLiteral toolName = "tile-run";
static constexpr StringLiteral overview =
    "Tilewright's runner: compiles a kernel, runs, checks and times it\n";

namespace {
enum class DeviceKind { Auto, Cuda, Simulator };

/// The tool's own options beside those that all compiling tools have.
struct CommandLine : CompilerCommandLine {
  NamedOption<DeviceKind> device{
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
  cl::opt<std::string> tolerance{
      "tolerance", cl::value_desc("REL[,ABS]"),
      cl::desc("Let an element x also be off by REL * |x| + ABS, beside what "
               "the reference allows"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Time the kernel (on a GPU)"),
                     cl::cat(category)};
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
  cl::opt<uint64_t> offset{
      "offset", cl::init(0), cl::value_desc("BYTES"),
      cl::desc("Let every tensor begin so far past a multiple of 256 bytes"),
      cl::cat(category)};
  cl::opt<std::string> code{
      "code", cl::value_desc("FILE.ptx"),
      cl::desc("Run this PTX in place of what the compiler makes of FILE"),
      cl::cat(category)};
  cl::opt<uint64_t> simSeed{
      "sim-seed", cl::value_desc("SEED"),
      cl::desc("Let the simulator's warps and blocks take turns in a random "
               "order, the same for the same seed"),
      cl::cat(category)};

  cl::opt<uint64_t> instructionLimit{
      "instruction-limit",
      cl::init(sim::LaunchOptions().maximumInstructionsPerBlock),
      cl::value_desc("N"),
      cl::desc(
          "Warp instructions of one block, after which the simulator takes a "
          "kernel for endless"),
      cl::cat(category)};
  cl::opt<bool> requests{
      "requests",
      cl::desc("FILE has command lines, one a line as JSON: run them one after "
               "the other, and print the results as JSON"),
      cl::cat(category)};

  /// Whether this is one of several command lines.
  bool isRequest = false;
};
} // namespace

static Expected<Machine> openSimulator(const CommandLine &line) {
  sim::LaunchOptions options;
  Expected<std::optional<uint64_t>> seed = runtime::SimulatedDevice::readSeed();
  if (!seed)
    return seed.takeError();
  options.seed = *seed;
  if (line.simSeed.getNumOccurrences() != 0)
    options.seed = line.simSeed;
  options.maximumInstructionsPerBlock = line.instructionLimit;
  options.limitOption = "--instruction-limit";
  return openSimulator(std::move(options));
}

static Expected<Machine> openMachine(const CommandLine &line) {
  if (line.device == DeviceKind::Simulator)
    return openSimulator(line);
  Expected<Machine> machine = openCuda();
  if (machine || line.device == DeviceKind::Cuda)
    return machine;
  errs() << toolName << ": " << toString(machine.takeError())
         << "; running in the simulator\n";
  return openSimulator(line);
}

static Expected<runtime::RunOptions> makeRunOptions(const CommandLine &line,
                                                    const Machine &machine) {
  runtime::RunOptions options;
  options.seed = line.seed;
  options.hasSpecials = line.specials;
  options.offset = line.offset;
  options.checks = line.check;
  if (line.tolerance.getNumOccurrences() != 0) {
    if (!line.check)
      return createStringError("--tolerance is what --check allows: give both");
    Expected<spec::Tolerance> tolerance =
        spec::Tolerance::parse(line.tolerance);
    if (!tolerance)
      return createStringError("--tolerance: " +
                               toString(tolerance.takeError()));
    options.check.tolerance = *tolerance;
  }
  if (line.time && machine.device->canTime()) {
    options.timing.emplace();
    options.timing->repeats = line.repeats;
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
  if (machine.simulator)
    if (const auto &counted = machine.simulator->getLastReport())
      object["simulator"] = sim::toJSON(*counted);
  if (line.isRequest)
    outs() << json::Value(std::move(object)) << "\n";
  else
    outs() << formatv("{0:2}\n", json::Value(std::move(object)));
}

/// What can be said before anything is compiled.
static Error checkRequest(const CommandLine &line, const Machine &machine) {
  if (line.repeats == 0)
    return createStringError("--repeats is 1 or more");
  if (line.instructionLimit == 0)
    return createStringError("--instruction-limit is 1 or more");
  if (line.offset >= runtime::Device::allocationAlignment)
    return createStringError("--offset is less than " +
                             Twine(runtime::Device::allocationAlignment) +
                             " bytes, not " + Twine(line.offset));
  if (line.simSeed.getNumOccurrences() != 0 && !machine.simulator)
    return createStringError("a GPU chooses the order of its warps and blocks: "
                             "--sim-seed needs --device=sim");
  return Error::success();
}

/// The kernel's description, with everything that this run needs.
static Expected<spec::KernelSpec>
makeSpec(const CommandLine &line, const spec::KernelDescription &kernel) {
  if (line.check && kernel.references.empty())
    return createStringError("'" + kernel.name +
                             "' has no `reference` to compare with: write one "
                             "after its arguments, or run it without --check");
  for (const spec::Argument &argument : kernel.arguments) {
    unsigned bytes = spec::getByteSize(argument.type);
    if (argument.isPointer() && line.offset % bytes != 0)
      return createStringError(
          "--offset=" + Twine(line.offset) + " is no multiple of the " +
          Twine(bytes) + " bytes of an element of '" + argument.name + "'");
  }
  Expected<spec::KernelSpec> spec = spec::KernelSpec::create(kernel);
  if (spec)
    return spec;
  return createStringError("'" + kernel.name +
                           "' cannot be run: " + toString(spec.takeError()));
}

/// Whether PTX has a parameter beside `arguments` of them. What cannot be read
/// has none.
static bool hasFurtherParameters(const runtime::KernelImage &image,
                                 size_t arguments) {
  Expected<sim::Module> module = sim::Module::parse(image.code);
  if (!module) {
    consumeError(module.takeError());
    return false;
  }
  const sim::KernelInfo *kernel = module->findKernel(image.entry);
  return kernel && kernel->parameters.size() > arguments;
}

/// Puts the code of --code, if any, in place of the compiler's.
static Error replaceCode(const CommandLine &line, Machine &machine,
                         size_t arguments, runtime::KernelImage &image) {
  if (line.code.getNumOccurrences() == 0)
    return Error::success();
  ErrorOr<std::unique_ptr<MemoryBuffer>> code =
      MemoryBuffer::getFile(line.code, /*IsText=*/true);
  if (!code)
    return createStringError("cannot read '" + line.code +
                             "': " + code.getError().message());
  image.code = (*code)->getBuffer().str();
  // Others write kernels that take what is declared.
  if (!hasFurtherParameters(image, arguments)) {
    image.tensorMaps.clear();
    image.isPersistent = false;
    image.blockPrograms = {1, 1, 1};
    image.pairedAxes = {};
  }
  // Faults of this file are told with its name.
  Expected<std::unique_ptr<runtime::LoadedKernel>> loaded =
      machine.device->load(image);
  if (loaded)
    return Error::success();
  return createStringError(line.code + ": " + toString(loaded.takeError()));
}

/// Code of the last kernel, which the next request may ask for again.
struct KeptKernel {
  std::string key;
  std::unique_ptr<jit::VariantSet> variants;
};

static Expected<jit::VariantSet *>
getVariants(const CommandLine &line, StringRef source, const Machine &machine,
            std::string key, KeptKernel &kept) {
  key += source;
  if (kept.variants && kept.key == key)
    return kept.variants.get();
  Expected<CompileOptions> options = line.makeOptions(machine.target);
  if (!options)
    return options.takeError();
  options->messages = &errs();
  if (line.code.getNumOccurrences() != 0)
    options->emit = Level::NVVM;
  Expected<std::unique_ptr<jit::VariantSet>> variants =
      exitIfNotCompiled(line.declareVariants(
          jit::fromText(source.str(), line.file), std::move(*options)));
  if (!variants)
    return variants.takeError();
  kept = {std::move(key), std::move(*variants)};
  return kept.variants.get();
}

/// Compiles and runs what the command line says, and prints what came of it:
/// whether all is right. An error ends the program. `key`: what says which code
/// it is, beside the source.
static bool runKernel(const CommandLine &line, StringRef source,
                      Machine &machine, std::string key, KeptKernel &kept) {
  ExitOnError check("tile-run: error: ");
  check(checkRequest(line, machine));
  runtime::RunOptions runOptions = check(makeRunOptions(line, machine));
  if (line.time && !machine.device->canTime())
    errs()
        << toolName
        << ": note: the simulator cannot time a kernel: --time needs a GPU\n";

  // What the kernel takes decides which variant of it to compile.
  jit::VariantSet &variants =
      *check(getVariants(line, source, machine, std::move(key), kept));
  spec::KernelSpec declared = check(makeSpec(line, variants.getDescription()));
  spec::ScalarValues values =
      check(spec::ScalarValues::parse(declared, line.arguments));
  jit::Variant *variant = check(
      exitIfNotCompiled(getForLaunch(variants, declared, values, line.offset)));

  spec::KernelSpec spec = check(makeSpec(line, variant->kernel.description));
  runtime::KernelImage image = variant->image;
  check(replaceCode(line, machine, spec.getArguments().size(), image));
  runtime::KernelRunner runner = check(
      runtime::KernelRunner::create(*machine.device, spec, image, values));
  TerminalInterrupt interrupt;
  runOptions.interrupt = &interrupt;
  Expected<runtime::RunResult> finished = runner.run(runOptions);
  if (finished.errorIsA<runtime::InterruptedError>())
    exitInterrupted(toolName, finished.takeError());
  runtime::RunResult result = check(std::move(finished));
  printResult(line, variant->kernel, machine, result);
  check(finishOutput(outs(), "-"));
  return result.passed();
}

/// Runs one request on the machine that was opened for all.
static Expected<bool> runRequest(CommandLine &line, const Request &request,
                                 StringRef program, Machine &machine,
                                 KeptKernel &kept) {
  line.reset();
  std::vector<const char *> argv = {program.data()};
  for (const std::string &argument : request.arguments)
    argv.push_back(argument.c_str());
  if (Error error = line.parse(argv.size(), argv.data(), overview))
    return error;
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &line.device, &line.simSeed, &line.instructionLimit, &line.requests})
    if (option->getNumOccurrences() != 0)
      return createStringError("--" + option->ArgStr +
                               " is for all requests: not in one of them");
  line.isRequest = line.json = true;
  if (request.source && line.file == "-")
    return runKernel(line, *request.source, machine, request.describeKernel(),
                     kept);
  Expected<std::unique_ptr<MemoryBuffer>> source = line.readSource();
  if (!source)
    return source.takeError();
  return runKernel(line, (*source)->getBuffer(), machine,
                   request.describeKernel(), kept);
}

/// Runs all requests; whether all is right.
static Expected<bool> runRequests(CommandLine &line, StringRef program,
                                  Machine &machine) {
  Expected<RequestReader> reader = RequestReader::open(line.file);
  if (!reader)
    return reader.takeError();
  KeptKernel kept;
  bool isRight = true;
  while (true) {
    Expected<std::optional<Request>> next = reader->next();
    if (!next)
      return next.takeError();
    const std::optional<Request> &request = *next;
    if (!request)
      return isRight;
    Expected<bool> passed = runRequest(line, *request, program, machine, kept);
    if (!passed)
      return passed.takeError();
    isRight &= *passed;
  }
}

int tilewright::tileRunMain(int argc, char **argv) {
  CommandLine line;
  ExitOnError check("tile-run: error: ");
  check(line.parse(argc, argv, overview));
  bool isRight;
  if (line.requests) {
    Machine machine = check(openMachine(line));
    isRight = check(runRequests(line, argv[0], machine));
  } else {
    std::unique_ptr<MemoryBuffer> source = check(line.readSource());
    Machine machine = check(openMachine(line));
    KeptKernel kept;
    isRight = runKernel(line, source->getBuffer(), machine, /*key=*/"", kept);
  }
  return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
