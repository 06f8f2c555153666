//===- KernelRunner.cpp - Runs, checks and times a kernel -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/KernelRunner.h"
#include "TensorSet.h"
#include "tilewright/Runtime/Divisibility.h"
#include "tilewright/Spec/SpecError.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::runtime;

/// What fills the outputs before a launch. As a float the first is a NaN.
static constexpr uint8_t firstPoison = 0xff;
/// For a second launch, where the first left the first poison in elements that
/// should hold just that.
static constexpr uint8_t secondPoison = 0xa5;

static std::vector<TensorRole> findRoles(const spec::KernelSpec &spec) {
  size_t count = spec.getArguments().size();
  std::vector<bool> isRead(count), isWritten(count);
  for (const spec::Reference &reference : spec.getReferences()) {
    isWritten[reference.getOutput()] = true;
    for (unsigned input : reference.getInputs())
      isRead[input] = true;
  }
  std::vector<TensorRole> roles;
  roles.reserve(count);
  for (size_t i = 0; i < count; ++i)
    roles.push_back(isRead[i]
                        ? isWritten[i] ? TensorRole::InOut : TensorRole::Input
                    : isWritten[i] ? TensorRole::Output
                                   : TensorRole::Unknown);
  return roles;
}

KernelRunner::KernelRunner(Device &device, const spec::KernelSpec &spec,
                           KernelImage image, spec::Binding binding)
    : device(&device), spec(&spec), image(std::move(image)),
      binding(std::move(binding)), roles(findRoles(spec)) {}

bool KernelRunner::hasBlocks() const {
  return !llvm::is_contained(binding.grid, 0);
}

llvm::Expected<KernelRunner>
KernelRunner::create(Device &device, const spec::KernelSpec &spec,
                     KernelImage image, const spec::ScalarValues &scalars) {
  llvm::Expected<spec::Binding> binding = spec.bind(scalars);
  if (!binding)
    return binding.takeError();
  KernelRunner runner(device, spec, std::move(image), std::move(*binding));
  if (runner.hasBlocks())
    if (llvm::Error error = verifyGrid(spec.getName(), runner.binding.grid))
      return error;
  for (auto [ordinal, reference] : llvm::enumerate(spec.getReferences())) {
    llvm::Expected<spec::ReferenceProgram> program =
        spec::ReferenceProgram::compile(spec, reference, runner.binding);
    if (!program)
      return spec::inField(program.takeError(), spec::SpecField::Reference,
                           ordinal, reference.getText());
    runner.programs.push_back(std::move(*program));
  }
  return runner;
}

/// A tensor that is read and written counts twice; one in no reference, once.
uint64_t KernelRunner::countBytesMoved() const {
  uint64_t bytes = 0;
  for (auto [index, argument] : llvm::enumerate(spec->getArguments()))
    if (argument.isPointer())
      bytes += binding.getElementCount(index) * getByteSize(argument.type) *
               (roles[index] == TensorRole::InOut ? 2 : 1);
  return bytes;
}

RunResult KernelRunner::describeRun(const LoadedKernel &kernel) const {
  RunResult result;
  result.kernel = spec->getName().str();
  result.device = device->getInfo();
  result.grid = binding.grid;
  result.threadsPerBlock = image.threadsPerBlock;
  result.resources = kernel.getResources();
  result.launched = hasBlocks();
  result.bytesMoved = countBytesMoved();
  for (auto [index, argument] : llvm::enumerate(spec->getArguments())) {
    if (argument.isPointer())
      result.tensors.push_back(
          {argument.name, argument.type, binding.extents[index], roles[index]});
    else
      result.scalars.emplace_back(
          argument.name,
          formatElement(argument.type, binding.scalars.getBits(index)));
  }
  return result;
}

namespace {

/// One run of a runner: a launch and the questions asked of it.
class Run {
public:
  Run(Device &device, const spec::KernelSpec &spec, TensorSet &tensors,
      llvm::ArrayRef<TensorRole> roles,
      llvm::ArrayRef<spec::ReferenceProgram> programs)
      : device(device), spec(spec), tensors(tensors), roles(roles),
        programs(programs) {}

  /// Launches \p launch, if any, on fresh contents.
  llvm::Error execute(const Launch *launch, uint8_t poison);
  /// Compares and looks for stray writes; the outcome goes to \p result.
  llvm::Error check(uint8_t poison, const CheckOptions &options,
                    RunResult &result);

private:
  Device &device;
  const spec::KernelSpec &spec;
  TensorSet &tensors;
  llvm::ArrayRef<TensorRole> roles;
  llvm::ArrayRef<spec::ReferenceProgram> programs;
};

} // namespace

llvm::Error Run::execute(const Launch *launch, uint8_t poison) {
  if (llvm::Error error = tensors.prepare(poison))
    return error;
  if (!launch)
    return llvm::Error::success();
  if (llvm::Error error = device.launch(*launch))
    return error;
  return device.synchronize(launch->interrupt);
}

llvm::Error Run::check(uint8_t poison, const CheckOptions &options,
                       RunResult &result) {
  result.outputs.clear();
  llvm::SmallVector<const void *> inputs = tensors.getHostData();
  for (const spec::ReferenceProgram &program : programs) {
    unsigned output = program.getOutput();
    llvm::Expected<const void *> contents = tensors.read(output);
    if (!contents)
      return contents.takeError();
    bool isPoisoned = roles[output] == TensorRole::Output;
    OutputReport report = checkOutput(
        program, inputs, *contents,
        isPoisoned ? std::optional<uint8_t>(poison) : std::nullopt, options);
    report.name = spec.getArguments()[output].name;
    result.outputs.push_back(std::move(report));
  }
  llvm::Expected<std::vector<std::string>> violations =
      tensors.findViolations();
  if (!violations)
    return violations.takeError();
  result.violations = std::move(*violations);
  return llvm::Error::success();
}

/// Whether nothing is wrong, but something right may never have been written.
static bool isAmbiguous(const RunResult &result) {
  return result.passed() &&
         llvm::any_of(result.outputs, [](const OutputReport &output) {
           return output.ambiguous != 0;
         });
}

/// Adds to a fault of the kernel that random integers may be its cause.
llvm::Error KernelRunner::explainFault(llvm::Error error) const {
  // Errors of a kind of their own are no faults of memory.
  if (!error.isA<llvm::StringError>())
    return error;
  std::string text = llvm::toString(std::move(error));
  bool isAccess = llvm::StringRef(text).contains("out-of-bounds") ||
                  llvm::StringRef(text).contains_insensitive("illegal");
  for (auto [index, argument] : llvm::enumerate(spec->getArguments())) {
    // An 8-bit number is seldom an index.
    bool mayHoldIndices = argument.isPointer() && isInteger(argument.type) &&
                          getByteSize(argument.type) > 1 &&
                          roles[index] != TensorRole::Output &&
                          !binding.ranges[index];
    if (isAccess && mayHoldIndices)
      text += "\nnote: '" + argument.name + "' was filled with any " +
              spec::getName(argument.type).str() +
              "; if its elements choose among V elements of another tensor, "
              "say so in its shape: \"" +
              spec->getShape(index).text + " in 0 .. V - 1\"";
  }
  return llvm::createStringError(text);
}

llvm::Expected<RunResult> KernelRunner::run(const RunOptions &options) {
  llvm::Expected<TensorSet> tensors =
      TensorSet::create(*device, *spec, binding, roles, options.offset);
  if (!tensors)
    return tensors.takeError();
  spec::ArgumentBlock arguments = tensors->getArguments();
  if (llvm::Error error = verifyDivisibility(*spec, arguments))
    return error;
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel = device->load(image);
  if (!kernel)
    return kernel.takeError();

  tensors->fill({options.seed, options.hasSpecials});
  RunResult result = describeRun(**kernel);
  Launch launch{**kernel, binding.grid, arguments, /*stream=*/0,
                options.interrupt};
  Run run(*device, *spec, *tensors, roles, programs);
  CheckOptions check = options.check;
  check.seed = options.seed;
  for (uint8_t poison : {firstPoison, secondPoison}) {
    if (llvm::Error error =
            run.execute(result.launched ? &launch : nullptr, poison))
      return explainFault(std::move(error));
    if (!options.checks)
      break;
    if (llvm::Error error = run.check(poison, check, result))
      return error;
    if (!isAmbiguous(result))
      break;
  }

  if (options.timing && result.launched) {
    llvm::Expected<std::vector<double>> samples =
        device->time(launch, *options.timing);
    if (!samples)
      return samples.takeError();
    result.timing =
        Timing::fromSamples(std::move(*samples), options.timing->flushesCache);
  }
  return result;
}
