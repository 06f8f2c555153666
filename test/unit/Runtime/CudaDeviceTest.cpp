//===- CudaDeviceTest.cpp - What the device asks of the driver ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/CudaDevice.h"
#include "FakeCuda.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

class CudaDeviceTest : public testing::Test {
protected:
  /// The device, opened on first use.
  Device &getDevice() {
    if (!device)
      device = llvm::cantFail(createCudaDevice(fake.driver, 0));
    return *device;
  }

  std::string getOpenError(unsigned ordinal) {
    llvm::Expected<std::unique_ptr<Device>> opened =
        createCudaDevice(fake.driver, ordinal);
    return opened ? "no error" : llvm::toString(opened.takeError());
  }

  std::string getLoadError() {
    llvm::Expected<std::unique_ptr<LoadedKernel>> kernel =
        getDevice().load(image);
    return kernel ? "no error" : llvm::toString(kernel.takeError());
  }

  CudaDeviceTest() {
    image.code = ".version 8.0";
    image.entry = "k";
    image.threadsPerBlock = 128;
  }

  FakeCuda fake;
  std::unique_ptr<Device> device;
  KernelImage image;
};

TEST_F(CudaDeviceTest, ReadsTheProperties) {
  const DeviceInfo &info = getDevice().getInfo();
  EXPECT_EQ(info.name, "NVIDIA Fake");
  EXPECT_EQ(info.architecture, "sm_90");
  EXPECT_EQ(info.multiprocessors, 132u);
  EXPECT_EQ(info.memoryBytes, uint64_t(1) << 37);
  EXPECT_EQ(info.l2Bytes, 1u << 20);
  EXPECT_EQ(info.maxSharedBytesPerBlock, 232448u);
  EXPECT_EQ(info.driverVersion, "13.0");
  EXPECT_EQ(fake.contexts, 1);
  device.reset();
  EXPECT_EQ(fake.contexts, 0);
}

TEST_F(CudaDeviceTest, ReportsMissingGPUs) {
  EXPECT_EQ(getOpenError(2),
            "there is no GPU 2: the driver has 2, numbered from 0");
  fake.deviceCount = 0;
  EXPECT_EQ(getOpenError(0),
            "the NVIDIA driver finds no GPU; run the kernel in the simulator");
  fake.deviceCount = 1;
  fake.results["primaryCtxRetain"] = 46;
  EXPECT_EQ(getOpenError(0), "no context on the GPU 'NVIDIA Fake': "
                             "CUDA_ERROR_OTHER: other");
  EXPECT_EQ(fake.contexts, 0);
}

TEST_F(CudaDeviceTest, ReportsMissingMemory) {
  fake.results["memAlloc"] = cuda::errorOutOfMemory;
  llvm::Expected<DeviceAddress> address =
      getDevice().allocate(123456, /*offset=*/0);
  ASSERT_FALSE(address);
  EXPECT_EQ(llvm::toString(address.takeError()),
            "out of memory on 'NVIDIA Fake': 123456 bytes asked for, 1000 of "
            "5000 bytes free");
}

TEST_F(CudaDeviceTest, CopiesOfNothingDoNotReachTheDriver) {
  Device &opened = getDevice();
  llvm::cantFail(opened.copyToDevice(0, nullptr, 0));
  llvm::cantFail(opened.copyToHost(nullptr, 0, 0));
  llvm::cantFail(opened.fill(0, 0, 0));
  EXPECT_TRUE(fake.calls.empty());
  char byte = 0;
  llvm::cantFail(opened.copyToDevice(0x1000, &byte, 1));
  llvm::cantFail(opened.fill(0x1000, 0, 1));
  llvm::cantFail(opened.copyToHost(&byte, 0x1000, 1));
  EXPECT_EQ(fake.calls,
            (std::vector<std::string>{"copy in", "fill", "copy out"}));
}

TEST_F(CudaDeviceTest, LoadsAndReadsResources) {
  image.dynamicSharedBytes = 1000;
  {
    std::unique_ptr<LoadedKernel> kernel =
        llvm::cantFail(getDevice().load(image));
    const KernelResources &resources = kernel->getResources();
    EXPECT_EQ(resources.registers, 40u);
    EXPECT_EQ(resources.localBytes, 16u);
    EXPECT_EQ(resources.staticSharedBytes, 1024u);
    EXPECT_EQ(resources.dynamicSharedBytes, 1000u);
    EXPECT_EQ(resources.maxThreadsPerBlock, 1024u);
    EXPECT_EQ(resources.blocksPerMultiprocessor, 8u);
    EXPECT_EQ(fake.modules, 1);
    EXPECT_TRUE(fake.calls.empty());
  }
  EXPECT_EQ(fake.modules, 0);
}

TEST_F(CudaDeviceTest, ReportsRejectedCode) {
  fake.jitLog = "ptxas fatal: unknown opcode\n";
  fake.results["moduleLoadDataEx"] = 218;
  EXPECT_EQ(getLoadError(), "the driver (CUDA 13.0) rejects kernel 'k' for "
                            "sm_90: CUDA_ERROR_OTHER: other\n"
                            "ptxas fatal: unknown opcode");
  fake.jitLog.clear();
  fake.results["moduleLoadDataEx"] = cuda::errorUnsupportedPtxVersion;
  EXPECT_EQ(getLoadError(),
            "the driver (CUDA 13.0) rejects kernel 'k' for sm_90: the code is "
            "PTX newer than the driver; compile for an older PTX version or "
            "update the driver: CUDA_ERROR_OTHER: other");
  fake.results["moduleLoadDataEx"] = cuda::success;
  fake.results["moduleGetFunction"] = cuda::errorNotFound;
  EXPECT_EQ(getLoadError(), "the code has no kernel named 'k'");
  EXPECT_EQ(fake.modules, 0);
}

TEST_F(CudaDeviceTest, ReportsTooManyThreads) {
  fake.functionAttributes[cuda::functionMaxThreadsPerBlock] = 256;
  image.threadsPerBlock = 512;
  EXPECT_EQ(getLoadError(), "kernel 'k' is to run with 512 threads a block; "
                            "with its 40 registers a thread it can have 1 to "
                            "256");
  image.threadsPerBlock = 0;
  EXPECT_EQ(getLoadError(), "kernel 'k' is to run with 0 threads a block; with "
                            "its 40 registers a thread it can have 1 to 256");
}

TEST_F(CudaDeviceTest, AsksForSharedMemoryAbove48KiB) {
  image.dynamicSharedBytes = 48 * 1024 - 1024;
  EXPECT_EQ(getLoadError(), "no error");
  EXPECT_TRUE(fake.calls.empty());
  image.dynamicSharedBytes += 1;
  EXPECT_EQ(getLoadError(), "no error");
  EXPECT_EQ(fake.calls, (std::vector<std::string>{"set 8 48129"}));
  fake.results["funcSetAttribute"] = 1;
  EXPECT_EQ(getLoadError(),
            "kernel 'k' does not get its 48129 bytes of dynamic shared memory: "
            "CUDA_ERROR_OTHER: other");
  image.dynamicSharedBytes = 232448 - 1023;
  EXPECT_EQ(getLoadError(), "kernel 'k' needs 232449 bytes of shared memory a "
                            "block; 'NVIDIA Fake' (sm_90) has 232448");
}

TEST_F(CudaDeviceTest, Launches) {
  image.dynamicSharedBytes = 512;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  spec::ArgumentBlock arguments({spec::pointer("A", spec::ElementType::F32),
                                 spec::scalar("n", spec::ElementType::I32)});
  arguments.set(0, 0xabc000);
  arguments.set(1, 77);
  fake.argumentCount = 2;
  llvm::cantFail(getDevice().launch({*kernel, {100, 20, 3}, arguments}));
  EXPECT_EQ(fake.lastArguments, (std::vector<uint64_t>{0xabc000, 77}));
  EXPECT_EQ(fake.lastConfig.gridDim[0], 100u);
  EXPECT_EQ(fake.lastConfig.gridDim[1], 20u);
  EXPECT_EQ(fake.lastConfig.gridDim[2], 3u);
  EXPECT_EQ(fake.lastConfig.blockDim[0], 128u);
  EXPECT_EQ(fake.lastConfig.blockDim[1], 1u);
  EXPECT_EQ(fake.lastConfig.blockDim[2], 1u);
  EXPECT_EQ(fake.lastConfig.dynamicSharedBytes, 512u);
  EXPECT_EQ(fake.lastConfig.attributeCount, 0u);
}

TEST_F(CudaDeviceTest, LaunchesOnAStream) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {1, 1, 1}, {}, 0xbeef}));
  EXPECT_EQ(llvm::bit_cast<uintptr_t>(fake.lastConfig.stream), 0xbeefu);
}

// Another library's choice of a GPU is its own.
TEST_F(CudaDeviceTest, GivesTheThreadItsContextBack) {
  auto others = llvm::bit_cast<cuda::Context>(uintptr_t(7));
  fake.currentContext = others;
  {
    std::unique_ptr<LoadedKernel> kernel =
        llvm::cantFail(getDevice().load(image));
    EXPECT_EQ(fake.currentContext, others);
    llvm::cantFail(getDevice().launch({*kernel, {1, 1, 1}, {}}));
    llvm::cantFail(getDevice().synchronize());
    EXPECT_EQ(fake.currentContext, others);
  }
  EXPECT_EQ(fake.modules, 0);
  EXPECT_EQ(fake.currentContext, others);
}

TEST_F(CudaDeviceTest, LoadsBesideACapturedStream) {
  {
    std::unique_ptr<LoadedKernel> kernel =
        llvm::cantFail(getDevice().load(image));
    EXPECT_EQ(fake.loadMode, cuda::captureModeRelaxed);
    EXPECT_EQ(fake.captureMode, cuda::captureModeGlobal);
  }
  EXPECT_EQ(fake.unloadMode, cuda::captureModeRelaxed);
  EXPECT_EQ(fake.captureMode, cuda::captureModeGlobal);
}

TEST_F(CudaDeviceTest, SaysWhatToDoInAForkAndUnderCapture) {
  getDevice();
  fake.results["ctxGetCurrent"] = cuda::errorNotInitialized;
  EXPECT_TRUE(llvm::StringRef(getLoadError()).contains("forked"));
  fake.results["ctxGetCurrent"] = cuda::success;
  fake.results["ctxSynchronize"] = cuda::errorStreamCaptureUnsupported;
  EXPECT_TRUE(llvm::StringRef(llvm::toString(getDevice().synchronize(nullptr)))
                  .contains("warmup"));
}

TEST_F(CudaDeviceTest, ReportsAContextThatCannotBeUsed) {
  Device &opened = getDevice();
  fake.results["ctxSetCurrent"] = 46;
  EXPECT_EQ(llvm::toString(opened.synchronize()),
            "the GPU 'NVIDIA Fake' cannot be used: CUDA_ERROR_OTHER: other");
}

TEST_F(CudaDeviceTest, LaunchesClusters) {
  image.clusterBlocks = 2;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {4, 1, 1}, {}}));
  ASSERT_EQ(fake.lastAttributes.size(), 1u);
  EXPECT_EQ(fake.lastAttributes[0].id, cuda::launchClusterDimension);
  EXPECT_EQ(fake.lastAttributes[0].clusterDim[0], 2u);
  EXPECT_EQ(fake.lastAttributes[0].clusterDim[1], 1u);
  EXPECT_EQ(fake.lastConfig.gridDim[0], 8u);
  EXPECT_TRUE(kernel->getResources().canRunClusters);
}

static bool isEarly(const cuda::LaunchAttribute &attribute) {
  return attribute.id == cuda::launchProgrammaticStreamSerialization &&
         attribute.isProgrammaticStreamSerializationAllowed == 1;
}

TEST_F(CudaDeviceTest, LaunchesKernelsBeforeOthersHaveEnded) {
  image.beginsEarly = true;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {4, 1, 1}, {}}));
  ASSERT_EQ(fake.lastAttributes.size(), 1u);
  EXPECT_TRUE(isEarly(fake.lastAttributes[0]));
}

TEST_F(CudaDeviceTest, LaunchesClustersBeforeOthersHaveEnded) {
  image.clusterBlocks = 4;
  image.beginsEarly = true;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {4, 1, 1}, {}}));
  ASSERT_EQ(fake.lastAttributes.size(), 2u);
  EXPECT_EQ(fake.lastAttributes[0].id, cuda::launchClusterDimension);
  EXPECT_EQ(fake.lastAttributes[0].clusterDim[0], 4u);
  EXPECT_TRUE(isEarly(fake.lastAttributes[1]));
  EXPECT_EQ(fake.lastConfig.gridDim[0], 16u);
}

TEST_F(CudaDeviceTest, LaunchesClustersWhereTheDriverIsOlder) {
  fake.version = 12020;
  image.clusterBlocks = 4;
  image.beginsEarly = true;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {4, 1, 1}, {}}));
  ASSERT_EQ(fake.lastAttributes.size(), 1u);
  EXPECT_EQ(fake.lastAttributes[0].id, cuda::launchClusterDimension);
}

TEST_F(CudaDeviceTest, WaitsForKernelsWhereTheDriverIsOlder) {
  fake.version = 12020;
  image.beginsEarly = true;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  llvm::cantFail(getDevice().launch({*kernel, {4, 1, 1}, {}}));
  EXPECT_EQ(fake.lastConfig.attributeCount, 0u);
}

TEST_F(CudaDeviceTest, AsksForClustersAndWhetherTheyFit) {
  image.clusterBlocks = 16;
  fake.clusters = 0;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  EXPECT_TRUE(llvm::is_contained(fake.calls, "set 14 1"));
  EXPECT_FALSE(kernel->getResources().canRunClusters);
}

TEST_F(CudaDeviceTest, LaunchesAsManyBlocksOfAPersistentKernelAsRunAtOnce) {
  image.isPersistent = true;
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  int64_t most = int64_t(*kernel->getResources().blocksPerMultiprocessor) *
                 getDevice().getInfo().multiprocessors;
  ASSERT_GT(most, 1);
  llvm::cantFail(getDevice().launch({*kernel, {most, 7, 1}, {}}));
  EXPECT_EQ(fake.lastConfig.gridDim[0], most);
  EXPECT_EQ(fake.lastConfig.gridDim[1], 1u);
  llvm::cantFail(getDevice().launch({*kernel, {1, 1, 1}, {}}));
  EXPECT_EQ(fake.lastConfig.gridDim[0], 1u);
}

TEST_F(CudaDeviceTest, FailuresNameTheKernel) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  Launch launch{*kernel, {64, 2, 1}, {}};
  fake.results["ctxSynchronize"] = 700;
  llvm::cantFail(getDevice().launch(launch));
  EXPECT_EQ(llvm::toString(getDevice().synchronize()),
            "after the launch of 'k', grid 64 x 2 x 1, 128 threads a block: "
            "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was "
            "encountered");
  fake.results["launchKernelEx"] = 701;
  EXPECT_EQ(llvm::toString(getDevice().launch(launch)),
            "launch of 'k', grid 64 x 2 x 1, 128 threads a block: "
            "CUDA_ERROR_OTHER: other");
  fake.calls.clear();
  llvm::Error error = getDevice().launch({*kernel, {1, 65536, 1}, {}});
  EXPECT_TRUE(llvm::StringRef(llvm::toString(std::move(error)))
                  .contains("put the largest axis on grid axis 0"));
  EXPECT_TRUE(fake.calls.empty());
}

TEST_F(CudaDeviceTest, TimesBetweenEventsAfterAFlush) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  Launch launch{*kernel, {1, 1, 1}, {}};
  TimingPlan plan;
  plan.warmups = 1;
  plan.repeats = 2;
  std::vector<double> samples = llvm::cantFail(getDevice().time(launch, plan));
  EXPECT_EQ(fake.calls, (std::vector<std::string>{
                            "flush 2097152", "launch", "flush 2097152",
                            "record 1", "launch", "record 2", "flush 2097152",
                            "record 3", "launch", "record 4"}));
  // The fake's milliseconds are the sums of the events' numbers.
  EXPECT_EQ(samples, (std::vector<double>{3000, 7000}));
  EXPECT_EQ(fake.events, 0);
  EXPECT_EQ(fake.allocations, 0);

  fake.calls.clear();
  plan = {0, 1, false};
  EXPECT_EQ(llvm::cantFail(getDevice().time(launch, plan)).size(), 1u);
  EXPECT_EQ(fake.calls,
            (std::vector<std::string>{"record 1", "launch", "record 2"}));
}

TEST_F(CudaDeviceTest, TimingPassesErrorsOn) {
  std::unique_ptr<LoadedKernel> kernel =
      llvm::cantFail(getDevice().load(image));
  fake.results["launchKernelEx"] = 701;
  llvm::Expected<std::vector<double>> samples =
      getDevice().time({*kernel, {1, 1, 1}, {}}, TimingPlan());
  ASSERT_FALSE(samples);
  EXPECT_EQ(llvm::toString(samples.takeError()),
            "launch of 'k', grid 1 x 1 x 1, 128 threads a block: "
            "CUDA_ERROR_OTHER: other");
  EXPECT_EQ(fake.events, 0);
  EXPECT_EQ(fake.allocations, 0);
}

} // namespace
