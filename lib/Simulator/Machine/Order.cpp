//===- Order.cpp - The logical clocks of a warp ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"
#include "Machine/Warp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {

Mark Warp::mark(unsigned lane, Scope strong) const {
  Mark mark;
  mark.clock = clocks.known[index];
  mark.block = block.index;
  mark.pc = pc();
  mark.serial = serial;
  mark.warp = static_cast<uint16_t>(index);
  mark.lane = static_cast<uint8_t>(lane);
  mark.strong = strong;
  return mark;
}

bool Warp::isOrdered(const Mark &earlier, const Mark &now) const {
  if (earlier.block != now.block) {
    const BlockView *other =
        clocks.foreign ? clocks.foreign->find(earlier.block) : nullptr;
    return other && other->covers(earlier.warp, earlier.lane, earlier.clock);
  }
  if (earlier.warp != now.warp)
    return knownClock(earlier.warp) >= earlier.clock;
  if (earlier.lane == now.lane)
    return true;
  if (laneKnown.empty())
    return syncedClock >= earlier.clock;
  const ArrayRef<uint32_t> row =
      ArrayRef(laneKnown).slice(size_t(now.lane) * warpSize, warpSize);
  if (earlier.lane == Mark::severalLanes)
    return *min_element(row) >= earlier.clock;
  return row[earlier.lane] >= earlier.clock;
}

void Warp::syncLanes(uint32_t mask) {
  const uint32_t now = clocks.known[index];
  if ((alive & ~mask) == 0) {
    syncedClock = now;
    laneKnown.clear();
  } else {
    if (laneKnown.empty())
      laneKnown.assign(size_t(warpSize) * warpSize, syncedClock);
    std::array<uint32_t, warpSize> row = {};
    forLanes(mask, [&](unsigned lane) {
      for (unsigned other = 0; other != warpSize; ++other)
        row[other] = std::max(row[other], laneKnown[lane * warpSize + other]);
    });
    forLanes(mask, [&](unsigned lane) { row[lane] = now; });
    forLanes(mask, [&](unsigned lane) {
      llvm::copy(row, laneKnown.begin() + ptrdiff_t(lane) * warpSize);
    });
  }
  advanceClock();
}

bool Warp::isOrderedBeforeAll(const Mark &earlier) const {
  Mark now = mark(0, Scope::None);
  if (earlier.block != now.block || earlier.warp != now.warp)
    return isOrdered(earlier, now);
  if (laneKnown.empty())
    return syncedClock >= earlier.clock;
  bool isBeforeAll = true;
  forLanes(alive, [&](unsigned lane) {
    now.lane = static_cast<uint8_t>(lane);
    isBeforeAll = isBeforeAll && isOrdered(earlier, now);
  });
  return isBeforeAll;
}

void Warp::joinClock(const Clocks &message) {
  const uint32_t own = clocks.known[index];
  clocks.join(message);
  clocks.known[index] = own;
  if (index < message.known.size())
    syncedClock = std::max(syncedClock, message.known[index]);
  for (uint32_t &clock : laneKnown)
    clock = std::max(clock, syncedClock);
}

/// "thread 5,0,0", or whatever else has accessed memory; of a block with the
/// shape of this one.
std::string Warp::describeActor(const Mark &mark) const {
  const size_t warps = block.warps.size();
  const bool several = mark.lane == Mark::severalLanes;
  const bool isProduct = mark.warp >= warps;
  if (mark.warp >= warps + divideCeil(warps, warpgroupWarps))
    return "an asynchronous copy";
  const uint64_t warp =
      isProduct ? (mark.warp - warps) * warpgroupWarps : mark.warp;
  const Dim3 thread =
      launch.blockDim.point(warp * warpSize + (several ? 0 : mark.lane));
  std::string text;
  raw_string_ostream(text) << (isProduct
                                   ? "a product of the warpgroup of thread "
                               : several ? "lanes of the warp of thread "
                                         : "thread ")
                           << thread;
  return text;
}

void Warp::reportConflict(const Conflict &conflict, const Mark &now,
                          bool isWrite, uint64_t address,
                          const Allocation *array) {
  if (array && array->mayRace)
    return;
  const Mark &earlier = conflict.earlier;
  std::string who;
  raw_string_ostream os(who);
  os << (isWrite ? "writes " : "reads ")
     << (array ? array->describeByte(address) + ", which" : "what") << " "
     << describeActor(earlier);
  if (earlier.block != now.block) {
    const Dim3 otherBlock = launch.grid.point(earlier.block);
    os << " of block " << otherBlock.x << "," << otherBlock.y << ","
       << otherBlock.z;
  }
  os << (conflict.earlierIsWrite ? " writes" : " reads") << " in "
     << launch.program.placeOf(earlier.pc) << ", with nothing to order the two";
  report(FindingKind::Race, now.lane, who, address, earlier.pc,
         /*isGlobalRace=*/array != nullptr);
}

//===----------------------------------------------------------------------===//
// Fences, flags and locks
//===----------------------------------------------------------------------===//

/// What these lanes are ordered after now, with what they did themselves.
ViewRef Warp::takeView(uint32_t mask) {
  const uint32_t now = clocks.known[index];
  BlockView own;
  own.known = clocks.known;
  own.fenced = clocks.fenced;
  if ((alive & ~mask) != 0) {
    // Other lanes may be ahead of what these are ordered after.
    BlockView::Lanes row;
    row.warp = index;
    row.clocks.fill(syncedClock);
    if (!laneKnown.empty())
      forLanes(mask, [&](unsigned lane) {
        for (unsigned other = 0; other != warpSize; ++other)
          row.clocks[other] =
              std::max(row.clocks[other], laneKnown[lane * warpSize + other]);
      });
    forLanes(mask, [&](unsigned lane) { row.clocks[lane] = now; });
    own.known[index] = *min_element(row.clocks);
    own.lanes.push_back(row);
  }
  advanceClock();
  return View::with(clocks.foreign, block.index, std::move(own));
}

/// PTX's .cluster is .cta where each block is a cluster of its own. Where not,
/// it counts as .gpu, which may miss a race between clusters.
Scope Warp::effective(Scope scope) const {
  if (scope != Scope::Cluster)
    return scope;
  return launch.clusterBlocks() > 1 ? Scope::Gpu : Scope::Block;
}

void Warp::acquire(const ViewRef &view, Scope scope) {
  if (!view || view == lastAcquired)
    return;
  if (const BlockView *own = view->find(block.index)) {
    Clocks message;
    message.fenced = own->fenced;
    for (uint32_t warp = 0; warp != own->known.size(); ++warp)
      message.known.push_back(warp == index ? own->known[warp]
                                            : own->furthest(warp));
    joinClock(message);
  }
  if (scope != Scope::Gpu)
    return;
  clocks.foreign = View::join(clocks.foreign, view);
  lastAcquired = view;
}

void Warp::fence(MemoryOrder order, uint32_t mask) {
  order.scope = effective(order.scope);
  if (order.acquires) {
    acquire(pending.device, order.scope);
    acquire(pending.block, Scope::Block);
  }
  if (!order.releases)
    return;
  const ViewRef view = takeView(mask);
  clocks.released.join({order.scope == Scope::Gpu ? view : nullptr, view});
}

/// Where views of this location are kept; null for what only other blocks
/// could see, where none can wait.
SyncTable *Warp::tableOf(const uint8_t *location) const {
  if (Block *owner = block.ownerOf(location))
    return &owner->flags;
  return launch.isOrdered ? &launch.flags : nullptr;
}

void Warp::readFlag(const SyncLocation &flag, MemoryOrder order) {
  auto take = [&](const ViewRef &view, Scope scope) {
    if (order.acquires)
      return acquire(view, scope);
    ViewRef &into = scope == Scope::Gpu ? pending.device : pending.block;
    into = View::join(into, view);
  };
  // Polls see the same thing again and again.
  const bool isNew = order.acquires || flag.views.device != lastPending.device;
  if (flag.views.device && isNew)
    take(flag.views.device, order.scope);
  if (flag.block != block.index)
    return;
  if (flag.views.block &&
      (order.acquires || flag.views.block != lastPending.block))
    take(flag.views.block, Scope::Block);
  if (!order.acquires && order.scope == Scope::Gpu)
    lastPending = flag.views;
}

/// A read-modify-write hands on what was there; a store does not.
void Warp::writeFlag(SyncLocation &flag, MemoryOrder order, bool isUpdate,
                     const ViewRef &view) {
  SyncViews old;
  if (isUpdate)
    old = flag.views;
  if (flag.block != block.index)
    old.block = nullptr;
  flag.block = block.index;
  flag.views.block =
      View::join(old.block, order.releases ? view : clocks.released.block);
  flag.views.device =
      order.scope == Scope::Gpu
          ? View::join(old.device,
                       order.releases ? view : clocks.released.device)
          : old.device;
}

void Warp::synchronize(const LaneAccess &lanes, uint32_t reads, uint32_t writes,
                       MemoryOrder order) {
  if (order.scope == Scope::None || !launch.options.checkRaces)
    return;
  order.scope = effective(order.scope);
  ViewRef view;
  if (order.releases && writes != 0)
    view = takeView(writes);
  forLanes(reads | writes, [&](unsigned lane) {
    SyncTable *table = tableOf(lanes.pointers[lane]);
    if (!table)
      return;
    const bool isRead = reads >> lane & 1, isWrite = writes >> lane & 1;
    auto found = table->find(lanes.pointers[lane]);
    if (found == table->end()) {
      if (!isWrite || (!view && !clocks.released.block))
        return;
      found = table->try_emplace(lanes.pointers[lane]).first;
    }
    if (isRead)
      readFlag(found->second, order);
    if (isWrite)
      writeFlag(found->second, order, isRead, view);
  });
}

//===----------------------------------------------------------------------===//
// The async proxy and products
//===----------------------------------------------------------------------===//

/// Where Clocks::fenced has the writes of whoever made the mark.
static size_t fencedIndex(const Mark &write, size_t warps) {
  return write.warp < warps ? size_t(write.warp) * warpSize + write.lane
                            : warps * warpSize + (write.warp - warps);
}

void Warp::fenceAsyncProxy(uint32_t mask) {
  const size_t warps = block.warps.size(), threads = warps * warpSize;
  clocks.fenced.resize(std::max(clocks.fenced.size(), threads), 0);
  if (launch.options.readersMayFenceProxy) {
    clocks.fenced.resize(
        std::max(clocks.fenced.size(), threads + clocks.known.size() - warps),
        0);
    for (auto [place, fenced] : enumerate(clocks.fenced)) {
      const size_t actor =
          place < threads ? place / warpSize : place - threads + warps;
      fenced = std::max(fenced, actor == index
                                    ? syncedClock
                                    : knownClock(static_cast<uint32_t>(actor)));
    }
  }
  forLanes(mask, [&](unsigned lane) {
    clocks.fenced[size_t(index) * warpSize + lane] = clocks.known[index];
  });
  advanceClock();
}

bool Warp::isFenced(const Mark &write) const {
  const std::vector<uint32_t> *fenced = &clocks.fenced;
  const Block *writer = block.peerOf(write.block);
  if (writer != &block) {
    const BlockView *other =
        clocks.foreign ? clocks.foreign->find(write.block) : nullptr;
    if (!other)
      return false;
    fenced = &other->fenced;
  }
  const AsyncAgent *agent = writer ? writer->agents.find(write.warp) : nullptr;
  if (agent && agent->isAsyncProxy())
    return true;
  const size_t place = fencedIndex(write, block.warps.size());
  return place < fenced->size() && (*fenced)[place] >= write.clock;
}

/// What is wrong where the async proxy comes to a byte of an unfenced write.
std::string Warp::describeMissingFence(StringRef verb,
                                       const Mark &write) const {
  const InstrInfo &info = launch.program.infos[write.pc];
  const bool isThread = write.warp < block.warps.size();
  return (verb + " what " + describeActor(write) + " writes in line " +
          Twine(info.line) + " `" + info.shortText() + "`, and " +
          (isThread ? "that thread" : "the thread that started it") +
          " executes no fence.proxy.async between the write and what orders "
          "the two")
      .str();
}

unsigned Warp::warpgroupClock() const {
  return static_cast<unsigned>(block.warps.size()) + index / warpgroupWarps;
}

void Warp::learn(uint32_t actor, uint32_t clock) {
  if (clocks.known.size() <= actor)
    clocks.known.resize(actor + 1, 0);
  clocks.known[actor] = std::max(clocks.known[actor], clock);
}

} // namespace tilewright::sim
