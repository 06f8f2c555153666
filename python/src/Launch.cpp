//===- Launch.cpp - Launches with Python's arguments ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Scalars.h"
#include "SignalInterrupt.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;
using namespace tilewright;
using namespace tilewright::python;
using jit::SpecializedKernel;

std::string python::getSignature(jit::Kernel &kernel) {
  llvm::Expected<SpecializedKernel *> launches = kernel.getLaunches();
  std::string text;
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    llvm::StringRef shape =
        launches && argument.isPointer()
            ? (*launches)->getShapeText(index).drop_front(argument.name.size())
            : "";
    text += (index ? ", " : "") + argument.name + ": " +
            spec::getName(argument.type).str() +
            (argument.isPointer() && shape.empty() ? "[...]" : shape.str());
  }
  llvm::consumeError(launches.takeError());
  return kernel.getName().str() + "(" + text + ")";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Call::checkArrays(const jit::LaunchPlan &plan) {
  if (!launches.hasShapes())
    return;
  for (auto [array, index] : llvm::zip_equal(arrays, arrayArguments))
    if (llvm::Error error = runtime::verifyTensor(
            declared[index].name, launches.getShapeText(index),
            plan.extents[index], array.view))
      refuse(PyExc_ValueError, llvm::toString(std::move(error)));
}

/// Where nothing is specialized, all arguments keep what the code relies on.
void Call::checkPromises() {
  if (llvm::Error error = launches.verifyPromises(values))
    refuse(PyExc_ValueError, llvm::toString(std::move(error)));
}

/// Arrays that share memory are as the kernel takes them.
void Call::compareArrays() {
  llvm::SmallVector<runtime::TensorArgument, 6> tensors;
  for (auto [array, index] : llvm::zip_equal(arrays, arrayArguments))
    tensors.push_back({index, &array.view});
  llvm::Expected<bool> compared = launches.areDisjoint(tensors);
  if (LLVM_UNLIKELY(!compared))
    refuse(PyExc_ValueError, llvm::toString(compared.takeError()));
  areDisjoint = *compared;
}

/// All arrays are at one place.
void Call::checkPlaces() {
  for (size_t i = 1; i < arrays.size(); ++i) {
    const Array &first = arrays[0], &other = arrays[i];
    llvm::StringRef firstName = declared[arrayArguments[0]].name;
    llvm::StringRef otherName = declared[arrayArguments[i]].name;
    if (LLVM_UNLIKELY(first.isOnGpu != other.isOnGpu)) {
      auto tell = [](bool isOnGpu) {
        return isOnGpu ? "on a GPU" : "in host memory";
      };
      refuse(PyExc_ValueError, "'" + firstName + "' is " + tell(first.isOnGpu) +
                                   " and '" + otherName + "' " +
                                   tell(other.isOnGpu) +
                                   ": pass all arrays at one place");
    }
  }
}

runtime::GridSize Call::getGrid(const jit::LaunchPlan &plan) {
  if (!grid && plan.grid)
    return *plan.grid;
  if (grid && plan.grid && *grid != *plan.grid)
    refuse(PyExc_ValueError, "grid is " + runtime::toString(*grid) +
                                 ", but the kernel's own grid is " +
                                 runtime::toString(*plan.grid) +
                                 " here: leave grid= out");
  if (grid && !llvm::is_contained(*grid, 0))
    if (llvm::Error error = runtime::verifyGrid(kernel.getName(), *grid))
      raise(PyExc_ValueError, llvm::toString(std::move(error)));
  if (grid)
    return *grid;
  refuse(PyExc_TypeError, "the kernel declares no grid: pass one, such as "
                          "grid=(blocks,)");
}

/// The GPU of all arrays.
unsigned Call::getGpu() {
  std::optional<unsigned> device = deviceNumber;
  for (auto [array, index] : llvm::zip_equal(arrays, arrayArguments)) {
    if (!array.device)
      continue;
    if (device && LLVM_UNLIKELY(*device != *array.device))
      refuse(PyExc_ValueError, "'" + declared[index].name + "' is on GPU " +
                                   llvm::Twine(*array.device) +
                                   ", but the launch is on GPU " +
                                   llvm::Twine(*device));
    device = array.device;
  }
  return device.value_or(0);
}

/// The caller's stream, or the one on which the arrays' owner works.
uintptr_t Call::getStream(unsigned device) {
  if (stream)
    return *stream;
  std::optional<uintptr_t> found;
  for (const Array &array : arrays) {
    if (array.isTorch)
      return getTorchStream(device);
    if (!array.stream)
      continue;
    if (found && *found != *array.stream)
      refuse(PyExc_ValueError, "the arrays belong to different streams: pass "
                               "the one to use as stream=");
    found = array.stream;
  }
  return found.value_or(0);
}

/// A GPU has no such limit.
void Call::refuseInstructionLimit() {
  if (LLVM_UNLIKELY(instructionLimit.has_value()))
    refuse(PyExc_ValueError, "instruction_limit= is of the simulator, and this "
                             "launch is on a GPU");
}

void Call::runOnGpu(const runtime::GridSize &size) {
  refuseInstructionLimit();
  if (deviceKind == "sim")
    refuse(PyExc_ValueError, "the simulator runs on arrays of the host; these "
                             "are on a GPU");
  unsigned number = getGpu();
  uintptr_t queue = getStream(number);
  llvm::Error error = llvm::Error::success();
  {
    // The driver may wait for a place in its queue.
    nb::gil_scoped_release release;
    llvm::Expected<runtime::Device *> device = jit::openGpu(number);
    llvm::consumeError(std::move(error));
    error = device
                ? launches.launch({**device, values, size, areDisjoint, queue})
                : device.takeError();
  }
  if (LLVM_UNLIKELY(bool(error)))
    raise(std::move(error), "LaunchError");
}

void Call::runOnHost(const runtime::GridSize &size) {
  llvm::SmallVector<runtime::TensorView> tensors;
  for (const Array &array : arrays)
    tensors.push_back(array.view);
  SignalInterrupt interrupt;
  jit::Kernel::HostLaunch launch{values, tensors,     arrayArguments,
                                 size,   areDisjoint, stream.value_or(0)};
  if (SignalInterrupt::isMainThread())
    launch.interrupt = &interrupt;
  if (deviceKind == "cuda")
    refuseInstructionLimit();
  else if (instructionLimit)
    launch.instructionLimit = *instructionLimit;
  auto start = [&]() -> llvm::Error {
    if (deviceKind != "cuda")
      return kernel.simulate(launch);
    llvm::Expected<runtime::Device *> device =
        jit::openGpu(deviceNumber.value_or(0));
    return device ? kernel.runOn(**device, launch) : device.takeError();
  };
  std::optional<llvm::Error> error;
  {
    nb::gil_scoped_release release;
    error = start();
  }
  if (interrupt.isRaised())
    interrupt.raise(std::move(*error));
  if (*error)
    raise(std::move(*error), "LaunchError");
}

void Call::run() {
  std::shared_ptr<const jit::LaunchPlan> plan;
  {
    llvm::Expected<std::shared_ptr<const jit::LaunchPlan>> made =
        launches.plan(bits);
    if (!made)
      refuse(PyExc_ValueError, llvm::toString(made.takeError()));
    plan = std::move(*made);
  }
  checkPlaces();
  checkArrays(*plan);
  checkPromises();
  runtime::GridSize size = getGrid(*plan);
  compareArrays();
  if (!arrays.empty() && arrays.front().isOnGpu)
    return runOnGpu(size);
  runOnHost(size);
}

std::shared_ptr<const jit::LaunchPlan>
Call::planFor(const nb::kwargs &scalars) {
  readKeywords(scalars, /*takesOptions=*/false);
  for (auto [index, argument] : llvm::enumerate(declared)) {
    bool isGiven = given[index].is_valid();
    if (argument.isPointer() && isGiven)
      refuse(PyExc_TypeError,
             "'" + argument.name + "' is an array; a grid depends on integers");
    if (isGiven)
      bits[index] = readScalar(given[index], argument);
    else if (!argument.isPointer() && spec::isInteger(argument.type))
      refuse(PyExc_TypeError, "'" + argument.name + "' is missing; it is " +
                                  getSignature(kernel));
  }
  llvm::Expected<std::shared_ptr<const jit::LaunchPlan>> plan =
      launches.plan(bits);
  if (!plan)
    refuse(PyExc_ValueError, llvm::toString(plan.takeError()));
  return *plan;
}

void python::launch(jit::Kernel &kernel, const nb::args &arguments,
                    const nb::kwargs &keywords) {
  Call call(kernel, *unwrap(kernel.getLaunches(), "LaunchError"));
  call.readArguments(arguments, keywords);
  call.run();
}

nb::tuple python::getGrid(jit::Kernel &kernel, const nb::args &unnamed,
                          const nb::kwargs &scalars) {
  if (unnamed.size() != 0)
    raise(PyExc_TypeError, llvm::Twine(kernel.getName()) +
                               ": a grid takes its scalars by name, such as "
                               "grid(M=300, N=200)");
  Call call(kernel, *unwrap(kernel.getLaunches(), "LaunchError"));
  std::shared_ptr<const jit::LaunchPlan> plan = call.planFor(scalars);
  if (!plan->grid)
    raise(PyExc_ValueError,
          llvm::Twine(kernel.getName()) + ": the kernel declares no grid");
  const runtime::GridSize &grid = *plan->grid;
  return nb::make_tuple(grid[0], grid[1], grid[2]);
}
