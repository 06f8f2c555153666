//===- Device.h - What runs kernels -----------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device has memory and runs kernel images: a GPU, the simulator, or a fake
// in a test. Everything above it (KernelRunner, the tools) sees this interface.
//
//   Expected<std::unique_ptr<Device>> device = createCudaDevice();
//   auto buffer = DeviceBuffer::allocate(**device, bytes);
//   (*device)->copyToDevice(buffer->getAddress(), data, bytes);
//   auto kernel = (*device)->load(image);
//   spec::ArgumentBlock arguments(description.arguments);
//   arguments.set(0, buffer->getAddress());
//   (*device)->launch({**kernel, {blocks, 1, 1}, arguments});
//   (*device)->synchronize();
//
// Sizes are in bytes and 64 bits wide. Errors say what failed, of which kernel,
// and what to do where there is something to do.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_RUNTIME_DEVICE_H
#define TILEWRIGHT_RUNTIME_DEVICE_H

#include "tilewright/Runtime/Interrupt.h"
#include "tilewright/Spec/Argument.h"
#include "tilewright/Spec/TensorMap.h"
#include "llvm/Support/Error.h"
#include <array>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// An address in a device's global memory.
using DeviceAddress = uint64_t;

/// Numbers of blocks along x, y and z.
using GridSize = std::array<int64_t, 3>;

/// A compiled kernel.
struct KernelImage {
  /// PTX text, or the bytes of a cubin.
  std::string code;
  /// The name of the kernel in the code.
  std::string entry;
  /// Threads of a block, along x.
  unsigned threadsPerBlock = 0;
  /// Shared memory of a block that the code declares, and that the launch adds.
  unsigned staticSharedBytes = 0;
  unsigned dynamicSharedBytes = 0;
  /// Parameters of the code behind its arguments, which the device makes for
  /// each launch.
  std::vector<spec::TensorMap> tensorMaps;
  /// Blocks run one program after the other, and a launch has no more of them
  /// than run at one time. Behind the tensor maps the code takes the numbers of
  /// programs along x, y and z, of 32 bits each.
  bool isPersistent = false;
  /// Programs along x, y and z that a block runs at once. Where these are
  /// several, the code takes the numbers of programs too.
  std::array<unsigned, 3> blockPrograms = {1, 1, 1};
  /// Axes along which clusters have several programs (blockPrograms), and a
  /// launch a multiple of them.
  std::array<bool, 3> pairedAxes = {};
  /// Blocks along x that run a program together: a cluster, where these are
  /// several.
  unsigned clusterBlocks = 1;
  /// The code begins with a wait for the kernel in front of it, which need not
  /// have ended before (`griddepcontrol.wait`).
  bool beginsEarly = false;
  /// Blocks that a multiprocessor of the target keeps at once, where that is
  /// known; for the simulator, which has no target.
  std::optional<unsigned> blocksPerMultiprocessor;
};

/// What a loaded kernel takes of a multiprocessor. A device that does not know
/// a number leaves it empty.
struct KernelResources {
  /// Registers of a thread.
  std::optional<unsigned> registers;
  /// Local memory of a thread, in bytes: spilled registers and stack.
  std::optional<unsigned> localBytes;
  /// Shared memory of a block, in bytes.
  unsigned staticSharedBytes = 0;
  unsigned dynamicSharedBytes = 0;
  /// The most threads that a block of this kernel can have.
  std::optional<unsigned> maxThreadsPerBlock;
  /// Blocks resident at once on a multiprocessor.
  std::optional<unsigned> blocksPerMultiprocessor;
  /// Whether the device has room for a cluster of the kernel's blocks.
  bool canRunClusters = true;
  /// Clusters that it runs at once.
  std::optional<int64_t> clustersAtOnce;
};

/// A kernel image on a device. It must not outlive the device.
class LoadedKernel {
public:
  explicit LoadedKernel(const KernelImage &image)
      : name(image.entry), threadsPerBlock(image.threadsPerBlock),
        tensorMaps(image.tensorMaps), persistent(image.isPersistent),
        blockPrograms(image.blockPrograms), pairedAxes(image.pairedAxes),
        clusterBlocks(image.clusterBlocks) {}
  virtual ~LoadedKernel();

  llvm::StringRef getName() const { return name; }
  unsigned getThreadsPerBlock() const { return threadsPerBlock; }
  const KernelResources &getResources() const { return resources; }
  /// Launches that cannot have these (spec::canHave) fail.
  llvm::ArrayRef<spec::TensorMap> getTensorMaps() const { return tensorMaps; }

  /// Whether blocks run several programs each (KernelImage::isPersistent).
  bool isPersistent() const { return persistent; }
  /// Programs that a block runs at once (KernelImage::blockPrograms).
  const std::array<unsigned, 3> &getBlockPrograms() const {
    return blockPrograms;
  }
  /// Whether a launch has a multiple of the programs of a cluster along an axis
  /// (KernelImage::pairedAxes).
  bool hasPairs(unsigned axis) const { return pairedAxes[axis]; }
  /// Blocks that run a program (KernelImage::clusterBlocks).
  unsigned getClusterBlocks() const { return clusterBlocks; }
  /// Whether the code takes the numbers of programs: the grid of a launch has
  /// other blocks, each of which runs programs.
  bool takesProgramCounts() const {
    return persistent || blockPrograms != std::array<unsigned, 3>{1, 1, 1};
  }

  using TensorMapValues = llvm::SmallVector<spec::TensorMapValues, 3>;
  /// The values of each of the maps; fails where a launch cannot have them.
  llvm::Expected<TensorMapValues>
  evaluateTensorMaps(const spec::ArgumentBlock &arguments) const;

protected:
  KernelResources resources;

private:
  std::string name;
  unsigned threadsPerBlock;
  std::vector<spec::TensorMap> tensorMaps;
  bool persistent;
  std::array<unsigned, 3> blockPrograms;
  std::array<bool, 3> pairedAxes;
  unsigned clusterBlocks;
};

/// The numbers of programs of a grid, as a kernel takes them that needs them.
inline std::array<uint32_t, 3> getProgramCounts(const GridSize &grid) {
  return {static_cast<uint32_t>(grid[0]), static_cast<uint32_t>(grid[1]),
          static_cast<uint32_t>(grid[2])};
}

/// Programs of a grid, or blocks: as many as 64 bits count, at the most.
int64_t countAll(const GridSize &grid);

/// The grid of a persistent kernel whose programs are `grid`: at most `blocks`,
/// one for each program.
GridSize getBlocks(const GridSize &grid, int64_t blocks);

/// The grid of a kernel whose programs are `grid`, so many of them a block. The
/// last block along an axis may have fewer. Or so many blocks along x a
/// program.
GridSize getBlocks(const GridSize &grid,
                   const std::array<unsigned, 3> &blockPrograms,
                   unsigned clusterBlocks = 1);

struct Launch {
  const LoadedKernel &kernel;
  GridSize grid;
  const spec::ArgumentBlock &arguments;
  /// A stream of the device, as its interface names it (a CUstream); 0: the
  /// default one.
  uintptr_t stream = 0;
  /// Asked by devices that run the kernel before launch() returns; may be null.
  Interrupt *interrupt = nullptr;
};

/// How to time a launch.
struct TimingPlan {
  unsigned warmups = 5;
  unsigned repeats = 20;
  /// Overwrite the second-level cache before every run, so that each run finds
  /// its inputs in memory.
  bool flushesCache = true;
};

struct DeviceInfo {
  /// "NVIDIA H200".
  std::string name;
  /// The target that the device runs: "sm_90".
  std::string architecture;
  unsigned multiprocessors = 0;
  uint64_t memoryBytes = 0;
  uint64_t l2Bytes = 0;
  /// The largest shared memory that a block can have.
  uint64_t maxSharedBytesPerBlock = 0;
  /// The version of the CUDA interface that the driver has, as "13.0"; empty
  /// for a device without one.
  std::string driverVersion;
};

class Device {
public:
  virtual ~Device();

  const DeviceInfo &getInfo() const { return info; }

  /// What addresses of memory are multiples of.
  static constexpr uint64_t allocationAlignment = 256;

  /// An address that is \p offset bytes (below allocationAlignment) past a
  /// multiple of allocationAlignment. \p bytes may be 0.
  virtual llvm::Expected<DeviceAddress> allocate(uint64_t bytes,
                                                 uint64_t offset) = 0;
  /// Memory at this very address, on a device that lets one choose.
  virtual llvm::Error allocateAt(DeviceAddress address, uint64_t bytes);
  /// What messages of a device that has any call the memory that begins there.
  virtual void setName(DeviceAddress address, llvm::StringRef name) {}
  /// Accesses to the memory that begins there may race: a device that looks for
  /// races passes over them.
  virtual void allowRaces(DeviceAddress address) {}
  virtual llvm::Error free(DeviceAddress address) = 0;
  virtual llvm::Error copyToDevice(DeviceAddress target, const void *source,
                                   uint64_t bytes) = 0;
  virtual llvm::Error copyToHost(void *target, DeviceAddress source,
                                 uint64_t bytes) = 0;
  virtual llvm::Error fill(DeviceAddress target, uint8_t value,
                           uint64_t bytes) = 0;
  /// Says that a kernel must write these bytes before it reads them, whatever
  /// they are: a device that can tell finds such reads.
  virtual llvm::Error forget(DeviceAddress /*target*/, uint64_t /*bytes*/) {
    return llvm::Error::success();
  }
  /// Fills them too.
  llvm::Error poison(DeviceAddress target, uint8_t value, uint64_t bytes) {
    if (llvm::Error error = fill(target, value, bytes))
      return error;
    return forget(target, bytes);
  }

  virtual llvm::Expected<std::unique_ptr<LoadedKernel>>
  load(const KernelImage &image) = 0;
  /// Says that PTX is being made and will be loaded: what that takes for the
  /// first time of a device may be prepared meanwhile, until the future is
  /// gone, which waits for it.
  virtual std::future<void> expectPtx() { return {}; }

  /// Whether load() takes machine code, too.
  virtual bool takesMachineCode() const { return false; }
  /// Starts the kernel. A mistake of the kernel may show only in synchronize().
  /// The launches of a GPU may come from several threads.
  virtual llvm::Error launch(const Launch &launch) = 0;
  /// Waits for all launches; an error names the kernel that ran last. What an
  /// interrupt leaves running keeps the memory that it may use.
  virtual llvm::Error synchronize(Interrupt *interrupt) = 0;
  llvm::Error synchronize() { return synchronize(nullptr); }

  /// Whether an access outside of an allocation always fails. Then memory needs
  /// no guards to find such accesses, and guards would hide them.
  virtual bool checksBounds() const { return false; }

  /// Bytes of the host's memory that a filled byte of the device takes.
  virtual unsigned hostBytesPerByte() const { return 0; }

  /// Whether time() measures anything.
  virtual bool canTime() const { return false; }
  /// Microseconds of each of plan.repeats runs. Fails on a device that cannot
  /// time.
  virtual llvm::Expected<std::vector<double>> time(const Launch &launch,
                                                   const TimingPlan &plan);

protected:
  DeviceInfo info;
};

/// Fails where an axis has fewer than 1 or more blocks than CUDA can launch:
/// 2^31 - 1 along x, 65535 along y and z (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
llvm::Error verifyGrid(llvm::StringRef kernel, const GridSize &grid);
/// Or where some of the programs of a cluster along an axis are missing.
llvm::Error verifyGrid(const LoadedKernel &kernel, const GridSize &grid);

/// "4096 x 1 x 1".
std::string toString(const GridSize &grid);

/// Memory of a device, freed with the object.
class DeviceBuffer {
public:
  static llvm::Expected<DeviceBuffer> allocate(Device &device, uint64_t bytes,
                                               uint64_t offset = 0);
  static llvm::Expected<DeviceBuffer>
  allocateAt(Device &device, DeviceAddress address, uint64_t bytes);
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : device(std::exchange(other.device, nullptr)), address(other.address),
        bytes(other.bytes) {}
  DeviceBuffer &operator=(DeviceBuffer &&) = delete;
  ~DeviceBuffer();

  DeviceAddress getAddress() const { return address; }
  uint64_t getByteSize() const { return bytes; }

private:
  DeviceBuffer(Device &device, DeviceAddress address, uint64_t bytes)
      : device(&device), address(address), bytes(bytes) {}

  Device *device;
  DeviceAddress address;
  uint64_t bytes;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICE_H
