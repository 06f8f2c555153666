//===- KernelLaunch.h - A kernel started on Python's arrays -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second half of every launch, whoever read its arguments: where the
// arrays are decides what runs it, and on which stream.
//
//   KernelLaunch launch(kernel, launches, std::move(options));
//   launch.addArray(0, std::move(x));
//   launch.setScalar(1, bits);
//   launch.run({blocks, 1, 1});
//
// It is on the way of every launch: it counts nanoseconds. Texts are made only
// where something is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_KERNELLAUNCH_H
#define TILEWRIGHT_PYTHON_KERNELLAUNCH_H

#include "Arrays.h"
#include "Errors.h"
#include "LaunchOptions.h"
#include "tilewright/Jit/Kernel.h"

namespace tilewright::python {

class KernelLaunch {
public:
  KernelLaunch(jit::Kernel &kernel, jit::SpecializedKernel &launches,
               const spec::ArgumentBlock &noValues)
      : kernel(kernel), launches(launches), declared(launches.getArguments()),
        values(noValues) {}

  /// Of the launch; to be set before run().
  LaunchOptions options;

  /// In the order of the arguments. Throws ValueError where no kernel can be
  /// given the array.
  void addArray(unsigned argument, Array array) {
    checkAddress(array, declared[argument].name);
    values.set(argument, array.view.address);
    arrayArguments.push_back(argument);
    arrays.push_back(std::move(array));
  }
  void setScalar(unsigned argument, uint64_t bits) {
    values.set(argument, bits);
  }
  llvm::ArrayRef<Array> getArrays() const { return arrays; }
  /// Which argument each array is.
  llvm::ArrayRef<unsigned> getArrayArguments() const { return arrayArguments; }

  void run(const runtime::GridSize &grid);
  /// Compiles what run() would start. `isAbstract`: there are no arrays, and
  /// they would share no memory.
  void prepare(bool isAbstract);

  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) const {
    raise(type, llvm::Twine(kernel.getName()) + ": " + why);
  }

private:
  void check();
  void checkPlaces() const;
  void checkWrites() const;
  void compareArrays();
  uintptr_t getStream(unsigned device) const;
  void recordStream(unsigned device, uintptr_t stream) const;
  bool hasUnorderedArray() const;
  unsigned getGpu() const;
  void refuseInstructionLimit() const;
  void runInPlace(const runtime::GridSize &grid);
  void runOnCopies(const runtime::GridSize &grid);

  jit::Kernel &kernel;
  jit::SpecializedKernel &launches;
  llvm::ArrayRef<spec::Argument> declared;
  spec::ArgumentBlock values;
  llvm::SmallVector<Array, 6> arrays;
  llvm::SmallVector<unsigned, 6> arrayArguments;
  /// Whether no byte that the kernel writes is in two arrays.
  bool areDisjoint = false;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_KERNELLAUNCH_H
