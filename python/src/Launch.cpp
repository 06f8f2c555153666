//===- Launch.cpp - Launches with Python's arguments ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is on the way of every launch: it counts nanoseconds. Texts are made
// only where something is wrong.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Errors.h"
#include "Kernel.h"
#include "Scalars.h"
#include "SignalInterrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

namespace {

/// One call of a kernel, from Python's objects to the start on the device.
class Call {
public:
  Call(jit::Kernel &kernel, SpecializedKernel &launches)
      : kernel(kernel), launches(launches), declared(launches.getArguments()),
        given(declared.size()), bits(declared.size()), values(declared) {}

  void readArguments(const nb::args &arguments, const nb::kwargs &keywords);
  void run();

  /// Scalars alone, by name; floats may be left out.
  std::shared_ptr<const jit::LaunchPlan> planFor(const nb::kwargs &scalars);

private:
  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) {
    raise(type, llvm::Twine(kernel.getName()) + ": " + why);
  }
  [[noreturn]] void refuseTwice(unsigned argument) {
    refuse(PyExc_TypeError, "'" + declared[argument].name +
                                "' is given twice, in its place and by name");
  }
  void readKeywords(const nb::kwargs &keywords, bool takesOptions);
  void readOption(llvm::StringRef name, nb::handle value, bool &isOption);
  void place(const nb::args &arguments);
  void readArrays();
  void readSizes();
  int64_t readSize(unsigned scalar);
  void readGrid(nb::handle grid);
  void readInstructionLimit(nb::handle limit);
  runtime::GridSize getGrid(const jit::LaunchPlan &plan);
  void checkArrays(const jit::LaunchPlan &plan);
  void checkPlaces();
  void compareArrays();
  void checkPromises();
  uintptr_t getStream(unsigned device);
  unsigned getGpu();
  void refuseInstructionLimit();
  void runOnGpu(const runtime::GridSize &grid);
  void runOnHost(const runtime::GridSize &grid);

  jit::Kernel &kernel;
  SpecializedKernel &launches;
  llvm::ArrayRef<spec::Argument> declared;
  /// By argument; null where nothing was given.
  llvm::SmallVector<nb::handle, 12> given;
  llvm::SmallVector<uint64_t, 12> bits;
  spec::ArgumentBlock values;
  llvm::SmallVector<Array, 6> arrays;
  /// Which argument each array is.
  llvm::SmallVector<unsigned, 6> arrayArguments;
  /// Whether no byte that the kernel writes is in two arrays.
  bool areDisjoint = false;
  std::optional<uintptr_t> stream;
  std::optional<runtime::GridSize> grid;
  std::optional<uint64_t> instructionLimit;
  /// "", "sim" or "cuda"; and the number of the GPU, where it was given.
  std::string deviceKind;
  std::optional<unsigned> deviceNumber;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which object is which argument
//===----------------------------------------------------------------------===//

void Call::readGrid(nb::handle object) {
  runtime::GridSize size = {1, 1, 1};
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    nb::sequence axes = nb::borrow<nb::sequence>(object);
    size_t count = nb::len(axes);
    if (count < 1 || count > 3)
      refuse(PyExc_ValueError, "grid has one to three numbers of blocks");
    for (size_t axis = 0; axis < count; ++axis)
      size[axis] = readInteger(axes[axis], "grid");
  } else {
    size[0] = readInteger(object, "grid");
  }
  for (int64_t blocks : size)
    if (blocks < 0)
      refuse(PyExc_ValueError,
             "a grid has 0 or more blocks, not " + llvm::Twine(blocks));
  grid = size;
}

void Call::readInstructionLimit(nb::handle object) {
  int64_t limit = readInteger(object, "instruction_limit");
  if (limit < 1)
    refuse(PyExc_ValueError,
           "instruction_limit is 1 or more, not " + llvm::Twine(limit));
  instructionLimit = limit;
}

/// What is no argument of the kernel but a choice of the launch.
void Call::readOption(llvm::StringRef name, nb::handle value, bool &isOption) {
  isOption = true;
  if (name == "stream") {
    if (!value.is_none())
      stream = readStream(value);
    return;
  }
  if (name == "grid") {
    if (!value.is_none())
      readGrid(value);
    return;
  }
  if (name == "instruction_limit") {
    if (!value.is_none())
      readInstructionLimit(value);
    return;
  }
  isOption = name == "device";
  if (!isOption || value.is_none())
    return;
  // torch.device prints as what is expected here.
  std::string text = nb::str(value).c_str();
  auto [kind, number] = llvm::StringRef(text).split(':');
  unsigned ordinal = 0;
  bool hasNumber = kind.size() != text.size();
  bool isGood =
      kind == "sim"
          ? !hasNumber
          : kind == "cuda" && !(hasNumber && number.getAsInteger(10, ordinal));
  if (!isGood)
    refuse(PyExc_ValueError, "device is \"sim\", \"cuda\" or \"cuda:N\", not " +
                                 llvm::Twine(nb::repr(value).c_str()));
  deviceKind = kind.str();
  if (hasNumber)
    deviceNumber = ordinal;
}

void Call::readKeywords(const nb::kwargs &keywords, bool takesOptions) {
  for (auto [key, value] : keywords) {
    Py_ssize_t size = 0;
    const char *data = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (!data)
      throw nb::python_error();
    llvm::StringRef name(data, size);
    const auto *argument =
        llvm::find_if(declared, [&](const spec::Argument &each) {
          return each.name == name;
        });
    if (argument != declared.end()) {
      given[argument - declared.begin()] = value;
      continue;
    }
    bool isOption = false;
    if (takesOptions)
      readOption(name, value, isOption);
    if (!isOption)
      refuse(PyExc_TypeError, "there is no argument '" + name + "'; it is " +
                                  getSignature(kernel));
  }
}

/// Puts positional arguments in their places: all in order, or without the
/// sizes that the arrays tell.
void Call::place(const nb::args &arguments) {
  size_t count = arguments.size();
  size_t open = llvm::count_if(
      given, [](nb::handle object) { return !object.is_valid(); });
  bool leavesSizesOut = count != open;
  size_t next = 0;
  for (auto [index, slot] : llvm::enumerate(given)) {
    bool isSize = launches.getSizeSource(index).has_value();
    if (slot.is_valid()) {
      // Only sizes may be named in front of what is not.
      if (next < count && (!isSize || count == declared.size()))
        refuseTwice(index);
      continue;
    }
    if (leavesSizesOut && isSize)
      continue;
    if (next == count)
      refuse(PyExc_TypeError, "'" + declared[index].name +
                                  "' is missing; it is " +
                                  getSignature(kernel));
    slot = arguments[next++];
  }
  if (next != count)
    refuse(PyExc_TypeError, llvm::Twine(count) +
                                " arguments are too many; it is " +
                                getSignature(kernel));
}

void Call::readArrays() {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (!argument.isPointer())
      continue;
    arrays.push_back(readArray(given[index], argument));
    arrayArguments.push_back(index);
    const Array &array = arrays.back();
    values.set(index, array.view.address);
    unsigned bytes = spec::getByteSize(argument.type);
    if (LLVM_LIKELY(array.view.address != 0 &&
                    array.view.address % bytes == 0) ||
        array.view.getElementCount() == 0)
      continue;
    if (array.view.address == 0)
      refuse(PyExc_ValueError, "'" + argument.name +
                                   "' has no memory: it was freed, or never "
                                   "had any");
    refuse(PyExc_ValueError,
           "'" + argument.name + "' begins at 0x" +
               llvm::utohexstr(array.view.address, /*LowerCase=*/true) +
               ", no multiple of the " + llvm::Twine(bytes) +
               " bytes of an element: pass an aligned copy");
  }
}

/// The value of a scalar that was left out.
int64_t Call::readSize(unsigned scalar) {
  const std::optional<jit::SizeSource> &source = launches.getSizeSource(scalar);
  if (!source)
    refuse(PyExc_TypeError, "'" + declared[scalar].name +
                                "' is missing; it is " + getSignature(kernel));
  size_t position =
      llvm::find(arrayArguments, source->argument) - arrayArguments.begin();
  llvm::ArrayRef<int64_t> extents = arrays[position].view.extents;
  if (source->axis >= extents.size())
    refuse(PyExc_ValueError, "'" + declared[source->argument].name + "' is " +
                                 runtime::formatExtents(extents) +
                                 "; the kernel takes " +
                                 launches.getShapeText(source->argument));
  return extents[source->axis];
}

/// The values of the scalars, some of them from the shapes.
void Call::readSizes() {
  for (auto [index, argument] : llvm::enumerate(declared)) {
    if (argument.isPointer())
      continue;
    bits[index] = given[index].is_valid()
                      ? readScalar(given[index], argument)
                      : encodeSize(readSize(index), argument);
    values.set(index, bits[index]);
  }
}

void Call::readArguments(const nb::args &arguments,
                         const nb::kwargs &keywords) {
  if (keywords.size() != 0)
    readKeywords(keywords, /*takesOptions=*/true);
  place(arguments);
  readArrays();
  readSizes();
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
