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
  LoadedKernel kernel(image);
  auto check = [&](GridSize grid) {
    return llvm::toString(verifyGrid(kernel, grid));
  };
  EXPECT_EQ(check({3, 4, 5}), "");
  EXPECT_EQ(check({4, 3, 2}),
            "kernel 'k' runs pairs of programs along grid axis 1, which has 3, "
            "an odd number: compile it without paired axes");
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
  EXPECT_TRUE(allowsClusters({(int64_t(1) << 27) - 1, 65535, 1}, 16));
  EXPECT_FALSE(allowsClusters({int64_t(1) << 27, 1, 1}, 16));
}

TEST(Device, DividesLongProductsOfFewPrograms) {
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({64, 1, 1}, 32, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({66, 1, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({33, 1, 1}, 64, false, 132), 4u);
  EXPECT_EQ(chooseProductParts({1, 1, 1}, 4096, false, 132), 4u);
  // Each block has a multiprocessor for itself, and 16 trips.
  EXPECT_EQ(chooseProductParts({67, 1, 1}, 128, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({34, 1, 1}, 128, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({16, 1, 1}, 63, false, 132), 2u);
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 31, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({8, 8, 1}, 0, false, 132), 1u);
  EXPECT_EQ(chooseProductParts({int64_t(1) << 40, int64_t(1) << 40, 1}, 128,
                               false, 132),
            1u);
  // Full products: the busiest multiprocessor has less to do, and exchanges are
  // worth a few trips each.
  EXPECT_EQ(chooseProductParts({64, 1, 1}, 256, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({65, 1, 1}, 32, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({79, 1, 1}, 157, true, 132), 3u);
  EXPECT_EQ(chooseProductParts({16, 1, 1}, 625, true, 132), 8u);
  EXPECT_EQ(chooseProductParts({24, 24, 1}, 188, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({12, 12, 1}, 188, true, 132), 4u);
  EXPECT_EQ(chooseProductParts({12, 24, 1}, 375, true, 132), 2u);
  EXPECT_EQ(chooseProductParts({121, 1, 1}, 22, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({32, 32, 1}, 128, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({67, 1, 1}, 0, true, 132), 1u);
  EXPECT_EQ(chooseProductParts({int64_t(1) << 40, int64_t(1) << 40, 1}, 128,
                               true, 132),
            1u);
  // The simulator has several.
  EXPECT_EQ(chooseProductParts({1000, 1, 1}, 2, false, 0), 2u);
  EXPECT_EQ(chooseProductParts({1000, 1, 1}, 7, false, 0), 3u);
  EXPECT_EQ(chooseProductParts({1, 1, 1}, 4, false, 0), 1u);
}

TEST(Device, PairsProgramsOfEvenNumbers) {
  EXPECT_EQ(choosePairedAxes({24, 12, 1}, 132), 1u);
  EXPECT_EQ(choosePairedAxes({24, 11, 1}, 132), 1u);
  // A block more along the first axis, where there are waves enough for it.
  EXPECT_EQ(choosePairedAxes({33, 22, 1}, 132), 5u);
  EXPECT_EQ(choosePairedAxes({7, 12, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({7, 17, 1}, 132), 0u);
  EXPECT_EQ(choosePairedAxes({5, 52, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({1, 12, 1}, 132), 2u);
  EXPECT_EQ(choosePairedAxes({1, 11, 1}, 132), 0u);
  // The simulator has that more often.
  EXPECT_EQ(choosePairedAxes({7, 18, 1}, 0), 5u);
}

TEST(Device, FewProgramsHaveABlockEach) {
  EXPECT_TRUE(servesBatch({132 * 8, 1, 1}, {8, 1, 1}, 132));
  EXPECT_FALSE(servesBatch({131 * 8, 1, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({8, 12, 11}, {8, 1, 1}, 132));
  // Most of the places of two blocks would stay empty.
  EXPECT_FALSE(servesBatch({9, 1000, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({65, 1000, 1}, {8, 1, 1}, 132));
  // More blocks than 64 bits count.
  EXPECT_TRUE(
      servesBatch({int64_t(1) << 40, int64_t(1) << 40, 1}, {8, 1, 1}, 132));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {8, 1, 1}, 0));
  EXPECT_TRUE(servesBatch({1, 1, 1}, {1, 1, 1}, 132));
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
