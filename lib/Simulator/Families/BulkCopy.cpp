//===- BulkCopy.cpp - cp.async.bulk ---------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies of bytes that follow each other, their groups, and prefetches.
// Those of tensors are in BulkTensor.cpp, what is under way in Bulk.h.
//
//===----------------------------------------------------------------------===//

#include "Families/Bulk.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// PTX ISA, cp.async.bulk: addresses and sizes are multiples of this.
constexpr uint64_t bulkAlign = 16;

bool checkLinear(Warp &warp, unsigned lane, uint64_t shared, uint64_t other,
                 uint64_t bytes) {
  return checkBulkAlignment(warp, lane, shared, bulkAlign,
                            "the shared address") &&
         checkBulkAlignment(warp, lane, other, bulkAlign,
                            "the other address") &&
         checkBulkAlignment(warp, lane, bytes, bulkAlign,
                            "the number of bytes, " + std::to_string(bytes) +
                                ",");
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

enum LoadAttr : uint8_t { IsMulticast, IsFromShared };
/// ops: pairs of base and offset, and single ones.
enum LoadOps : uint8_t { To = 0, From = 2, Barrier = 4, Bytes = 6, Blocks = 7 };

BulkAddress addressAt(const Instr &instr, unsigned at) {
  return {instr.ops[at], instr.ops[at + 1]};
}

/// The copy to one block of the cluster.
void loadTo(Warp &warp, const Instr &instr, unsigned lane, uint64_t to,
            uint64_t barrier, uint64_t from) {
  const uint64_t bytes = warp.value<uint32_t>(instr.ops[Bytes], lane);
  if (!checkLinear(warp, lane, to, from, bytes))
    return;
  const std::optional<BarrierPlace> place =
      findBulkTarget(warp, lane, to, barrier);
  if (!place)
    return;
  if (instr.attr[IsFromShared]) {
    if (!findBulkSource(warp, lane, from))
      return;
    from -= firstOffset;
  }
  BulkCopy(warp, lane)
      .load(BulkPiece{to - firstOffset, from, bytes}, *place, bytes,
            instr.attr[IsFromShared]);
}

Step loadExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    const uint64_t to = addressAt(instr, To).getShared(warp, lane),
                   barrier = addressAt(instr, Barrier).getShared(warp, lane);
    const BulkAddress source = addressAt(instr, From);
    const uint64_t from = instr.attr[IsFromShared]
                              ? source.getShared(warp, lane)
                              : source.get(warp, lane);
    const bool isMulticast = instr.attr[IsMulticast];
    const uint32_t blocks = warp.value<uint16_t>(instr.ops[Blocks], lane);
    for (auto [target, counter] :
         zip(multicastAddresses(to, isMulticast, blocks),
             multicastAddresses(barrier, isMulticast, blocks)))
      loadTo(warp, instr, lane, target, counter, from);
  });
  return Step::Next;
}

void decodeLoad(Decoder &d, Instr &i, bool isFromShared) {
  i.exec = &loadExec;
  i.attr[IsFromShared] = isFromShared;
  i.attr[IsMulticast] = d.take("multicast::cluster");
  const bool hasPolicy = d.take("L2::cache_hint");
  const size_t count = 4 + i.attr[IsMulticast] + hasPolicy;
  d.expectOperands(count, count);
  if (d.failed())
    return;
  for (const size_t index : {0, 1, 3}) {
    const BulkAddress address = BulkAddress::decode(d, index);
    i.ops.append({address.base, address.offset});
  }
  i.ops.push_back(d.source(2, Type::U32));
  i.ops.push_back(i.attr[IsMulticast] ? d.source(4, Type::B16) : d.constant(0));
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

/// ops: {target, its offset, source, its offset, bytes}; type: of a sum.
Step storeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    const uint64_t to = addressAt(instr, 0).get(warp, lane),
                   bytes = warp.value<uint32_t>(instr.ops[4], lane);
    uint64_t from = addressAt(instr, 2).getShared(warp, lane);
    if (findBulkSource(warp, lane, from) &&
        checkLinear(warp, lane, from, to, bytes))
      BulkCopy(warp, lane)
          .store(BulkPiece{from - firstOffset, to, bytes}, instr.type);
  });
  return Step::Next;
}

void decodeStoreOperands(Decoder &d, Instr &i) {
  i.exec = &storeExec;
  const size_t count = d.take("L2::cache_hint") ? 4 : 3;
  d.expectOperands(count, count);
  if (d.failed())
    return;
  for (const size_t index : {0, 1}) {
    const BulkAddress address = BulkAddress::decode(d, index);
    i.ops.append({address.base, address.offset});
  }
  i.ops.push_back(d.source(2, Type::U32));
}

/// `.shared::cluster.global`, `.shared::cluster.shared::cta` and
/// `.global.shared::cta`, with what tells of the end.
void decodeCopy(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  d.requireArchitecture(90);
  const bool hasBarrier = d.take("mbarrier::complete_tx::bytes");
  const bool hasGroup = d.take("bulk_group");
  const bool isToShared = !d.peek().starts_with("global");
  const bool hasGlobal = d.take("global");
  const bool hasShared = d.takeShared();
  const bool hasSecondShared = d.takeShared();
  if (isToShared && hasBarrier && hasShared && hasGlobal != hasSecondShared)
    return decodeLoad(d, i, hasSecondShared);
  if (!isToShared && hasGroup && hasShared && !hasSecondShared)
    return decodeStoreOperands(d, i);
  d.error("a bulk copy is to .shared with .mbarrier::complete_tx::bytes, or "
          "from .shared::cta to .global with .bulk_group");
}

/// The types of cp.reduce.async.bulk that are supported, all sums.
bool isSum(Type type) {
  return type == Type::U32 || type == Type::S32 || type == Type::U64 ||
         type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64;
}

void decodeReduce(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  d.requireArchitecture(90);
  if (d.takeCopyTarget() != Space::Global || !d.take("bulk_group") ||
      !d.take("add"))
    d.error("only sums from .shared::cta to .global are supported");
  d.take("noftz");
  i.type = d.takeType();
  if (!isSum(i.type))
    d.error("there is no sum of ." + typeName(i.type));
  i.seesOtherBlocks = !isIntegral(i.type);
  decodeStoreOperands(d, i);
}

//===----------------------------------------------------------------------===//
// Groups and prefetches
//===----------------------------------------------------------------------===//

Step commitExec(Warp &warp, const Instr &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { commitBulkGroup(warp, lane); });
  return Step::Next;
}

void decodeCommit(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &commitExec;
  d.requireArchitecture(90);
  d.expectOperands(0, 0);
}

/// `extra` groups may stay under way; attr[0]: only reads are over.
Step waitExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    waitForBulkGroups(warp, lane, instr.extra, instr.attr[0]);
  });
  return Step::Next;
}

void decodeWait(Decoder &d, Instr &i) {
  i.kind = InstrKind::AsyncCopy;
  i.exec = &waitExec;
  d.requireArchitecture(90);
  i.attr[0] = d.take("read");
  d.expectOperands(1, 1);
  i.extra = static_cast<uint64_t>(d.immediate(0));
}

/// ops: {address, its offset, bytes}. Into a cache, so only checked.
Step prefetchExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    const uint64_t from = addressAt(instr, 0).get(warp, lane);
    checkLinear(warp, lane, 0, from, warp.value<uint32_t>(instr.ops[2], lane));
  });
  return Step::Next;
}

void decodePrefetch(Decoder &d, Instr &i) {
  decodePrefetchModifiers(d, i, &prefetchExec, "a bulk prefetch", 2);
  if (d.failed())
    return;
  const BulkAddress address = BulkAddress::decode(d, 0);
  i.ops = {address.base, address.offset, d.source(1, Type::U32)};
}

} // namespace

void registerBulkCopy(OpcodeTable &table) {
  table.add("cp.async.bulk", decodeCopy);
  table.add("cp.reduce.async.bulk", decodeReduce);
  table.add("cp.async.bulk.commit_group", decodeCommit);
  table.add("cp.async.bulk.wait_group", decodeWait);
  table.add("cp.async.bulk.prefetch", decodePrefetch);
}

} // namespace tilewright::sim
