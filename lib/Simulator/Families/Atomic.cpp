//===- Atomic.cpp - atom and red ------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Atomic.h"
#include "Families/Family.h"
#include "Machine/Block.h"
#include "Machine/FloatFormat.h"
#include "Machine/HostAtomics.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

constexpr StringRef operationNames[] = {"add", "min", "max", "and",  "or",
                                        "xor", "inc", "dec", "exch", "cas"};
enum Operation : uint8_t { Add, Min, Max, And, Or, Xor, Inc, Dec, Exch, Cas };

/// attr: {operation}; ops: {address, b..., c, d...}. `extra` is the number of
/// vector elements.

template <class T> T integerUpdate(uint8_t operation, T old, T b, T c) {
  switch (operation) {
  case Add:
    return static_cast<T>(static_cast<uint64_t>(old) +
                          static_cast<uint64_t>(b));
  case Min:
    return std::min(old, b);
  case Max:
    return std::max(old, b);
  case And:
    return old & b;
  case Or:
    return old | b;
  case Xor:
    return old ^ b;
  case Inc:
    return old >= b ? 0 : old + 1;
  case Dec:
    return old == 0 || old > b ? b : old - 1;
  case Cas:
    return old == b ? c : old;
  default:
    return b;
  }
}

template <const FloatFormat &format>
uint16_t halfUpdate(uint8_t operation, uint16_t old, uint16_t b) {
  const double x = valueOf(format, old), y = valueOf(format, b);
  if (operation == Add)
    return static_cast<uint16_t>(roundTo(format, oddAdd(x, y)));
  if (x != x || y != y)
    return x != x && y != y ? static_cast<uint16_t>(format.nan)
                            : (x != x ? b : old);
  return (operation == Min ? y < x : y > x) ? b : old;
}

template <const FloatFormat &format>
uint32_t halvesUpdate(uint8_t operation, uint32_t old, uint32_t b) {
  return halfUpdate<format>(operation, static_cast<uint16_t>(old),
                            static_cast<uint16_t>(b)) |
         uint32_t(halfUpdate<format>(operation,
                                     static_cast<uint16_t>(old >> 16),
                                     static_cast<uint16_t>(b >> 16)))
             << 16;
}

/// The new bits at an address. PTX ISA, atom: f32 additions flush subnormals
/// in global memory, and not in shared memory.
uint64_t update(Type type, uint8_t operation, uint64_t old, uint64_t b,
                uint64_t c, bool flushes) {
  switch (type) {
  case Type::S32:
    return static_cast<uint32_t>(
        integerUpdate(operation, static_cast<int32_t>(old),
                      static_cast<int32_t>(b), static_cast<int32_t>(c)));
  case Type::S64:
    return static_cast<uint64_t>(
        integerUpdate(operation, static_cast<int64_t>(old),
                      static_cast<int64_t>(b), static_cast<int64_t>(c)));
  case Type::U64:
  case Type::B64:
    return integerUpdate<uint64_t>(operation, old, b, c);
  case Type::B16:
  case Type::U16:
    return integerUpdate<uint16_t>(operation, static_cast<uint16_t>(old),
                                   static_cast<uint16_t>(b),
                                   static_cast<uint16_t>(c));
  case Type::F32: {
    const auto x = fromBits<float>(old), y = fromBits<float>(b);
    return toBits(canonical(flushes ? flush(flush(x) + flush(y)) : x + y));
  }
  case Type::F64:
    return toBits(fromBits<double>(old) + fromBits<double>(b));
  case Type::F16:
    return halfUpdate<formatF16>(operation, static_cast<uint16_t>(old),
                                 static_cast<uint16_t>(b));
  case Type::BF16:
    return halfUpdate<formatBF16>(operation, static_cast<uint16_t>(old),
                                  static_cast<uint16_t>(b));
  case Type::F16x2:
    return halvesUpdate<formatF16>(operation, static_cast<uint32_t>(old),
                                   static_cast<uint32_t>(b));
  case Type::BF16x2:
    return halvesUpdate<formatBF16>(operation, static_cast<uint32_t>(old),
                                    static_cast<uint32_t>(b));
  default:
    return integerUpdate<uint32_t>(operation, static_cast<uint32_t>(old),
                                   static_cast<uint32_t>(b),
                                   static_cast<uint32_t>(c));
  }
}

/// Lanes go one after the other, in their order.
template <class T>
Step atomicExec(Warp &warp, const Instr &instr, uint32_t mask) {
  LaneAccess lanes = makeAccess(warp, instr, mask, AccessKind::Atomic);
  const uint32_t done = warp.access(lanes);
  const size_t count = instr.extra;
  const bool hasResult = instr.ops.size() > 1 + count + 1;
  const uint64_t *c = warp.source(instr.ops[1 + count]);
  uint32_t writes = done;
  bool mayWait = instr.attr[0] >= Exch;
  forLanes(done, [&](unsigned lane) {
    // Operands may be overwritten by results of the same lane.
    const uint64_t third = c[lane];
    const bool isGlobal = lanes.isGlobal(lane);
    bool changes = false;
    for (size_t n = 0; n != count; ++n) {
      const uint64_t b = warp.source(instr.ops[1 + n])[lane];
      const T old = updateAtomically<T>(
          lanes.pointers[lane] + n * sizeof(T), [&](T value) {
            return static_cast<T>(
                update(instr.type, instr.attr[0], value, b, third, isGlobal));
          });
      changes |= static_cast<T>(update(instr.type, instr.attr[0], old, b, third,
                                       isGlobal)) != old;
      // PTX: one that compares unequal does not write.
      if (instr.attr[0] == Cas && old != static_cast<T>(b))
        writes &= ~(1u << lane);
      if (!changes)
        warp.notePoll(lane, isGlobal ? Space::Global : Space::Shared,
                      lanes.addresses[lane], old);
      if (hasResult)
        warp.destination(instr.ops[2 + count + n])[lane] = old;
    }
    mayWait |= !changes;
    if (changes && isGlobal)
      warp.noteChange(lanes.addresses[lane], instr.accessBytes,
                      instr.order.scope);
  });
  warp.synchronize(lanes, done, writes, instr.order);
  return hasResult && mayWait ? Step::Yield : Step::Next;
}

Space takeSpace(Decoder &d) {
  const Space space = d.takeSharedSpace();
  return space == Space::Generic && d.take("global") ? Space::Global : space;
}

bool isSupported(uint8_t operation, Type type) {
  switch (type) {
  case Type::F32:
  case Type::F64:
    return operation == Add;
  case Type::F16:
  case Type::F16x2:
  case Type::BF16:
  case Type::BF16x2:
    return operation <= Max;
  case Type::B16:
    return operation >= Exch;
  default:
    return isIntegral(type) && typeBits(type) >= 32 && typeBits(type) <= 64;
  }
}

/// PTX ISA, atom and red: vectors are of floats, outside of shared memory, and
/// have at most 16 bytes; of f32 there are only sums.
bool isVectorSupported(uint8_t operation, Type type, size_t count,
                       Space space) {
  if (count == 1)
    return true;
  if (space == Space::Shared || space == Space::Cluster ||
      count * typeBytes(type) > 16)
    return false;
  switch (type) {
  case Type::F32:
    return operation == Add;
  case Type::F16:
  case Type::BF16:
  case Type::F16x2:
  case Type::BF16x2:
    return operation <= Max;
  default:
    return false;
  }
}

void decodeAtomic(Decoder &d, Instr &i, bool hasResult) {
  i.kind = InstrKind::Atomic;
  const int sem = d.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  const Scope scope = d.takeScope();
  i.order.scope = scope == Scope::None ? Scope::Gpu : scope;
  i.order.releases = sem >= 2;
  // Code in use relies on an atomic without .relaxed ordering what follows it.
  i.order.acquires = sem == 1 || sem == 3 || (sem < 0 && hasResult);
  i.space = takeSpace(d);
  const int operation = d.takeOneOf(operationNames);
  d.take("noftz");
  d.skipPrefixed("L2::");
  const int vector = d.takeOneOf({"v2", "v4", "v8"});
  const size_t count = size_t(1) << (vector + 1);
  i.type = d.takeType();
  const size_t first = hasResult ? 1 : 0;
  d.expectOperands(first + 2, first + 4);
  if (d.failed())
    return;
  if (operation < 0 || (!hasResult && operation >= Exch) ||
      !isSupported(static_cast<uint8_t>(operation), i.type))
    return d.error("the operation is not supported on ." + typeName(i.type));
  if (!isVectorSupported(static_cast<uint8_t>(operation), i.type, count,
                         i.space))
    return d.error("there is no such vector of ." + typeName(i.type));
  i.attr[0] = static_cast<uint8_t>(operation);
  // Sums of integers are the same in any order, and nobody sees them grow.
  i.seesOtherBlocks = i.space != Space::Shared && i.space != Space::Cluster &&
                      (hasResult || !isIntegral(i.type));
  i.extra = count;
  i.accessBytes = static_cast<uint8_t>(typeBytes(i.type) * count);
  i.ops.push_back(d.address(first, i));
  const ArrayRef<Operand> values = d.elements(first + 1);
  if (values.size() != count)
    return d.error("the value has the wrong number of elements");
  for (const Operand &value : values)
    i.ops.push_back(d.source(value, i.type));
  i.ops.push_back(operation == Cas ? d.source(first + 2, i.type)
                                   : d.constant(0));
  if (hasResult) {
    const ArrayRef<Operand> results = d.elements(0);
    if (results.size() != count)
      return d.error("the result has the wrong number of elements");
    for (const Operand &result : results)
      i.ops.push_back(d.destination(result, i.type));
  }
  i.exec = typeBits(i.type) == 64   ? &atomicExec<uint64_t>
           : typeBits(i.type) == 32 ? &atomicExec<uint32_t>
                                    : &atomicExec<uint16_t>;
}

} // namespace

void addAtomically(Type type, uint8_t *to, const uint8_t *value) {
  auto add = [&](auto one) {
    using T = decltype(one);
    std::memcpy(&one, value, sizeof(one));
    updateAtomically<T>(to, [&](T old) {
      return static_cast<T>(update(type, Add, old, one, 0, /*flushes=*/true));
    });
  };
  switch (typeBytes(type)) {
  case 2:
    return add(uint16_t());
  case 4:
    return add(uint32_t());
  default:
    return add(uint64_t());
  }
}

void registerAtomic(OpcodeTable &table) {
  table.add("atom", [](Decoder &d, Instr &i) { decodeAtomic(d, i, true); });
  table.add("red", [](Decoder &d, Instr &i) { decodeAtomic(d, i, false); });
}

} // namespace tilewright::sim
