//===- MemoryBarrier.cpp - mbarrier objects -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier is a word of shared memory that counts two things for its
// current phase: arrivals that are still to come, and bytes of asynchronous
// copies (the transaction count). When both are zero the phase completes, the
// arrivals start anew, and whoever waits for the phase goes on:
//
//   mbarrier.init [b], 32                 phase 0, 32 arrivals to come
//   32 threads: mbarrier.arrive s, [b]    phase 0 completes, phase 1 begins
//   mbarrier.test_wait.parity p, [b], 0   true: the phase of parity 0 is over
//
// The state is kept beside the memory; the word itself holds the phase.
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/Block.h"
#include "llvm/ADT/Hashing.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

struct MemoryBarrier {
  bool isLive = true; ///< until mbarrier.inval
  uint64_t phase = 0;
  uint32_t expected = 0; ///< arrivals of a phase
  int64_t pending = 0;   ///< arrivals still to come
  int64_t bytes = 0;     ///< transaction count
  Clocks arriving;       ///< joined clocks of the current phase
  Clocks completed;      ///< those of the phase before
};

/// The mbarriers of a block, by shared offset.
struct MemoryBarriers final : FamilyState {
  static constexpr char key = 0;
  std::map<uint64_t, MemoryBarrier> objects;

  uint64_t getHash() const override {
    hash_code hash(0);
    for (const auto &[offset, barrier] : objects)
      hash = hash_combine(hash, offset, barrier.phase, barrier.pending,
                          barrier.bytes);
    return static_cast<size_t>(hash);
  }
};

/// PTX ISA: the largest count of arrivals of a phase.
constexpr uint32_t maximumCount = (1 << 20) - 1;

void completeIfDone(MemoryBarrier &barrier) {
  if (barrier.pending > 0 || barrier.bytes != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving = Clocks();
}

/// Resolves the addresses of ops[0] and calls `f(lane, barrier)` for each
/// lane whose address holds an mbarrier.
template <class F>
void forBarriers(Warp &warp, const Instr &instr, uint32_t mask, F f) {
  LaneAccess lanes;
  lanes.kind = AccessKind::Atomic;
  lanes.space = instr.space;
  lanes.bytes = 8;
  lanes.strong = Scope::Block;
  lanes.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], lanes);
  auto &objects = warp.block.state<MemoryBarriers>().objects;
  forLanes(warp.access(lanes), [&](unsigned lane) {
    const auto offset =
        static_cast<uint64_t>(lanes.pointers[lane] - warp.block.shared.data());
    auto it = offset < warp.block.shared.size() ? objects.find(offset)
                                                : objects.end();
    if (it == objects.end() || !it->second.isLive)
      warp.report(FindingKind::InvalidOperand, lane,
                  "there is no initialised mbarrier at this address",
                  lanes.addresses[lane]);
    else
      f(lane, it->second);
  });
}

/// ops: {address, count}.
Step initExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess lanes;
  lanes.kind = AccessKind::Store;
  lanes.space = instr.space;
  lanes.bytes = 8;
  lanes.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], lanes);
  auto &objects = warp.block.state<MemoryBarriers>().objects;
  forLanes(warp.access(lanes), [&](unsigned lane) {
    const auto count = warp.value<uint32_t>(instr.ops[1], lane);
    if (count == 0 || count > maximumCount)
      warp.report(FindingKind::InvalidOperand, lane,
                  "an mbarrier cannot expect " + Twine(count) + " arrivals");
    MemoryBarrier barrier;
    barrier.expected = count;
    barrier.pending = count;
    objects[static_cast<uint64_t>(lanes.pointers[lane] -
                                  warp.block.shared.data())] = barrier;
    std::memset(lanes.pointers[lane], 0, 8);
  });
  return Step::Next;
}

void decodeInit(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &initExec;
  d.takeShared();
  i.space = Space::Shared;
  d.takeType();
  d.expectOperands(2, 2);
  const int32_t address = d.address(0, i);
  i.ops = {address, d.source(1, Type::U32)};
}

Step invalidateExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forBarriers(warp, instr, mask,
              [](unsigned, MemoryBarrier &barrier) { barrier.isLive = false; });
  return Step::Next;
}

void decodeInvalidate(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &invalidateExec;
  d.takeShared();
  i.space = Space::Shared;
  d.takeType();
  d.expectOperands(1, 1);
  i.ops = {d.address(0, i)};
}

/// ops: {address, count or bytes, state}. attr: {arrives, expects bytes,
/// completes bytes, drops out}.
Step arriveExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t *states = warp.destination(instr.ops[2]);
  const bool arrives = instr.attr[0], expects = instr.attr[1],
             completes = instr.attr[2], drops = instr.attr[3];
  forBarriers(warp, instr, mask, [&](unsigned lane, MemoryBarrier &barrier) {
    const auto value = warp.value<uint32_t>(instr.ops[1], lane);
    states[lane] = barrier.phase;
    if (expects)
      barrier.bytes += value;
    if (completes)
      barrier.bytes -= value;
    if (arrives) {
      const uint32_t count = expects ? 1 : value;
      if (count > barrier.pending)
        warp.report(FindingKind::InvalidOperand, lane,
                    Twine(count) + " arrivals, and the phase expects " +
                        Twine(barrier.pending) + " more");
      barrier.pending -= std::min<int64_t>(count, barrier.pending);
      if (drops)
        barrier.expected -= std::min(count, barrier.expected);
      barrier.arriving.join(warp.clock());
    }
    completeIfDone(barrier);
  });
  warp.advanceClock();
  return Step::Next;
}

void decodeArrive(Decoder &d, Instr &i, bool drops) {
  i.kind = InstrKind::Barrier;
  i.exec = &arriveExec;
  i.space = Space::Shared;
  i.attr[0] = true;
  i.attr[1] = d.take("expect_tx");
  i.attr[3] = drops;
  d.take("noComplete");
  d.takeOneOf({"release", "relaxed"});
  d.takeOneOf({"cta", "cluster"});
  d.takeShared();
  d.takeType();
  d.expectOperands(1, 3);
  if (d.failed())
    return;
  const bool hasState = d.operand(0).kind != Operand::Kind::Address;
  const size_t first = hasState ? 1 : 0;
  const int32_t address = d.address(first, i);
  const bool hasCount = d.operandCount() > first + 1;
  if (i.attr[1] && !hasCount)
    d.error("expect_tx needs a number of bytes");
  i.ops = {address, hasCount ? d.source(first + 1, Type::U32) : d.constant(1),
           hasState ? d.destination(0, Type::B64) : d.scratchRegister()};
}

void decodeTransactions(Decoder &d, Instr &i, bool completes) {
  i.kind = InstrKind::Barrier;
  i.exec = &arriveExec;
  i.space = Space::Shared;
  i.attr[1] = !completes;
  i.attr[2] = completes;
  d.take("relaxed");
  d.takeOneOf({"cta", "cluster"});
  d.takeShared();
  d.takeType();
  d.expectOperands(2, 2);
  const int32_t address = d.address(0, i);
  i.ops = {address, d.source(1, Type::U32), d.scratchRegister()};
}

/// ops: {address, predicate, state or parity}; attr[0]: parity, attr[1]: no
/// acquire. Both kinds of wait only test; the program loops.
Step waitExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint32_t over = 0;
  Clocks clocks;
  forBarriers(warp, instr, mask, [&](unsigned lane, MemoryBarrier &barrier) {
    const auto phase = warp.value<uint64_t>(instr.ops[2], lane);
    const bool isOver = instr.attr[0] ? (barrier.phase & 1) != (phase & 1)
                                      : barrier.phase != phase;
    if (!isOver) {
      warp.notePoll(lane, Space::Shared,
                    warp.source(instr.ops[0])[lane] +
                        static_cast<uint64_t>(instr.offset),
                    barrier.phase);
      return;
    }
    over |= 1u << lane;
    clocks.join(barrier.completed);
  });
  warp.setPredicate(instr.ops[1], mask, over);
  if (!clocks.empty() && !instr.attr[1])
    warp.joinClock(clocks);
  return over == mask ? Step::Next : Step::Yield;
}

void decodeWait(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &waitExec;
  i.space = Space::Shared;
  i.attr[0] = d.take("parity");
  i.attr[1] = d.takeOneOf({"acquire", "relaxed"}) == 1;
  d.takeOneOf({"cta", "cluster"});
  d.takeShared();
  d.takeType();
  d.expectOperands(3, 4); // the fourth is a hint of how long to wait
  if (d.failed())
    return;
  const int32_t address = d.address(1, i);
  i.ops = {address, d.predicateDestination(d.operand(0)),
           d.source(2, i.attr[0] ? Type::U32 : Type::B64)};
}

Step nothingExec(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// fence.mbarrier_init orders other agents than threads.
void decodeInitFence(Decoder &d, Instr &i) {
  i.kind = InstrKind::Fence;
  i.exec = &nothingExec;
  d.take("release");
  d.take("cluster");
  d.expectOperands(0, 0);
}

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
  table.add("mbarrier.test_wait", decodeWait);
  table.add("mbarrier.try_wait", decodeWait);
  table.add("fence.mbarrier_init", decodeInitFence);
  table.add("fence.proxy", decodeProxyFence);
}

} // namespace tilewright::sim
