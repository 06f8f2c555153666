//===- Barrier.cpp - Barriers and fences ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/Block.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// attr: {has a thread count, aligned, reduction, arrive only}.
enum Reduction : uint8_t { NoReduction, Popc, AllTrue, AnyTrue };

/// Value of an operand that must be the same in all lanes.
uint32_t uniformValue(Warp &warp, int32_t op, uint32_t mask) {
  const uint64_t *values = warp.source(op);
  const auto first = static_cast<unsigned>(llvm::countr_zero(mask));
  forLanes(mask, [&](unsigned lane) {
    if (static_cast<uint32_t>(values[lane]) !=
        static_cast<uint32_t>(values[first]))
      warp.report(FindingKind::InvalidOperand, lane,
                  "an operand of the barrier differs among the threads of a "
                  "warp");
  });
  return static_cast<uint32_t>(values[first]);
}

/// Threads that the arrival stands for: an aligned barrier counts whole
/// warps; otherwise the last of a warp's threads bring in the missing lanes.
uint32_t countThreads(const Warp &warp, const Instr &instr, uint32_t id,
                      uint32_t mask) {
  if (instr.attr[1])
    return warpSize;
  const auto own = static_cast<uint32_t>(llvm::popcount(mask));
  const uint32_t live = warp.liveLanes();
  return warp.lanesAtBarrier(id) == live
             ? own + warpSize - static_cast<uint32_t>(llvm::popcount(live))
             : own;
}

/// ops: {id, count or id, predicate, destination}.
Step barrierExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto lane = static_cast<unsigned>(llvm::countr_zero(mask));
  uint32_t id = uniformValue(warp, instr.ops[0], mask);
  const uint32_t expected =
      instr.attr[0] ? uniformValue(warp, instr.ops[1], mask) : 0;
  if (id > 15) {
    warp.report(FindingKind::InvalidOperand, lane,
                "barrier " + Twine(id) + " is not among the 16 of a block");
    id &= 15;
  }
  if (instr.attr[0] && (expected == 0 || expected % warpSize != 0))
    warp.report(FindingKind::InvalidOperand, lane,
                "a barrier for " + Twine(expected) +
                    " threads: the number must be a multiple of 32");
  if (instr.attr[2])
    warp.block.addPredicates(id, mask, warp.predicate(instr.ops[2]));
  if (instr.attr[3]) {
    warp.block.arrive(warp, id, expected, countThreads(warp, instr, id, mask));
    return Step::Next;
  }
  warp.waitAtBarrier(mask, id);
  warp.block.arrive(warp, id, expected, countThreads(warp, instr, id, mask));
  return Step::Control;
}

/// The result of bar.red, when the barrier completes.
Step reductionResume(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t id = uniformValue(warp, instr.ops[0], mask) & 15;
  const Barrier &barrier = warp.block.barrier(id);
  if (instr.attr[2] == Popc) {
    uint64_t *d = warp.destination(instr.ops[3]);
    forLanes(mask, [&](unsigned lane) { d[lane] = barrier.countTrue; });
    return Step::Next;
  }
  const bool result = instr.attr[2] == AllTrue
                          ? barrier.countTrue == barrier.countAll
                          : barrier.countTrue != 0;
  warp.setPredicate(instr.ops[3], mask, result ? fullMask : 0);
  return Step::Next;
}

void decodeBarrier(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &barrierExec;
  d.take("cta");
  const bool isAligned = d.opcode() == "bar" || d.take("aligned");
  d.take("aligned");
  i.attr[1] = isAligned;
  if (isAligned)
    i.syncMask = Instr::syncAll;
  const int action = d.takeOneOf({"sync", "arrive", "red"});
  i.attr[3] = action == 1;
  size_t first = 0;
  if (action == 2) {
    i.attr[2] = static_cast<uint8_t>(d.takeOneOf({"popc", "and", "or"}) + 1);
    const Type type = d.takeType();
    i.resume = &reductionResume;
    first = 1;
    d.expectOperands(3, 4);
    if (d.failed() || i.attr[2] == NoReduction)
      return d.error("the reduction is malformed");
    const size_t last = d.operandCount() - 1;
    i.ops = {0, 0, d.predicateSource(last),
             type == Type::Pred ? d.predicateDestination(d.operand(0))
                                : d.destination(0, type)};
    i.attr[0] = d.operandCount() == 4;
  } else {
    d.expectOperands(1, 2);
    i.ops = {0, 0};
    i.attr[0] = d.operandCount() == 2;
  }
  if (action < 0 || (action == 1 && !i.attr[0]))
    return d.error("needs .sync, .arrive with a thread count, or .red");
  i.ops[0] = d.source(first, Type::U32);
  if (i.attr[0])
    i.ops[1] = d.source(first + 1, Type::U32);
}

Step warpSyncExec(Warp &warp, const Instr &, uint32_t mask) {
  warp.syncLanes(mask);
  return Step::Next;
}

void decodeWarpSync(Decoder &d, Instr &i) {
  i.kind = InstrKind::Barrier;
  i.exec = &warpSyncExec;
  d.expectOperands(1, 1);
  i.syncMask = d.source(0, Type::U32);
}

Step fenceExec(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.fence(instr.order, mask);
  return Step::Next;
}

void decodeFence(Decoder &d, Instr &i) {
  i.kind = InstrKind::Fence;
  i.exec = &fenceExec;
  const int sem = d.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  i.order.acquires = sem != 3;
  i.order.releases = sem != 2;
  // membar.gl is fence.sc.gpu.
  i.order.scope = d.take("gl") ? Scope::Gpu : d.takeScope();
  if (i.order.scope == Scope::None)
    d.error("a fence needs a scope");
  d.expectOperands(0, 0);
}

} // namespace

void registerBarrier(OpcodeTable &table) {
  table.add("bar", decodeBarrier);
  table.add("barrier", decodeBarrier);
  table.add("bar.warp.sync", decodeWarpSync);
  table.add("membar", decodeFence);
  table.add("fence", decodeFence);
}

} // namespace tilewright::sim
