//===- Dispatcher.h - The class tilewright._core.Dispatcher -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that is a Python function: it has code for each combination of
// types, constants and options that its calls had so far. Python compiles, the
// dispatcher finds and starts, without a line of Python:
//
//   add = Dispatcher("add", parameters, compile)
//   add[grid](x, y, n, BLOCK=1024, num_warps=4)
//
//   add[grid]       a BoundGrid, made and dropped in each call
//   (x, y, ...)     a DispatchCall: binds the arguments to the parameters,
//   reads
//                   them (DispatchArguments) and finds the code by their
//                   CallKey
//   RepeatedCall    does so quickly, where only values have changed
//   compile(...)    where there is none yet
//   KernelLaunch    starts it, in the variant for addresses and sizes that
//                   jit::SpecializedKernel has
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PYTHON_DISPATCHER_H
#define TILEWRIGHT_PYTHON_DISPATCHER_H

#include "CallKey.h"
#include "Parameter.h"
#include "RepeatedCall.h"
#include "WatchedName.h"
#include "tilewright/Jit/Kernel.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace tilewright::python {

/// Code for the calls of one key.
struct CompiledCall {
  CallKey key;
  /// The kernel as Python sees it, and what is in it.
  nanobind::object handle;
  jit::Kernel *kernel = nullptr;
  jit::SpecializedKernel *launches = nullptr;
  /// To be filled by each launch.
  spec::ArgumentBlock noValues;
  /// How calls of it are told quickly, since it was called twice in a row.
  std::optional<RepeatedCall> repeated;
  /// Whether they can be.
  bool isRepeatable = true;
};

/// Where the keywords of a call go. A place in a program gives the same tuple
/// of names each time.
struct KeywordPlaces {
  /// Kept, so that no other tuple is there.
  nanobind::object names;
  /// A parameter's number, or that of an option, counted on behind them.
  llvm::SmallVector<unsigned, 8> numbers;
};

/// All of it under Python's lock.
class Dispatcher {
public:
  Dispatcher(std::string name, const nanobind::list &parameters,
             nanobind::object compile);
  ~Dispatcher() { clear(); }

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<Parameter> getParameters() const { return parameters; }
  /// "add(x, y, n, BLOCK=1024)"
  std::string getSignature() const;
  nanobind::handle getCompiler() const { return compile; }

  /// Null where there is none yet. May run Python, for keys with objects.
  CompiledCall *find(const CallKey &key);
  /// The one that is there, should there be one by now.
  CompiledCall *add(CompiledCall code);
  /// That of the last launch; null before.
  CompiledCall *launched = nullptr;
  /// All so far, in the order in which they were made.
  nanobind::list getKernels() const;

  /// Has each call ask whether a name still has the value that compiled code
  /// relies on.
  void watch(nanobind::object owner, nanobind::object name,
             nanobind::object value, nanobind::object shown);
  /// The first that has not; null where all have.
  const WatchedName *findChanged() const;

  /// Where the last call had its names that were all known.
  KeywordPlaces keywords;

  /// Held while code is made, so that none is made twice; by a thread that
  /// makes code for the call of another kernel, too.
  std::recursive_timed_mutex &getCompileMutex() { return compileMutex; }

  /// For Python's collector of cycles.
  int traverse(visitproc visit, void *argument) const;
  void clear();

private:
  std::string name;
  std::vector<Parameter> parameters;
  nanobind::object compile;
  /// All codes, in the order in which they were made.
  std::vector<std::unique_ptr<CompiledCall>> codes;
  /// The same by the bytes of their keys.
  llvm::StringMap<llvm::SmallVector<CompiledCall *, 1>> codesOfBytes;
  /// What the last call found, for who calls so again.
  CompiledCall *last = nullptr;
  std::vector<WatchedName> watched;
  std::recursive_timed_mutex compileMutex;
};

/// Adds the class, and REQUIRED.
void bindDispatcher(nanobind::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_DISPATCHER_H
