//===- GpuTarget.h - What the compiler knows of each GPU --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of each GPU architecture: its limits, the instructions it
// has, and the PTX version to ask for. Every pass, report and tool reads the
// numbers here and nowhere else.
//
//   Expected<GpuTarget> target = GpuTarget::parse("sm_90a");
//   Occupancy o = target->occupancy(/*threads=*/256, /*registersPerThread=*/64,
//                                   /*sharedBytes=*/0);
//   // o.blocksPerSM == 4, o.limiter == OccupancyLimiter::Registers
//
// Sources. Limits: CUDA Programming Guide, appendix "Compute Capabilities",
// table "Technical Specifications per Compute Capability". Allocation units
// and the occupancy rule: cuda_occupancy.h of the CUDA Toolkit 13.0. First PTX
// version of an instruction: "PTX ISA Notes" of that instruction in the PTX ISA
// manual. Rates: the guide's table "Throughput of Native Arithmetic
// Instructions" and, of tensor cores and memory, NVIDIA's papers on the
// architectures and data sheets of the devices.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TARGET_GPUTARGET_H
#define TILEWRIGHT_TARGET_GPUTARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace tilewright {

/// The resource that keeps one more block from being resident on an SM.
enum class OccupancyLimiter { Threads, Blocks, Registers, SharedMemory };

/// "threads", "blocks", "registers" or "shared memory", as reports print it.
llvm::StringRef stringifyOccupancyLimiter(OccupancyLimiter limiter);

/// How much of an SM one kernel can fill.
struct Occupancy {
  /// Blocks resident on an SM at a time. 0: the kernel cannot be launched, and
  /// `limiter` names the limit that it breaks.
  unsigned blocksPerSM = 0;
  /// Warps resident on an SM at a time, of `GpuTarget::maxWarpsPerSM()`.
  unsigned warpsPerSM = 0;
  OccupancyLimiter limiter = OccupancyLimiter::Threads;
};

/// One GPU architecture. All sizes are bytes unless the name says otherwise.
struct GpuTarget {
  /// As ptxas and LLVM name it, such as "sm_90a".
  llvm::StringRef name;
  unsigned computeMajor = 0;
  unsigned computeMinor = 0;

  /// PTX ISA version to emit: 78 is 7.8. It is the lowest in which every
  /// feature below has an instruction on this architecture, because a driver
  /// refuses PTX that is newer than itself.
  unsigned ptxVersion = 0;

  unsigned maxThreadsPerSM = 0;
  unsigned maxBlocksPerSM = 0;
  /// All of an SM's shared memory, including what the system reserves.
  unsigned sharedBytesPerSM = 0;
  /// The most one block can have; above `staticSharedLimit` it is dynamic
  /// shared memory that the launch must opt in to.
  unsigned maxSharedBytesPerBlock = 0;

  /// Asynchronous copies from global to shared memory (`cp.async`).
  bool cpAsync = true;
  /// Matrix products of one warp (`mma.sync`), with `ldmatrix`.
  bool mmaSync = true;
  /// Matrix products of four warps that read shared memory (`wgmma`).
  bool wgmma = false;
  /// Bulk tensor copies (`cp.async.bulk.tensor`) that finish on an mbarrier.
  bool tma = false;
  /// Matrix products into tensor memory (`tcgen05`).
  bool tcgen05 = false;
  /// `add`, `sub` and `mul` on bf16. Earlier GPUs have only `fma.bf16`.
  bool bf16Arithmetic = false;
  /// `add`, `sub` and `fma` of f32 that take an operand of f16 or bf16
  /// (`add.rn.f32.bf16`): LLVM selects them where a conversion is in front.
  bool mixedArithmetic = false;
  /// `atom` and `red` on vectors of floats in global memory
  /// (`red.global.add.v4.f32`): AtomicForms.h has all forms.
  bool vectorAtomics = false;
  /// Global loads and stores of 32 bytes a thread (`ld.global.v8.b32`).
  bool wideGlobalAccess = false;
  /// Blocks of a cluster, which run at the same time and reach each other's
  /// shared memory; 1: there are no clusters. Above 8 a kernel must opt in, and
  /// a device may have fewer.
  unsigned maxClusterBlocks = 1;
  /// Kernels that begin before the one in front of them has ended
  /// (`griddepcontrol`).
  bool earlyLaunches = false;
  /// `cvt` and `mma.sync` of e4m3 and e5m2.
  bool float8 = false;
  /// `mma.sync` of f64 as m16n8k8; m8n8k4 is older than all targets.
  bool f64ProductsOf16x8x8 = false;

  // What an SM does in a clock at the most, for reports on what limits a
  // kernel. Of what is compiled only loads ahead of a loop are chosen by it.
  /// Multiplications with addition of f32 and f64, outside of tensor cores.
  unsigned f32PerClock = 128, f64PerClock = 2;
  /// The same on tensor cores, dense, of 16-bit floats (half as many of tf32,
  /// twice as many of 8 bits) and of f64.
  unsigned tensorPerClock = 512, tensorF64PerClock = 2;
  /// Bytes of memory, an SM's share on `device`.
  double memoryBytesPerClock = 0;
  /// The GPU that these bytes are of, and its SMs.
  llvm::StringRef device;
  unsigned multiprocessors = 0;

  // The same on every supported architecture.
  unsigned l2BytesPerClock = 64;
  unsigned warpSize = 32;
  unsigned maxThreadsPerBlock = 1024;
  unsigned registersPerSM = 64 * 1024;
  unsigned maxRegistersPerThread = 255;
  /// Registers are given to a warp in multiples of this many.
  unsigned registerAllocationUnit = 256;
  /// An SM's registers are split among this many schedulers, and a warp's
  /// registers lie in one of them.
  unsigned partitionsPerSM = 4;
  unsigned staticSharedLimit = 48 * 1024;
  /// What the system takes of `sharedBytesPerSM` for each resident block.
  unsigned reservedSharedBytesPerBlock = 1024;
  unsigned sharedAllocationUnit = 128;

  unsigned maxWarpsPerSM() const { return maxThreadsPerSM / warpSize; }

  /// The most that one access to global memory moves a thread, and so the
  /// alignment that is worth knowing of arguments. In shared memory it is 16.
  unsigned globalVectorBytes() const { return wideGlobalAccess ? 32 : 16; }

  /// Shared memory that a block can have without ever being what keeps another
  /// block from being resident.
  unsigned freeSharedBytesPerBlock() const {
    return sharedBytesPerSM / maxBlocksPerSM - reservedSharedBytesPerBlock;
  }

  /// The most registers that each thread of a block of `threads` threads can
  /// have.
  unsigned registersPerThread(unsigned threads) const;

  /// How many blocks of `threads` threads, each with `registersPerThread`
  /// registers (as ptxas reports them), and `sharedBytes` of static and dynamic
  /// shared memory a block are resident on one SM. Where two limits give the
  /// same number, the limiter is the first of threads, blocks, registers,
  /// shared memory.
  Occupancy occupancy(unsigned threads, unsigned registersPerThread,
                      unsigned sharedBytes) const;

  /// The target called `name`; the error lists the known ones.
  static llvm::Expected<GpuTarget> parse(llvm::StringRef name);

  /// The target whose PTX runs best on a device of compute capability
  /// `major`.`minor`, or nothing where the device is older than all of them.
  /// PTX for an "a" target loads on exactly its own compute capability; PTX for
  /// the others on any later one too.
  static std::optional<GpuTarget> forDevice(unsigned major, unsigned minor);
  /// The same from the name of the device's architecture, such as "sm_90".
  static std::optional<GpuTarget> forDevice(llvm::StringRef architecture);

  /// What is compiled for where nobody says for what: sm_90a.
  static const GpuTarget &getDefault();

  /// All targets, oldest first.
  static llvm::ArrayRef<GpuTarget> all();
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_GPUTARGET_H
