//===- Gpu.h - Simulated device memory --------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SIMULATOR_GPU_H
#define TILEWRIGHT_SIMULATOR_GPU_H

#include "tilewright/Simulator/Module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>

namespace tilewright::sim {

class Memory;

/// Limits of the device that kernels run on; the defaults are those of an
/// H100 or H200 (CUDA programming guide, compute capability 9.0).
struct GpuLimits {
  uint64_t sharedBytesPerBlock = uint64_t(227) * 1024; ///< with opt-in
  unsigned threadsPerBlock = 1024;
  unsigned blocksPerCluster = 16; ///< above 8 with opt-in
  unsigned registersPerBlock = 65536;
  unsigned multiprocessors = 132; ///< %nsmid, and the spread of %smid
  // What decides how many blocks a multiprocessor keeps resident.
  unsigned threadsPerMultiprocessor = 2048;
  unsigned blocksPerMultiprocessor = 32;
  uint64_t sharedBytesPerMultiprocessor = uint64_t(228) * 1024;
  uint64_t reservedSharedBytesPerBlock = 1024;
};

/// Global memory: allocations with guard gaps between them, whose addresses
/// are never reused unless the caller chose them, and a shadow that knows which
/// bytes were written.
///
///   sim::Gpu device;
///   uint64_t x = llvm::cantFail(device.allocate(1024));
///   llvm::cantFail(device.write(x, hostBytes));
///   ... launch(module, "kernel", ...) ...
///   llvm::cantFail(device.read(x, hostBytes));
///
/// Calls may not overlap a launch on the same device.
class Gpu {
public:
  explicit Gpu(GpuLimits limits = {});
  ~Gpu();
  Gpu(Gpu &&) noexcept;
  Gpu &operator=(Gpu &&) noexcept;

  /// `bytes` of uninitialised memory, `offset` bytes (below 256) past a
  /// multiple of 256. An allocation of zero bytes has an address that must not
  /// be accessed.
  llvm::Expected<uint64_t> allocate(uint64_t bytes, uint64_t offset = 0);
  /// The same at an address of the caller's choice, which may be used again
  /// once it is free. Fails where another allocation or no global memory is.
  llvm::Error allocateAt(uint64_t address, uint64_t bytes);
  /// What messages call the allocation that begins at `address`.
  void setName(uint64_t address, llvm::StringRef name);
  /// Accesses to the allocation that begins at `address` may race, and no
  /// finding says so.
  void allowRaces(uint64_t address);
  /// Fails if `address` is not the start of a live allocation.
  llvm::Error free(uint64_t address);
  /// Copy in and out; the range must lie in one live allocation.
  llvm::Error write(uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  llvm::Error read(uint64_t address,
                   llvm::MutableArrayRef<uint8_t> bytes) const;
  llvm::Error fill(uint64_t address, uint8_t value, uint64_t bytes);
  /// The bytes stay what they are, and count as not written, so that reads are
  /// found.
  llvm::Error forget(uint64_t address, uint64_t bytes);

  /// Address of a `.global` or `.const` variable of `module` on this device.
  llvm::Expected<uint64_t> symbolAddress(const Module &module,
                                         llvm::StringRef name);

  const GpuLimits &limits() const;
  Memory &memory() { return *state; }

private:
  std::unique_ptr<Memory> state;
};

} // namespace tilewright::sim

#endif // TILEWRIGHT_SIMULATOR_GPU_H
