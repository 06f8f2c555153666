//===- WarpExchange.cpp - shfl, vote, match, redux and elect --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// Calls `f(group)` for each set of lanes that name the same members. Lanes
/// of one warp may execute together with different masks.
template <class F>
void forGroups(Warp &warp, const Instr &instr, uint32_t mask, F f) {
  const uint64_t *members = warp.source(instr.syncMask);
  while (mask != 0) {
    const auto first = static_cast<unsigned>(llvm::countr_zero(mask));
    const auto named = static_cast<uint32_t>(members[first]);
    uint32_t group = 0;
    forLanes(mask, [&](unsigned lane) {
      group |= uint32_t(static_cast<uint32_t>(members[lane]) == named) << lane;
    });
    mask &= ~group;
    if ((group & ~named) != 0)
      warp.report(FindingKind::InvalidOperand,
                  static_cast<unsigned>(llvm::countr_zero(group & ~named)),
                  "the thread is not in its own membership mask");
    f(group);
  }
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// The lane to read from, and whether it is in range (PTX ISA, shfl.sync).
std::pair<unsigned, bool> sourceLane(Shuffle mode, unsigned lane, uint32_t b,
                                     uint32_t c) {
  const unsigned offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const unsigned last = (lane & segment) | (clamp & ~segment);
  const unsigned first = lane & segment;
  int from = 0;
  bool inRange = false;
  switch (mode) {
  case Shuffle::Up:
    from = static_cast<int>(lane) - static_cast<int>(offset);
    inRange = from >= static_cast<int>(last);
    break;
  case Shuffle::Down:
    from = static_cast<int>(lane + offset);
    inRange = from <= static_cast<int>(last);
    break;
  case Shuffle::Butterfly:
    from = static_cast<int>(lane ^ offset);
    inRange = from <= static_cast<int>(last);
    break;
  case Shuffle::Index:
    from = static_cast<int>(first | (offset & ~segment));
    inRange = from <= static_cast<int>(last);
    break;
  }
  return {inRange ? static_cast<unsigned>(from) : lane, inRange};
}

/// ops: {d, a, b, c, p or -1}.
Step shuffleExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto mode = static_cast<Shuffle>(instr.attr[0]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops[3]);
  std::array<uint64_t, warpSize> values;
  std::copy_n(warp.source(instr.ops[1]), warpSize, values.begin());
  uint64_t *d = warp.destination(instr.ops[0]);
  uint32_t inRangeLanes = 0;
  forGroups(warp, instr, mask, [&](uint32_t group) {
    forLanes(group, [&](unsigned lane) {
      auto [from, inRange] =
          sourceLane(mode, lane, static_cast<uint32_t>(b[lane]),
                     static_cast<uint32_t>(c[lane]));
      inRangeLanes |= uint32_t(inRange) << lane;
      if (!(mask >> from & 1))
        warp.report(FindingKind::InvalidOperand, lane,
                    "reads from lane " + Twine(from) +
                        ", which does not take part");
      d[lane] = values[from];
    });
  });
  if (instr.ops[4] >= 0)
    warp.setPredicate(instr.ops[4], mask, inRangeLanes);
  return Step::Next;
}

void decodeShuffle(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &shuffleExec;
  const int mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  const Type type = d.takeType();
  d.expectOperands(5, 5);
  if (d.failed() || mode < 0 || typeBits(type) != 32)
    return d.error("needs a mode such as .bfly, and .b32");
  i.attr[0] = static_cast<uint8_t>(mode);
  const Operand &target = d.operand(0);
  const bool isPair = target.kind == Operand::Kind::Pair;
  i.ops = {d.destination(isPair ? target.elements[0] : target, type),
           d.source(1, type), d.source(2, Type::B32), d.source(3, Type::B32),
           isPair ? d.predicateDestination(target.elements[1]) : -1};
  i.syncMask = d.source(4, Type::B32);
}

//===----------------------------------------------------------------------===//
// vote.sync and match.sync
//===----------------------------------------------------------------------===//

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

/// ops: {destination, predicate}.
Step voteExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto mode = static_cast<Vote>(instr.attr[0]);
  const uint32_t truth = warp.predicate(instr.ops[1]);
  forGroups(warp, instr, mask, [&](uint32_t group) {
    const uint32_t yes = truth & group;
    if (mode == Vote::Ballot) {
      uint64_t *d = warp.destination(instr.ops[0]);
      forLanes(group, [&](unsigned lane) { d[lane] = yes; });
      return;
    }
    const bool result = mode == Vote::All   ? yes == group
                        : mode == Vote::Any ? yes != 0
                                            : yes == group || yes == 0;
    warp.setPredicate(instr.ops[0], group, result ? fullMask : 0);
  });
  return Step::Next;
}

void decodeVote(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &voteExec;
  const int mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  const Type type = d.takeType();
  d.expectOperands(3, 3);
  if (d.failed() || mode < 0)
    return d.error("needs .all, .any, .uni or .ballot");
  i.attr[0] = static_cast<uint8_t>(mode);
  i.ops = {type == Type::Pred ? d.predicateDestination(d.operand(0))
                              : d.destination(0, Type::B32),
           d.predicateSource(1)};
  i.syncMask = d.source(2, Type::B32);
}

/// ops: {d, a, p or -1}; attr: {all, 64 bits}.
Step matchExec(Warp &warp, const Instr &instr, uint32_t mask) {
  std::array<uint64_t, warpSize> values;
  const uint64_t keep = instr.attr[1] ? ~uint64_t(0) : 0xFFFF'FFFF;
  for (unsigned lane = 0; lane != warpSize; ++lane)
    values[lane] = warp.source(instr.ops[1])[lane] & keep;
  uint64_t *d = warp.destination(instr.ops[0]);
  forGroups(warp, instr, mask, [&](uint32_t group) {
    forLanes(group, [&](unsigned lane) {
      uint32_t same = 0;
      forLanes(group, [&](unsigned other) {
        same |= uint32_t(values[other] == values[lane]) << other;
      });
      const bool all = same == group;
      d[lane] = instr.attr[0] && !all ? 0 : same;
      if (instr.ops[2] >= 0)
        warp.setPredicate(instr.ops[2], 1u << lane, all ? fullMask : 0);
    });
  });
  return Step::Next;
}

void decodeMatch(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &matchExec;
  i.attr[0] = d.takeOneOf({"any", "all"}) == 1;
  d.take("sync");
  const Type type = d.takeType();
  d.expectOperands(3, 3);
  if (d.failed())
    return;
  i.attr[1] = typeBits(type) == 64;
  const Operand &target = d.operand(0);
  const bool isPair = target.kind == Operand::Kind::Pair;
  i.ops = {d.destination(isPair ? target.elements[0] : target, Type::B32),
           d.source(1, type),
           isPair ? d.predicateDestination(target.elements[1]) : -1};
  i.syncMask = d.source(2, Type::B32);
}

//===----------------------------------------------------------------------===//
// redux.sync, activemask and elect.sync
//===----------------------------------------------------------------------===//

constexpr StringRef reductionNames[] = {"add", "min", "max",
                                        "and", "or",  "xor"};

template <class T> T reduce(uint8_t operation, T a, T b) {
  switch (operation) {
  case 0:
    return static_cast<T>(uint32_t(a) + uint32_t(b));
  case 1:
    return std::min(a, b);
  case 2:
    return std::max(a, b);
  case 3:
    return a & b;
  case 4:
    return a | b;
  default:
    return a ^ b;
  }
}

template <class T>
Step reductionExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forGroups(warp, instr, mask, [&](uint32_t group) {
    bool isFirst = true;
    T result = 0;
    forLanes(group, [&](unsigned lane) {
      const T value = warp.value<T>(instr.ops[1], lane);
      result = isFirst ? value : reduce<T>(instr.attr[0], result, value);
      isFirst = false;
    });
    uint64_t *d = warp.destination(instr.ops[0]);
    forLanes(group, [&](unsigned lane) { d[lane] = toBits(result); });
  });
  return Step::Next;
}

void decodeReduction(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  const int operation = d.takeOneOf(reductionNames);
  const Type type = d.takeType();
  d.expectOperands(3, 3);
  if (d.failed() || operation < 0 || !isIntegral(type) || typeBits(type) != 32)
    return d.error("needs an operation, and a 32-bit integer type");
  i.attr[0] = static_cast<uint8_t>(operation);
  i.exec = isSigned(type) ? &reductionExec<int32_t> : &reductionExec<uint32_t>;
  i.ops = {d.destination(0, type), d.source(1, type)};
  i.syncMask = d.source(2, Type::B32);
}

Step activeMaskExec(Warp &warp, const Instr &instr, uint32_t mask) {
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = mask; });
  return Step::Next;
}

void decodeActiveMask(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &activeMaskExec;
  i.ops = {d.destination(0, d.takeType())};
}

/// elect.sync d|p, members: the lowest lane is the leader.
Step electExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forGroups(warp, instr, mask, [&](uint32_t group) {
    const auto leader = static_cast<unsigned>(llvm::countr_zero(group));
    uint64_t *d = warp.destination(instr.ops[0]);
    forLanes(group, [&](unsigned lane) { d[lane] = leader; });
    warp.setPredicate(instr.ops[1], group, 1u << leader);
  });
  return Step::Next;
}

void decodeElect(Decoder &d, Instr &i) {
  i.kind = InstrKind::WarpExchange;
  i.exec = &electExec;
  d.expectOperands(2, 2);
  if (d.failed() || d.operand(0).kind != Operand::Kind::Pair)
    return d.error("elect.sync needs a register and a predicate");
  i.ops = {d.destination(d.operand(0).elements[0], Type::B32),
           d.predicateDestination(d.operand(0).elements[1])};
  i.syncMask = d.source(1, Type::B32);
}

} // namespace

void registerWarpExchange(OpcodeTable &table) {
  table.add("shfl.sync", decodeShuffle);
  table.add("vote.sync", decodeVote);
  table.add("match", decodeMatch);
  table.add("redux.sync", decodeReduction);
  table.add("activemask", decodeActiveMask);
  table.add("elect.sync", decodeElect);
}

} // namespace tilewright::sim
