//===- LaunchOptions.h - Choices of a launch --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_LAUNCHOPTIONS_H
#define TILEWRIGHT_PYTHON_LAUNCHOPTIONS_H

#include "Arrays.h"
#include "tilewright/Runtime/Device.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// What a user says of a launch beside the arguments: `stream=`, `device=`,
/// `instruction_limit=`, `uninitialized=`, `races=` and `reaches=`.
struct LaunchOptions {
  /// Which device runs it.
  enum class Kind : uint8_t {
    /// Where the arrays are; those of the host are simulated.
    OfArrays,
    Simulator,
    Gpu
  };

  static constexpr std::array<llvm::StringLiteral, 6> names = {
      "stream",        "device", "instruction_limit",
      "uninitialized", "races",  "reaches"};

  std::optional<uintptr_t> stream;
  std::optional<uint64_t> instructionLimit;
  Kind kind = getDefaultKind();
  /// The number of the GPU, where it was given.
  std::optional<unsigned> deviceNumber;
  /// Arrays, by name, that the kernel must write before it reads them.
  std::vector<std::string> uninitialized;
  /// Arrays, by name, whose accesses are meant to race.
  std::vector<std::string> races;
  /// Arrays whose addresses the kernel finds in others.
  std::vector<Array> reached;

  /// False where there is no option of that name. Throws TypeError or
  /// ValueError, which begins with the name of the kernel, for a value that it
  /// does not take; None says nothing.
  bool read(llvm::StringRef name, nanobind::handle value,
            llvm::StringRef kernel);

private:
  void readReached(nanobind::handle value, llvm::StringRef kernel);
  void readDevice(nanobind::handle value, llvm::StringRef kernel);
  /// What TILEWRIGHT_DEVICE says in the environment that the process has when
  /// the first launch asks.
  static Kind getDefaultKind();
};

/// A grid as users write one: a number of blocks, or a tuple or list of one to
/// three. `kernel`: its name, for messages.
runtime::GridSize readGrid(nanobind::handle object, llvm::StringRef kernel);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHOPTIONS_H
