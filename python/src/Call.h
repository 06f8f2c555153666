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

#include "Kernel.h"
#include "KernelLaunch.h"

namespace tilewright::python {

/// One call of a kernel, from Python's objects to the start on the device.
class Call {
public:
  Call(jit::Kernel &kernel, jit::SpecializedKernel &launches)
      : kernel(kernel), launches(launches), declared(launches.getArguments()),
        given(declared.size()), bits(declared.size()), arrays(declared.size()),
        launch(kernel, launches, spec::ArgumentBlock(declared), options) {}

  void readArguments(const nanobind::args &arguments,
                     const nanobind::kwargs &keywords);
  void run();

  /// Scalars alone, by name; floats may be left out.
  std::shared_ptr<const jit::LaunchPlan>
  planFor(const nanobind::kwargs &scalars);

private:
  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) const {
    launch.refuse(type, why);
  }
  [[noreturn]] void refuseTwice(unsigned argument) {
    refuse(PyExc_TypeError, "'" + declared[argument].name +
                                "' is given twice, in its place and by name");
  }
  void readKeywords(const nanobind::kwargs &keywords, bool takesOptions);
  bool readOption(llvm::StringRef name, nanobind::handle value);
  void place(const nanobind::args &arguments);
  void readArrays();
  void readSizes();
  int64_t readSize(unsigned scalar);
  runtime::GridSize getGrid(const jit::LaunchPlan &plan);
  void checkArrays(const jit::LaunchPlan &plan);

  jit::Kernel &kernel;
  jit::SpecializedKernel &launches;
  llvm::ArrayRef<spec::Argument> declared;
  /// What was given for each argument; null for nothing.
  llvm::SmallVector<nanobind::handle, 12> given;
  llvm::SmallVector<uint64_t, 12> bits;
  llvm::SmallVector<Array, 6> arrays;
  LaunchOptions options;
  KernelLaunch launch;
  std::optional<runtime::GridSize> grid;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_CALL_H
