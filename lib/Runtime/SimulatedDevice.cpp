//===- SimulatedDevice.cpp - The PTX simulator as a device ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/SimulatedDevice.h"
#include "tilewright/Simulator/TensorMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::runtime;

namespace {
class SimulatedKernel : public LoadedKernel {
public:
  SimulatedKernel(const KernelImage &image, sim::Module module)
      : LoadedKernel(image), module(std::move(module)) {
    const sim::KernelInfo *info = this->module.findKernel(image.entry);
    resources.staticSharedBytes = info->staticSharedBytes;
    resources.dynamicSharedBytes = image.dynamicSharedBytes;
    resources.blocksPerMultiprocessor = image.blocksPerMultiprocessor;
  }
  const sim::Module &getModule() const { return module; }

private:
  sim::Module module;
};
} // namespace

static void printToStandardOutput(StringRef text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

SimulatedDevice::SimulatedDevice(sim::LaunchOptions options)
    : options(std::move(options)), print(printToStandardOutput) {
  info.name = "PTX simulator";
  info.architecture = "any";
  // Launches have several programs a block however few they are
  // (servesBatch()), so that tests of few rows see that.
  info.multiprocessors = 0;
  info.maxSharedBytesPerBlock = device.limits().sharedBytesPerBlock;
}

SimulatedDevice::~SimulatedDevice() = default;

Expected<std::optional<uint64_t>> SimulatedDevice::readSeed() {
  constexpr StringLiteral variable = "TILEWRIGHT_SIM_SEED";
  const std::optional<std::string> text = sys::Process::GetEnv(variable);
  if (!text || text->empty())
    return std::nullopt;
  uint64_t seed = 0;
  if (StringRef(*text).getAsInteger(10, seed))
    return createStringError(variable +
                             " is a number that chooses the order of "
                             "the simulator's warps and blocks, not '" +
                             *text + "'");
  return seed;
}

Expected<DeviceAddress> SimulatedDevice::allocate(uint64_t bytes,
                                                  uint64_t offset) {
  return device.allocate(bytes, offset);
}

Error SimulatedDevice::allocateAt(DeviceAddress address, uint64_t bytes) {
  return device.allocateAt(address, bytes);
}

void SimulatedDevice::setName(DeviceAddress address, StringRef name) {
  device.setName(address, name);
}

void SimulatedDevice::allowRaces(DeviceAddress address) {
  device.allowRaces(address);
}

Error SimulatedDevice::free(DeviceAddress address) {
  return device.free(address);
}

Error SimulatedDevice::copyToDevice(DeviceAddress target, const void *source,
                                    uint64_t bytes) {
  return device.write(target,
                      ArrayRef(static_cast<const uint8_t *>(source), bytes));
}

Error SimulatedDevice::copyToHost(void *target, DeviceAddress source,
                                  uint64_t bytes) {
  return device.read(source,
                     MutableArrayRef(static_cast<uint8_t *>(target), bytes));
}

Error SimulatedDevice::fill(DeviceAddress target, uint8_t value,
                            uint64_t bytes) {
  return device.fill(target, value, bytes);
}

Error SimulatedDevice::forget(DeviceAddress target, uint64_t bytes) {
  return device.forget(target, bytes);
}

Expected<std::unique_ptr<LoadedKernel>>
SimulatedDevice::load(const KernelImage &image) {
  Expected<sim::Module> module = sim::Module::parse(image.code);
  if (!module)
    return module.takeError();
  if (!module->findKernel(image.entry))
    return createStringError("the PTX has no kernel '" + image.entry + "'");
  return std::make_unique<SimulatedKernel>(image, std::move(*module));
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static sim::TensorMap::Element getElement(spec::ElementType type) {
  using spec::ElementType;
  using Element = sim::TensorMap::Element;
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return Element::U8;
  case ElementType::I16:
    return Element::U16;
  case ElementType::I32:
    return Element::U32;
  case ElementType::I64:
    return Element::U64;
  case ElementType::F16:
    return Element::F16;
  case ElementType::BF16:
    return Element::BF16;
  case ElementType::F32:
    return Element::F32;
  case ElementType::F64:
    return Element::F64;
  }
  llvm_unreachable("not an element type");
}

static sim::TensorMap::Swizzle getSimulatedSwizzle(unsigned bytes) {
  using Swizzle = sim::TensorMap::Swizzle;
  switch (bytes) {
  case 32:
    return Swizzle::Bytes32;
  case 64:
    return Swizzle::Bytes64;
  case 128:
    return Swizzle::Bytes128;
  default:
    return Swizzle::None;
  }
}

static Expected<sim::TensorMap::Encoded>
encodeForSimulator(const spec::TensorMap &map,
                   const spec::TensorMapValues &values) {
  if (map.getRank() > sim::TensorMap::maximumRank)
    return createStringError("a tensor map has 1 to 5 dimensions, and not " +
                             Twine(map.getRank()));
  sim::TensorMap simulated;
  simulated.element = getElement(map.type);
  simulated.address = values.address;
  simulated.rank = map.getRank();
  copy(values.extents, simulated.extents.begin());
  copy(values.strides, simulated.strides.begin());
  copy(values.box, simulated.box.begin());
  simulated.swizzle = getSimulatedSwizzle(map.swizzleBytes);
  return simulated.encode();
}

/// The bytes of all parameters of a launch.
static Expected<SmallVector<uint8_t>> makeParameters(const Launch &launch) {
  Expected<LoadedKernel::TensorMapValues> values =
      launch.kernel.evaluateTensorMaps(launch.arguments);
  if (!values)
    return values.takeError();
  SmallVector<uint8_t> bytes(launch.arguments.getBytes());
  for (auto [map, launched] :
       zip_equal(launch.kernel.getTensorMaps(), *values)) {
    Expected<sim::TensorMap::Encoded> encoded =
        encodeForSimulator(map, launched);
    if (!encoded)
      return createStringError("tensor map of argument " + Twine(map.pointer) +
                               " of kernel '" + launch.kernel.getName() +
                               "': " + toString(encoded.takeError()));
    bytes.resize(alignTo(bytes.size(), spec::TensorMap::alignment));
    append_range(bytes, encoded->bytes);
  }
  if (launch.kernel.takesProgramCounts())
    for (uint32_t count : getProgramCounts(launch.grid)) {
      bytes.resize(alignTo(bytes.size(), sizeof(count)) + sizeof(count));
      support::endian::write32le(bytes.end() - sizeof(count), count);
    }
  return bytes;
}

/// Of a persistent kernel fewer blocks than a GPU would run, so that they run
/// several programs each in small launches, too: teams, which have them in turn
/// (IR/Teams.h), at least two each where there are as many.
static GridSize getGrid(const Launch &launch) {
  if (!launch.kernel.isPersistent())
    return getBlocks(launch.grid, launch.kernel.getBlockPrograms(),
                     launch.kernel.getClusterBlocks());
  constexpr int64_t programsOfBlock = 5;
  int64_t programs =
      getBlocks(launch.grid, std::numeric_limits<int64_t>::max())[0];
  constexpr int64_t mostBlocks = 65535;
  GridSize blocks =
      getBlocks(launch.grid, std::min(programs / programsOfBlock, mostBlocks));
  return getBlocks(blocks, {1, 1, 1}, launch.kernel.getClusterBlocks());
}

Error SimulatedDevice::launch(const Launch &launch) {
  const auto &kernel = static_cast<const SimulatedKernel &>(launch.kernel);
  if (Error error = verifyGrid(kernel, launch.grid))
    return error;
  Expected<SmallVector<uint8_t>> parameters = makeParameters(launch);
  if (!parameters)
    return parameters.takeError();
  sim::LaunchOptions options = this->options;
  options.residentBlocksPerMultiprocessor =
      kernel.getResources().blocksPerMultiprocessor.value_or(0);
  if (launch.interrupt)
    options.isInterrupted = [&] { return launch.interrupt->isRequested(); };
  InterruptScope scope(launch.interrupt);
  auto toExtent = [](int64_t blocks) { return static_cast<unsigned>(blocks); };
  GridSize grid = getGrid(launch);
  Expected<sim::LaunchReport> report = sim::launch(
      kernel.getModule(), kernel.getName(), device,
      {toExtent(grid[0]), toExtent(grid[1]), toExtent(grid[2])},
      {kernel.getThreadsPerBlock(), 1, 1},
      kernel.getResources().dynamicSharedBytes, *parameters, options);
  if (!report)
    return report.takeError();
  if (!report->printed.empty())
    print(report->printed);
  std::string findings;
  raw_string_ostream os(findings);
  for (const sim::Finding &finding : report->findings)
    os << finding << "\n";
  if (!options.racesOption.empty() &&
      any_of(report->findings,
             [](const sim::Finding &found) { return found.isGlobalRace; }))
    os << "where the order of these accesses matters, use atomics, or "
          "volatile=True; where every order is right, name the array in "
       << options.racesOption << "\n";
  if (!report->completed && report->findings.empty())
    os << kernel.getName() << ": the launch was cut short\n";
  lastReport = std::move(*report);
  if (lastReport->interrupted)
    return make_error<InterruptedError>(
        findings.empty() ? kernel.getName().str() + ": interrupted at its end"
                         : StringRef(findings).rtrim().str());
  pendingFindings += findings;
  return Error::success();
}

Error SimulatedDevice::synchronize(Interrupt *) {
  if (pendingFindings.empty())
    return Error::success();
  std::string findings = std::exchange(pendingFindings, {});
  return createStringError("the simulator found:\n" +
                           StringRef(findings).rtrim());
}
