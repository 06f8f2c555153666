//===- LaunchReport.h - What a launch found and counted ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch tells: findings, which are what is wrong with the kernel, and
// counts of what it did, instruction by instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SIMULATOR_LAUNCHREPORT_H
#define TILEWRIGHT_SIMULATOR_LAUNCHREPORT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::sim {

struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
  /// The point number `index` of this extent, x fastest.
  Dim3 point(uint64_t index) const {
    return {static_cast<unsigned>(index % x),
            static_cast<unsigned>(index / x % y),
            static_cast<unsigned>(index / x / y)};
  }
};

enum class FindingKind : uint8_t {
  OutOfBounds,
  Misaligned,
  UseAfterFree,
  Uninitialized,    ///< a read of bytes that nothing has written
  ReadOnlyWrite,    ///< a store to constant memory or to arguments
  Race,             ///< two unordered accesses, one of them a write
  PendingCopy,      ///< an access to the target of an unfinished async copy
  PendingProduct,   ///< an access to a register of an unfinished wgmma
  MissingFence,     ///< what wgmma uses was not fenced from its last access
  DivergentBarrier, ///< a barrier that only part of a warp executes
  InvalidOperand,   ///< an operand value that PTX leaves undefined
  Deadlock,
  InstructionLimit,
  Trap,
  BrokenPromise, ///< numbers that are not what tile.assume says
  Interrupted,   ///< LaunchOptions::isInterrupted
  NotResident,   ///< a wait for a block that a device would not have started
};
llvm::StringRef findingKindName(FindingKind kind);

/// A line of the program that the PTX was made from.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0; ///< 0: unknown
};

/// One defect of a kernel. Repetitions at the same instruction are counted in
/// `occurrences`; the other fields describe the first.
struct Finding {
  FindingKind kind = FindingKind::Trap;
  std::string kernel;
  unsigned line = 0;      ///< in the PTX text, 1-based; 0: no instruction
  std::string text;       ///< the instruction
  std::string sourceFile; ///< of `.loc`, empty if unknown
  unsigned sourceLine = 0;
  unsigned sourceColumn = 0; ///< 0: unknown
  std::string sourceText;    ///< the line itself, where the file can be read
  /// The calls of functions that were inlined, innermost first.
  std::vector<SourcePlace> calledFrom;
  Dim3 block;
  Dim3 thread;
  uint64_t address = 0; ///< 0 if there is none
  std::string message;  ///< one sentence, without the facts above
  uint64_t occurrences = 1;
  bool isGlobalRace = false; ///< in an array, where a kernel may mean it
};

/// "kernel: PTX line 12 `ld.shared...`: message (block 0,0,0 thread 5,0,0)".
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Dim3 &point);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Finding &finding);

/// Classes of instructions for the counts.
enum class InstrKind : uint8_t {
  Integer,
  Float16,
  Float32,
  Float64,
  Approximate,
  Convert,
  Compare,
  Move,
  Control,
  Barrier,
  Fence,
  Load,
  Store,
  Atomic,
  WarpExchange,
  AsyncCopy,
  Matrix,
  Other,
};
constexpr unsigned instrKindCount = unsigned(InstrKind::Other) + 1;
llvm::StringRef instrKindName(InstrKind kind);

/// Counts of one instruction that accesses global or shared memory, summed
/// over the launch. Wavefronts come from the bank model of Layout.
struct AccessCount {
  unsigned line = 0;
  std::string text;
  uint64_t warps = 0;            ///< warp-wide executions with an active lane
  uint64_t threads = 0;          ///< active lanes in all
  uint64_t globalSectors = 0;    ///< distinct 32-byte sectors of each warp
  uint64_t sharedWavefronts = 0; ///< 0 for an access to global memory
};

struct LaunchCounts {
  /// Warp instructions issued, those that are predicated off among them.
  uint64_t warpInstructions = 0;
  uint64_t threadInstructions = 0; ///< summed over active lanes
  std::array<uint64_t, instrKindCount> warpInstructionsByKind = {};
  uint64_t globalLoadSectors = 0;
  uint64_t globalStoreSectors = 0;
  uint64_t sharedLoadWavefronts = 0;
  uint64_t sharedStoreWavefronts = 0;
  uint64_t sharedCopyWavefronts = 0; ///< what cp.async writes
  std::vector<AccessCount> accesses; ///< in the order of the text
};

struct LaunchReport {
  /// False if the launch was cut short: deadlock, trap, limit or interrupt.
  bool completed = true;
  /// LaunchOptions::isInterrupted was true, even where the last block finished
  /// before it noticed.
  bool interrupted = false;
  std::vector<Finding> findings;
  LaunchCounts counts;
  /// What the kernel printed, block by block in the order of their numbers.
  std::string printed;

  bool clean() const { return completed && findings.empty(); }
};

llvm::json::Value toJSON(const LaunchReport &report);

} // namespace tilewright::sim

#endif // TILEWRIGHT_SIMULATOR_LAUNCHREPORT_H
