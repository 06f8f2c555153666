//===- Machine.cpp - A device, and the target of its code -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Machine.h"

#include "tilewright/Runtime/CudaDevice.h"
#include "tilewright/Target/GpuTarget.h"

using namespace llvm;
using namespace tilewright;

Machine tilewright::openSimulator() {
  auto device = std::make_unique<runtime::SimulatedDevice>();
  const runtime::SimulatedDevice *simulator = device.get();
  return {std::move(device), "sm_90a", simulator};
}

Expected<Machine> tilewright::openCuda() {
  Expected<std::unique_ptr<runtime::Device>> device =
      runtime::createCudaDevice();
  if (!device)
    return device.takeError();
  StringRef architecture = (*device)->getInfo().architecture;
  unsigned capability = 0;
  std::optional<GpuTarget> target;
  if (architecture.consume_front("sm_") &&
      !architecture.getAsInteger(10, capability))
    target = GpuTarget::forDevice(capability / 10, capability % 10);
  if (!target)
    return createStringError("the GPU " + (*device)->getInfo().name + ", " +
                             (*device)->getInfo().architecture +
                             ", is older than sm_80, the oldest supported");
  return Machine{std::move(*device), target->name.str(), nullptr};
}
