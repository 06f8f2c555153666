//===- Bits.cpp - Logic, shifts and bit fields ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return static_cast<T>(~a); }
};
/// C's logical negation.
struct Cnot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct Popc {
  template <class T> static uint32_t apply(T a) {
    return static_cast<uint32_t>(llvm::popcount(a));
  }
};
struct Clz {
  template <class T> static uint32_t apply(T a) {
    return static_cast<uint32_t>(llvm::countl_zero(a));
  }
};
struct Brev {
  template <class T> static T apply(T a) { return reverseBits(a); }
};
struct Lop3 {
  static uint32_t apply(const Instr &instr, uint32_t a, uint32_t b,
                        uint32_t c) {
    uint32_t result = 0;
    for (unsigned row = 0; row != 8; ++row)
      if (instr.attr[0] >> row & 1)
        result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result;
  }
};

/// Predicate forms of the logic instructions.
template <class Op>
Step predicateExec(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.setPredicate(
      instr.ops[0], mask,
      Op::apply(warp.predicate(instr.ops[1]), warp.predicate(instr.ops[2])));
  return Step::Next;
}

template <class Op> void decodeLogic(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const Type type = d.takeType();
  if (type == Type::Pred) {
    d.expectOperands(3, 3);
    i.exec = &predicateExec<Op>;
    i.ops = {d.predicateDestination(d.operand(0)), d.predicateSource(1),
             d.predicateSource(2)};
    return;
  }
  i.exec = &binaryExec<uint64_t, Op>;
  decodeUniform(d, i, type, 2);
}

template <class Op> ExecFn selectUnary(Decoder &d, Type type) {
  switch (typeBits(type)) {
  case 16:
    return &unaryExec<uint16_t, Op>;
  case 32:
    return &unaryExec<uint32_t, Op>;
  case 64:
    return &unaryExec<uint64_t, Op>;
  default:
    d.error("type ." + typeName(type) + " is not supported");
    return nullptr;
  }
}

Step predicateNot(Warp &warp, const Instr &instr, uint32_t mask) {
  warp.setPredicate(instr.ops[0], mask, ~warp.predicate(instr.ops[1]));
  return Step::Next;
}

template <class Op> void decodeNot(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const Type type = d.takeType();
  if (type == Type::Pred) {
    d.expectOperands(2, 2);
    i.exec = &predicateNot;
    i.ops = {d.predicateDestination(d.operand(0)), d.predicateSource(1)};
    return;
  }
  i.exec = selectUnary<Op>(d, type);
  decodeUniform(d, i, type, 1);
}

/// Counts give 32 bits whatever the source is.
template <class Op> void decodeCount(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.type = d.takeType();
  i.exec = selectUnary<Op>(d, i.type);
  d.expectOperands(2, 2);
  i.ops = {d.destination(0, Type::U32), d.source(1, i.type)};
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// Amounts of the width and above shift everything out.
template <class T, bool left>
Step shiftExec(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr uint32_t width = sizeof(T) * 8;
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    const T value = static_cast<T>(a[lane]);
    const auto amount = static_cast<uint32_t>(b[lane]);
    T result = 0;
    if (left)
      result = amount < width ? static_cast<T>(uint64_t(value) << amount) : 0;
    else if (std::is_signed_v<T>)
      result = static_cast<T>(value >> std::min(amount, width - 1));
    else
      result = amount < width ? static_cast<T>(value >> amount) : 0;
    d[lane] = toBits(result);
  });
  return Step::Next;
}

void decodeShift(Decoder &d, Instr &i, bool left) {
  i.kind = InstrKind::Integer;
  i.type = d.takeType();
  switch (typeBits(i.type)) {
  case 16:
    i.exec = left               ? &shiftExec<uint16_t, true>
             : isSigned(i.type) ? &shiftExec<int16_t, false>
                                : &shiftExec<uint16_t, false>;
    break;
  case 32:
    i.exec = left               ? &shiftExec<uint32_t, true>
             : isSigned(i.type) ? &shiftExec<int32_t, false>
                                : &shiftExec<uint32_t, false>;
    break;
  case 64:
    i.exec = left               ? &shiftExec<uint64_t, true>
             : isSigned(i.type) ? &shiftExec<int64_t, false>
                                : &shiftExec<uint64_t, false>;
    break;
  default:
    d.error("type ." + typeName(i.type) + " is not supported");
  }
  d.expectOperands(3, 3);
  i.ops = {d.destination(0, i.type), d.source(1, i.type),
           d.source(2, Type::U32)};
}

/// The upper or lower half of {b, a} shifted by c, clamped or wrapped at 32.
template <bool left, bool wrap> struct Funnel {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t amount = wrap ? c & 31 : std::min(c, 32u);
    const uint64_t both = uint64_t(b) << 32 | a;
    return left ? static_cast<uint32_t>((both << amount) >> 32)
                : static_cast<uint32_t>(both >> amount);
  }
};

void decodeFunnel(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const int side = d.takeOneOf({"l", "r"});
  const int mode = d.takeOneOf({"clamp", "wrap"});
  if (side < 0 || mode < 0)
    d.error("shf needs .l or .r, and .clamp or .wrap");
  constexpr ExecFn execs[2][2] = {
      {&ternaryExec<uint32_t, Funnel<true, false>>,
       &ternaryExec<uint32_t, Funnel<true, true>>},
      {&ternaryExec<uint32_t, Funnel<false, false>>,
       &ternaryExec<uint32_t, Funnel<false, true>>}};
  i.exec = execs[side == 1][mode == 1];
  decodeUniform(d, i, d.takeType(), 3);
}

//===----------------------------------------------------------------------===//
// Bit fields
//===----------------------------------------------------------------------===//

/// PTX ISA, bfe: position and length are taken modulo 256, and bits beyond
/// the value are its sign.
template <class T> struct BitFieldExtract {
  static T apply(T a, uint32_t b, uint32_t c) {
    constexpr unsigned msb = sizeof(T) * 8 - 1;
    const unsigned position = b & 0xff, length = c & 0xff;
    const bool sign = std::is_signed_v<T> && length != 0 &&
                      (a >> std::min(position + length - 1, msb) & 1);
    uint64_t result = 0;
    for (unsigned bit = 0; bit <= msb; ++bit) {
      const bool value = bit < length && position + bit <= msb
                             ? (a >> (position + bit) & 1)
                             : sign;
      result |= uint64_t(value) << bit;
    }
    return static_cast<T>(result);
  }
};

template <class T>
Step extractExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops[3]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toBits(BitFieldExtract<T>::apply(static_cast<T>(a[lane]),
                                               static_cast<uint32_t>(b[lane]),
                                               static_cast<uint32_t>(c[lane])));
  });
  return Step::Next;
}

void decodeExtract(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.type = d.takeType();
  const bool isWide = typeBits(i.type) == 64;
  i.exec = isSigned(i.type)
               ? (isWide ? &extractExec<int64_t> : &extractExec<int32_t>)
               : (isWide ? &extractExec<uint64_t> : &extractExec<uint32_t>);
  d.expectOperands(4, 4);
  i.ops = {d.destination(0, i.type), d.source(1, i.type),
           d.source(2, Type::U32), d.source(3, Type::U32)};
}

/// bfi f, a, b, c, d: b with the low d bits of a at position c.
template <class T>
Step insertExec(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr unsigned width = sizeof(T) * 8;
  forLanes(mask, [&](unsigned lane) {
    const T a = warp.value<T>(instr.ops[1], lane);
    const T b = warp.value<T>(instr.ops[2], lane);
    const unsigned position = warp.value<uint32_t>(instr.ops[3], lane) & 0xff;
    const unsigned length = warp.value<uint32_t>(instr.ops[4], lane) & 0xff;
    T field = 0;
    if (position < width && length != 0)
      field = static_cast<T>(maskTrailingOnes<T>(std::min(length, width))
                             << position);
    warp.destination(instr.ops[0])[lane] =
        position < width
            ? (b & ~field) | (static_cast<T>(a << position) & field)
            : b;
  });
  return Step::Next;
}

void decodeInsert(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.type = d.takeType();
  i.exec =
      typeBits(i.type) == 64 ? &insertExec<uint64_t> : &insertExec<uint32_t>;
  d.expectOperands(5, 5);
  i.ops = {d.destination(0, i.type), d.source(1, i.type), d.source(2, i.type),
           d.source(3, Type::U32), d.source(4, Type::U32)};
}

/// Position of the highest bit that differs from the sign, or all ones.
template <class T, bool shiftAmount> struct FindBit {
  static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0)
      return ~0u;
    const auto zeros = static_cast<uint32_t>(llvm::countl_zero(bits));
    return shiftAmount ? zeros : sizeof(T) * 8 - 1 - zeros;
  }
};

template <bool shiftAmount> ExecFn selectFindBit(Type type) {
  switch (type) {
  case Type::U32:
    return &unaryExec<uint32_t, FindBit<uint32_t, shiftAmount>>;
  case Type::S32:
    return &unaryExec<int32_t, FindBit<int32_t, shiftAmount>>;
  case Type::U64:
    return &unaryExec<uint64_t, FindBit<uint64_t, shiftAmount>>;
  default:
    return &unaryExec<int64_t, FindBit<int64_t, shiftAmount>>;
  }
}

void decodeFindBit(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const bool shiftAmount = d.take("shiftamt");
  i.type = d.takeType();
  i.exec =
      shiftAmount ? selectFindBit<true>(i.type) : selectFindBit<false>(i.type);
  d.expectOperands(2, 2);
  i.ops = {d.destination(0, Type::U32), d.source(1, i.type)};
}

/// bmsk: length b of ones from position a.
template <bool wrap> struct BitMask {
  static uint32_t apply(uint32_t a, uint32_t b) {
    const uint32_t position = wrap ? a & 31 : a;
    const uint32_t length = wrap ? b & 31 : std::min(b, 32u);
    if (position >= 32)
      return 0;
    return maskTrailingOnes<uint32_t>(length) << position;
  }
};

void decodeBitMask(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.exec = d.takeOneOf({"clamp", "wrap"}) == 1
               ? &binaryExec<uint32_t, BitMask<true>>
               : &binaryExec<uint32_t, BitMask<false>>;
  decodeUniform(d, i, d.takeType(), 2);
}

/// szext: a from b bits, sign- or zero-extended.
template <class T, bool wrap> struct Extend {
  static T apply(T a, T b) {
    const auto n = static_cast<uint32_t>(b);
    const uint32_t width = wrap ? n & 31 : n;
    if (width >= 32)
      return a;
    if (width == 0)
      return 0;
    const uint32_t low =
        static_cast<uint32_t>(a) & maskTrailingOnes<uint32_t>(width);
    return std::is_signed_v<T> ? static_cast<T>(SignExtend32(low, width))
                               : static_cast<T>(low);
  }
};

void decodeExtend(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const bool wrap = d.takeOneOf({"clamp", "wrap"}) == 1;
  const Type type = d.takeType();
  if (type == Type::S32)
    i.exec = wrap ? &binaryExec<int32_t, Extend<int32_t, true>>
                  : &binaryExec<int32_t, Extend<int32_t, false>>;
  else
    i.exec = wrap ? &binaryExec<uint32_t, Extend<uint32_t, true>>
                  : &binaryExec<uint32_t, Extend<uint32_t, false>>;
  decodeUniform(d, i, type, 2);
}

//===----------------------------------------------------------------------===//
// lop3, prmt, dp4a, dp2a
//===----------------------------------------------------------------------===//

Step lop3Exec(Warp &warp, const Instr &instr, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    warp.destination(instr.ops[0])[lane] =
        Lop3::apply(instr, warp.value<uint32_t>(instr.ops[1], lane),
                    warp.value<uint32_t>(instr.ops[2], lane),
                    warp.value<uint32_t>(instr.ops[3], lane));
  });
  return Step::Next;
}

void decodeLop3(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.exec = &lop3Exec;
  const Type type = d.takeType();
  d.expectOperands(5, 5);
  i.ops = {d.destination(0, type), d.source(1, type), d.source(2, type),
           d.source(3, type)};
  i.attr[0] = static_cast<uint8_t>(d.immediate(4));
}

constexpr StringRef permuteModes[] = {"f4e", "b4e", "rc8",
                                      "ecl", "ecr", "rc16"};

/// The four selectors, 3 bits and a sign-replication bit each, that a mode
/// makes out of the low two bits of c (PTX ISA, prmt).
uint32_t permuteSelectors(unsigned mode, uint32_t c) {
  constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return selectors[mode][c & 3];
}

uint32_t permute(uint64_t bytes, uint32_t selectors) {
  uint32_t result = 0;
  for (unsigned n = 0; n != 4; ++n) {
    const uint32_t selector = selectors >> (4 * n) & 0xf;
    uint32_t byte = bytes >> (8 * (selector & 7)) & 0xff;
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * n);
  }
  return result;
}

Step permuteExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const unsigned mode = instr.attr[0];
  forLanes(mask, [&](unsigned lane) {
    const uint64_t bytes = warp.value<uint32_t>(instr.ops[1], lane) |
                           uint64_t(warp.value<uint32_t>(instr.ops[2], lane))
                               << 32;
    const auto c = warp.value<uint32_t>(instr.ops[3], lane);
    warp.destination(instr.ops[0])[lane] =
        permute(bytes, mode == 0 ? c : permuteSelectors(mode - 1, c));
  });
  return Step::Next;
}

void decodePermute(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.exec = &permuteExec;
  const Type type = d.takeType();
  i.attr[0] = static_cast<uint8_t>(d.takeOneOf(permuteModes) + 1);
  decodeUniform(d, i, type, 3);
}

/// attr: {a is signed, b is signed, is dp2a, the upper half of b}.
Step dotExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const bool aSigned = instr.attr[0], bSigned = instr.attr[1];
  auto extend = [](uint32_t v, unsigned bits, bool isSigned) {
    return isSigned ? SignExtend64(v, bits) : int64_t(v);
  };
  forLanes(mask, [&](unsigned lane) {
    const auto a = warp.value<uint32_t>(instr.ops[1], lane);
    auto b = warp.value<uint32_t>(instr.ops[2], lane);
    auto sum = int64_t(warp.value<uint32_t>(instr.ops[3], lane));
    const unsigned aBits = instr.attr[2] ? 16 : 8;
    if (instr.attr[3])
      b >>= 16;
    for (unsigned n = 0; n != 32 / aBits; ++n)
      sum += extend(a >> (aBits * n) & maskTrailingOnes<uint32_t>(aBits), aBits,
                    aSigned) *
             extend(b >> (8 * n) & 0xff, 8, bSigned);
    warp.destination(instr.ops[0])[lane] = static_cast<uint32_t>(sum);
  });
  return Step::Next;
}

void decodeDot(Decoder &d, Instr &i, bool isDp2a) {
  i.kind = InstrKind::Integer;
  i.exec = &dotExec;
  i.attr[2] = isDp2a;
  if (isDp2a)
    i.attr[3] = d.takeOneOf({"lo", "hi"}) == 1;
  i.attr[0] = isSigned(d.takeType());
  i.attr[1] = isSigned(d.takeType());
  decodeUniform(d, i, Type::B32, 3);
}

} // namespace

void registerBits(OpcodeTable &table) {
  table.add("and", decodeLogic<And>);
  table.add("or", decodeLogic<Or>);
  table.add("xor", decodeLogic<Xor>);
  table.add("not", decodeNot<Not>);
  table.add("cnot", decodeNot<Cnot>);
  table.add("popc", decodeCount<Popc>);
  table.add("clz", decodeCount<Clz>);
  table.add("brev", decodeNot<Brev>);
  table.add("shl", [](Decoder &d, Instr &i) { decodeShift(d, i, true); });
  table.add("shr", [](Decoder &d, Instr &i) { decodeShift(d, i, false); });
  table.add("shf", decodeFunnel);
  table.add("bfe", decodeExtract);
  table.add("bfi", decodeInsert);
  table.add("bfind", decodeFindBit);
  table.add("bmsk", decodeBitMask);
  table.add("szext", decodeExtend);
  table.add("lop3", decodeLop3);
  table.add("prmt", decodePermute);
  table.add("dp4a", [](Decoder &d, Instr &i) { decodeDot(d, i, false); });
  table.add("dp2a", [](Decoder &d, Instr &i) { decodeDot(d, i, true); });
}

} // namespace tilewright::sim
