//===- RunResult.h - What a run of a kernel showed --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_RUNRESULT_H
#define TILEWRIGHT_RUNTIME_RUNRESULT_H

#include "tilewright/Runtime/Device.h"
#include "tilewright/Runtime/OutputCheck.h"
#include "llvm/Support/JSON.h"

namespace tilewright::runtime {

/// What a kernel does with a tensor, by its references.
enum class TensorRole : uint8_t {
  Input,  ///< Read: must be unchanged after the launch.
  Output, ///< Written.
  InOut,  ///< Both; the references see the contents from before the launch.
  Unknown ///< In no reference: not checked.
};

struct TensorReport {
  std::string name;
  spec::ElementType type;
  llvm::SmallVector<int64_t> extents;
  TensorRole role;
};

/// Durations of a kernel, in microseconds.
struct Timing {
  /// One for each run, in order.
  std::vector<double> samples;
  double median = 0;
  double min = 0;
  double max = 0;
  bool flushedCache = false;

  static Timing fromSamples(std::vector<double> samples, bool flushedCache);
};

struct RunResult {
  std::string kernel;
  DeviceInfo device;
  /// Names and values, as text, of the scalar arguments.
  std::vector<std::pair<std::string, std::string>> scalars;
  std::vector<TensorReport> tensors;
  GridSize grid = {1, 1, 1};
  unsigned threadsPerBlock = 0;
  KernelResources resources;
  /// False where the grid has an axis of 0 blocks.
  bool launched = false;

  /// One for each reference; empty if the check was not asked for.
  std::vector<OutputReport> outputs;
  /// Writes where nothing may be written, in words.
  std::vector<std::string> violations;

  std::optional<Timing> timing;
  /// Every input read once and every output written once.
  uint64_t bytesMoved = 0;

  /// Nothing that was checked is wrong.
  bool passed() const;
  /// Bytes moved by time, from the median; nothing without timing.
  std::optional<double> getGigabytesPerSecond() const;

  llvm::json::Object toJSON() const;
  void print(llvm::raw_ostream &os) const;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_RUNRESULT_H
