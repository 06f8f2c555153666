//===- CudaDriverTest.cpp - Machines without a driver ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "gtest/gtest.h"

using namespace tilewright::runtime;

namespace {

TEST(CudaDriver, SaysThatThereIsNoDriver) {
  llvm::Expected<cuda::Driver> driver =
      cuda::Driver::load("libno-such-driver.so.1");
  ASSERT_FALSE(driver);
  std::string text = llvm::toString(driver.takeError());
  EXPECT_EQ(text.find("no NVIDIA driver found: libno-such-driver.so.1 could "
                      "not be loaded ("),
            0u)
      << text;
  EXPECT_NE(text.find("install the driver, or run the kernel in the simulator"),
            std::string::npos)
      << text;
}

TEST(CudaDriver, SaysThatALibraryIsNoDriver) {
  llvm::Expected<cuda::Driver> driver = cuda::Driver::load("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(llvm::toString(driver.takeError()),
            "libm.so.6 has no function cuInit; a driver for CUDA 12.0 or newer "
            "is needed");
}

// With a driver and a GPU there is a device; else an error that is the same
// each time, and no crash.
TEST(CudaDevice, OpensOrSaysWhyNot) {
  llvm::Expected<std::unique_ptr<Device>> device = createCudaDevice();
  if (device) {
    EXPECT_FALSE((*device)->getInfo().name.empty());
    EXPECT_TRUE((*device)->canTime());
    return;
  }
  std::string first = llvm::toString(device.takeError());
  EXPECT_TRUE(llvm::StringRef(first).contains("NVIDIA driver")) << first;
  llvm::Expected<std::unique_ptr<Device>> again = createCudaDevice();
  ASSERT_FALSE(again);
  EXPECT_EQ(llvm::toString(again.takeError()), first);
}

} // namespace
