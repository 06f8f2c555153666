//===- Call.h - One call of a kernel ----------------------------*- C++ -*-===//
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

#ifndef TILEWRIGHT_PYTHON_CALL_H
#define TILEWRIGHT_PYTHON_CALL_H

#include "Arrays.h"
#include "Errors.h"
#include "Kernel.h"

namespace tilewright::python {

/// One call of a kernel, from Python's objects to the start on the device.
class Call {
public:
  Call(jit::Kernel &kernel, jit::SpecializedKernel &launches)
      : kernel(kernel), launches(launches), declared(launches.getArguments()),
        given(declared.size()), bits(declared.size()), values(declared) {}

  void readArguments(const nanobind::args &arguments,
                     const nanobind::kwargs &keywords);
  void run();

  /// Scalars alone, by name; floats may be left out.
  std::shared_ptr<const jit::LaunchPlan>
  planFor(const nanobind::kwargs &scalars);

private:
  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) {
    raise(type, llvm::Twine(kernel.getName()) + ": " + why);
  }
  [[noreturn]] void refuseTwice(unsigned argument) {
    refuse(PyExc_TypeError, "'" + declared[argument].name +
                                "' is given twice, in its place and by name");
  }
  void readKeywords(const nanobind::kwargs &keywords, bool takesOptions);
  void readOption(llvm::StringRef name, nanobind::handle value, bool &isOption);
  void place(const nanobind::args &arguments);
  void readArrays();
  void readSizes();
  int64_t readSize(unsigned scalar);
  void readGrid(nanobind::handle grid);
  void readInstructionLimit(nanobind::handle limit);
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
  jit::SpecializedKernel &launches;
  llvm::ArrayRef<spec::Argument> declared;
  /// By argument; null where nothing was given.
  llvm::SmallVector<nanobind::handle, 12> given;
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

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_CALL_H
