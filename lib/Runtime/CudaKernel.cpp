//===- CudaKernel.cpp - A kernel loaded by the CUDA driver ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaKernel.h"
#include "CudaCaptureScope.h"
#include "CudaContextScope.h"
#include "tilewright/Runtime/LaunchChoices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/VersionTuple.h"

using namespace tilewright;
using namespace tilewright::runtime;
using cuda::Driver;

/// A stream that is captured has no such launches before CUDA 12.3.
static bool hasEarlyLaunches(const DeviceInfo &device) {
  llvm::VersionTuple version;
  return !version.tryParse(device.driverVersion) &&
         version >= llvm::VersionTuple(12, 3);
}

CudaKernel::CudaKernel(const Driver &driver, cuda::Context context,
                       CudaWait &waits, const KernelImage &image)
    : LoadedKernel(image), driver(driver), context(context), waits(waits),
      tensorMaps(driver) {
  resources.dynamicSharedBytes = image.dynamicSharedBytes;
}

CudaKernel::~CudaKernel() {
  if (!module)
    return;
  CudaContextScope scope(driver, context);
  CudaCaptureScope capture(driver);
  if (!waits.hasAbandonedWork())
    driver.moduleUnload(module);
}

llvm::Expected<std::unique_ptr<CudaKernel>>
CudaKernel::create(const Driver &driver, cuda::Context context, CudaWait &waits,
                   const DeviceInfo &device, const KernelImage &image) {
  std::unique_ptr<CudaKernel> kernel(
      new CudaKernel(driver, context, waits, image));
  if (llvm::Error error = kernel->verifyDriver(device))
    return error;
  if (llvm::Error error = kernel->load(image, device))
    return error;
  if (llvm::Error error = kernel->readResources())
    return error;
  if (llvm::Error error = kernel->verifyThreads())
    return error;
  if (llvm::Error error = kernel->allowSharedMemory(device))
    return error;
  if (llvm::Error error = kernel->readOccupancy(device))
    return error;
  kernel->readClusters();
  kernel->beginsEarly = image.beginsEarly && hasEarlyLaunches(device);
  return kernel;
}

llvm::Error CudaKernel::verifyDriver(const DeviceInfo &device) const {
  if (LoadedKernel::getTensorMaps().empty() ||
      (driver.tensorMapEncodeTiled && driver.tensorMapReplaceAddress))
    return llvm::Error::success();
  return llvm::createStringError(
      "kernel '" + getName() + "' takes tensor maps, which the driver (CUDA " +
      device.driverVersion +
      ") does not make; a driver for CUDA 12.0 or newer is needed");
}

llvm::Error CudaKernel::load(const KernelImage &image,
                             const DeviceInfo &device) {
  std::vector<char> log(16384, '\0');
  cuda::JitOption options[] = {cuda::jitErrorLogBuffer,
                               cuda::jitErrorLogBufferSizeBytes};
  // The size is passed in the place of a pointer.
  void *values[] = {log.data(), llvm::bit_cast<void *>(log.size() - 1)};
  cuda::Module loaded = nullptr;
  cuda::Result result =
      driver.moduleLoadDataEx(&loaded, image.code.c_str(), 2, options, values);
  if (result != cuda::success) {
    std::string what = "the driver (CUDA " + device.driverVersion +
                       ") rejects kernel '" + image.entry + "' for " +
                       device.architecture;
    if (result == cuda::errorUnsupportedPtxVersion)
      what += ": the code is PTX newer than the driver; compile for an older "
              "PTX version or update the driver";
    else if (result == cuda::errorNoBinaryForGpu)
      what += ": the code was compiled for another GPU";
    std::string text = llvm::toString(driver.check(result, what));
    llvm::StringRef jitLog = llvm::StringRef(log.data()).trim();
    if (!jitLog.empty())
      text += "\n" + jitLog.str();
    return llvm::createStringError(text);
  }

  module = loaded;
  result = driver.moduleGetFunction(&function, module, image.entry.c_str());
  if (result == cuda::errorNotFound)
    return llvm::createStringError("the code has no kernel named '" +
                                   image.entry + "'");
  return driver.check(result, "kernel '" + image.entry + "'");
}

llvm::Error CudaKernel::readResources() {
  auto read = [&](cuda::FunctionAttribute attribute,
                  unsigned &value) -> llvm::Error {
    int number = 0;
    if (llvm::Error error =
            driver.check(driver.funcGetAttribute(&number, attribute, function),
                         "resources of kernel '" + getName() + "'"))
      return error;
    value = number;
    return llvm::Error::success();
  };
  unsigned registers = 0;
  unsigned localBytes = 0;
  unsigned maxThreads = 0;
  if (llvm::Error error = read(cuda::functionNumRegs, registers))
    return error;
  if (llvm::Error error = read(cuda::functionLocalSizeBytes, localBytes))
    return error;
  if (llvm::Error error = read(cuda::functionMaxThreadsPerBlock, maxThreads))
    return error;
  if (llvm::Error error =
          read(cuda::functionSharedSizeBytes, resources.staticSharedBytes))
    return error;
  resources.registers = registers;
  resources.localBytes = localBytes;
  resources.maxThreadsPerBlock = maxThreads;
  return llvm::Error::success();
}

llvm::Error CudaKernel::allowSharedMemory(const DeviceInfo &device) {
  // Without asking, a block gets 48 KiB.
  constexpr uint64_t defaultLimit = 49152;
  uint64_t bytes =
      uint64_t(resources.staticSharedBytes) + resources.dynamicSharedBytes;
  if (bytes > device.maxSharedBytesPerBlock)
    return llvm::createStringError(
        llvm::formatv("kernel '{0}' needs {1} bytes of shared memory a block; "
                      "'{2}' ({3}) has {4}",
                      getName(), bytes, device.name, device.architecture,
                      device.maxSharedBytesPerBlock)
            .str());
  if (bytes <= defaultLimit)
    return llvm::Error::success();
  return driver.check(
      driver.funcSetAttribute(function, cuda::functionMaxDynamicSharedSizeBytes,
                              static_cast<int>(resources.dynamicSharedBytes)),
      "kernel '" + getName() + "' does not get its " +
          llvm::Twine(resources.dynamicSharedBytes) +
          " bytes of dynamic shared memory");
}

llvm::Error CudaKernel::verifyThreads() const {
  unsigned threads = getThreadsPerBlock();
  unsigned most = resources.maxThreadsPerBlock.value_or(0);
  if (threads >= 1 && threads <= most)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("kernel '{0}' is to run with {1} threads a block; with its "
                    "{2} registers a thread it can have 1 to {3}",
                    getName(), threads, resources.registers.value_or(0), most)
          .str());
}

llvm::Error CudaKernel::readOccupancy(const DeviceInfo &device) {
  int blocks = 0;
  if (llvm::Error error =
          driver.check(driver.occupancyMaxActiveBlocks(
                           &blocks, function, getThreadsPerBlock(),
                           resources.dynamicSharedBytes),
                       "occupancy of kernel '" + getName() + "'"))
    return error;
  resources.blocksPerMultiprocessor = blocks;
  blocksAtOnce = int64_t(blocks) * device.multiprocessors;
  return llvm::Error::success();
}

cuda::LaunchAttribute CudaKernel::makeClusterAttribute() const {
  cuda::LaunchAttribute attribute = {};
  attribute.id = cuda::launchClusterDimension;
  attribute.clusterDim[0] = getClusterBlocks();
  attribute.clusterDim[1] = attribute.clusterDim[2] = 1;
  return attribute;
}

cuda::LaunchAttribute CudaKernel::makeEarlyAttribute() {
  cuda::LaunchAttribute attribute = {};
  attribute.id = cuda::launchProgrammaticStreamSerialization;
  attribute.isProgrammaticStreamSerializationAllowed = 1;
  return attribute;
}

void CudaKernel::readClusters() {
  if (getClusterBlocks() == 1)
    return;
  resources.canRunClusters = getClusterBlocks() <= portableClusterBlocks;
  if (!driver.occupancyMaxActiveClusters ||
      (getClusterBlocks() > portableClusterBlocks &&
       driver.funcSetAttribute(function,
                               cuda::functionNonPortableClusterSizeAllowed,
                               1) != cuda::success))
    return;
  cuda::LaunchAttribute attribute = makeClusterAttribute();
  cuda::LaunchConfig config = {};
  config.gridDim[0] = getClusterBlocks();
  config.gridDim[1] = config.gridDim[2] = 1;
  config.blockDim[0] = getThreadsPerBlock();
  config.blockDim[1] = config.blockDim[2] = 1;
  config.dynamicSharedBytes = resources.dynamicSharedBytes;
  config.attributes = &attribute;
  config.attributeCount = 1;
  int clusters = 0;
  cuda::Result result =
      driver.occupancyMaxActiveClusters(&clusters, function, &config);
  resources.canRunClusters = result == cuda::success && clusters > 0;
  resources.clustersAtOnce = clusters;
  blocksAtOnce = clusters;
}

cuda::Result CudaKernel::launch(const Launch &launch,
                                const CudaTensorMaps::Maps *maps) const {
  // The driver reads each argument at its address, as wide as the kernel's
  // parameter, and writes to none.
  llvm::SmallVector<void *> addresses;
  for (unsigned index = 0; index < launch.arguments.size(); ++index)
    addresses.push_back(const_cast<void *>(launch.arguments.getData(index)));
  if (LLVM_UNLIKELY(maps != nullptr))
    for (const cuda::TensorMap &map : *maps)
      addresses.push_back(const_cast<cuda::TensorMap *>(&map));
  std::array<uint32_t, 3> programs = getProgramCounts(launch.grid);
  if (LLVM_UNLIKELY(takesProgramCounts()))
    for (uint32_t &count : programs)
      addresses.push_back(&count);

  cuda::LaunchConfig config = {};
  llvm::copy(isPersistent() ? getBlocks(getBlocks(launch.grid, blocksAtOnce),
                                        {1, 1, 1}, getClusterBlocks())
                            : getBlocks(launch.grid, getBlockPrograms(),
                                        getClusterBlocks()),
             config.gridDim);
  config.blockDim[0] = getThreadsPerBlock();
  config.blockDim[1] = config.blockDim[2] = 1;
  config.dynamicSharedBytes = resources.dynamicSharedBytes;
  config.stream = llvm::bit_cast<cuda::Stream>(launch.stream);
  std::array<cuda::LaunchAttribute, 2> attributes;
  config.attributes = attributes.data();
  if (LLVM_UNLIKELY(getClusterBlocks() > 1))
    attributes[config.attributeCount++] = makeClusterAttribute();
  if (LLVM_UNLIKELY(beginsEarly))
    attributes[config.attributeCount++] = makeEarlyAttribute();
  return driver.launchKernelEx(&config, function, addresses.data(),
                               /*extra=*/nullptr);
}
