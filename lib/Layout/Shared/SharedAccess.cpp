//===- SharedAccess.cpp - Plan and cost of an access to a tile ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SharedAccess.h"

#include "tilewright/Layout/Algebra/F2Span.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace tilewright;

namespace {

/// Where each bit of a register, lane and warp moves the offset of an element
/// (without padding), and which of these bits are redundant.
struct OffsetBases {
  SmallVector<uint64_t, 8> registers, lanes, warps;
  uint64_t redundantRegisters = 0, redundantLanes = 0, redundantWarps = 0;
  /// The offsets of one thread's registers.
  F2Span ofRegisters;

  OffsetBases(const LinearLayout &layout, const SharedLayout &shared);
};

/// How the instructions of an access are made.
struct Issue {
  unsigned vectorElements = 0;
  /// The registers of an instruction are the first one ^ each of these.
  SmallVector<unsigned, 16> within;
  /// Bits of a register number that no first register has.
  uint64_t neverFirst = 0;
  /// Where each bit of the lane moves the address: the bit of a lane or a
  /// register whose basis it takes.
  struct LaneBit {
    StringRef input;
    unsigned bit;
  };
  SmallVector<LaneBit, 5> laneBits;
  bool transposed = false;
};

} // namespace

OffsetBases::OffsetBases(const LinearLayout &layout,
                         const SharedLayout &shared) {
  F2Span span;
  auto fill = [&](StringRef input, SmallVectorImpl<uint64_t> &offsets,
                  uint64_t &redundant) {
    for (auto [bit, basis] : enumerate(layout.bases(input))) {
      offsets.push_back(shared.linearOffset(basis));
      if (!span.insert(offsets.back()))
        redundant |= uint64_t(1) << bit;
    }
  };
  fill("register", registers, redundantRegisters);
  ofRegisters = span;
  fill("lane", lanes, redundantLanes);
  fill("warp", warps, redundantWarps);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Does padding keep every address of the access a multiple of `vector`? The
/// offsets without padding are sums of the bases and multiples of `vector`.
static bool paddingKeepsAligned(const OffsetBases &bases,
                                const SharedLayout &layout, unsigned vector) {
  if (!layout.isPadded())
    return true;
  if (layout.padInterval() < vector)
    return false;
  uint64_t reached = 0;
  for (uint64_t basis :
       concat<const uint64_t>(bases.registers, bases.lanes, bases.warps))
    reached |= basis / layout.padInterval();
  // The number of gaps passed on the way to an element is any sum of these
  // bases, so the lowest bit among them says what all of them are multiples of.
  return countr_zero(reached) + countr_zero<uint64_t>(layout.padAmount()) >=
         int(Log2_32(vector));
}

static std::string elementsText(uint64_t count) {
  return (Twine(count) + (count == 1 ? " element" : " elements")).str();
}

static std::string paddingText(const SharedLayout &layout) {
  return "padding of " + elementsText(layout.padAmount()) + " every " +
         std::to_string(layout.padInterval());
}

/// Does each run of `vector` offsets hold a run along `dim`, in its order, for
/// every thread? It does where the first offsets hold the first elements along
/// `dim`, and the low bits of both are the same for all others.
static bool keepsRuns(const SharedAccess &access, const SharedLayout &layout,
                      unsigned dim, unsigned vector) {
  if (vector > layout.shape()[dim])
    return false;
  for (unsigned bit = 0; bit < Log2_32(vector); ++bit) {
    LinearLayout::Point along(layout.shape().size(), 0);
    along[dim] = int32_t(1) << bit;
    if (layout.linearOffset(along) != int64_t(1) << bit)
      return false;
  }
  auto keeps = [&](const LinearLayout::Point &basis) {
    uint64_t differing =
        layout.linearOffset(basis) ^ static_cast<uint64_t>(basis[dim]);
    return differing % vector == 0;
  };
  return all_of(ArrayRef<StringRef>{"register", "lane", "warp"},
                [&](StringRef input) {
                  return all_of(access.registers.bases(input), keeps);
                });
}

/// Why a vector of twice `vector` elements is not possible, or an empty string
/// when it is, given that one of `vector` elements is.
static std::string obstacleToDoubling(const SharedAccess &access,
                                      const OffsetBases &bases,
                                      const SharedLayout &layout,
                                      unsigned vector) {
  unsigned wider = 2 * vector;
  if (vector == access.requiredVector)
    return "vectors of " + elementsText(vector) + " are asked for";
  if (wider * access.elementBytes > access.maxBytes)
    return std::to_string(access.maxBytes) + " bytes is the widest access";
  if (wider > layout.numElements())
    return "the tile has only " + elementsText(layout.numElements());
  auto obstacleIn = [&](StringRef input, ArrayRef<uint64_t> ofInput) {
    for (auto [bit, basis] : enumerate(ofInput)) {
      if (basis == vector)
        return "a thread holds runs of " + elementsText(vector) +
               "; what follows is in another " + input.str();
      if (basis & vector)
        return (input + " bit " + Twine(bit) + " moves the access by " +
                Twine(basis) + " elements, which is no multiple of " +
                Twine(wider))
            .str();
    }
    return std::string();
  };
  if (std::string why = obstacleIn("lane", bases.lanes); !why.empty())
    return why;
  if (std::string why = obstacleIn("warp", bases.warps); !why.empty())
    return why;
  if (!bases.ofRegisters.contains(vector))
    return "a thread holds runs of " + elementsText(vector) +
           "; the access leaves out what follows";
  if (!paddingKeepsAligned(bases, layout, wider))
    return paddingText(layout) + " does not keep vectors of " +
           elementsText(wider) + " whole and aligned";
  if (access.runDim && !keepsRuns(access, layout, *access.runDim, wider))
    return "the shared layout does not keep runs of " + elementsText(wider) +
           " along dimension " + std::to_string(*access.runDim);
  return "";
}

static Issue issueOfVectors(const SharedAccess &access,
                            const OffsetBases &bases,
                            const SharedLayout &layout,
                            std::string *whyNotWider) {
  Issue issue;
  issue.vectorElements = 1;
  std::string why;
  while ((why = obstacleToDoubling(access, bases, layout, issue.vectorElements))
             .empty())
    issue.vectorElements *= 2;
  if (whyNotWider)
    *whyNotWider = std::move(why);

  issue.neverFirst = bases.redundantRegisters;
  for (unsigned element = 0; element < issue.vectorElements; ++element)
    if (std::optional<uint64_t> reg = bases.ofRegisters.solve(element))
      issue.within.push_back(*reg);
  for (unsigned bit = 0; bit < bases.lanes.size(); ++bit)
    issue.laneBits.push_back({"lane", bit});
  return issue;
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// ldmatrix moves matrices of 8 rows of 16 bytes (PTX ISA, "ldmatrix"). Each
/// row goes to four lanes, 4 bytes each: lane bits 0 and 1, and in it the bits
/// of the elements in 4 bytes, which are the first register bits. Lane bits 2
/// to 4 are the row. The transposed form, for elements of 2 bytes, exchanges
/// the place in the row and the row.
static std::string obstacleToMatrix(const SharedAccess &access,
                                    const OffsetBases &bases,
                                    const SharedLayout &layout,
                                    bool transposed) {
  unsigned bytes = access.elementBytes;
  if (bytes > 4 || (transposed && bytes != 2))
    return "ldmatrix does not move elements of " + std::to_string(bytes) +
           " bytes this way";
  unsigned rowElements = maxBytesPerLane / bytes;
  unsigned packedBits = Log2_32(4 / bytes);
  if (bases.lanes.size() != 5 || bases.registers.size() < packedBits)
    return "a thread does not hold 4 bytes of each of 32 lanes";
  if (access.kind == SharedAccessKind::StoreMatrix && bases.redundantLanes)
    return "stmatrix takes part of a row from each lane, and some hold copies";

  ArrayRef<uint64_t> lanes = bases.lanes, registers = bases.registers;
  SmallVector<uint64_t, 16> alongRow, across;
  SmallVectorImpl<uint64_t> &ofPacked = transposed ? across : alongRow;
  append_range(ofPacked, registers.take_front(packedBits));
  append_range(ofPacked, lanes.take_front(2));
  append_range(transposed ? alongRow : across, lanes.drop_front(2));
  append_range(across, registers.drop_front(packedBits));
  append_range(across, bases.warps);

  for (auto [bit, basis] : enumerate(alongRow))
    if (basis != uint64_t(1) << bit)
      return "the 16 bytes that ldmatrix spreads over a row's lanes are not "
             "adjacent in shared memory";
  for (uint64_t basis : across)
    if (basis % rowElements)
      return "the rows of ldmatrix are not aligned to 16 bytes in shared "
             "memory";
  if (!paddingKeepsAligned(bases, layout, rowElements))
    return paddingText(layout) +
           " does not keep rows of 16 bytes whole and aligned";
  return "";
}

static Issue issueOfMatrices(const SharedAccess &access,
                             const OffsetBases &bases,
                             const SharedLayout &layout,
                             std::string *whyNotWider) {
  Issue issue;
  std::string why = obstacleToMatrix(access, bases, layout, false);
  if (!why.empty()) {
    issue.transposed =
        obstacleToMatrix(access, bases, layout, /*transposed=*/true).empty();
    if (!issue.transposed) {
      if (whyNotWider)
        *whyNotWider = std::move(why);
      return Issue();
    }
  }
  if (whyNotWider)
    *whyNotWider = "ldmatrix moves rows of 16 bytes";

  issue.vectorElements = maxBytesPerLane / access.elementBytes;
  unsigned packed = 4 / access.elementBytes;
  unsigned packedBits = Log2_32(packed);
  if (issue.transposed)
    issue.laneBits = {{"register", 0}, {"lane", 0}, {"lane", 1}};
  else
    issue.laneBits = {{"lane", 2}, {"lane", 3}, {"lane", 4}};
  issue.within = to_vector<16>(seq<unsigned>(packed));
  issue.neverFirst = bases.redundantRegisters | (packed - 1);
  // Up to four matrices an instruction, along the lowest register bits.
  for (unsigned bit = packedBits;
       bit < bases.registers.size() && issue.laneBits.size() < 5; ++bit) {
    if (bases.redundantRegisters >> bit & 1)
      continue;
    for (unsigned other : SmallVector<unsigned, 16>(issue.within))
      issue.within.push_back(other | 1u << bit);
    issue.laneBits.push_back({"register", bit});
    issue.neverFirst |= uint64_t(1) << bit;
  }
  return issue;
}

static Issue issueOf(const SharedAccess &access, const OffsetBases &bases,
                     const SharedLayout &layout, std::string *whyNotWider) {
  if (isMatrixAccess(access.kind))
    return issueOfMatrices(access, bases, layout, whyNotWider);
  return issueOfVectors(access, bases, layout, whyNotWider);
}

//===----------------------------------------------------------------------===//
// Plan and cost
//===----------------------------------------------------------------------===//

/// Calls `visit(register, offset)` for the first register of each instruction,
/// with its offset in thread 0.
template <typename Visit>
static void forEachFirstRegister(const OffsetBases &bases, const Issue &issue,
                                 Visit visit) {
  uint64_t numRegisters = uint64_t(1) << bases.registers.size();
  std::vector<uint64_t> offsets(numRegisters, 0);
  for (uint64_t reg = 0; reg < numRegisters; ++reg) {
    if (reg)
      offsets[reg] =
          offsets[reg & (reg - 1)] ^ bases.registers[countr_zero(reg)];
    if (!(reg & issue.neverFirst) && offsets[reg] % issue.vectorElements == 0)
      visit(static_cast<unsigned>(reg), offsets[reg]);
  }
}

SharedAccessPlan tilewright::planSharedAccess(const SharedAccess &access,
                                              const SharedLayout &layout,
                                              std::string *whyNotWider) {
  OffsetBases bases(access.registers, layout);
  Issue issue = issueOf(access, bases, layout, whyNotWider);
  SharedAccessPlan plan;
  if (issue.vectorElements == 0)
    return plan;
  plan.vectorElements = issue.vectorElements;
  plan.transposed = issue.transposed;
  if (isSharedStore(access.kind)) {
    plan.idleLanes = bases.redundantLanes;
    plan.idleWarps = bases.redundantWarps;
  }
  forEachFirstRegister(bases, issue, [&](unsigned first, uint64_t) {
    auto &registers = plan.instructions.emplace_back();
    for (unsigned other : issue.within)
      registers.push_back(first ^ other);
  });

  std::vector<LinearLayout::Point> lanes;
  for (const Issue::LaneBit &from : issue.laneBits)
    lanes.push_back(access.registers.bases(from.input)[from.bit]);
  plan.addresses = cantFail(LinearLayout::create(
      {{"register", access.registers.bases("register").vec()},
       {"lane", std::move(lanes)},
       {"warp", access.registers.bases("warp").vec()}},
      access.registers.shape()));
  return plan;
}

unsigned tilewright::widestVector(const SharedAccess &access,
                                  const SharedLayout &layout) {
  return issueOf(access, OffsetBases(access.registers, layout), layout, nullptr)
      .vectorElements;
}

/// Counts the wavefronts of the instructions of an access, which differ only
/// in where they start.
namespace {
class InstructionCounter {
public:
  InstructionCounter(const SharedAccess &access, const OffsetBases &bases,
                     const Issue &issue, const SharedLayout &layout);

  /// Wavefronts of the instruction whose lane 0 starts at `offset`.
  unsigned count(uint64_t offset);

  /// The fewest wavefronts of an instruction in any layout.
  unsigned countIdeal() const;

private:
  const SharedLayout &layout;
  SharedAccessKind kind;
  unsigned elementBytes, bytesPerLane;
  /// Offsets of the lanes against lane 0, for lanes that take part.
  SmallVector<std::optional<uint64_t>, lanesPerWarp> laneOffsets;
  /// The bits of the offset that lanes move.
  uint64_t laneBits = 0;
  SmallDenseMap<uint64_t, unsigned, 16> known;
};
} // namespace

InstructionCounter::InstructionCounter(const SharedAccess &access,
                                       const OffsetBases &bases,
                                       const Issue &issue,
                                       const SharedLayout &layout)
    : layout(layout), kind(access.kind), elementBytes(access.elementBytes),
      bytesPerLane(access.elementBytes * issue.vectorElements) {
  uint64_t idle = isSharedStore(kind) ? bases.redundantLanes : uint64_t(0);
  laneOffsets.push_back(0);
  for (auto [bit, from] : enumerate(issue.laneBits)) {
    bool isLane = from.input == "lane";
    uint64_t basis = (isLane ? bases.lanes : bases.registers)[from.bit];
    bool isIdle = isLane && (idle >> from.bit & 1);
    for (size_t lane = 0, end = laneOffsets.size(); lane < end; ++lane) {
      std::optional<uint64_t> offset = laneOffsets[lane];
      if (isIdle)
        offset.reset();
      else if (offset)
        *offset ^= basis;
      laneOffsets.push_back(offset);
    }
    if (!isIdle)
      laneBits |= basis;
  }
}

unsigned InstructionCounter::countIdeal() const {
  SmallVector<int64_t, lanesPerWarp> addresses;
  for (std::optional<uint64_t> lane : laneOffsets)
    addresses.push_back(lane ? int64_t(*lane * elementBytes) : -1);
  return fewestWavefronts(kind, bytesPerLane, addresses);
}

unsigned InstructionCounter::count(uint64_t offset) {
  // Only the bits which lanes move too take part in the XOR. The others add
  // the same number of bytes to each address, with their padding. Whole words
  // of those turn the banks round, which changes no count; and without padding
  // the XOR, too, only permutes the banks.
  uint64_t moved = layout.isPadded() ? offset & laneBits : 0;
  uint64_t added =
      layout.isPadded() ? layout.pad(offset & ~laneBits) * elementBytes % 4 : 0;
  auto [entry, isNew] = known.try_emplace(moved * 4 + added, 0);
  if (!isNew)
    return entry->second;

  SmallVector<int64_t, lanesPerWarp> addresses;
  for (std::optional<uint64_t> lane : laneOffsets)
    addresses.push_back(lane ? layout.pad(*lane ^ moved) * elementBytes + added
                             : -1);
  return entry->second = countWavefronts(kind, bytesPerLane, addresses);
}

SharedAccessCost tilewright::costOfSharedAccess(const SharedAccess &access,
                                                const SharedLayout &layout) {
  OffsetBases bases(access.registers, layout);
  Issue issue = issueOf(access, bases, layout, nullptr);
  SharedAccessCost cost;
  if (issue.vectorElements == 0)
    return cost;
  cost.vectorElements = issue.vectorElements;
  cost.instructions =
      (int64_t(1) << bases.ofRegisters.rank()) / int64_t(issue.within.size());
  uint64_t idleWarps = isSharedStore(access.kind) ? bases.redundantWarps : 0;
  cost.warps = int64_t(1) << (bases.warps.size() - popcount(idleWarps));

  InstructionCounter counter(access, bases, issue, layout);
  unsigned ideal = counter.countIdeal();
  cost.idealWavefronts = ideal * cost.instructionsOfBlock();
  unsigned worst = 0;
  if (!layout.isPadded()) {
    worst = counter.count(0);
    cost.wavefronts = worst * cost.instructionsOfBlock();
  } else {
    uint64_t numWarps = uint64_t(1) << bases.warps.size();
    forEachFirstRegister(bases, issue, [&](unsigned, uint64_t ofRegister) {
      for (uint64_t warp = 0; warp < numWarps; ++warp) {
        if (warp & idleWarps)
          continue;
        uint64_t offset = ofRegister;
        for (auto [bit, basis] : enumerate(bases.warps))
          if (warp >> bit & 1)
            offset ^= basis;
        unsigned wavefronts = counter.count(offset);
        cost.wavefronts += wavefronts;
        worst = std::max(worst, wavefronts);
      }
    });
  }
  cost.worstDegree = divideCeil(worst, ideal);
  return cost;
}
