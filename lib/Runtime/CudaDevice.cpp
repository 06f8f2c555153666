//===- CudaDevice.cpp - A GPU through the CUDA Driver API -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/CudaDevice.h"
#include "CudaCaptureScope.h"
#include "CudaContextScope.h"
#include "CudaKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>

using namespace tilewright;
using namespace tilewright::runtime;
using cuda::Driver;

namespace {

/// Events, destroyed with the object.
class EventList {
public:
  explicit EventList(const Driver &driver) : driver(driver) {}
  ~EventList() {
    for (cuda::Event event : events)
      driver.eventDestroy(event);
  }
  llvm::Error create(unsigned count);
  cuda::Event operator[](unsigned index) const { return events[index]; }
  /// The time from each event to the next one, of one pair after the other.
  llvm::Expected<std::vector<double>> getMicroseconds() const;

private:
  const Driver &driver;
  std::vector<cuda::Event> events;
};

class CudaDevice : public Device {
public:
  explicit CudaDevice(const Driver &driver) : driver(driver), waits(driver) {}
  ~CudaDevice() override {
    if (context && !hasAbandonedWork())
      driver.primaryCtxRelease(handle);
  }

  llvm::Error open(unsigned ordinal);

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes,
                                         uint64_t offset) override;
  llvm::Error free(DeviceAddress address) override;
  llvm::Error copyToDevice(DeviceAddress target, const void *source,
                           uint64_t bytes) override;
  llvm::Error copyToHost(void *target, DeviceAddress source,
                         uint64_t bytes) override;
  llvm::Error fill(DeviceAddress target, uint8_t value,
                   uint64_t bytes) override;
  llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const KernelImage &image) override;
  std::future<void> expectPtx() override;
  bool takesMachineCode() const override { return true; }
  llvm::Error launch(const Launch &launch) override;
  using Device::synchronize;
  llvm::Error synchronize(Interrupt *interrupt) override;
  bool canTime() const override { return true; }
  llvm::Expected<std::vector<double>> time(const Launch &launch,
                                           const TimingPlan &plan) override;

private:
  /// Whether the device's context could be made the calling thread's.
  llvm::Error check(const CudaContextScope &scope) const {
    if (LLVM_LIKELY(scope.getResult() == cuda::success))
      return llvm::Error::success();
    return driver.check(scope.getResult(),
                        "the GPU '" + info.name + "' cannot be used");
  }
  llvm::Expected<int> getAttribute(cuda::DeviceAttribute attribute) const;
  llvm::Error readInfo();

  bool hasAbandonedWork() {
    CudaContextScope scope(driver, context);
    return waits.hasAbandonedWork();
  }

  const Driver &driver;
  CudaWait waits;
  cuda::DeviceHandle handle = 0;
  cuda::Context context = nullptr;
  std::atomic_flag hasTranslator = ATOMIC_FLAG_INIT;
  void remember(const Launch &launch);
  std::string describeLast() const;
  cuda::Stream getLastStream() const;

  /// Guards what messages say of the last launch.
  mutable std::mutex mutex;
  std::string lastName;
  GridSize lastGrid = {};
  unsigned lastThreads = 0;
  cuda::Stream lastStream = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

llvm::Expected<int>
CudaDevice::getAttribute(cuda::DeviceAttribute attribute) const {
  int value = 0;
  if (llvm::Error error =
          driver.check(driver.deviceGetAttribute(&value, attribute, handle),
                       "a property of the GPU cannot be read"))
    return error;
  return value;
}

static std::string formatArchitecture(int major, int minor) {
  return llvm::formatv("sm_{0}{1}", major, minor);
}

llvm::Error CudaDevice::readInfo() {
  char name[256] = {};
  size_t memory = 0;
  int version = 0;
  if (llvm::Error error = driver.check(
          driver.deviceGetName(name, sizeof(name), handle), "name of the GPU"))
    return error;
  if (llvm::Error error = driver.check(driver.deviceTotalMem(&memory, handle),
                                       "memory of the GPU"))
    return error;
  if (llvm::Error error = driver.check(driver.driverGetVersion(&version),
                                       "version of the driver"))
    return error;

  llvm::SmallVector<int, 5> values;
  for (cuda::DeviceAttribute attribute :
       {cuda::deviceComputeCapabilityMajor, cuda::deviceComputeCapabilityMinor,
        cuda::deviceMultiprocessorCount, cuda::deviceL2CacheSize,
        cuda::deviceMaxSharedMemoryPerBlockOptin}) {
    llvm::Expected<int> value = getAttribute(attribute);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  info.name = name;
  info.memoryBytes = memory;
  info.driverVersion =
      llvm::formatv("{0}.{1}", version / 1000, version % 1000 / 10);
  info.architecture = formatArchitecture(values[0], values[1]);
  info.multiprocessors = values[2];
  info.l2Bytes = values[3];
  info.maxSharedBytesPerBlock = values[4];
  return llvm::Error::success();
}

/// The handle of a GPU of that number.
static llvm::Expected<cuda::DeviceHandle> findHandle(const Driver &driver,
                                                     unsigned ordinal) {
  int count = 0;
  if (llvm::Error error =
          driver.check(driver.deviceGetCount(&count), "counting GPUs"))
    return error;
  if (count == 0)
    return llvm::createStringError(
        "the NVIDIA driver finds no GPU; run the kernel in the simulator");
  if (ordinal >= static_cast<unsigned>(count))
    return llvm::createStringError(
        llvm::formatv("there is no GPU {0}: the driver has {1}, numbered from "
                      "0",
                      ordinal, count)
            .str());
  cuda::DeviceHandle handle = 0;
  if (llvm::Error error = driver.check(
          driver.deviceGet(&handle, static_cast<int>(ordinal)), "opening GPU"))
    return error;
  return handle;
}

llvm::Error CudaDevice::open(unsigned ordinal) {
  llvm::Expected<cuda::DeviceHandle> found = findHandle(driver, ordinal);
  if (!found)
    return found.takeError();
  handle = *found;
  if (llvm::Error error = readInfo())
    return error;
  CudaCaptureScope capture(driver);
  cuda::Context retained = nullptr;
  if (llvm::Error error =
          driver.check(driver.primaryCtxRetain(&retained, handle),
                       "no context on the GPU '" + info.name + "'"))
    return error;
  context = retained;
  return check(CudaContextScope(driver, context));
}

llvm::Expected<std::string> runtime::getCudaArchitecture(unsigned ordinal) {
  llvm::Expected<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.takeError();
  llvm::Expected<cuda::DeviceHandle> handle = findHandle(**driver, ordinal);
  if (!handle)
    return handle.takeError();
  llvm::SmallVector<int, 2> version;
  for (cuda::DeviceAttribute attribute :
       {cuda::deviceComputeCapabilityMajor, cuda::deviceComputeCapabilityMinor})
    if (llvm::Error error =
            (*driver)->check((*driver)->deviceGetAttribute(
                                 &version.emplace_back(), attribute, *handle),
                             "a property of the GPU cannot be read"))
      return error;
  return formatArchitecture(version[0], version[1]);
}

llvm::Expected<unsigned> runtime::findCudaDevice(DeviceAddress address) {
  llvm::Expected<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.takeError();
  int ordinal = 0;
  cuda::Result result = (*driver)->pointerGetAttribute(
      &ordinal, cuda::pointerDeviceOrdinal, address);
  if (LLVM_LIKELY(result == cuda::success && ordinal >= 0))
    return ordinal;
  return (*driver)->check(
      result != cuda::success ? result : cuda::errorInvalidValue,
      "no GPU has memory at " + llvm::formatv("{0:x}", address).str());
}

llvm::Expected<std::unique_ptr<Device>>
runtime::createCudaDevice(unsigned ordinal) {
  llvm::Expected<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.takeError();
  return createCudaDevice(**driver, ordinal);
}

llvm::Expected<std::unique_ptr<Device>>
runtime::createCudaDevice(const Driver &driver, unsigned ordinal) {
  auto device = std::make_unique<CudaDevice>(driver);
  if (llvm::Error error = device->open(ordinal))
    return error;
  return device;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<DeviceAddress> CudaDevice::allocate(uint64_t bytes,
                                                   uint64_t offset) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  cuda::DevicePointer address = 0;
  // The driver refuses to allocate nothing.
  cuda::Result result =
      driver.memAlloc(&address, std::max<uint64_t>(offset + bytes, 1));
  if (result == cuda::errorOutOfMemory) {
    size_t free = 0;
    size_t total = 0;
    driver.memGetInfo(&free, &total);
    return llvm::createStringError(
        llvm::formatv("out of memory on '{0}': {1} bytes asked for, {2} of {3} "
                      "bytes free",
                      info.name, bytes, free, total)
            .str());
  }
  if (llvm::Error error = driver.check(
          result, "allocating " + llvm::Twine(bytes) + " bytes on the GPU"))
    return error;
  return address + offset;
}

llvm::Error CudaDevice::free(DeviceAddress address) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  // It would wait for the kernel that nobody wants to wait for.
  if (waits.hasAbandonedWork())
    return llvm::Error::success();
  // The driver knows it by where it begins, without the offset.
  return driver.check(driver.memFree(address - address % allocationAlignment),
                      "freeing memory of the GPU");
}

llvm::Error CudaDevice::copyToDevice(DeviceAddress target, const void *source,
                                     uint64_t bytes) {
  if (bytes == 0)
    return llvm::Error::success();
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  return driver.check(driver.memcpyHtoD(target, source, bytes),
                      "copying " + llvm::Twine(bytes) + " bytes to the GPU");
}

llvm::Error CudaDevice::copyToHost(void *target, DeviceAddress source,
                                   uint64_t bytes) {
  if (bytes == 0)
    return llvm::Error::success();
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  return driver.check(driver.memcpyDtoH(target, source, bytes),
                      "copying " + llvm::Twine(bytes) + " bytes from the GPU");
}

llvm::Error CudaDevice::fill(DeviceAddress target, uint8_t value,
                             uint64_t bytes) {
  if (bytes == 0)
    return llvm::Error::success();
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  return driver.check(driver.memsetD8(target, value, bytes),
                      "filling " + llvm::Twine(bytes) + " bytes of the GPU");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<LoadedKernel>>
CudaDevice::load(const KernelImage &image) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  CudaCaptureScope capture(driver);
  llvm::Expected<std::unique_ptr<CudaKernel>> kernel =
      CudaKernel::create(driver, context, waits, info, image);
  if (!kernel)
    return kernel.takeError();
  return std::move(*kernel);
}

// The driver opens its PTX compiler, a library of 40 MB, when a process first
// needs it, which takes longer than our own compiler does.
std::future<void> CudaDevice::expectPtx() {
  if (hasTranslator.test_and_set())
    return {};
  return std::async(std::launch::async, [this] {
    CudaContextScope scope(driver, context);
    CudaCaptureScope capture(driver);
    cuda::Module module = nullptr;
    constexpr const char *empty = ".version 7.0\n.target sm_80\n"
                                  ".address_size 64\n";
    if (driver.moduleLoadDataEx(&module, empty, 0, nullptr, nullptr) ==
        cuda::success)
      driver.moduleUnload(module);
  });
}

void CudaDevice::remember(const Launch &launch) {
  std::lock_guard<std::mutex> lock(mutex);
  if (llvm::StringRef name = launch.kernel.getName(); name != lastName)
    lastName = name;
  lastGrid = launch.grid;
  lastThreads = launch.kernel.getThreadsPerBlock();
  lastStream = llvm::bit_cast<cuda::Stream>(launch.stream);
}

/// "launch of 'transpose', grid 64 x 1 x 1, 256 threads a block"; empty where
/// there was none.
static std::string describe(llvm::StringRef kernel, const GridSize &grid,
                            unsigned threads) {
  if (kernel.empty())
    return "";
  return llvm::formatv("launch of '{0}', grid {1}, {2} threads a block", kernel,
                       toString(grid), threads)
      .str();
}

static std::string describe(const Launch &launch) {
  return describe(launch.kernel.getName(), launch.grid,
                  launch.kernel.getThreadsPerBlock());
}

std::string CudaDevice::describeLast() const {
  std::lock_guard<std::mutex> lock(mutex);
  return describe(lastName, lastGrid, lastThreads);
}

llvm::Error CudaDevice::launch(const Launch &launch) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  if (llvm::Error error = verifyGrid(launch.kernel, launch.grid))
    return error;
  const auto &kernel = static_cast<const CudaKernel &>(launch.kernel);
  auto maps = kernel.getTensorMaps(launch.arguments);
  if (!maps)
    return maps.takeError();
  remember(launch);
  cuda::Result result = kernel.launch(launch, maps->get());
  // Only a failure is worth a text: launches are to be quick.
  if (LLVM_LIKELY(result == cuda::success))
    return llvm::Error::success();
  return driver.check(result, describe(launch));
}

cuda::Stream CudaDevice::getLastStream() const {
  std::lock_guard<std::mutex> lock(mutex);
  return lastStream;
}

llvm::Error CudaDevice::synchronize(Interrupt *interrupt) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  if (interrupt && !waits.wait(getLastStream(), *interrupt))
    return llvm::make_error<InterruptedError>(
        "interrupted after the " + describeLast() +
        ": the GPU goes on with it until this process ends");
  cuda::Result result = driver.ctxSynchronize();
  if (result == cuda::success)
    return llvm::Error::success();
  std::string last = describeLast();
  return driver.check(result, last.empty() ? "waiting for the GPU"
                                           : "after the " + last);
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

llvm::Error EventList::create(unsigned count) {
  while (events.size() < count) {
    cuda::Event event = nullptr;
    if (llvm::Error error =
            driver.check(driver.eventCreate(&event, 0), "creating an event"))
      return error;
    events.push_back(event);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<double>> EventList::getMicroseconds() const {
  std::vector<double> microseconds;
  for (size_t first = 0; first < events.size(); first += 2) {
    float milliseconds = 0;
    if (llvm::Error error =
            driver.check(driver.eventElapsedTime(&milliseconds, events[first],
                                                 events[first + 1]),
                         "reading a timer"))
      return error;
    microseconds.push_back(milliseconds * 1e3);
  }
  return microseconds;
}

llvm::Expected<std::vector<double>> CudaDevice::time(const Launch &launch,
                                                     const TimingPlan &plan) {
  CudaContextScope scope(driver, context);
  if (llvm::Error error = check(scope))
    return error;
  if (llvm::Error error = verifyGrid(launch.kernel, launch.grid))
    return error;
  // Twice the cache, so that nothing of the last run survives any policy of
  // replacement.
  uint64_t flushBytes = plan.flushesCache ? 2 * info.l2Bytes : 0;
  llvm::Expected<DeviceBuffer> scratch =
      DeviceBuffer::allocate(*this, flushBytes);
  if (!scratch)
    return scratch.takeError();
  EventList events(driver);
  if (llvm::Error error = events.create(2 * plan.repeats))
    return error;

  const auto &kernel = static_cast<const CudaKernel &>(launch.kernel);
  auto maps = kernel.getTensorMaps(launch.arguments);
  if (!maps)
    return maps.takeError();
  remember(launch);
  auto stream = llvm::bit_cast<cuda::Stream>(launch.stream);
  auto runOnce = [&](cuda::Event before, cuda::Event after) {
    cuda::Result result = cuda::success;
    if (flushBytes)
      result =
          driver.memsetD8Async(scratch->getAddress(), 0, flushBytes, stream);
    if (result == cuda::success && before)
      result = driver.eventRecord(before, stream);
    if (result == cuda::success)
      result = kernel.launch(launch, maps->get());
    if (result == cuda::success && after)
      result = driver.eventRecord(after, stream);
    return driver.check(result, describe(launch));
  };
  for (unsigned run = 0; run < plan.warmups; ++run)
    if (llvm::Error error = runOnce(nullptr, nullptr))
      return error;
  for (unsigned run = 0; run < plan.repeats; ++run)
    if (llvm::Error error = runOnce(events[2 * run], events[2 * run + 1]))
      return error;
  if (llvm::Error error = synchronize(launch.interrupt))
    return error;
  return events.getMicroseconds();
}
