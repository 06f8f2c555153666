//===- Access.cpp - Memory accesses of a warp and their checks ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Hex.h"
#include "Machine/HostAtomics.h"
#include "Machine/Warp.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright::sim {

void Warp::computeAddresses(const Instr &instr, int32_t base,
                            LaneAccess &lanes) const {
  const uint64_t *addresses = source(base);
  const auto offset = static_cast<uint64_t>(instr.offset);
  // 32-bit address registers may hold anything in their upper half; what is
  // added to them wraps around, as on GPUs.
  const uint64_t keep = instr.hasNarrowAddress ? 0xFFFF'FFFF : ~uint64_t(0);
  forLanes(lanes.mask, [&](unsigned lane) {
    lanes.addresses[lane] = (addresses[lane] + offset) & keep;
  });
}

uint32_t Warp::access(LaneAccess &lanes) {
  lanes.strong = effective(lanes.strong);
  switch (lanes.space) {
  case Space::Shared:
  case Space::Cluster:
    // Addresses that stem from generic ones may carry the window.
    forLanes(lanes.mask, [&](unsigned lane) {
      if (window::spaceOf(lanes.addresses[lane]) == Space::Shared)
        lanes.addresses[lane] -= window::shared;
    });
    return lanes.space == Space::Cluster || launch.clusterBlocks() != 1
               ? accessCluster(lanes, lanes.mask)
               : accessShared(lanes, lanes.mask, block);
  case Space::Local:
    return accessLocal(lanes, lanes.mask);
  case Space::Param:
    return accessParam(lanes, lanes.mask);
  case Space::Global:
  case Space::Const:
    return accessGlobal(lanes, lanes.mask);
  case Space::Generic:
    break;
  }
  uint32_t bySpace[6] = {};
  forLanes(lanes.mask, [&](unsigned lane) {
    const Space space = window::spaceOf(lanes.addresses[lane]);
    bySpace[static_cast<size_t>(space)] |= 1u << lane;
    if (space != Space::Global)
      lanes.addresses[lane] &= window::size - 1;
  });
  uint32_t done = 0;
  auto inSpace = [&](Space space) {
    return bySpace[static_cast<size_t>(space)];
  };
  if (const uint32_t mask = inSpace(Space::Global))
    done |= accessGlobal(lanes, mask);
  if (const uint32_t mask = inSpace(Space::Shared))
    done |= accessCluster(lanes, mask);
  if (const uint32_t mask = inSpace(Space::Local))
    done |= accessLocal(lanes, mask);
  if (const uint32_t mask = inSpace(Space::Param))
    done |= accessParam(lanes, mask);
  return done;
}

bool Warp::isAligned(const LaneAccess &lanes, unsigned lane) {
  const unsigned align = lanes.align ? lanes.align : lanes.bytes;
  if (lanes.addresses[lane] % align == 0)
    return true;
  report(FindingKind::Misaligned, lane,
         Twine(accessVerb(lanes.kind)) + " " + Twine(lanes.bytes) +
             " bytes at an address that is not a multiple of " + Twine(align),
         lanes.addresses[lane]);
  return false;
}

/// The bytes that a store brings with it.
static const uint8_t *dataOf(const LaneAccess &lanes, unsigned lane) {
  return lanes.data + size_t(lane) * lanes.dataStride;
}

/// Carries out a store that brings its data with it.
static void writeData(const LaneAccess &lanes, unsigned lane) {
  if (!lanes.data || lanes.isAsync)
    return;
  uint8_t *to = lanes.pointers[lane];
  const uint8_t *from = dataOf(lanes, lane);
  auto write = [&](auto word) {
    for (unsigned at = 0; at != lanes.bytes; at += sizeof(word)) {
      std::memcpy(&word, from + at, sizeof(word));
      storeRelaxed(to + at, word);
    }
  };
  switch (lanes.bytes) {
  case 1:
    return write(uint8_t());
  case 2:
    return write(uint16_t());
  case 4:
    return write(uint32_t());
  default:
    return write(uint64_t());
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static unsigned countPattern(const LaneAccess &lanes, uint32_t mask) {
  std::array<int64_t, warpSize> addresses;
  addresses.fill(-1);
  forLanes(mask, [&](unsigned lane) {
    addresses[lane] = static_cast<int64_t>(lanes.addresses[lane]);
  });
  const SharedAccessKind kind = lanes.isMatrix ? SharedAccessKind::LoadMatrix
                                : lanes.kind == AccessKind::Store
                                    ? SharedAccessKind::Store
                                    : SharedAccessKind::Load;
  return countWavefronts(kind, lanes.bytes, addresses);
}

/// Loops repeat their patterns, and the bank model takes its time. Addresses
/// within words do not matter to it.
static unsigned wavefronts(const LaneAccess &lanes, uint32_t mask,
                           WavefrontPattern &last) {
  if (mask == 0)
    return 0;
  const uint64_t first = lanes.addresses[llvm::countr_zero(mask)] / 4;
  std::array<int32_t, warpSize> words = {};
  forLanes(mask, [&](unsigned lane) {
    words[lane] = static_cast<int32_t>(lanes.addresses[lane] / 4 - first);
  });
  if (last.mask != mask || last.words != words)
    last = {mask, words, countPattern(lanes, mask)};
  return last.wavefronts;
}

/// True if all bytes of the shadow are set; `bytes` is mostly a small power
/// of two.
static bool areAllSet(const uint8_t *valid, unsigned bytes) {
  for (; bytes >= 4; bytes -= 4, valid += 4) {
    uint32_t word = 0;
    std::memcpy(&word, valid, 4);
    if (word != 0x01010101)
      return false;
  }
  for (; bytes != 0; --bytes, ++valid)
    if (!*valid)
      return false;
  return true;
}

/// What is known of the bytes that an access touches: whether a copy is still
/// to write them, and whether something was written.
static void noteSharedBytes(Warp &warp, const LaneAccess &lanes, unsigned lane,
                            Block &owner) {
  const uint64_t address = lanes.addresses[lane];
  const uint64_t offset = address - firstOffset;
  const bool isPending = owner.asyncCopies.isPending(offset, lanes.bytes);
  if (isPending)
    warp.report(FindingKind::PendingCopy, lane,
                Twine(accessVerb(lanes.kind)) +
                    " the target of an asynchronous copy that has not been "
                    "waited for",
                address);
  uint8_t *valid = owner.sharedValid.data() + offset;
  if (lanes.kind != AccessKind::Store &&
      warp.launch.options.checkUninitialized && !isPending &&
      !areAllSet(valid, lanes.bytes)) {
    warp.report(FindingKind::Uninitialized, lane,
                "reads shared memory that nothing has written", address);
    std::memset(valid, 1, lanes.bytes); // say it once
  }
  if (lanes.kind != AccessKind::Load && !lanes.isAsync)
    std::memset(valid, 1, lanes.bytes);
}

uint32_t Warp::accessShared(LaneAccess &lanes, uint32_t mask, Block &owner) {
  if (&owner != &block && !block.noteRemoteAccess(*this, lanes, mask, owner))
    return 0;
  const LaunchOptions &options = launch.options;
  uint32_t done = 0;
  Mark now = mark(0, lanes.strong);
  forLanes(mask, [&](unsigned lane) {
    const uint64_t address = lanes.addresses[lane];
    if (!isAligned(lanes, lane))
      return;
    if (address < firstOffset || address >= launch.sharedEnd ||
        lanes.bytes > launch.sharedEnd - address) {
      report(FindingKind::OutOfBounds, lane,
             Twine(accessVerb(lanes.kind)) + " " + Twine(lanes.bytes) +
                 " bytes at shared offset " +
                 Twine(static_cast<int64_t>(address - firstOffset)) +
                 ", and the block has " + Twine(launch.sharedEnd - firstOffset),
             address);
      return;
    }
    if (!checkMemoryBarrier(lanes, lane, owner))
      return;
    const uint64_t offset = address - firstOffset;
    lanes.pointers[lane] = owner.shared.data() + offset;
    done |= 1u << lane;
    noteSharedBytes(*this, lanes, lane, owner);
    if (options.checkRaces) {
      now.lane = static_cast<uint8_t>(lane);
      Conflict conflict;
      if (noteAccess(owner.sharedShadow[offset / ShadowPage::bytes],
                     offset % ShadowPage::bytes, lanes, now, conflict))
        reportConflict(conflict, now, lanes.kind != AccessKind::Load, address);
    }
    writeData(lanes, lane);
  });
  if (options.countAccesses) {
    InstrCount &count = block.counts[pc()];
    ++count.accesses;
    count.accessThreads += static_cast<unsigned>(llvm::popcount(mask));
    // The bank model has no rule for atomics and for other blocks.
    if (lanes.kind != AccessKind::Atomic && &owner == &block)
      count.wavefronts += wavefronts(lanes, done, block.patterns[pc()]);
  }
  return done;
}

/// True if the store of `lane` writes at `delta` from its address what is
/// already there, or what another lane of the same instruction writes there.
bool Warp::isSameStore(const LaneAccess &lanes, unsigned lane, uint64_t delta,
                       uint64_t bytes, const Mark &last) const {
  if (!lanes.data || delta + bytes > lanes.bytes)
    return false;
  const uint8_t *mine = lanes.data + size_t(lane) * lanes.dataStride + delta;
  const bool sameInstr =
      last.block == block.index && last.warp == index && last.serial == serial;
  const uint8_t *other = lanes.pointers[lane] + delta;
  if (sameInstr) {
    const uint64_t shift =
        lanes.addresses[lane] + delta - lanes.addresses[last.lane];
    if (shift + bytes > lanes.bytes)
      return false;
    other = lanes.data + size_t(last.lane) * lanes.dataStride + shift;
  }
  return std::memcmp(mine, other, bytes) == 0;
}

/// Records the access of `now.lane`; true if it races.
bool Warp::noteAccess(ShadowPage &page, uint64_t at, const LaneAccess &lanes,
                      const Mark &now, Conflict &conflict) const {
  if (lanes.kind == AccessKind::Load)
    return page.read(at, lanes.bytes, now, *this, conflict);
  return page.write(at, lanes.bytes, now, *this, conflict,
                    [&](uint64_t where, uint64_t bytes, const Mark &last) {
                      return isSameStore(lanes, now.lane, where - at, bytes,
                                         last);
                    });
}

//===----------------------------------------------------------------------===//
// Global and constant memory
//===----------------------------------------------------------------------===//

/// How far beyond an allocation an access is still said to be beyond it.
static constexpr uint64_t nearBytes = uint64_t(1) << 40;

/// The allocation that holds all bytes of the access, or null with a finding.
Allocation *Warp::findGlobal(const LaneAccess &lanes, unsigned lane) {
  const uint64_t address = lanes.addresses[lane];
  if (lastAllocation && lastAllocation->contains(address, lanes.bytes) &&
      !lastAllocation->isFreed)
    return lastAllocation;
  Allocation *allocation = launch.memory.below(address);
  if (allocation && allocation->contains(address, lanes.bytes) &&
      !allocation->isFreed)
    return lastAllocation = allocation;
  const std::string what = (accessVerb(lanes.kind) + " " + Twine(lanes.bytes) +
                            " bytes at " + hex(address))
                               .str();
  const bool isFreed = allocation && allocation->contains(address, lanes.bytes);
  if (!isFreed)
    allocation = launch.memory.nearest(address);
  if (!allocation || allocation->distance(address) >= nearBytes) {
    report(FindingKind::OutOfBounds, lane,
           Twine(what) + ", which is in no memory that the launch was given",
           address);
    return nullptr;
  }
  const std::string name = allocation->describe() + " of " +
                           std::to_string(allocation->size) + " bytes";
  if (isFreed)
    report(FindingKind::UseAfterFree, lane,
           Twine(what) + ", in " + name + ", which was freed", address);
  else
    report(FindingKind::OutOfBounds, lane,
           Twine(what) + ", at byte " +
               Twine(static_cast<int64_t>(address - allocation->begin())) +
               " from the start of " + name,
           address);
  return nullptr;
}

/// Other blocks run on other host threads. They must find the value in memory
/// where they find the mark of the store, else they would compare their own
/// with what was there before: both are made under the page's lock.
void Warp::checkGlobalOrder(const LaneAccess &lanes, unsigned lane,
                            Allocation &allocation) {
  const uint64_t offset = lanes.addresses[lane] - allocation.base;
  Allocation::LockedPage &page = allocation.pages[offset / ShadowPage::bytes];
  const Mark now = mark(lane, lanes.strong);
  Conflict conflict;
  bool races = false;
  {
    std::lock_guard<std::mutex> lock(page.mutex);
    races = noteAccess(page.shadow, offset % ShadowPage::bytes, lanes, now,
                       conflict);
    writeData(lanes, lane);
  }
  if (races)
    reportConflict(conflict, now, lanes.kind != AccessKind::Load,
                   lanes.addresses[lane], &allocation);
}

static unsigned countSectors(const LaneAccess &lanes, uint32_t mask) {
  std::array<uint64_t, warpSize> sectors;
  unsigned count = 0;
  forLanes(mask, [&](unsigned lane) {
    const uint64_t sector = lanes.addresses[lane] / bytesPerSector;
    if (count == 0 || sectors[count - 1] != sector)
      sectors[count++] = sector;
  });
  auto begin = sectors.begin();
  std::sort(begin, begin + count);
  return static_cast<unsigned>(std::unique(begin, begin + count) - begin);
}

uint32_t Warp::accessGlobal(LaneAccess &lanes, uint32_t mask) {
  const LaunchOptions &options = launch.options;
  lanes.globalLanes |= mask;
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    Allocation *allocation =
        isAligned(lanes, lane) ? findGlobal(lanes, lane) : nullptr;
    if (!allocation)
      return;
    const uint64_t offset = lanes.addresses[lane] - allocation->base;
    if (allocation->isConstant && lanes.kind != AccessKind::Load) {
      report(FindingKind::ReadOnlyWrite, lane,
             "writes the constant '" + Twine(allocation->name) + "'",
             lanes.addresses[lane]);
      return;
    }
    lanes.pointers[lane] = allocation->data.get() + offset;
    done |= 1u << lane;
    uint8_t *valid = allocation->valid.get() + offset;
    if (lanes.kind != AccessKind::Store && options.checkUninitialized &&
        !areAllSet(valid, lanes.bytes)) {
      report(FindingKind::Uninitialized, lane,
             "reads byte " + Twine(offset - allocation->lead) + " of " +
                 allocation->describe() + ", which nothing has written",
             lanes.addresses[lane]);
      std::memset(valid, 1, lanes.bytes);
    }
    if (lanes.kind != AccessKind::Load)
      std::memset(valid, 1, lanes.bytes);
    noteForWaits(lanes, lane);
    if (options.checkRaces && allocation->pages)
      checkGlobalOrder(lanes, lane, *allocation);
    else
      writeData(lanes, lane);
  });
  if (options.countAccesses && lanes.space != Space::Const) {
    InstrCount &count = block.counts[pc()];
    if (!lanes.isAsync) { // Counted where it writes.
      ++count.accesses;
      count.accessThreads += static_cast<unsigned>(llvm::popcount(mask));
    }
    count.sectors += countSectors(lanes, done);
  }
  return done;
}

//===----------------------------------------------------------------------===//
// Local memory and arguments
//===----------------------------------------------------------------------===//

uint32_t Warp::accessLocal(LaneAccess &lanes, uint32_t mask) {
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = lanes.addresses[lane];
    if (window::spaceOf(address) == Space::Local)
      address -= window::local;
    if (!isAligned(lanes, lane))
      return;
    std::vector<uint8_t> &bytes = local[lane];
    const uint64_t offset = address - firstOffset;
    if (address < firstOffset || offset >= bytes.size() ||
        lanes.bytes > bytes.size() - offset) {
      report(FindingKind::OutOfBounds, lane,
             Twine(accessVerb(lanes.kind)) + " " + Twine(lanes.bytes) +
                 " bytes at local offset " +
                 Twine(static_cast<int64_t>(offset)) + ", and the thread has " +
                 Twine(bytes.size()),
             address);
      return;
    }
    lanes.pointers[lane] = bytes.data() + offset;
    done |= 1u << lane;
    writeData(lanes, lane);
  });
  return done;
}

uint32_t Warp::accessParam(LaneAccess &lanes, uint32_t mask) {
  uint32_t done = 0;
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = lanes.addresses[lane];
    if (window::spaceOf(address) == Space::Param)
      address -= window::param;
    if (!isAligned(lanes, lane))
      return;
    if (lanes.kind != AccessKind::Load) {
      report(FindingKind::ReadOnlyWrite, lane, "writes a kernel argument",
             address);
      return;
    }
    if (address >= launch.arguments.size() ||
        lanes.bytes > launch.arguments.size() - address) {
      report(FindingKind::OutOfBounds, lane,
             "reads " + Twine(lanes.bytes) + " bytes at offset " +
                 Twine(address) + " of the kernel's arguments, which have " +
                 Twine(launch.arguments.size()),
             address);
      return;
    }
    lanes.pointers[lane] = launch.arguments.data() + address;
    done |= 1u << lane;
  });
  return done;
}

} // namespace tilewright::sim
