//===- Cluster.cpp - Clusters of blocks -----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What blocks of a cluster do with each other, beside loads, stores, atomics
// and mbarriers of .shared::cluster: addresses of each other's shared memory,
// the barrier of the cluster, and stores that an mbarrier counts.
//
//===----------------------------------------------------------------------===//

#include "Machine/Cluster.h"
#include "Families/Family.h"
#include "Families/MemoryBarrier.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// ops: {d, address, rank}; `extra`: the window of a generic address.
Step mapExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *addresses = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    const auto rank = warp.value<uint32_t>(instr.ops[2], lane);
    if (rank >= warp.launch.clusterBlocks())
      warp.report(FindingKind::InvalidOperand, lane,
                  "names block " + Twine(rank) + " of a cluster that has " +
                      Twine(warp.launch.clusterBlocks()));
    d[lane] = instr.extra + rank * window::blockSize +
              addresses[lane] % window::blockSize;
  });
  return Step::Next;
}

void decodeMap(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.exec = &mapExec;
  d.requireArchitecture(90);
  const bool isShared = d.take("shared::cluster");
  const Type type = d.takeType();
  i.extra = isShared ? 0 : window::shared;
  if (!isShared && typeBits(type) != 64)
    d.error("a generic address has 64 bits");
  d.expectOperands(3, 3);
  i.ops = {d.destination(0, type), d.source(1, type), d.source(2, Type::U32)};
}

/// getctarank: ops are {d, address}.
Step rankExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *addresses = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = (addresses[lane] & (window::size - 1)) / window::blockSize;
  });
  return Step::Next;
}

void decodeRank(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.exec = &rankExec;
  d.requireArchitecture(90);
  d.take("shared::cluster");
  const Type type = d.takeType();
  d.expectOperands(2, 2);
  i.ops = {d.destination(0, Type::U32), d.source(1, type)};
}

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

/// attr[0]: relaxed.
Step arriveExec(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.block.cluster->arrive(warp, mask, !instr.attr[0]);
  return Step::Next;
}

Step waitExec(Warp &warp, const Instr &, uint32_t mask) {
  if (const uint32_t rest = mask & ~warp.block.cluster->testWait(warp, mask)) {
    warp.waitAtBarrier(rest, Block::clusterBarrier);
    return Step::Control;
  }
  return Step::Next;
}

void decodeBarrier(Decoder &d, Instr &i, bool isWait) {
  i.kind = InstrKind::Barrier;
  i.exec = isWait ? &waitExec : &arriveExec;
  d.requireArchitecture(90);
  if (isWait)
    d.take("acquire");
  else
    i.attr[0] = d.takeOneOf({"release", "relaxed"}) == 1;
  if (d.take("aligned"))
    i.syncMask = Instr::syncAll;
  d.expectOperands(0, 0);
}

//===----------------------------------------------------------------------===//
// st.async
//===----------------------------------------------------------------------===//

/// Checks and marks the store of a lane; where it goes.
std::optional<uint64_t> markStore(Warp &warp, const Instr &instr, unsigned lane,
                                  const BarrierPlace &place, uint64_t address) {
  Block &target = place.block;
  place.barrier.threadAgent =
      target.agents.get({AsyncAgent::Kind::Thread, place.offset});
  LaneAccess lanes;
  lanes.kind = AccessKind::Store;
  lanes.space = Space::Cluster;
  lanes.bytes = instr.accessBytes;
  lanes.isAsync = true;
  lanes.mask = 1u << lane;
  lanes.addresses[lane] = address;
  if (warp.access(lanes) == 0)
    return std::nullopt;
  if (warp.block.ownerOf(lanes.pointers[lane]) != &target) {
    warp.report(FindingKind::InvalidOperand, lane,
                "the mbarrier is not of the block that is written to", address);
    return std::nullopt;
  }
  const auto offset =
      static_cast<uint64_t>(lanes.pointers[lane] - target.shared.data());
  std::memset(target.sharedValid.data() + offset, 1, instr.accessBytes);
  Mark mark = warp.mark(lane, Scope::None);
  mark.block = target.index;
  mark.warp = static_cast<uint16_t>(place.barrier.threadAgent);
  mark.clock = place.barrier.clock();
  PendingCopy written;
  written.pc = warp.pc();
  written.target = offset;
  written.bytes = instr.accessBytes;
  if (warp.launch.options.checkRaces)
    target.overwriteMark(written, mark);
  return offset;
}

/// ops: {address, mbarrier, values...}; `extra`: the offset of the mbarrier.
Step storeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess barriers;
  barriers.space = Space::Cluster;
  barriers.isAsync = true;
  barriers.mask = mask;
  forLanes(mask, [&](unsigned lane) {
    barriers.addresses[lane] =
        warp.value<uint32_t>(instr.ops[1], lane) + instr.extra;
  });
  forBarriers(warp, barriers, [&](unsigned lane, BarrierPlace place) {
    const uint64_t address = warp.value<uint32_t>(instr.ops[0], lane) +
                             static_cast<uint64_t>(instr.offset);
    const std::optional<uint64_t> offset =
        markStore(warp, instr, lane, place, address);
    if (!offset)
      return;
    Transfer transfer;
    transfer.pc = warp.pc();
    transfer.phase = place.barrier.phase;
    transfer.issuer = warp.mark(lane, Scope::None);
    transfer.target = &place.block;
    transfer.bytes = instr.accessBytes;
    const unsigned each = typeBytes(instr.type);
    for (size_t value = 2; value != instr.ops.size(); ++value)
      for (unsigned byte = 0; byte != each; ++byte)
        transfer.data.push_back(static_cast<uint8_t>(
            warp.source(instr.ops[value])[lane] >> (8 * byte)));
    transfer.pieces.push_back({*offset, 0, instr.accessBytes});
    place.barrier.transfers.push_back(std::move(transfer));
  });
  warp.advanceClock();
  return Step::Next;
}

void decodeStore(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &storeExec;
  d.requireArchitecture(90);
  d.take("weak");
  if (!d.take("shared::cluster") || !d.take("mbarrier::complete_tx::bytes"))
    d.error("st.async is .shared::cluster.mbarrier::complete_tx::bytes");
  const int vector = d.takeOneOf({"v2", "v4"});
  const size_t count = size_t(1) << (vector + 1);
  i.type = d.takeType();
  d.expectOperands(3, 3);
  if (d.failed())
    return;
  if (typeBytes(i.type) < 4 || i.type == Type::B128)
    return d.error("type ." + typeName(i.type) + " is not supported");
  i.accessBytes = static_cast<uint8_t>(typeBytes(i.type) * count);
  const int32_t barrier = d.address(2, i);
  i.extra = static_cast<uint64_t>(i.offset);
  i.ops = {d.address(0, i), barrier};
  const ArrayRef<Operand> values = d.elements(1);
  if (values.size() != count || i.accessBytes > 16)
    return d.error("the value has the wrong number of elements");
  for (const Operand &value : values)
    i.ops.push_back(d.source(value, i.type));
}

} // namespace

void registerCluster(OpcodeTable &table) {
  table.add("mapa", decodeMap);
  table.add("getctarank", decodeRank);
  table.add("barrier.cluster.arrive",
            [](Decoder &d, Instr &i) { decodeBarrier(d, i, false); });
  table.add("barrier.cluster.wait",
            [](Decoder &d, Instr &i) { decodeBarrier(d, i, true); });
  table.add("st.async", decodeStore);
}

} // namespace tilewright::sim
