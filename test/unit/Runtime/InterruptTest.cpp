//===- InterruptTest.cpp - Waits that end before the kernel does ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "tilewright/Runtime/SimulatedDevice.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

/// Requested when it has been asked some times; 0: never.
class CountedInterrupt : public Interrupt {
public:
  explicit CountedInterrupt(unsigned patience) : patience(patience) {}
  bool isRequested() override {
    EXPECT_TRUE(isWaiting);
    return ++asked == patience;
  }
  void beginWait() override { isWaiting = true; }
  void endWait() override { isWaiting = false; }

  unsigned patience;
  unsigned asked = 0;
  bool isWaiting = false;
};

KernelImage makeCode(const std::string &body) {
  KernelImage image;
  image.code = ".version 8.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry k() {\n" +
               body + "\nret;\n}\n";
  image.entry = "k";
  image.threadsPerBlock = 32;
  return image;
}

TEST(SimulatedInterrupt, EndsAnEndlessKernel) {
  SimulatedDevice device;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(device.load(makeCode("LOOP: bra LOOP;")));
  CountedInterrupt interrupt(2);
  llvm::Error error =
      device.launch({*kernel, {3, 1, 1}, {}, /*stream=*/0, &interrupt});
  EXPECT_TRUE(error.isA<InterruptedError>());
  EXPECT_EQ(llvm::toString(std::move(error)).find("k: interrupted: PTX line 5"),
            0u);
  EXPECT_FALSE(interrupt.isWaiting);
  // The device is as good as new.
  std::unique_ptr<LoadedKernel> other =
      llvm::cantFail(device.load(makeCode("")));
  llvm::cantFail(device.launch({*other, {3, 1, 1}, {}, 0, &interrupt}));
  llvm::cantFail(device.synchronize());
}

TEST(SimulatedInterrupt, LimitIsOfEachLaunch) {
  sim::LaunchOptions options;
  options.limitOption = "--some-option";
  SimulatedDevice device(options);
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(device.load(makeCode("LOOP: bra LOOP;")));
  device.setInstructionLimit(1234);
  llvm::cantFail(device.launch({*kernel, {1, 1, 1}, {}}));
  std::string text = llvm::toString(device.synchronize());
  EXPECT_NE(text.find("1234 warp instructions, the most that --some-option"),
            std::string::npos)
      << text;
}

class CudaInterrupt : public testing::Test {
protected:
  FakeCuda fake;
  std::unique_ptr<Device> device =
      llvm::cantFail(createCudaDevice(fake.driver, 0));
};

TEST_F(CudaInterrupt, WaitsUntilTheKernelEnds) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(device->load(makeCode("")));
  llvm::cantFail(device->launch({*kernel, {1, 1, 1}, {}}));
  CountedInterrupt interrupt(0);
  fake.queriesUntilReady = 5;
  llvm::cantFail(device->synchronize(&interrupt));
  EXPECT_EQ(fake.queriesUntilReady, 0);
  EXPECT_EQ(fake.events, 0);
  EXPECT_FALSE(interrupt.isWaiting);
}

/// A failure ends the wait, and is told as without an interrupt.
TEST_F(CudaInterrupt, TellsFailures) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(device->load(makeCode("")));
  llvm::cantFail(device->launch({*kernel, {1, 1, 1}, {}}));
  CountedInterrupt interrupt(1);
  fake.results["eventQuery"] = 700;
  fake.results["ctxSynchronize"] = 700;
  EXPECT_EQ(llvm::toString(device->synchronize(&interrupt)),
            "after the launch of 'k', grid 1 x 1 x 1, 32 threads a block: "
            "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was "
            "encountered");
  EXPECT_EQ(interrupt.asked, 0u);
}

/// Nothing that the kernel may use is given back while it runs: the driver
/// would wait for it.
TEST_F(CudaInterrupt, LeavesAnEndlessKernelAlone) {
  {
    std::unique_ptr<LoadedKernel> kernel =
        llvm::cantFail(device->load(makeCode("")));
    DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 64));
    llvm::cantFail(device->launch({*kernel, {4, 1, 1}, {}}));
    CountedInterrupt interrupt(2);
    fake.queriesUntilReady = -1;
    llvm::Error error = device->synchronize(&interrupt);
    EXPECT_TRUE(error.isA<InterruptedError>());
    EXPECT_EQ(llvm::toString(std::move(error)),
              "interrupted after the launch of 'k', grid 4 x 1 x 1, 32 threads "
              "a block: the GPU goes on with it until this process ends");
    EXPECT_EQ(interrupt.asked, 2u);
  }
  EXPECT_EQ(fake.allocations, 1);
  EXPECT_EQ(fake.modules, 1);
  EXPECT_EQ(fake.events, 1);
  device.reset();
  EXPECT_EQ(fake.contexts, 1);
}

TEST_F(CudaInterrupt, GivesBackOnceTheKernelHasEnded) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(device->load(makeCode("")));
  {
    DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 64));
    llvm::cantFail(device->launch({*kernel, {4, 1, 1}, {}}));
    CountedInterrupt interrupt(1);
    fake.queriesUntilReady = -1;
    llvm::consumeError(device->synchronize(&interrupt));
    fake.queriesUntilReady = 0;
  }
  kernel.reset();
  device.reset();
  EXPECT_EQ(fake.allocations, 0);
  EXPECT_EQ(fake.modules, 0);
  EXPECT_EQ(fake.events, 0);
  EXPECT_EQ(fake.contexts, 0);
}

} // namespace
