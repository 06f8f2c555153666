//===- MemoryBarrier.cpp - Instructions for mbarriers ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/MemoryBarrier.h"
#include "Families/Family.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// The state that an arrival gives: the phase, and the arrivals that were to
/// come before it.
constexpr unsigned pendingBits = 20;
uint64_t encodeState(const MemoryBarrier &barrier) {
  return barrier.phase << pendingBits | static_cast<uint64_t>(barrier.pending);
}

/// Calls `f(lane, place)` for each lane whose address in ops[0] holds an
/// mbarrier.
template <class F>
void forOperand(Warp &warp, const Instr &instr, uint32_t mask, F f) {
  LaneAccess lanes;
  lanes.space = instr.space;
  lanes.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], lanes);
  forBarriers(warp, lanes, f);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

/// True if an mbarrier may begin here, and for so many arrivals.
bool checkInit(Warp &warp, unsigned lane, const MemoryBarrier *old,
               uint64_t address, uint32_t count) {
  if (old)
    warp.report(FindingKind::InvalidOperand, lane,
                "there is an mbarrier at this address, with " +
                    Twine(old->expected - old->pending) + " of " +
                    Twine(old->expected) +
                    " arrivals made, and no mbarrier.inval before",
                address);
  const bool isCount = count != 0 && count <= maximumBarrierCount;
  if (!isCount)
    warp.report(FindingKind::InvalidOperand, lane,
                "an mbarrier cannot expect " + Twine(count) + " arrivals",
                address);
  return isCount;
}

/// ops: {address, count}.
Step initExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess lanes;
  lanes.kind = AccessKind::Store;
  lanes.space = instr.space;
  lanes.bytes = 8;
  lanes.isMemoryBarrier = true;
  lanes.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], lanes);
  Block &block = warp.block;
  auto &barriers = block.state<MemoryBarriers>();
  forLanes(warp.access(lanes), [&](unsigned lane) {
    if (block.ownerOf(lanes.pointers[lane]) != &block)
      return warp.report(FindingKind::InvalidOperand, lane,
                         "an mbarrier lies in shared memory",
                         lanes.addresses[lane]);
    const auto offset =
        static_cast<uint64_t>(lanes.pointers[lane] - block.shared.data());
    const auto count = warp.value<uint32_t>(instr.ops[1], lane);
    if (!checkInit(warp, lane, barriers.find(offset), lanes.addresses[lane],
                   count))
      return;
    MemoryBarrier barrier;
    barrier.expected = count;
    barrier.pending = count;
    barrier.init = warp.mark(lane, Scope::None);
    if (auto old = barriers.objects.find(offset); old != barriers.objects.end())
      barrier.earlierPhases = old->second.clock();
    barriers.objects[offset] = std::move(barrier);
    block.memoryBarriers.resize(
        static_cast<unsigned>(block.shared.size() / 8 + 1));
    block.memoryBarriers.set(static_cast<unsigned>(offset / 8));
    std::memset(lanes.pointers[lane], 0, 8);
  });
  return Step::Next;
}

void decodeInit(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &initExec;
  i.space = d.takeSharedSpace();
  d.takeType();
  d.expectOperands(2, 2);
  const int32_t address = d.address(0, i);
  i.ops = {address, d.source(1, Type::U32)};
}

Step invalidateExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forOperand(warp, instr, mask, [&](unsigned lane, BarrierPlace place) {
    if (!place.barrier.transfers.empty())
      warp.report(FindingKind::InvalidOperand, lane,
                  "the mbarrier still counts an asynchronous copy");
    place.barrier.isLive = false;
    place.block.memoryBarriers.reset(static_cast<unsigned>(place.offset / 8));
  });
  return Step::Next;
}

void decodeInvalidate(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &invalidateExec;
  i.space = d.takeSharedSpace();
  d.takeType();
  d.expectOperands(1, 1);
  i.ops = {d.address(0, i)};
}

//===----------------------------------------------------------------------===//
// Arrivals and bytes
//===----------------------------------------------------------------------===//

/// What an arrival does, in Instr::attr.
enum Arrival : uint8_t {
  Arrives,
  ExpectsBytes,
  CompletesBytes,
  DropsOut,
  MayNotComplete,
  IsRelaxed
};

void countBytes(Warp &warp, unsigned lane, MemoryBarrier &barrier,
                int64_t change) {
  barrier.bytes += change;
  if (std::abs(barrier.bytes) > maximumBarrierCount)
    warp.report(FindingKind::InvalidOperand, lane,
                "the transaction count becomes " + Twine(barrier.bytes) +
                    ", and must stay within " + Twine(maximumBarrierCount) +
                    " bytes");
}

void countArrivals(Warp &warp, const Instr &instr, unsigned lane,
                   MemoryBarrier &barrier, uint32_t count) {
  if (count == 0 || count > barrier.pending)
    warp.report(FindingKind::InvalidOperand, lane,
                Twine(count) + " arrivals, and the phase expects " +
                    Twine(barrier.pending) + " more");
  barrier.pending -= std::min<int64_t>(count, barrier.pending);
  if (instr.attr[DropsOut])
    barrier.expected -= std::min(count, barrier.expected);
  if (instr.attr[MayNotComplete] && barrier.pending == 0)
    warp.report(FindingKind::InvalidOperand, lane,
                "the arrival completes the phase, and .noComplete says that "
                "it does not");
}

/// What arrives is ordered before who waits, in whichever block. `view` is that
/// of the lanes, once one of them needs it; it covers the arrival itself.
void release(Warp &warp, const BarrierPlace &place, uint32_t mask,
             ViewRef &view) {
  MemoryBarrier &barrier = place.barrier;
  if (&place.block == &warp.block)
    return barrier.arriving.join(warp.clock());
  if (!view)
    view = warp.takeView(mask);
  barrier.arrivingPeers = View::join(barrier.arrivingPeers, view);
}

/// ops: {address, count, bytes, state}.
Step arriveExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t *states = warp.destination(instr.ops[3]);
  ViewRef view;
  forOperand(warp, instr, mask, [&](unsigned lane, BarrierPlace place) {
    MemoryBarrier &barrier = place.barrier;
    states[lane] = encodeState(barrier);
    const auto bytes = warp.value<uint32_t>(instr.ops[2], lane);
    if (instr.attr[ExpectsBytes])
      countBytes(warp, lane, barrier, bytes);
    if (instr.attr[CompletesBytes])
      countBytes(warp, lane, barrier, -int64_t(bytes));
    if (instr.attr[Arrives]) {
      countArrivals(warp, instr, lane, barrier,
                    warp.value<uint32_t>(instr.ops[1], lane));
      if (!instr.attr[IsRelaxed])
        release(warp, place, mask, view);
    }
    barrier.completeIfDone();
  });
  warp.advanceClock();
  return Step::Next;
}

void decodeArrive(Decoder &d, Instr &i, bool drops) {
  i.kind = InstrKind::Barrier;
  i.exec = &arriveExec;
  i.attr[Arrives] = true;
  i.attr[ExpectsBytes] = d.take("expect_tx");
  i.attr[DropsOut] = drops;
  i.attr[MayNotComplete] = d.take("noComplete");
  i.attr[IsRelaxed] = d.takeOneOf({"release", "relaxed"}) == 1;
  d.takeOneOf({"cta", "cluster"});
  i.space = d.takeSharedSpace();
  d.takeType();
  d.expectOperands(1, 3);
  d.requireArchitecture(i.attr[ExpectsBytes] || i.space == Space::Cluster ? 90
                                                                          : 80);
  if (d.failed())
    return;
  const bool hasState = d.operand(0).kind != Operand::Kind::Address;
  const size_t first = hasState ? 1 : 0;
  if (hasState && i.space == Space::Cluster &&
      d.operand(0).kind != Operand::Kind::Sink)
    return d.error("an arrival at an mbarrier of .shared::cluster gives no "
                   "state");
  const int32_t address = d.address(first, i);
  const bool hasCount = d.operandCount() > first + 1;
  const int32_t one = d.constant(1);
  const int32_t count = hasCount ? d.source(first + 1, Type::U32) : one;
  if (i.attr[ExpectsBytes] && !hasCount)
    d.error("expect_tx needs a number of bytes");
  if (i.attr[MayNotComplete] && (!hasCount || i.attr[ExpectsBytes]))
    d.error("noComplete needs a number of arrivals");
  i.ops = {address, i.attr[ExpectsBytes] ? one : count, count,
           hasState ? d.destination(0, Type::B64) : d.scratchRegister()};
}

void decodeTransactions(Decoder &d, Instr &i, bool completes) {
  i.kind = InstrKind::Barrier;
  i.exec = &arriveExec;
  i.attr[ExpectsBytes] = !completes;
  i.attr[CompletesBytes] = completes;
  d.requireArchitecture(90);
  d.take("relaxed");
  d.takeOneOf({"cta", "cluster"});
  i.space = d.takeSharedSpace();
  d.takeType();
  d.expectOperands(2, 2);
  const int32_t address = d.address(0, i);
  i.ops = {address, d.constant(1), d.source(1, Type::U32), d.scratchRegister()};
}

/// ops: {count, state}.
Step pendingCountExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *states = warp.source(instr.ops[1]);
  uint64_t *counts = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    counts[lane] = states[lane] & ((1u << pendingBits) - 1);
  });
  return Step::Next;
}

void decodePendingCount(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &pendingCountExec;
  d.takeType();
  d.expectOperands(2, 2);
  i.ops = {d.destination(0, Type::U32), d.source(1, Type::B64)};
}

//===----------------------------------------------------------------------===//
// The arrival of a thread's cp.async
//===----------------------------------------------------------------------===//

/// The arrival happens when all copies that the thread has issued are over. It
/// tells of their end, so they get the clock of the mbarrier.
Transfer trackCopies(Warp &warp, unsigned lane, const BarrierPlace &place) {
  Block &block = warp.block;
  Transfer transfer;
  transfer.pc = warp.pc();
  transfer.phase = place.barrier.phase;
  transfer.issuer = warp.mark(lane, Scope::None);
  transfer.arrivals = 1;
  transfer.thread = warp.index * warpSize + lane;
  transfer.clocks = warp.clock();
  const uint32_t agent =
      block.agents.get({AsyncAgent::Kind::Thread, place.offset});
  place.barrier.threadAgent = agent;
  Mark mark = transfer.issuer;
  mark.warp = static_cast<uint16_t>(agent);
  mark.clock = place.barrier.clock();
  block.asyncCopies.forPending(transfer.thread, [&](PendingCopy &copy) {
    if (copy.agent != 0) {
      std::vector<uint32_t> &known = transfer.clocks.known;
      known.resize(std::max<size_t>(known.size(), copy.agent + 1), 0);
      known[copy.agent] = std::max(known[copy.agent], copy.agentClock);
      return;
    }
    copy.agent = agent;
    copy.agentClock = mark.clock;
    if (warp.launch.options.checkRaces)
      block.overwriteMark(copy, mark);
  });
  return transfer;
}

/// ops: {address}; attr[0]: noinc.
Step copyArriveExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forOperand(warp, instr, mask, [&](unsigned lane, BarrierPlace place) {
    MemoryBarrier &barrier = place.barrier;
    const auto deferred = static_cast<int64_t>(
        count_if(barrier.transfers, [](const Transfer &transfer) {
          return transfer.arrivals != 0;
        }));
    if (!instr.attr[0])
      ++barrier.pending;
    if (barrier.pending <= deferred || barrier.pending > maximumBarrierCount)
      warp.report(FindingKind::InvalidOperand, lane,
                  "one arrival, and the phase expects " +
                      Twine(barrier.pending - deferred) + " more");
    barrier.transfers.push_back(trackCopies(warp, lane, place));
  });
  warp.advanceClock();
  return Step::Next;
}

void decodeCopyArrive(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &copyArriveExec;
  d.requireArchitecture(80);
  i.attr[0] = d.take("noinc");
  i.space = d.takeSharedSpace();
  if (i.space == Space::Cluster)
    d.error("the mbarrier lies in .shared::cta");
  d.takeType();
  d.expectOperands(1, 1);
  i.ops = {d.address(0, i)};
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// attr of waits.
enum Wait : uint8_t { HasParity, HasNoOrder };

/// True if the phase that the lane names is over.
bool testPhase(Warp &warp, const Instr &instr, unsigned lane,
               const MemoryBarrier &barrier) {
  const auto operand = warp.value<uint64_t>(instr.ops[2], lane);
  if (instr.attr[HasParity]) {
    if ((operand & 0xFFFF'FFFF) > 1)
      warp.report(FindingKind::InvalidOperand, lane,
                  "a parity is 0 or 1, and not " +
                      Twine(static_cast<uint32_t>(operand)));
    return (barrier.phase & 1) != (operand & 1);
  }
  const uint64_t phase = operand >> pendingBits;
  if (phase > barrier.phase || phase + 1 < barrier.phase)
    warp.report(FindingKind::InvalidOperand, lane,
                "the state is of phase " + Twine(phase) +
                    ", and the mbarrier is in phase " + Twine(barrier.phase) +
                    ": a wait is for this one or the one before");
  return barrier.phase != phase;
}

/// ops: {address, predicate, state or parity}. Both kinds of wait only test;
/// the program loops.
Step waitExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t over = 0;
  // Lanes that wait for one phase learn the same.
  const MemoryBarrier *known = nullptr;
  forOperand(warp, instr, mask, [&](unsigned lane, BarrierPlace place) {
    MemoryBarrier &barrier = place.barrier;
    bool isOver = testPhase(warp, instr, lane, barrier);
    if (!isOver && !barrier.transfers.empty()) {
      landTransfers(place.block, place.offset, barrier);
      known = nullptr;
      isOver = testPhase(warp, instr, lane, barrier);
    }
    if (!isOver) {
      warp.notePoll(lane, Space::Shared, place.offset + firstOffset,
                    barrier.phase);
      return;
    }
    over |= 1u << lane;
    if (instr.attr[HasNoOrder] || known == &barrier)
      return;
    known = &barrier;
    if (!barrier.completed.empty())
      warp.joinClock(barrier.completed);
    warp.acquire(barrier.completedPeers, Scope::Gpu);
    for (const uint32_t agent : {barrier.bulkAgent, barrier.threadAgent})
      if (agent != 0)
        warp.learn(agent, barrier.clock() - 1);
  });
  warp.setPredicate(instr.ops[1], mask, over);
  return over == mask ? Step::Next : Step::Yield;
}

void decodeWait(Decoder &d, Instr &i, unsigned architecture) {
  i.kind = InstrKind::Barrier;
  i.exec = &waitExec;
  i.attr[HasParity] = d.take("parity");
  i.attr[HasNoOrder] = d.takeOneOf({"acquire", "relaxed"}) == 1;
  d.requireArchitecture(architecture);
  d.takeOneOf({"cta", "cluster"});
  i.space = d.takeSharedSpace();
  if (i.space == Space::Cluster)
    d.error("a thread waits for mbarriers of .shared::cta");
  d.takeType();
  d.expectOperands(3, 4); // the fourth is a hint of how long to wait
  if (d.failed())
    return;
  const int32_t address = d.address(1, i);
  i.ops = {address, d.predicateDestination(d.operand(0)),
           d.source(2, i.attr[HasParity] ? Type::U32 : Type::B64)};
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// fence.mbarrier_init makes the inits of these lanes visible to other agents
/// than threads, and to threads that wait where these arrive without a release,
/// too. (Other writes of theirs pass for visible with them.)
Step initFenceExec(Warp &warp, const Instr &, uint32_t mask) {
  MemoryOrder order;
  order.releases = true;
  order.scope = Scope::Gpu;
  warp.fence(order, mask);
  for (auto &[offset, barrier] : warp.block.state<MemoryBarriers>().objects)
    if (barrier.init.warp == warp.index && (mask >> barrier.init.lane & 1))
      barrier.isInitFenced = true;
  return Step::Next;
}

void decodeInitFence(Decoder &d, Instr &i) {
  i.kind = InstrKind::Fence;
  i.exec = &initFenceExec;
  d.requireArchitecture(90);
  if (!d.take("release") || !d.take("cluster"))
    d.error("the fence is .release.cluster");
  d.expectOperands(0, 0);
}

Step nothingExec(Warp &, const Instr &, uint32_t) { return Step::Next; }

Step asyncProxyExec(Warp &warp, const Instr &, uint32_t mask) {
  warp.fenceAsyncProxy(mask);
  return Step::Next;
}

/// Of the proxies, only the async one is modelled, and only in shared memory.
void decodeProxyFence(Decoder &d, Instr &i) {
  i.kind = InstrKind::Fence;
  i.exec = &nothingExec;
  d.expectOperands(0, 0);
  if (d.take("alias"))
    return;
  if (!d.take("async"))
    return d.error("only .alias and .async are supported");
  if (!d.take("global")) {
    d.takeShared();
    i.exec = &asyncProxyExec;
  }
}

} // namespace

void registerMemoryBarrier(OpcodeTable &table) {
  table.add("mbarrier.init", decodeInit);
  table.add("mbarrier.inval", decodeInvalidate);
  table.add("mbarrier.arrive",
            [](Decoder &d, Instr &i) { decodeArrive(d, i, false); });
  table.add("mbarrier.arrive_drop",
            [](Decoder &d, Instr &i) { decodeArrive(d, i, true); });
  table.add("mbarrier.expect_tx",
            [](Decoder &d, Instr &i) { decodeTransactions(d, i, false); });
  table.add("mbarrier.complete_tx",
            [](Decoder &d, Instr &i) { decodeTransactions(d, i, true); });
  table.add("mbarrier.pending_count", decodePendingCount);
  table.add("mbarrier.test_wait",
            [](Decoder &d, Instr &i) { decodeWait(d, i, 80); });
  table.add("mbarrier.try_wait",
            [](Decoder &d, Instr &i) { decodeWait(d, i, 90); });
  table.add("cp.async.mbarrier.arrive", decodeCopyArrive);
  table.add("fence.mbarrier_init", decodeInitFence);
  table.add("fence.proxy", decodeProxyFence);
}

} // namespace tilewright::sim
