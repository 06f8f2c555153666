//===- Compare.cpp - setp, set, selp and slct -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/FloatFormat.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

constexpr StringRef comparisonNames[] = {
    "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
enum Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  NaN
};

template <uint8_t op, class T> bool compare(T a, T b) {
  switch (op) {
  case Eq:
    return a == b;
  case Ne: // ordered: false for NaN
    return a == a && b == b && a != b;
  case Lt:
  case Lo:
    return a < b;
  case Le:
  case Ls:
    return a <= b;
  case Gt:
  case Hi:
    return a > b;
  case Ge:
  case Hs:
    return a >= b;
  case Equ:
    return !(a == a && b == b) || a == b;
  case Neu:
    return a != b;
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return a == a && b == b;
  default:
    return !(a == a && b == b);
  }
}

/// How a source register becomes the value to compare.
template <class T> struct Plain {
  static T load(uint64_t bits) { return fromBits<T>(bits); }
};
struct Flushed {
  static float load(uint64_t bits) { return flush(fromBits<float>(bits)); }
};
template <const FloatFormat &format, unsigned half, bool ftz = false>
struct Half {
  static double load(uint64_t bits) {
    const auto part = static_cast<uint16_t>(bits >> (16 * half));
    if (ftz && (part & format.infinity()) == 0)
      return 0; // the sign of a zero does not matter here
    return valueOf(format, part);
  }
};

using CompareFn = uint32_t (*)(const uint64_t *a, const uint64_t *b,
                               uint32_t mask);

template <class Load, uint8_t op>
uint32_t compareLanes(const uint64_t *a, const uint64_t *b, uint32_t mask) {
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    result |= uint32_t(compare<op>(Load::load(a[lane]), Load::load(b[lane])))
              << lane;
  });
  return result;
}

template <class Load, size_t... ops>
CompareFn selectComparison(uint8_t op, std::index_sequence<ops...>) {
  static constexpr CompareFn table[] = {&compareLanes<Load, ops>...};
  return table[op];
}

template <class Load> CompareFn selectComparison(uint8_t op) {
  return selectComparison<Load>(
      op, std::make_index_sequence<std::size(comparisonNames)>());
}

/// The lo, ls, hi and hs comparisons are unsigned whatever the type.
CompareFn selectInteger(Type type, uint8_t op) {
  const bool isSignedCompare = isSigned(type) && !(op >= Lo && op <= Hs);
  switch (typeBits(type)) {
  case 16:
    return isSignedCompare ? selectComparison<Plain<int16_t>>(op)
                           : selectComparison<Plain<uint16_t>>(op);
  case 32:
    return isSignedCompare ? selectComparison<Plain<int32_t>>(op)
                           : selectComparison<Plain<uint32_t>>(op);
  default:
    return isSignedCompare ? selectComparison<Plain<int64_t>>(op)
                           : selectComparison<Plain<uint64_t>>(op);
  }
}

template <const FloatFormat &format>
CompareFn selectHalf(uint8_t op, bool ftz, unsigned half) {
  if (ftz)
    return half ? selectComparison<Half<format, 1, true>>(op)
                : selectComparison<Half<format, 0, true>>(op);
  return half ? selectComparison<Half<format, 1>>(op)
              : selectComparison<Half<format, 0>>(op);
}

/// `half` selects the part of a packed type.
CompareFn selectFunction(Decoder &d, Type type, uint8_t op, bool ftz,
                         unsigned half = 0) {
  switch (type) {
  case Type::F32:
    return ftz ? selectComparison<Flushed>(op)
               : selectComparison<Plain<float>>(op);
  case Type::F64:
    return selectComparison<Plain<double>>(op);
  case Type::F16:
  case Type::F16x2:
    return selectHalf<formatF16>(op, ftz, half);
  case Type::BF16:
  case Type::BF16x2:
    return selectHalf<formatBF16>(op, ftz, half);
  default:
    if (!isIntegral(type) || typeBits(type) < 16 || typeBits(type) > 64)
      d.error("type ." + typeName(type) + " is not supported");
    else if (op > Hs)
      d.error("the comparison needs a floating type");
    return selectInteger(type, op);
  }
}

/// attr: {has c, BoolOp, packed}; helpers hold the comparisons.
enum BoolOp : uint8_t { NoBool, BoolAnd, BoolOr, BoolXor };

uint32_t combine(uint8_t op, uint32_t t, uint32_t c) {
  switch (op) {
  case BoolAnd:
    return t & c;
  case BoolOr:
    return t | c;
  case BoolXor:
    return t ^ c;
  default:
    return t;
  }
}

uint32_t runComparison(const Warp &warp, HelperFn function, int32_t a,
                       int32_t b, uint32_t mask) {
  return reinterpret_cast<CompareFn>(function)(warp.source(a), warp.source(b),
                                               mask);
}

/// ops: {p, q, a, b, c}; q is -1 if absent.
Step setpExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t t =
      runComparison(warp, instr.helpers[0], instr.ops[2], instr.ops[3], mask);
  const uint32_t c = instr.attr[1] ? warp.predicate(instr.ops[4]) : 0;
  const uint32_t p = combine(instr.attr[1], t, c);
  const uint32_t q = combine(instr.attr[1], ~t, c);
  warp.setPredicate(instr.ops[0], mask, p);
  if (instr.ops[1] >= 0)
    warp.setPredicate(instr.ops[1], mask, q);
  return Step::Next;
}

/// The two predicates of a packed comparison are those of the two halves.
Step setpPackedExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint32_t low =
      runComparison(warp, instr.helpers[0], instr.ops[2], instr.ops[3], mask);
  const uint32_t high =
      runComparison(warp, instr.helpers[1], instr.ops[2], instr.ops[3], mask);
  const uint32_t c = instr.attr[1] ? warp.predicate(instr.ops[4]) : 0;
  warp.setPredicate(instr.ops[0], mask, combine(instr.attr[1], low, c));
  if (instr.ops[1] >= 0)
    warp.setPredicate(instr.ops[1], mask, combine(instr.attr[1], high, c));
  return Step::Next;
}

HelperFn asHelper(CompareFn function) {
  return reinterpret_cast<HelperFn>(function);
}

uint8_t takeComparison(Decoder &d) {
  const int op = d.takeOneOf(comparisonNames);
  if (op < 0)
    d.error("a comparison such as .eq is needed");
  return static_cast<uint8_t>(op < 0 ? 0 : op);
}

void decodeSetp(Decoder &d, Instr &i) {
  i.kind = InstrKind::Compare;
  const uint8_t op = takeComparison(d);
  i.attr[1] = static_cast<uint8_t>(d.takeOneOf({"and", "or", "xor"}) + 1);
  const bool ftz = d.take("ftz");
  const Type type = d.takeType();
  const size_t count = i.attr[1] ? 4 : 3;
  d.expectOperands(count, count);
  if (d.failed())
    return;
  const Operand &target = d.operand(0);
  const bool isPair = target.kind == Operand::Kind::Pair;
  const Operand &p = isPair ? target.elements[0] : target;
  i.ops = {d.predicateDestination(p),
           isPair ? d.predicateDestination(target.elements[1]) : -1,
           d.source(1, type), d.source(2, type)};
  if (i.attr[1])
    i.ops.push_back(d.predicateSource(3));
  i.exec = &setpExec;
  i.helpers[0] = asHelper(selectFunction(d, type, op, ftz));
  if (type == Type::F16x2 || type == Type::BF16x2) {
    i.exec = &setpPackedExec;
    i.helpers[1] = asHelper(selectFunction(d, type, op, ftz, 1));
  }
}

/// ops: {d, a, b, c}; attr: {-, BoolOp, packed}; type is the result's.
Step setExec(Warp &warp, const Instr &instr, uint32_t mask) {
  auto half = [&](HelperFn function) {
    const uint32_t t =
        runComparison(warp, function, instr.ops[1], instr.ops[2], mask);
    const uint32_t c = instr.attr[1] ? warp.predicate(instr.ops[3]) : 0;
    return combine(instr.attr[1], t, c);
  };
  const uint32_t low = half(instr.helpers[0]);
  const uint32_t high = instr.attr[2] ? half(instr.helpers[1]) : 0;
  const auto one = static_cast<uint32_t>(instr.extra);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    uint32_t result = low >> lane & 1 ? one : 0;
    if (instr.attr[2])
      result = (result & 0xffff) | (high >> lane & 1 ? one << 16 : 0);
    d[lane] = result;
  });
  return Step::Next;
}

/// What stands for true: all ones in integers, 1.0 in floating types.
uint32_t trueValue(Type type) {
  switch (type) {
  case Type::F32:
    return 0x3f800000;
  case Type::F16:
  case Type::F16x2:
    return 0x3c00;
  case Type::BF16:
  case Type::BF16x2:
    return 0x3f80;
  case Type::U16:
  case Type::S16:
    return 0xffff;
  default:
    return 0xffffffff;
  }
}

void decodeSet(Decoder &d, Instr &i) {
  i.kind = InstrKind::Compare;
  i.exec = &setExec;
  const uint8_t op = takeComparison(d);
  i.attr[1] = static_cast<uint8_t>(d.takeOneOf({"and", "or", "xor"}) + 1);
  const bool ftz = d.take("ftz");
  i.type = d.takeType();
  const Type type = d.takeType();
  const size_t count = i.attr[1] ? 4 : 3;
  d.expectOperands(count, count);
  if (d.failed())
    return;
  i.ops = {d.destination(0, i.type), d.source(1, type), d.source(2, type)};
  if (i.attr[1])
    i.ops.push_back(d.predicateSource(3));
  i.helpers[0] = asHelper(selectFunction(d, type, op, ftz));
  i.attr[2] = type == Type::F16x2 || type == Type::BF16x2;
  if (i.attr[2])
    i.helpers[1] = asHelper(selectFunction(d, type, op, ftz, 1));
  i.extra = trueValue(i.type);
}

Step selpExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint32_t p = warp.predicate(instr.ops[3]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask,
           [&](unsigned lane) { d[lane] = p >> lane & 1 ? a[lane] : b[lane]; });
  return Step::Next;
}

void decodeSelp(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.exec = &selpExec;
  const Type type = d.takeType();
  d.expectOperands(4, 4);
  i.ops = {d.destination(0, type), d.source(1, type), d.source(2, type),
           d.predicateSource(3)};
}

/// d = c >= 0 ? a : b; -0 is >= 0 and NaN is not.
Step slctExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops[3]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    bool first = static_cast<int32_t>(c[lane]) >= 0;
    if (instr.attr[0]) {
      const auto value = fromBits<float>(c[lane]);
      first = (instr.attr[1] ? flush(value) : value) >= 0;
    }
    d[lane] = first ? a[lane] : b[lane];
  });
  return Step::Next;
}

void decodeSlct(Decoder &d, Instr &i) {
  i.kind = InstrKind::Move;
  i.exec = &slctExec;
  i.attr[1] = d.take("ftz");
  const Type type = d.takeType();
  const Type selector = d.takeType();
  i.attr[0] = selector == Type::F32;
  d.expectOperands(4, 4);
  i.ops = {d.destination(0, type), d.source(1, type), d.source(2, type),
           d.source(3, selector)};
}

} // namespace

void registerCompare(OpcodeTable &table) {
  table.add("setp", decodeSetp);
  table.add("set", decodeSet);
  table.add("selp", decodeSelp);
  table.add("slct", decodeSlct);
}

} // namespace tilewright::sim
