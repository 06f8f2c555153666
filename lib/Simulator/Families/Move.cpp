//===- Move.cpp - mov, cvta and isspacep ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/Block.h"
#include <chrono>

using namespace llvm;

namespace tilewright::sim {
namespace {

Step moveExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = a[lane]; });
  return Step::Next;
}

Step movePredicateExec(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.setPredicate(instr.ops[0], mask, warp.predicate(instr.ops[1]));
  return Step::Next;
}

/// A constant predicate; `extra` is 0 or 1.
Step setPredicateExec(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.setPredicate(instr.ops[0], mask, instr.extra ? fullMask : 0);
  return Step::Next;
}

/// d = {a, b, ...}: ops are d and the parts; attr[0] bits each.
Step packExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned bits = instr.attr[0];
  const uint64_t low = (uint64_t(1) << bits) - 1;
  forLanes(mask, [&](unsigned lane) {
    uint64_t value = 0;
    for (size_t part = instr.ops.size() - 1; part != 0; --part)
      value = value << bits | (warp.source(instr.ops[part])[lane] & low);
    warp.destination(instr.ops[0])[lane] = value;
  });
  return Step::Next;
}

/// {a, b, ...} = s: ops are the parts and s.
Step unpackExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned bits = instr.attr[0];
  const uint64_t low = (uint64_t(1) << bits) - 1;
  const size_t parts = instr.ops.size() - 1;
  forLanes(mask, [&](unsigned lane) {
    uint64_t value = warp.source(instr.ops[parts])[lane];
    for (size_t part = 0; part != parts; ++part) {
      warp.destination(instr.ops[part])[lane] = value & low;
      value >>= bits;
    }
  });
  return Step::Next;
}

/// Clocks advance with the block's instructions, timers with the host's.
Step clockExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto reg = static_cast<SpecialRegister>(instr.attr[0]);
  uint64_t value = warp.ticks();
  if (reg >= SpecialRegister::GlobalTimer)
    value = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now().time_since_epoch())
            .count());
  if (reg == SpecialRegister::ClockHi || reg == SpecialRegister::GlobalTimerHi)
    value >>= 32;
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = value; });
  return Step::Next;
}

void decodePacked(Decoder &d, Instr &i, Type type) {
  const bool isPack = d.operand(1).kind == Operand::Kind::Vector;
  const ArrayRef<Operand> parts = d.elements(isPack ? 1 : 0);
  const unsigned bits = typeBits(type) / static_cast<unsigned>(parts.size());
  Type part = Type::B8;
  if (bits == 16)
    part = Type::B16;
  else if (bits == 32)
    part = Type::B32;
  else if (bits != 8 || parts.size() < 2)
    d.error("the vector does not fit ." + typeName(type));
  i.attr[0] = static_cast<uint8_t>(bits);
  if (isPack) {
    i.exec = &packExec;
    i.ops.push_back(d.destination(0, type));
    for (const Operand &operand : parts)
      i.ops.push_back(d.source(operand, part));
    return;
  }
  i.exec = &unpackExec;
  for (const Operand &operand : parts)
    i.ops.push_back(d.destination(operand, part));
  i.ops.push_back(d.source(1, type));
}

void decodeMove(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.type = d.takeType();
  d.expectOperands(2, 2);
  if (d.failed())
    return;
  const Operand &target = d.operand(0);
  const Operand &from = d.operand(1);
  if (i.type == Type::Pred) {
    i.ops.push_back(d.predicateDestination(target));
    i.exec = &movePredicateExec;
    if (from.kind == Operand::Kind::Integer) {
      i.exec = &setPredicateExec;
      i.extra = from.bits != 0;
    } else {
      i.ops.push_back(d.predicateSource(from));
    }
    return;
  }
  if (target.kind == Operand::Kind::Vector ||
      from.kind == Operand::Kind::Vector)
    return decodePacked(d, i, i.type);
  i.ops.push_back(d.destination(0, i.type));
  if (from.kind == Operand::Kind::Special && isClock(from.special)) {
    i.exec = &clockExec;
    i.attr[0] = static_cast<uint8_t>(from.special);
    return;
  }
  i.exec = &moveExec;
  i.ops.push_back(d.source(1, i.type));
}

//===----------------------------------------------------------------------===//
// Address windows
//===----------------------------------------------------------------------===//

/// Where the window of the space begins that the instruction names; the
/// parameters of a device function live in local memory.
uint64_t takeWindow(Decoder &d) {
  switch (d.takeSpace()) {
  case Space::Shared:
  case Space::Cluster:
    return window::shared;
  case Space::Local:
    return window::local;
  case Space::Param:
    return d.inEntry() ? window::param : window::local;
  case Space::Generic:
    d.error("a state space is needed");
    return 0;
  default:
    return 0;
  }
}

/// `extra` is added; it is the window or its negative. The null address of
/// one space is that of the other.
Step convertAddressExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = a[lane] + instr.extra; });
  return Step::Next;
}

void decodeConvertAddress(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.exec = &convertAddressExec;
  const bool toSpace = d.take("to");
  const uint64_t base = takeWindow(d);
  i.extra = toSpace ? -base : base;
  if (typeBits(d.takeType()) != 64)
    d.error("only 64-bit generic addresses are supported");
  d.expectOperands(2, 2);
  i.ops = {d.destination(0, Type::B64), d.source(1, Type::B64)};
}

/// `extra`: the window; attr[0]: of the block alone, not of its cluster.
Step isSpaceExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const bool isOfBlock = instr.attr[0];
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    const uint64_t upper = a[lane] & ~(window::size - 1);
    bool inside = instr.extra ? upper == instr.extra
                              : window::spaceOf(a[lane]) == Space::Global;
    if (isOfBlock)
      inside &= (a[lane] - upper) / window::blockSize == warp.block.rank();
    result |= uint32_t(inside) << lane;
  });
  warp.setPredicate(instr.ops[0], mask, result);
  return Step::Next;
}

void decodeIsSpace(Decoder &d, Instr &i) {
  i.kind = InstrKind::Compare;
  i.exec = &isSpaceExec;
  i.attr[0] = d.peek() == "shared" || d.peek() == "shared::cta";
  i.extra = takeWindow(d);
  d.expectOperands(2, 2);
  i.ops = {d.predicateDestination(d.operand(0)), d.source(1, Type::B64)};
}

} // namespace

void registerMove(OpcodeTable &table) {
  table.add("mov", decodeMove);
  table.add("cvta", decodeConvertAddress);
  table.add("isspacep", decodeIsSpace);
}

} // namespace tilewright::sim
