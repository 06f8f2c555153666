//===- DispatchCall.h - One call of a Python kernel -------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_DISPATCHCALL_H
#define TILEWRIGHT_PYTHON_DISPATCHCALL_H

#include "DispatchArguments.h"
#include "Dispatcher.h"
#include "LaunchOptions.h"

namespace tilewright::python {

class KernelLaunch;

/// From Python's objects to the start on the device. It is on the way of every
/// launch: it counts nanoseconds.
class DispatchCall {
public:
  enum class Purpose : uint8_t { Launch, Warmup };
  /// Options that the compiler is told.
  static constexpr size_t numCompileOptions = 6;

  /// The number of an option that a kernel may have a parameter for, too.
  static std::optional<unsigned> findSharedOption(llvm::StringRef name);

  DispatchCall(Dispatcher &dispatcher, Purpose purpose)
      : dispatcher(dispatcher), purpose(purpose),
        arguments(/*takesTypes=*/purpose == Purpose::Warmup) {}

  /// Binds what is given to the parameters, as Python does; the rest are
  /// options. `names`: of the last ones, a tuple or null.
  void bind(PyObject *const *objects, size_t count, PyObject *names);

  /// The grid that a function makes of all that was given, by name.
  runtime::GridSize callGrid(PyObject *function);

  /// The kernel that was started; None for a grid without blocks, which starts
  /// nothing.
  nanobind::object launch(const runtime::GridSize &grid);
  /// The kernel, compiled for such a launch.
  nanobind::object prepare();

private:
  [[noreturn]] void refuse(PyObject *type, const llvm::Twine &why) const;
  void bindNamed(PyObject *names, PyObject *const *values);
  std::optional<unsigned> findPlace(PyObject *name) const;
  std::string suggest(llvm::StringRef unknown) const;
  bool isOption(llvm::StringRef name) const;
  void place(unsigned number, PyObject *value);
  void setCompileOption(unsigned number, PyObject *value);
  bool setOtherOption(PyObject *name, PyObject *value);
  bool isIgnoredOption(llvm::StringRef name, PyObject *value) const;
  void readEnvironment();
  void readArguments();
  nanobind::object repeat(const runtime::GridSize &grid);
  void expectRepetition(CompiledCall &code);
  void checkNames() const;
  CompiledCall &findCode();
  CompiledCall &compile();
  void check(const CompiledCall &code) const;
  void giveArguments(KernelLaunch &launch);

  Dispatcher &dispatcher;
  Purpose purpose;
  /// What was given for each parameter; null for nothing.
  llvm::SmallVector<PyObject *, 16> given;
  /// What was given for each option of the compiler; null for nothing.
  std::array<PyObject *, numCompileOptions> compileOptions = {};
  /// What options are where they were given as numbers of NumPy.
  llvm::SmallVector<nanobind::object, 1> convertedOptions;
  nanobind::object environmentTarget;
  LaunchOptions options;
  DispatchArguments arguments;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_DISPATCHCALL_H
