//===- LoadStore.cpp - Loads, stores and prefetches -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/HostAtomics.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

constexpr unsigned maximumBytes = 32;

/// ops: address, then one register for each element.
template <class T, bool sign>
Step loadExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess lanes = makeAccess(warp, instr, mask, AccessKind::Load);
  const uint32_t done = warp.access(lanes);
  using Wide = std::conditional_t<sign, int64_t, uint64_t>;
  for (size_t element = 1; element != instr.ops.size(); ++element) {
    uint64_t *d = warp.destination(instr.ops[element]);
    forLanes(mask & ~done, [&](unsigned lane) { d[lane] = 0; });
    forLanes(done, [&](unsigned lane) {
      const T value =
          loadRelaxed<T>(lanes.pointers[lane] + (element - 1) * sizeof(T));
      d[lane] = static_cast<uint64_t>(static_cast<Wide>(value));
    });
  }
  if (instr.order.scope == Scope::None || done == 0)
    return Step::Next;
  warp.synchronize(lanes, done, 0, instr.order);
  const auto first = static_cast<unsigned>(llvm::countr_zero(done));
  warp.notePoll(first, lanes.isGlobal(first) ? Space::Global : Space::Shared,
                lanes.addresses[first], warp.source(instr.ops[1])[first]);
  return Step::Yield;
}

template <class T>
Step storeExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess lanes = makeAccess(warp, instr, mask, AccessKind::Store);
  alignas(8) uint8_t data[warpSize][maximumBytes];
  for (size_t element = 1; element != instr.ops.size(); ++element) {
    const uint64_t *a = warp.source(instr.ops[element]);
    forLanes(mask, [&](unsigned lane) {
      const T value = static_cast<T>(a[lane]);
      std::memcpy(data[lane] + (element - 1) * sizeof(T), &value, sizeof(T));
    });
  }
  lanes.data = data[0];
  lanes.dataStride = maximumBytes;
  const uint32_t done = warp.access(lanes);
  warp.synchronize(lanes, 0, done, instr.order);
  return Step::Next;
}

Space takeAccessSpace(Decoder &d) {
  const Space space = d.takeSpace();
  if (space != Space::Param)
    return space;
  // Parameters of calls and of device functions are local variables.
  const Operand &where = d.operand(d.opcode() == "st" ? 0 : 1);
  if (where.kind == Operand::Kind::Address &&
      where.elements[0].kind == Operand::Kind::Symbol)
    return d.variable(where.elements[0].symbol).space;
  return d.inEntry() ? Space::Param : Space::Local;
}

/// PTX: volatile is relaxed in the widest scope, and mmio too.
MemoryOrder takeOrder(Decoder &d) {
  MemoryOrder order;
  if (d.take("volatile") || d.take("mmio"))
    order.scope = Scope::Gpu;
  const int sem = d.takeOneOf({"relaxed", "acquire", "release"});
  order.acquires = sem == 1;
  order.releases = sem == 2;
  const Scope scope = d.takeScope();
  if (sem >= 0)
    order.scope = scope == Scope::None ? Scope::Gpu : scope;
  d.take("weak");
  return order;
}

/// Where data is kept in caches changes nothing that is simulated.
void skipCacheHints(Decoder &d) {
  d.take("nc");
  d.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  d.skipPrefixed("L1::");
  d.skipPrefixed("L2::");
  d.take("unified");
}

template <unsigned bytes, bool isLoad> ExecFn select(bool sign) {
  using U = std::conditional_t<
      bytes == 1, uint8_t,
      std::conditional_t<bytes == 2, uint16_t,
                         std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
  using S = std::make_signed_t<U>;
  if constexpr (!isLoad)
    return &storeExec<U>;
  else
    return sign ? &loadExec<S, true> : &loadExec<U, false>;
}

template <bool isLoad> void decodeAccess(Decoder &d, Instr &i) {
  i.kind = isLoad ? InstrKind::Load : InstrKind::Store;
  i.order = takeOrder(d);
  i.space = takeAccessSpace(d);
  i.seesOtherBlocks = i.order.scope != Scope::None &&
                      (i.space == Space::Global || i.space == Space::Generic);
  skipCacheHints(d);
  const int vector = d.takeOneOf({"v2", "v4", "v8"});
  const size_t count = size_t(1) << (vector + 1);
  i.type = d.takeType();
  d.expectOperands(2, 3); // the third is a cache policy
  if (d.failed())
    return;
  const size_t bytes = count * typeBytes(i.type);
  const unsigned addressIndex = isLoad ? 1 : 0;
  i.ops.push_back(d.address(addressIndex, i));
  const ArrayRef<Operand> values = d.elements(1 - addressIndex);
  if (values.size() != count || i.type == Type::Pred || i.type == Type::B128 ||
      bytes > maximumBytes)
    return d.error("the value has the wrong number of elements or type");
  // PTX ISA, ld and st: vectors of 8 elements and of 256 bits are of global
  // memory, and have elements of 32 or 64 bits.
  const bool isPair = i.type == Type::F16x2 || i.type == Type::BF16x2 ||
                      i.type == Type::F32x2 || i.type == Type::U16x2 ||
                      i.type == Type::S16x2;
  if ((count == 8 || bytes > 16) &&
      (i.space != Space::Global || bytes != 32 || isPair))
    return d.error("vectors of 32 bytes are for .global and for elements of 4 "
                   "or 8 bytes, .v8 for vectors of 32 bytes");
  i.accessBytes = static_cast<uint8_t>(bytes);
  for (const Operand &value : values)
    i.ops.push_back(isLoad ? d.destination(value, i.type)
                           : d.source(value, i.type));
  switch (typeBytes(i.type)) {
  case 1:
    i.exec = select<1, isLoad>(isSigned(i.type));
    break;
  case 2:
    i.exec = select<2, isLoad>(isSigned(i.type));
    break;
  case 4:
    i.exec = select<4, isLoad>(isSigned(i.type));
    break;
  default:
    i.exec = select<8, isLoad>(isSigned(i.type));
  }
}

Step nothingExec(Warp &, const Instr &, uint32_t) { return Step::Next; }

/// Hints: prefetch, applypriority, discard and their like.
void decodeHint(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &nothingExec;
  d.takeOneOf({"global", "local", "const", "param"});
  d.take("tensormap");
  d.takeOneOf({"L1", "L2"});
  d.skipPrefixed("L2::");
  if (d.operandCount() != 0 && d.operand(0).kind == Operand::Kind::Address)
    d.address(0, i);
}

/// createpolicy gives a cache policy, which is only ever passed on.
Step policyExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = 0; });
  return Step::Next;
}

void decodePolicy(Decoder &d, Instr &i) {
  i.kind = InstrKind::Other;
  i.exec = &policyExec;
  d.takeOneOf({"fractional", "range", "cvt"});
  d.take("global");
  d.skipPrefixed("L2");
  d.takeType();
  i.ops = {d.destination(0, Type::B64)};
}

} // namespace

void registerLoadStore(OpcodeTable &table) {
  table.add("ld", decodeAccess<true>);
  table.add("ldu", decodeAccess<true>);
  table.add("st", decodeAccess<false>);
  table.add("prefetch", decodeHint);
  table.add("prefetchu", decodeHint);
  table.add("applypriority", decodeHint);
  table.add("discard", decodeHint);
  table.add("createpolicy", decodePolicy);
}

} // namespace tilewright::sim
