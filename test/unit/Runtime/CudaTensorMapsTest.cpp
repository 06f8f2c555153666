//===- CudaTensorMapsTest.cpp - Tensor maps that the driver makes ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "tilewright/Runtime/CudaDevice.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

/// A kernel on A[M, N] and B[N], both through tensor maps.
class CudaTensorMapsTest : public testing::Test {
protected:
  CudaTensorMapsTest() {
    image.code = ".version 8.0";
    image.entry = "k";
    image.threadsPerBlock = 128;
    image.tensorMaps.resize(2);
    spec::TensorMap &a = image.tensorMaps[0];
    a.pointer = 0;
    a.type = ElementType::BF16;
    a.extents = {{1, {3}}, {1, {2}}};
    a.strides = {{1, {3}}};
    a.box = {64, 128};
    a.swizzleBytes = 128;
    spec::TensorMap &b = image.tensorMaps[1];
    b.pointer = 1;
    b.type = ElementType::F32;
    b.extents = {{1, {3}}};
    b.box = {256};
    fake.argumentCount = 6;
  }

  static spec::ArgumentBlock makeArguments(llvm::ArrayRef<uint64_t> bits) {
    spec::ArgumentBlock arguments({spec::pointer("A", ElementType::BF16),
                                   spec::pointer("B", ElementType::F32),
                                   spec::scalar("M", ElementType::I32),
                                   spec::scalar("N", ElementType::I32)});
    for (auto [index, value] : llvm::enumerate(bits))
      arguments.set(index, value);
    return arguments;
  }

  std::string launch(uint64_t a, uint64_t b, uint64_t m = 100) {
    spec::ArgumentBlock arguments = makeArguments({a, b, m, 512});
    if (!kernel)
      kernel = llvm::cantFail(device->load(image));
    return llvm::toString(device->launch({*kernel, {1, 1, 1}, arguments}));
  }

  FakeCuda fake;
  std::unique_ptr<Device> device =
      llvm::cantFail(createCudaDevice(fake.driver, 0));
  KernelImage image;
  std::unique_ptr<LoadedKernel> kernel;
};

TEST_F(CudaTensorMapsTest, AreMadeOfTheArguments) {
  EXPECT_EQ(launch(0xa000, 0xb010), "");
  ASSERT_EQ(fake.maps.size(), 2u);
  const FakeCuda::MapCall &a = fake.maps[0], &b = fake.maps[1];
  EXPECT_EQ(a.type, cuda::tensorMapBF16);
  EXPECT_EQ(a.address, 0xa000u);
  EXPECT_EQ(a.extents, (std::vector<uint64_t>{512, 100}));
  EXPECT_EQ(a.strides, (std::vector<uint64_t>{1024}));
  EXPECT_EQ(a.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(a.elementStrides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(a.interleave, cuda::tensorMapNoInterleave);
  EXPECT_EQ(a.swizzle, cuda::tensorMapSwizzle128);
  EXPECT_EQ(a.promotion, cuda::tensorMapPromote128);
  EXPECT_EQ(a.fill, cuda::tensorMapFillZeros);
  EXPECT_TRUE(a.isAligned && b.isAligned);
  EXPECT_EQ(b.type, cuda::tensorMapF32);
  EXPECT_EQ(b.address, 0xb010u);
  EXPECT_EQ(b.extents, (std::vector<uint64_t>{512}));
  EXPECT_TRUE(b.strides.empty());
  EXPECT_EQ(b.swizzle, cuda::tensorMapNoSwizzle);
}

TEST_F(CudaTensorMapsTest, ComeBehindTheArguments) {
  EXPECT_EQ(launch(0xa000, 0xb000), "");
  // Of M and N, four bytes each, eight are read.
  EXPECT_EQ(fake.lastArguments[0], 0xa000u);
  EXPECT_EQ(fake.lastArguments[1], 0xb000u);
  EXPECT_EQ(fake.lastArguments[4], 1u);
  EXPECT_EQ(fake.lastArguments[5], 2u);
}

TEST_F(CudaTensorMapsTest, AreMadeOnceForTheSameValues) {
  for (unsigned time = 0; time < 3; ++time)
    EXPECT_EQ(launch(0xa000, 0xb000), "");
  EXPECT_EQ(fake.maps.size(), 2u);
  EXPECT_EQ(fake.lastArguments[4], 1u);
  EXPECT_EQ(launch(0xa000, 0xb000, 101), "");
  EXPECT_EQ(fake.maps.size(), 4u);
  EXPECT_FALSE(fake.maps[2].isReplacement || fake.maps[3].isReplacement);
  // The first ones are still there.
  EXPECT_EQ(launch(0xa000, 0xb000), "");
  EXPECT_EQ(fake.maps.size(), 4u);
  EXPECT_EQ(fake.lastArguments[4], 1u);
}

TEST_F(CudaTensorMapsTest, OfTensorsElsewhereHaveOtherAddressesOnly) {
  EXPECT_EQ(launch(0xa000, 0xb000), "");
  EXPECT_EQ(launch(0xa100, 0xb000), "");
  ASSERT_EQ(fake.maps.size(), 3u);
  EXPECT_TRUE(fake.maps[2].isReplacement && fake.maps[2].isAligned);
  EXPECT_EQ(fake.maps[2].address, 0xa100u);
  EXPECT_EQ(fake.maps[2].extents, (std::vector<uint64_t>{512, 100}));
  EXPECT_EQ(fake.lastArguments[4], 3u);
  EXPECT_EQ(fake.lastArguments[5], 2u);
  // The first ones are as they were.
  EXPECT_EQ(launch(0xa000, 0xb000), "");
  EXPECT_EQ(fake.maps.size(), 3u);
  EXPECT_EQ(fake.lastArguments[4], 1u);
  EXPECT_EQ(launch(0xa200, 0xb200), "");
  ASSERT_EQ(fake.maps.size(), 5u);
  EXPECT_TRUE(fake.maps[3].isReplacement && fake.maps[4].isReplacement);
  EXPECT_EQ(fake.maps[4].address, 0xb200u);
  EXPECT_EQ(fake.maps[4].type, cuda::tensorMapF32);
}

TEST_F(CudaTensorMapsTest, OfManyLaunchesTheLastAreKept) {
  constexpr unsigned count = 100;
  for (uint64_t m = 1; m <= count; ++m)
    EXPECT_EQ(launch(0xa000, 0xb000, m), "");
  EXPECT_EQ(fake.maps.size(), 2 * count);
  for (uint64_t m = count - 7; m <= count; ++m) {
    EXPECT_EQ(launch(0xa000, 0xb000, m), "");
    EXPECT_EQ(fake.lastArguments[4], 2 * m - 1);
  }
  EXPECT_EQ(fake.maps.size(), 2 * count);
  EXPECT_EQ(launch(0xa000, 0xb000, 1), "");
  EXPECT_EQ(fake.maps.size(), 2 * count + 2);
}

TEST_F(CudaTensorMapsTest, LaunchesThatCannotHaveThemAreRefused) {
  EXPECT_EQ(launch(0xa000, 0xb008),
            "kernel 'k' reaches argument 1 through a tensor map, which takes "
            "an address and strides that are multiples of 16 bytes, strides "
            "below 2^40, and extents from 1 to 2^31 - 2^20 - 1; compile it "
            "without "
            "tensor maps");
  EXPECT_TRUE(fake.maps.empty());
  EXPECT_TRUE(fake.calls.empty());
}

TEST_F(CudaTensorMapsTest, FailuresNameTheArgument) {
  fake.results["tensorMapEncodeTiled"] = cuda::errorInvalidValue;
  EXPECT_EQ(launch(0xa000, 0xb000), "tensor map of argument 0 of kernel 'k': "
                                    "CUDA_ERROR_OTHER: other");
  // What failed is not kept.
  fake.results.clear();
  EXPECT_EQ(launch(0xa000, 0xb000), "");
  EXPECT_EQ(fake.maps.size(), 3u);
  fake.results["tensorMapReplaceAddress"] = cuda::errorInvalidValue;
  EXPECT_EQ(launch(0xa000, 0xb100), "tensor map of argument 1 of kernel 'k': "
                                    "CUDA_ERROR_OTHER: other");
}

TEST_F(CudaTensorMapsTest, OtherKernelsNeedNoDriverThatMakesThem) {
  fake.driver.tensorMapReplaceAddress = nullptr;
  EXPECT_EQ(llvm::toString(device->load(image).takeError()),
            "kernel 'k' takes tensor maps, which the driver (CUDA 13.0) does "
            "not make; a driver for CUDA 12.0 or newer is needed");
  image.tensorMaps.clear();
  fake.argumentCount = 4;
  EXPECT_EQ(launch(0xa000, 0xb008), "");
  EXPECT_EQ(fake.calls, std::vector<std::string>{"launch"});
}

TEST_F(CudaTensorMapsTest, TimedLaunchesHaveThem) {
  spec::ArgumentBlock arguments = makeArguments({0xa000, 0xb000, 64, 64});
  kernel = llvm::cantFail(device->load(image));
  llvm::cantFail(device->time({*kernel, {1, 1, 1}, arguments}, {}));
  EXPECT_EQ(fake.maps.size(), 2u);
  EXPECT_EQ(fake.lastArguments[5], 2u);
}

} // namespace
