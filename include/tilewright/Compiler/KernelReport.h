//===- KernelReport.h - What the compiler decided, and why ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One page a kernel: a summary; then the layout of each shared tile and why
// that one, the width of each access and why it is not wider, the wavefronts it
// takes beside the fewest possible, the conversions by shuffles, what runs
// ahead of loops and who copies it, the products and what multiplies them, and
// what the kernel costs in registers, shared memory and occupancy.
//
// The facts are structs here; ReportFields.h lists what is shown of them, for
// programs and pages, ReportText.cpp puts them into sentences.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_COMPILER_KERNELREPORT_H
#define TILEWRIGHT_COMPILER_KERNELREPORT_H

#include "tilewright/Layout/Conversion/ConversionChoice.h"
#include "tilewright/Layout/Shared/LayoutScores.h"
#include "tilewright/Target/GpuTarget.h"
#include "tilewright/Target/Ptxas.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

namespace tile {
class KernelOp;
} // namespace tile

/// A place in the user's source; line 0 where it is not known.
struct SourcePlace {
  std::string file;
  unsigned line = 0, column = 0;
};

struct SharedTileReport {
  SourcePlace place;
  std::string type;   ///< "64x64xf32"
  std::string layout; ///< "swizzle<3,2,6>", as in tile IR
  std::string reason; ///< Why that one; empty where the source says it.
  /// What else there was, and what no layout can beat; none where the source
  /// says the layout.
  std::optional<LayoutScores> scores;
  /// The layout of one stage, where the tile has stages.
  SharedLayout sharedLayout;
  int64_t bytes = 0, offset = 0;
};

/// What an access takes, and the fewest that its bytes could take.
struct AccessCount {
  int64_t count = 0, ideal = 0;
};

struct AccessReport {
  SourcePlace place;
  std::string op; ///< "tile.local_load"
  bool isShared = false;
  /// Index into KernelReport::tiles, for a shared access.
  unsigned tile = 0;
  /// Both: an atomic access.
  bool isLoad = false, isStore = false;
  int64_t vectorElements = 1, vectorBytes = 0;
  /// Why the vector is not wider; empty at the widest.
  std::string limit;
  /// Why pointers are not a block of a view; empty where they are, or there
  /// are none.
  std::string noBlock;
  /// Why a tile that is read behind a loop of products was not fetched before
  /// that ended; empty where it was, or there is no such loop.
  std::string whyNotAhead;
  int64_t trips = 1;
  /// The same with trips in which it finds nothing to do, as it works ahead.
  int64_t tripsOfLoops = 1;
  /// False in a loop whose length is not known: `trips` is what it is weighed
  /// with.
  bool areTripsKnown = true;
  /// Index into KernelReport::loops, of the innermost one.
  std::optional<unsigned> loop;
  // Of the whole block, one trip.
  int64_t instructions = 0;
  /// Of shared memory.
  std::optional<AccessCount> wavefronts;
  /// Of global memory; none where pointers are not consecutive, since they hang
  /// on values that only the launch knows. An asynchronous copy has both.
  std::optional<AccessCount> sectors;
  /// Bytes of global memory that are asked for.
  int64_t globalBytes = 0;
  // What follows, only of shared accesses.
  /// The worst conflict of one instruction: 32 is a 32-way one, 1 is none.
  unsigned worstDegree = 0;
  /// What the least of any layout for this access alone costs, all trips, and
  /// why it costs more; where it is known.
  std::optional<SharedAccessBound> bound;
  /// What is to be carried out.
  SharedAccess shared;

  /// Wavefronts of all trips, in shared memory.
  int64_t getWavefronts() const {
    return wavefronts ? trips * wavefronts->count : 0;
  }
  /// The cost of all trips: wavefronts and instructions.
  int64_t getCost() const { return getWavefronts() + trips * instructions; }
};

/// A change of register layout by shuffles.
struct ConversionReport {
  SourcePlace place;
  std::string type; ///< "64x64xf32"
  int64_t trips = 1;
  bool areTripsKnown = true;
  std::optional<unsigned> loop;
  /// What is done, and what shared memory would have cost, of one trip.
  ConversionChoice choice;
};

/// Warps that do the same.
struct RoleReport {
  std::string name; ///< "main" or "copy"
  int warps = 0;
  /// Registers of each thread, where roles have numbers of their own; else as
  /// many as ptxas gives all.
  std::optional<int> registers;
};

/// What is copied ahead of a loop: the slots of one channel.
struct CopyReport {
  /// The place of the loop.
  SourcePlace place;
  int64_t stages = 1;
  /// Bytes of one stage of all tiles, without padding.
  int64_t slotBytes = 0;
  /// Whether these are bulk copies, or asynchronous ones that all threads make.
  bool isBulk = false;
  /// That do nothing but to begin bulk copies; 0 where a thread that computes
  /// does it.
  int copyWarps = 0;
  /// Why it does; as whyNotBulk.
  std::string whyNoRoles;
  /// What stands in the way of bulk copies, and so of warps of their own; empty
  /// where nothing does, or the target has none.
  std::string whyNotBulk;
  /// Index into KernelReport::loops, of the loop that reads the slots.
  std::optional<unsigned> loop;

  llvm::StringRef getMaker() const {
    return isBulk ? "bulk copies" : "cp.async";
  }
  /// One slot that bulk copies fill is that of what is read behind a loop.
  bool isBehindLoop() const { return isBulk && stages == 1; }
  int64_t getBytesInFlight() const { return stages * slotBytes; }
};

/// What one trip of a product computes, and what it needs for that.
struct ProductReport {
  SourcePlace place;
  /// "wgmma", "mma.sync" or "FMA".
  std::string instruction;
  /// What in the source stands in the way of a better one that the target has;
  /// empty if nothing does.
  std::string engineReason;
  /// It is B^T A^T, whose rows are the columns of the source, and m is n there.
  bool isExchanged = false;
  /// The operands that threads turn in front of it, "A", "B" or "A and B":
  /// their rows do not lie along K in memory. Empty: none.
  std::string turned;
  /// "f16"; "tf32" where f32 may be rounded to that; "f8E4M3FN and f8E5M2".
  std::string operandType, accumulatorType;
  /// The extents of the tiles: each element of A serves n columns, each of B m
  /// rows.
  int64_t m = 0, n = 0, k = 0;
  /// So many products of m x n x k.
  int64_t batch = 1;
  /// Bytes of A's and B's tiles.
  int64_t operandBytes = 0;
  /// Wavefronts in which wgmma reads these bytes where they lie; 0 of others.
  int64_t operandWavefronts = 0;
  int64_t trips = 1;
  bool areTripsKnown = true;
  /// Index into KernelReport::loops, of the innermost one.
  std::optional<unsigned> loop;
  /// The same in one trip of the innermost loop around, if there is one.
  std::optional<unsigned> barriersInLoop;

  /// A multiplication and an addition are two.
  int64_t getOperations() const { return 2 * batch * m * n * k; }
  /// Operations a byte that is loaded.
  double getIntensity() const {
    return static_cast<double>(getOperations()) /
           static_cast<double>(operandBytes);
  }
};

/// The least that a block takes of each part of an SM, in its clocks: what has
/// most limits the kernel, however well the rest overlaps. Loops of unknown
/// length have the trips that they are weighed with.
struct TimeBound {
  /// What products take of the units that do them, and other arithmetic.
  double tensorCores = 0, arithmetic = 0;
  /// Wavefronts; bytes of global memory as far as they come from the L2, and if
  /// all came from memory.
  double sharedMemory = 0, l2 = 0, memory = 0;
  /// A multiplication and an addition are two.
  int64_t operations = 0;
  int64_t globalBytes = 0;
  /// The GPU whose memory it is.
  std::string device;

  /// "tensor cores", "arithmetic", "shared memory", "L2" or "memory", which
  /// counts only where `withMemory`; several where they take about as long:
  /// "memory and L2". Empty where nothing takes any time.
  std::string getLimit(bool withMemory) const;
};

/// A loop that multiplies, or that copies run ahead of. Products, copies and
/// accesses name it by its number.
struct LoopReport {
  SourcePlace place;
  int64_t trips = 1;
  bool areTripsKnown = true;
  /// The bound of all trips of one block.
  TimeBound time;
};

/// What the products and copies of a loop say of it.
struct LoopFacts {
  std::string instruction; ///< "wgmma"; "mma.sync and wgmma"
  std::string copiesBy;    ///< "bulk copies", "cp.async"; empty: none
  std::string whyNotBulk, whyNoRoles;
  /// Stages of the channel with the most; 0 where nothing is copied ahead.
  int64_t stages = 0;
  /// Bytes that may be under way in all channels.
  int64_t bytesInFlight = 0;
};

/// A line of the summary.
struct SummaryLine {
  std::string key;   ///< "time_bound", in JSON
  std::string title; ///< "time bound"
  std::vector<std::string> texts;
};

struct KernelReport {
  std::string name;
  std::string target;
  int numWarps = 0;
  /// Threads of a block: those of these warps, and those that copy.
  unsigned threads = 0;
  /// That an SM has room for, whatever a block needs.
  unsigned maxWarpsPerSM = 0;
  /// The most that an instruction moves a thread to or from global memory.
  unsigned maxGlobalVectorBytes = 16;
  int64_t sharedBytes = 0;
  unsigned barriers = 0, barriersInLoops = 0;
  /// A block runs one program after the other.
  bool isPersistent = false;
  /// Teams of warps, which do the programs of a block in turn.
  int teams = 1;
  /// Why not, of a kernel with large products; else empty.
  std::string whyNotPersistent;
  /// How many stages loops have, and why no more, where more were asked for.
  std::string whyFewerStages;
  /// Blocks of a multiprocessor that roles have their registers for.
  std::optional<int> blocksOfRoles;
  std::vector<RoleReport> roles;
  /// That it runs at once.
  int64_t programsPerBlock = 1;
  /// That run it together, a cluster.
  int64_t blocksPerProgram = 1;
  TimeBound time;
  std::vector<SharedTileReport> tiles;
  std::vector<AccessReport> accesses;
  std::vector<ConversionReport> conversions;
  std::vector<LoopReport> loops;
  std::vector<CopyReport> copies;
  std::vector<ProductReport> products;
  /// What ptxas says, where there is one.
  std::optional<PtxasResources> resources;
  std::optional<Occupancy> occupancy;

  /// Wavefronts of shared loads and stores that one block executes, trips
  /// included.
  int64_t getSharedWavefronts(bool ofStores) const;

  LoopFacts getFacts(unsigned loop) const;

  /// What matters, in about ten lines.
  std::vector<SummaryLine> summarize() const;

  /// Prints the report for people: the summary, then each decision; with all
  /// candidates of the layouts where `isFull`.
  void print(llvm::raw_ostream &os, bool isFull = false) const;
  llvm::json::Value toJSON() const;
};

/// One page of HTML for the kernels of a file, without any other file: the
/// reports, and for each shared tile its banks, row-major and as chosen, with
/// all accesses to step through lane by lane. `source` is what the page is
/// called.
void printHtml(llvm::raw_ostream &os, llvm::StringRef source,
               llvm::ArrayRef<const KernelReport *> kernels);

/// Reads the decisions off a placed kernel.
KernelReport makeReport(tile::KernelOp kernel, const GpuTarget &target);

/// Adds what ptxas says, and the occupancy that follows.
void addResources(KernelReport &report, const PtxasResources &resources,
                  const GpuTarget &target);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_KERNELREPORT_H
