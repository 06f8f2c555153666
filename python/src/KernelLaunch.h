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
//   KernelLaunch launch(kernel, launches, noValues, options);
//   launch.addArray(0, x);
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
  /// `options` may change until it runs.
  KernelLaunch(jit::Kernel &kernel, jit::SpecializedKernel &launches,
               const spec::ArgumentBlock &noValues,
               const LaunchOptions &options)
      : kernel(kernel), launches(launches), options(options),
        declared(launches.getArguments()), values(noValues) {}

  /// In the order of the arguments. The array is to stay where it is until the
  /// launch is over. Throws ValueError where no kernel can be given it.
  void addArray(unsigned argument, const Array &array) {
    checkAddress(array, declared[argument].name);
    values.set(argument, array.view.address);
    arrays.push_back({argument, &array});
  }
  void setScalar(unsigned argument, uint64_t bits) {
    values.set(argument, bits);
  }

  void run(const runtime::GridSize &grid);
  /// Compiles what run() would start. `isAbstract`: there are no arrays, and
  /// they would share no memory.
  void prepare(bool isAbstract);

  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) const {
    raise(type, llvm::Twine(kernel.getName()) + ": " + why);
  }

private:
  struct ArrayArgument {
    unsigned argument;
    const Array *array;

    /// The argument of an array that is reached by an address in another one.
    static constexpr unsigned none = ~0u;
  };
  const spec::Argument &getDeclared(const ArrayArgument &given) const {
    return declared[given.argument];
  }
  llvm::ArrayRef<ArrayArgument> getArguments() const {
    return llvm::ArrayRef(arrays).drop_back(options.reached.size());
  }
  std::string getName(const ArrayArgument &given) const;
  void addReached();
  void check();
  void checkPlaces() const;
  void checkWrites() const;
  void checkNames(llvm::StringRef option,
                  llvm::ArrayRef<std::string> names) const;
  void compareArrays();
  uintptr_t getStream(unsigned device) const;
  void recordStream(unsigned device, uintptr_t stream) const;
  bool hasUnorderedArray() const;
  unsigned getGpu() const;
  void refuseInstructionLimit() const;
  void runInPlace(const runtime::GridSize &grid);
  llvm::Error start(unsigned device, const runtime::GridSize &grid,
                    uintptr_t stream);
  void runOnCopies(const runtime::GridSize &grid);

  jit::Kernel &kernel;
  jit::SpecializedKernel &launches;
  const LaunchOptions &options;
  llvm::ArrayRef<spec::Argument> declared;
  spec::ArgumentBlock values;
  /// Arrays of arguments, and behind them those that are reached by addresses.
  llvm::SmallVector<ArrayArgument, 12> arrays;
  runtime::Overlap overlap;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_KERNELLAUNCH_H
