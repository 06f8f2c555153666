//===- Machine.h - A device, and the target of its code ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_COMMON_MACHINE_H
#define TILEWRIGHT_TOOLS_COMMON_MACHINE_H

#include "tilewright/Runtime/SimulatedDevice.h"

namespace tilewright {

/// A device, and the target whose code it runs.
struct Machine {
  std::unique_ptr<runtime::Device> device;
  std::string target;
  /// The device, where it is the simulator.
  const runtime::SimulatedDevice *simulator = nullptr;
};

/// The simulator stands for any GPU; its target is the one whose code exercises
/// the most. On long launches it shows its progress, where standard error is a
/// terminal.
Machine openSimulator(sim::LaunchOptions options = {});

/// The first GPU. Fails without one, and where it is older than every target.
llvm::Expected<Machine> openCuda();

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_COMMON_MACHINE_H
