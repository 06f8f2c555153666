//===- Machine.cpp - A device, and the target of its code -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Machine.h"

#include "common/ProgressLine.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "tilewright/Target/GpuTarget.h"

using namespace llvm;
using namespace tilewright;

/// Tells people how far a launch is: a line on a terminal, one note elsewhere.
static std::function<void(uint64_t, uint64_t)> makeProgress() {
  auto line = std::make_shared<ProgressLine>(errs(), errs().is_displayed(),
                                             std::chrono::steady_clock::now());
  return [line](uint64_t finished, uint64_t total) {
    line->update(finished, total, std::chrono::steady_clock::now());
  };
}

Machine tilewright::openSimulator(sim::LaunchOptions options) {
  options.progress = makeProgress();
  auto device = std::make_unique<runtime::SimulatedDevice>(std::move(options));
  const runtime::SimulatedDevice *simulator = device.get();
  return {std::move(device), "sm_90a", simulator};
}

Expected<Machine> tilewright::openCuda() {
  Expected<std::unique_ptr<runtime::Device>> device =
      runtime::createCudaDevice();
  if (!device)
    return device.takeError();
  std::optional<GpuTarget> target =
      GpuTarget::forDevice((*device)->getInfo().architecture);
  if (!target)
    return createStringError("the GPU " + (*device)->getInfo().name + ", " +
                             (*device)->getInfo().architecture +
                             ", is older than sm_80, the oldest supported");
  return Machine{std::move(*device), target->name.str(), nullptr};
}
