//===- Family.h - Shared pieces of instruction families ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What families of instructions have in common: how an operation on values
// becomes one on the lanes of a warp, and how operands that are alike are
// decoded. An instruction is little more than its operation:
//
//   struct Sub {
//     template <class T> static T apply(T a, T b) { return a - b; }
//   };
//
//   void decodeSub(Decoder &d, Instr &i) {        // sub.u32 d, a, b;
//     i.exec = &binaryExec<uint32_t, Sub>;
//     decodeUniform(d, i, d.takeType(), 2);
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SIMULATOR_FAMILIES_FAMILY_H
#define TILEWRIGHT_LIB_SIMULATOR_FAMILIES_FAMILY_H

#include "Machine/Warp.h"
#include "Program/Decoder.h"

namespace tilewright::sim {

/// d = Op::apply(a) in every lane; ops are {d, a}.
template <class In, class Op>
Step unaryExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toBits(Op::apply(fromBits<In>(a[lane])));
  });
  return Step::Next;
}

template <class In, class Op>
Step binaryExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toBits(Op::apply(fromBits<In>(a[lane]), fromBits<In>(b[lane])));
  });
  return Step::Next;
}

/// The third operand may be of another type (mad.wide).
template <class In, class Op, class Third = In>
Step ternaryExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops[3]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toBits(Op::apply(fromBits<In>(a[lane]), fromBits<In>(b[lane]),
                               fromBits<Third>(c[lane])));
  });
  return Step::Next;
}

/// For instructions of a whole warp, whose result is undefined otherwise.
inline bool isWholeWarp(Warp &warp, uint32_t mask) {
  if (mask == fullMask)
    return true;
  warp.report(FindingKind::InvalidOperand,
              static_cast<unsigned>(llvm::countr_zero(mask)),
              "all 32 threads of the warp must execute the instruction");
  return false;
}

/// An access of the lanes to the address that is the first operand.
inline LaneAccess makeAccess(Warp &warp, const Instr &instr, uint32_t mask,
                             AccessKind kind) {
  LaneAccess lanes;
  lanes.kind = kind;
  lanes.space = instr.space;
  lanes.bytes = instr.accessBytes;
  lanes.strong = instr.order.scope;
  lanes.mask = mask;
  warp.computeAddresses(instr, instr.ops[0], lanes);
  return lanes;
}

/// Decodes `d, a, ...` with `sources` sources, all of `type`.
inline void decodeUniform(Decoder &d, Instr &i, Type type, unsigned sources) {
  d.expectOperands(sources + 1, sources + 1);
  if (d.failed())
    return;
  i.type = type;
  i.ops.push_back(d.destination(0, type));
  for (unsigned s = 1; s <= sources; ++s)
    i.ops.push_back(d.source(s, type));
}

} // namespace tilewright::sim

#endif // TILEWRIGHT_LIB_SIMULATOR_FAMILIES_FAMILY_H
