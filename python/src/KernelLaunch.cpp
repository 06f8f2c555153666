//===- KernelLaunch.cpp - A kernel started on Python's arrays -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunch.h"

#include "CompileInterrupt.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::string KernelLaunch::getName(const ArrayArgument &given) const {
  if (given.argument != ArrayArgument::none)
    return getDeclared(given).name;
  return "reaches[" + std::to_string(given.array - options.reached.data()) +
         "]";
}

void KernelLaunch::addReached() {
  for (const Array &array : options.reached) {
    arrays.push_back({ArrayArgument::none, &array});
    checkAddress(array, getName(arrays.back()));
  }
}

/// All arrays are at one place.
void KernelLaunch::checkPlaces() const {
  for (size_t i = 1; i < arrays.size(); ++i) {
    const ArrayArgument &first = arrays[0], &other = arrays[i];
    if (LLVM_LIKELY(first.array->isOnGpu == other.array->isOnGpu))
      continue;
    auto tell = [](const ArrayArgument &given) {
      return given.array->isOnGpu ? "on a GPU" : "in host memory";
    };
    refuse(PyExc_ValueError, "'" + getName(first) + "' is " + tell(first) +
                                 " and '" + getName(other) + "' " +
                                 tell(other) +
                                 ": pass all arrays at one place");
  }
}

/// What is read-only is not written.
void KernelLaunch::checkWrites() const {
  for (const ArrayArgument &given : getArguments())
    if (LLVM_UNLIKELY(given.array->view.isReadOnly &&
                      getDeclared(given).isWritten))
      refuse(PyExc_ValueError, "'" + getDeclared(given).name +
                                   "' is read-only, and the kernel writes to "
                                   "it: pass an array that can be written");
}

/// Arrays that share memory are as the kernel takes them.
void KernelLaunch::compareArrays() {
  llvm::SmallVector<runtime::TensorArgument, 12> tensors;
  for (const auto &[argument, array] : getArguments())
    tensors.push_back({argument, &array->view});
  llvm::Expected<runtime::Overlap> compared = launches.compareTensors(tensors);
  if (LLVM_UNLIKELY(!compared))
    refuse(PyExc_ValueError, llvm::toString(compared.takeError()));
  overlap = *compared;
}

/// The arrays that an option names are there.
void KernelLaunch::checkNames(llvm::StringRef option,
                              llvm::ArrayRef<std::string> names) const {
  for (const std::string &name : names)
    if (llvm::none_of(getArguments(), [&](const ArrayArgument &given) {
          return getDeclared(given).name == name;
        }))
      refuse(PyExc_ValueError,
             option + ": there is no array '" + name + "' among the arguments");
}

void KernelLaunch::check() {
  addReached();
  checkPlaces();
  checkNames("uninitialized", options.uninitialized);
  checkNames("races", options.races);
  checkWrites();
  if (llvm::Error error = launches.verifyPromises(values))
    refuse(PyExc_ValueError, llvm::toString(std::move(error)));
  compareArrays();
}

//===----------------------------------------------------------------------===//
// Where it runs
//===----------------------------------------------------------------------===//

/// The GPU of all arrays.
unsigned KernelLaunch::getGpu() const {
  std::optional<unsigned> device = options.deviceNumber;
  for (const ArrayArgument &given : arrays) {
    std::optional<unsigned> own = given.array->device;
    if (!own)
      continue;
    if (device && LLVM_UNLIKELY(*device != *own))
      refuse(PyExc_ValueError,
             "'" + getName(given) + "' is on GPU " + llvm::Twine(*own) +
                 ", but the launch is on GPU " + llvm::Twine(*device));
    device = own;
  }
  return device.value_or(0);
}

/// The caller's stream, or the one on which the arrays' owner works.
uintptr_t KernelLaunch::getStream(unsigned device) const {
  if (options.stream)
    return *options.stream;
  std::optional<uintptr_t> found;
  for (const ArrayArgument &given : arrays) {
    if (given.array->torchTensor)
      return getTorchStream(device);
    std::optional<uintptr_t> own = given.array->stream;
    if (!own)
      continue;
    if (found && *found != *own)
      refuse(PyExc_ValueError, "the arrays belong to different streams: pass "
                               "the one to use as stream=");
    found = own;
  }
  return found.value_or(0);
}

/// Tensors may be dropped before a stream that is not PyTorch's has used them.
void KernelLaunch::recordStream(unsigned device, uintptr_t stream) const {
  for (const ArrayArgument &given : arrays)
    if (given.array->torchTensor)
      recordTorchStream(given.array->torchTensor, stream, device);
}

/// Whether an array's owner does not say on which stream it works: then only
/// the end of the launch is in order with what the owner does next, be it to
/// read the array or to give its memory to others.
bool KernelLaunch::hasUnorderedArray() const {
  return !options.stream && llvm::any_of(arrays, [](const auto &given) {
    return !given.array->torchTensor && !given.array->stream;
  });
}

/// A GPU has no such limit.
void KernelLaunch::refuseInstructionLimit() const {
  if (LLVM_UNLIKELY(options.instructionLimit.has_value()))
    refuse(PyExc_ValueError, "instruction_limit= is of the simulator, and this "
                             "launch is on a GPU");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Does what takes long, without Python's lock and until a signal's handler
/// raises.
static void
waitFor(llvm::function_ref<llvm::Error(runtime::Interrupt *)> work) {
  SignalInterrupt interrupt;
  bool handlesSignals = SignalInterrupt::isMainThread();
  llvm::Error error =
      doLongWork([&] { return work(handlesSignals ? &interrupt : nullptr); });
  interrupt.raiseIfRequested(error);
  if (error)
    raise(std::move(error), "LaunchError");
}

/// Starts the variant, which it may have to compile.
llvm::Error KernelLaunch::start(unsigned number, const runtime::GridSize &grid,
                                uintptr_t queue) {
  if (runtime::Device *device = jit::findGpu(number); LLVM_LIKELY(device)) {
    jit::SpecializedKernel::Launch launch = {*device, values, grid, overlap,
                                             queue};
    if (runtime::LoadedKernel *variant = launches.find(launch);
        LLVM_LIKELY(variant)) {
      // The driver may wait for a place in its queue. A fork need not wait for
      // that: it leaves no lock of ours behind that a process without a GPU
      // could ask for.
      ReleasedLock released;
      return device->launch({*variant, grid, values, queue});
    }
  }
  return doLongWork([&]() -> llvm::Error {
    llvm::Expected<runtime::Device *> opened = jit::openGpu(number);
    if (!opened)
      return opened.takeError();
    return launches.launch({**opened, values, grid, overlap, queue});
  });
}

/// Runs the kernel on the GPU on which the arrays are.
void KernelLaunch::runInPlace(const runtime::GridSize &grid) {
  refuseInstructionLimit();
  unsigned number = getGpu();
  uintptr_t queue = getStream(number);
  if (llvm::Error error = start(number, grid, queue);
      LLVM_UNLIKELY(bool(error)))
    raise(std::move(error), "LaunchError");
  if (options.stream)
    recordStream(number, *options.stream);
  if (hasUnorderedArray())
    waitFor([&](runtime::Interrupt *interrupt) {
      return jit::findGpu(number)->synchronize(interrupt);
    });
}

/// Runs the kernel in the simulator, or on a GPU on which the arrays are not.
void KernelLaunch::runOnCopies(const runtime::GridSize &grid) {
  bool isOnGpu = !arrays.empty() && arrays.front().array->isOnGpu;
  unsigned number = getGpu();
  llvm::SmallVector<runtime::TensorView> tensors;
  llvm::SmallVector<unsigned> numbers;
  for (const auto &[argument, array] : getArguments()) {
    llvm::StringRef name = declared[argument].name;
    tensors.push_back(array->view);
    tensors.back().isUninitialized =
        llvm::is_contained(options.uninitialized, name);
    tensors.back().mayRace = llvm::is_contained(options.races, name);
    numbers.push_back(argument);
  }
  for (const Array &array : options.reached)
    tensors.push_back(array.view);
  jit::Kernel::CopyingLaunch launch{
      values, tensors, numbers, grid, overlap, options.stream.value_or(0)};
  bool isSimulated = options.kind != LaunchOptions::Kind::Gpu;
  if (LLVM_UNLIKELY(!isSimulated && !options.reached.empty()))
    refuse(PyExc_ValueError,
           "reaches: a copy on a GPU would have other addresses than "
           "the kernel reads: pass arrays of the GPU");
  if (!isSimulated)
    refuseInstructionLimit();
  else if (options.instructionLimit)
    launch.instructionLimit = *options.instructionLimit;
  waitFor([&](runtime::Interrupt *interrupt) -> llvm::Error {
    launch.interrupt = interrupt;
    if (isSimulated && !isOnGpu)
      return kernel.simulate(launch);
    llvm::Expected<runtime::Device *> device = jit::openGpu(number);
    if (!device)
      return device.takeError();
    if (!isSimulated)
      return kernel.runOn(**device, launch);
    launch.owner = *device;
    return kernel.simulate(launch);
  });
}

void KernelLaunch::run(const runtime::GridSize &grid) {
  check();
  if (llvm::is_contained(grid, 0))
    return;
  if (llvm::Error error = runtime::verifyGrid(kernel.getName(), grid))
    raise(PyExc_ValueError, llvm::toString(std::move(error)));
  bool isOnGpu = !arrays.empty() && arrays.front().array->isOnGpu;
  if (isOnGpu && options.kind != LaunchOptions::Kind::Simulator)
    return runInPlace(grid);
  runOnCopies(grid);
}

void KernelLaunch::prepare(bool isAbstract) {
  if (!isAbstract)
    check();
  // Types stand for arrays as most are.
  overlap.areDisjoint |= isAbstract;
  overlap.areShort |= isAbstract;
  if (llvm::Error error =
          doLongWork([&] { return launches.prepare(values, overlap); }))
    raise(std::move(error), "LaunchError");
}
