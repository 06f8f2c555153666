//===- AsyncCopy.cpp - cp.async and its groups ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/AsyncCopy.h"
#include "Families/Family.h"
#include "Machine/Block.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

using Copies = std::array<PendingCopy, warpSize>;

/// Reads what these lanes copy, as many bytes each as the first of them, and
/// says which lanes these were.
uint32_t fetch(Warp &warp, const Instr &instr, uint32_t rest, Copies &copies) {
  const uint64_t *addresses = warp.source(instr.ops[1]);
  const uint64_t *sizes = warp.source(instr.ops[2]);
  const auto first = static_cast<unsigned>(llvm::countr_zero(rest));
  const auto bytes = static_cast<uint32_t>(sizes[first]);
  LaneAccess from;
  from.kind = AccessKind::Load;
  from.space = Space::Global;
  from.bytes = std::min<uint32_t>(bytes, instr.accessBytes);
  from.align = instr.accessBytes;
  from.isAsync = true;
  forLanes(rest, [&](unsigned lane) {
    from.mask |= uint32_t(static_cast<uint32_t>(sizes[lane]) == bytes) << lane;
    from.addresses[lane] = addresses[lane] + instr.extra;
  });
  if (bytes > instr.accessBytes)
    warp.report(FindingKind::InvalidOperand, first,
                "copies " + Twine(bytes) + " bytes into " +
                    Twine(unsigned(instr.accessBytes)));
  if (bytes == 0)
    return from.mask;
  const uint32_t done = warp.access(from);
  forLanes(done, [&](unsigned lane) {
    std::memcpy(copies[lane].data.data(), from.pointers[lane], from.bytes);
  });
  return from.mask;
}

/// ops: {target, source, source bytes, ignore-source predicate or -1}; the
/// source's offset is in `extra`.
Step copyExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess to;
  to.kind = AccessKind::Store;
  to.space = Space::Shared;
  to.bytes = instr.accessBytes;
  to.isAsync = true;
  to.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], to);

  Copies copies;
  const uint32_t ignored = instr.ops[3] >= 0 ? warp.predicate(instr.ops[3]) : 0;
  // Lanes that fetch equally many bytes make one access.
  for (uint32_t rest = mask & ~ignored; rest != 0;)
    rest &= ~fetch(warp, instr, rest, copies);

  // Equal data written twice is no race, as with stores.
  std::array<std::array<uint8_t, 16>, warpSize> data;
  for (unsigned lane = 0; lane != warpSize; ++lane)
    data[lane] = copies[lane].data;
  to.data = data[0].data();
  to.dataStride = 16;
  const uint32_t landed = warp.access(to);
  forLanes(landed, [&](unsigned lane) {
    copies[lane].pc = warp.pc();
    copies[lane].target = to.addresses[lane] - firstOffset;
    copies[lane].bytes = instr.accessBytes;
    warp.block.asyncCopies.issue(warp.index * warpSize + lane, copies[lane]);
  });
  return Step::Next;
}

void decodeCopy(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &copyExec;
  const bool isGlobalOnly = d.takeOneOf({"ca", "cg"}) == 1;
  if (d.takeCopyTarget() != Space::Shared)
    d.error("cp.async copies from .global to .shared");
  const bool hasPolicy = d.take("L2::cache_hint");
  d.skipPrefixed("L2::");
  d.expectOperands(3, 5);
  if (d.failed())
    return;
  const int64_t bytes = d.immediate(2);
  if (bytes != 16 && (isGlobalOnly || (bytes != 4 && bytes != 8)))
    return d.error("cp.async copies 4, 8 or 16 bytes, and with .cg 16");
  i.accessBytes = static_cast<uint8_t>(bytes);
  const int32_t from = d.address(1, i);
  i.extra = static_cast<uint64_t>(i.offset);
  const int32_t to = d.address(0, i);
  int32_t size = d.constant(static_cast<uint64_t>(bytes));
  int32_t ignore = -1;
  const size_t last = d.operandCount() - (hasPolicy ? 1 : 0);
  if (last > 3) {
    if (d.operand(3).isPredicate())
      ignore = d.predicateSource(3);
    else
      size = d.source(3, Type::U32);
  }
  i.ops = {to, from, size, ignore};
}

Step commitExec(Warp &warp, const Instr &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    warp.block.asyncCopies.commit(warp.index * warpSize + lane);
  });
  return Step::Next;
}

void decodeCommit(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &commitExec;
  d.expectOperands(0, 0);
}

/// `extra` groups may stay under way; attr[0]: wait_all.
Step waitExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    warp.landCopies(lane, instr.extra, instr.attr[0]);
  });
  return Step::Next;
}

void decodeWaitGroup(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &waitExec;
  d.expectOperands(1, 1);
  i.extra = static_cast<uint64_t>(d.immediate(0));
}

void decodeWaitAll(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &waitExec;
  i.attr[0] = true;
  d.expectOperands(0, 0);
}

} // namespace

void registerAsyncCopy(OpcodeTable &table) {
  table.add("cp.async", decodeCopy);
  table.add("cp.async.commit_group", decodeCommit);
  table.add("cp.async.wait_group", decodeWaitGroup);
  table.add("cp.async.wait_all", decodeWaitAll);
}

} // namespace tilewright::sim
