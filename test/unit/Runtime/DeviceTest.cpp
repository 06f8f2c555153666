//===- DeviceTest.cpp - What all devices share ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "gtest/gtest.h"

using namespace tilewright::runtime;

namespace {

std::string checkGrid(GridSize grid) {
  return llvm::toString(verifyGrid("k", grid));
}

TEST(Device, VerifiesGrids) {
  EXPECT_EQ(checkGrid({2147483647, 65535, 65535}), "");
  EXPECT_EQ(checkGrid({1, 1, 1}), "");
  EXPECT_EQ(
      checkGrid({2147483648, 1, 1}),
      "kernel 'k': grid axis 0 has 2147483648 blocks, more than the "
      "2147483647 that a GPU can launch; use larger tiles, or let a block "
      "compute several");
  EXPECT_EQ(
      checkGrid({1, 65536, 1}),
      "kernel 'k': grid axis 1 has 65536 blocks, more than the 65535 that "
      "a GPU can launch; put the largest axis on grid axis 0, which takes "
      "2147483647");
  EXPECT_EQ(checkGrid({1, 1, 65536}).find("kernel 'k': grid axis 2"), 0u);
  EXPECT_EQ(checkGrid({0, 1, 1}),
            "kernel 'k': grid axis 0 has 0 blocks; at least 1 is needed");
  EXPECT_EQ(toString(GridSize{4096, 2, 1}), "4096 x 2 x 1");
}

TEST(Device, RefusesAPairWithoutItsLastProgram) {
  KernelImage image;
  image.entry = "k";
  image.pairedAxes = {false, true, false};
  image.blockPrograms = {1, 2, 1};
  LoadedKernel kernel(image);
  auto check = [&](GridSize grid) {
    return llvm::toString(verifyGrid(kernel, grid));
  };
  EXPECT_EQ(check({3, 4, 5}), "");
  EXPECT_EQ(check({4, 3, 2}),
            "kernel 'k' runs clusters of 2 programs along grid axis 1, which "
            "has 3, no multiple: compile it without paired axes");
  EXPECT_EQ(check({3, 4, 0}),
            "kernel 'k': grid axis 2 has 0 blocks; at least 1 is needed");
}

TEST(Device, APersistentKernelHasAsManyBlocksAsRunAtOnce) {
  EXPECT_EQ(getBlocks({4, 3, 2}, 132), (GridSize{24, 1, 1}));
  EXPECT_EQ(getBlocks({64, 32, 1}, 132), (GridSize{132, 1, 1}));
  EXPECT_EQ(getBlocks({1, 1, 1}, 132), (GridSize{1, 1, 1}));
  // Of what does not fit one block is tried, so that the driver says why not.
  EXPECT_EQ(getBlocks({8, 1, 1}, 0), (GridSize{1, 1, 1}));
  // More programs than 64 bits count.
  EXPECT_EQ(getBlocks({int64_t(1) << 31, int64_t(1) << 31, 65535}, 132),
            (GridSize{132, 1, 1}));
}

TEST(Device, ABlockOfSeveralProgramsIsOneOfFewerBlocks) {
  EXPECT_EQ(getBlocks({64, 3, 2}, {8, 1, 1}), (GridSize{8, 3, 2}));
  EXPECT_EQ(getBlocks({65, 3, 2}, {8, 2, 1}), (GridSize{9, 2, 2}));
  EXPECT_EQ(getBlocks({1, 1, 1}, {1, 8, 1}), (GridSize{1, 1, 1}));
  EXPECT_EQ(getBlocks({64, 3, 2}, {1, 1, 1}, 4), (GridSize{256, 3, 2}));
}

TEST(Device, BuffersFreeTheirMemoryOnce) {
  FakeDevice device([](const HostArguments &) {});
  {
    llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, 100);
    ASSERT_TRUE(static_cast<bool>(buffer));
    EXPECT_EQ(buffer->getByteSize(), 100u);
    DeviceBuffer moved = std::move(*buffer);
    EXPECT_EQ(device.countAllocations(), 1u);
  }
  EXPECT_EQ(device.countAllocations(), 0u);
}

TEST(Device, ThatCannotTimeSaysSo) {
  FakeDevice device([](const HostArguments &) {});
  LoadedKernel kernel((KernelImage()));
  llvm::Expected<std::vector<double>> samples =
      device.time({kernel, {1, 1, 1}, {}}, TimingPlan());
  ASSERT_FALSE(samples);
  EXPECT_EQ(llvm::toString(samples.takeError()),
            "the device 'fake' cannot time kernels");
}

} // namespace
