//===- Integer.cpp - Integer arithmetic -----------------------------------===//
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

template <class T> using Unsigned = std::make_unsigned_t<T>;

/// Twice the width, same signedness; only for its types.
struct Widen {
  static uint32_t of(uint16_t);
  static int32_t of(int16_t);
  static uint64_t of(uint32_t);
  static int64_t of(int32_t);
  static unsigned __int128 of(uint64_t);
  static __int128 of(int64_t);
};
template <class T> using Wide = decltype(Widen::of(T()));

/// Arithmetic is modulo 2^n, so it is done unsigned. 16-bit operands would be
/// promoted to int, whose products overflow; 64 bits hold everything.
template <class T> uint64_t bitsOf(T value) {
  return static_cast<uint64_t>(static_cast<Unsigned<T>>(value));
}

struct Add {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(bitsOf(a) + bitsOf(b));
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(bitsOf(a) - bitsOf(b));
  }
};
int32_t saturate(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) + b);
  }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) {
    return saturate(int64_t(a) - b);
  }
};
struct MulLo {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(bitsOf(a) * bitsOf(b));
  }
};
struct MulHi {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (sizeof(T) * 8));
  }
};
struct MulWide {
  template <class T> static Wide<T> apply(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulLo::apply(a, b), c);
  }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(MulHi::apply(a, b), c);
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return AddSat::apply(MulHi::apply(a, b), c);
  }
};
struct MadWide {
  template <class T> static Wide<T> apply(T a, T b, Wide<T> c) {
    return Add::apply(MulWide::apply(a, b), c);
  }
};
/// The low 24 bits of each operand, extended by their sign.
template <class T> int64_t low24(T value) {
  return std::is_signed_v<T> ? SignExtend64<24>(value)
                             : static_cast<int64_t>(value & 0xFFFFFF);
}
struct Mul24Lo {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(low24(a) * low24(b));
  }
};
struct Mul24Hi {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24Lo::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
/// PTX leaves division by zero undefined; current GPUs give all ones, and
/// for a remainder the dividend.
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return Sub::apply(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T> static T apply(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <class T> static T apply(T a, T b) { return std::max(a, b); }
};
template <class Op> struct Relu {
  template <class T> static T apply(T a, T b) {
    return std::max<T>(Op::apply(a, b), 0);
  }
};
struct Abs {
  template <class T> static T apply(T a) {
    return a < 0 ? Sub::apply(T(0), a) : a;
  }
};
struct Neg {
  template <class T> static T apply(T a) { return Sub::apply(T(0), a); }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};
/// Two 16-bit halves in 32 bits.
template <class Half, class Op> struct Packed {
  static uint32_t apply(uint32_t a, uint32_t b) {
    const auto low = static_cast<uint16_t>(
        Op::apply(static_cast<Half>(a), static_cast<Half>(b)));
    const auto high = static_cast<uint16_t>(
        Op::apply(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | uint32_t(high) << 16;
  }
};

template <class Op> ExecFn selectBinary(Decoder &d, Type type) {
  switch (type) {
  case Type::U16:
    return &binaryExec<uint16_t, Op>;
  case Type::S16:
    return &binaryExec<int16_t, Op>;
  case Type::U32:
    return &binaryExec<uint32_t, Op>;
  case Type::S32:
    return &binaryExec<int32_t, Op>;
  case Type::U64:
    return &binaryExec<uint64_t, Op>;
  case Type::S64:
    return &binaryExec<int64_t, Op>;
  case Type::U16x2:
    return &binaryExec<uint32_t, Packed<uint16_t, Op>>;
  case Type::S16x2:
    return &binaryExec<uint32_t, Packed<int16_t, Op>>;
  default:
    d.error("type ." + typeName(type) + " is not supported");
    return nullptr;
  }
}

template <class Op> ExecFn selectTernary(Decoder &d, Type type) {
  switch (type) {
  case Type::U16:
    return &ternaryExec<uint16_t, Op>;
  case Type::S16:
    return &ternaryExec<int16_t, Op>;
  case Type::U32:
    return &ternaryExec<uint32_t, Op>;
  case Type::S32:
    return &ternaryExec<int32_t, Op>;
  case Type::U64:
    return &ternaryExec<uint64_t, Op>;
  case Type::S64:
    return &ternaryExec<int64_t, Op>;
  default:
    d.error("type ." + typeName(type) + " is not supported");
    return nullptr;
  }
}

template <class Op> void decodeBinary(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const Type type = d.takeType();
  i.exec = selectBinary<Op>(d, type);
  decodeUniform(d, i, type, 2);
}

template <class Op> void decodeTernary(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const Type type = d.takeType();
  i.exec = selectTernary<Op>(d, type);
  decodeUniform(d, i, type, 3);
}

template <class Op> void decodeUnary(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  const Type type = d.takeType();
  if (type == Type::S16)
    i.exec = &unaryExec<int16_t, Op>;
  else if (type == Type::S32)
    i.exec = &unaryExec<int32_t, Op>;
  else if (type == Type::S64)
    i.exec = &unaryExec<int64_t, Op>;
  else
    d.error("a signed type is needed");
  decodeUniform(d, i, type, 1);
}

template <class Op> void decodeMinMax(Decoder &d, Instr &i) {
  if (d.take("relu"))
    decodeBinary<Relu<Op>>(d, i);
  else
    decodeBinary<Op>(d, i);
}

//===----------------------------------------------------------------------===//
// Carries: add.cc, addc, sub.cc, subc, mad.cc, madc
//===----------------------------------------------------------------------===//

enum CarryFlags : uint8_t { UsesCarry = 1, SetsCarry = 2, Subtracts = 4 };

/// d = a + b + carry or a - b - borrow; the predicate in ops.back() is the
/// flag. `attr[0]` holds CarryFlags.
template <class T>
void addWithCarry(Warp &warp, const Instr &instr, uint32_t mask,
                  const uint64_t *a, const uint64_t *b) {
  const uint8_t flags = instr.attr[0];
  const int32_t slot = instr.ops.back();
  const uint32_t carryIn = flags & UsesCarry ? warp.predicate(slot * 2) : 0;
  uint64_t *d = warp.destination(instr.ops[0]);
  uint32_t carryOut = 0;
  forLanes(mask, [&](unsigned lane) {
    const T x = static_cast<T>(a[lane]), y = static_cast<T>(b[lane]);
    const T carry = carryIn >> lane & 1;
    T result = 0;
    bool first = false, second = false;
    if (flags & Subtracts) {
      first = __builtin_sub_overflow(x, y, &result);
      second = __builtin_sub_overflow(result, carry, &result);
    } else {
      first = __builtin_add_overflow(x, y, &result);
      second = __builtin_add_overflow(result, carry, &result);
    }
    carryOut |= uint32_t(first || second) << lane;
    d[lane] = result;
  });
  if (flags & SetsCarry)
    warp.setPredicate(slot, mask, carryOut);
}

template <class T>
Step carryExec(Warp &warp, const Instr &instr, uint32_t mask) {
  addWithCarry<T>(warp, instr, mask, warp.source(instr.ops[1]),
                  warp.source(instr.ops[2]));
  return Step::Next;
}

template <class T, class Multiply>
Step madCarryExec(Warp &warp, const Instr &instr, uint32_t mask) {
  std::array<uint64_t, warpSize> product;
  forLanes(mask, [&](unsigned lane) {
    product[lane] = toBits(Multiply::apply(warp.value<T>(instr.ops[1], lane),
                                           warp.value<T>(instr.ops[2], lane)));
  });
  addWithCarry<Unsigned<T>>(warp, instr, mask, product.data(),
                            warp.source(instr.ops[3]));
  return Step::Next;
}

void decodeCarry(Decoder &d, Instr &i, uint8_t flags) {
  i.kind = InstrKind::Integer;
  if (d.take("cc"))
    flags |= SetsCarry;
  i.attr[0] = flags;
  const Type type = d.takeType();
  if (!isIntegral(type) || typeBits(type) < 32)
    d.error("a type of 32 or 64 bits is needed");
  i.exec = typeBits(type) == 64 ? &carryExec<uint64_t> : &carryExec<uint32_t>;
  decodeUniform(d, i, type, 2);
  i.ops.push_back(d.carryPredicate());
}

template <class Multiply> ExecFn selectMadCarry(Type type) {
  switch (type) {
  case Type::U32:
    return &madCarryExec<uint32_t, Multiply>;
  case Type::S32:
    return &madCarryExec<int32_t, Multiply>;
  case Type::U64:
    return &madCarryExec<uint64_t, Multiply>;
  default:
    return &madCarryExec<int64_t, Multiply>;
  }
}

void decodeMadCarry(Decoder &d, Instr &i, uint8_t flags) {
  i.kind = InstrKind::Integer;
  if (d.take("cc"))
    flags |= SetsCarry;
  i.attr[0] = flags;
  const int part = d.takeOneOf({"lo", "hi"});
  const Type type = d.takeType();
  if (part < 0 || !isIntegral(type) || typeBits(type) < 32)
    d.error("needs .lo or .hi, and a type of 32 or 64 bits");
  i.exec =
      part == 0 ? selectMadCarry<MulLo>(type) : selectMadCarry<MulHi>(type);
  decodeUniform(d, i, type, 3);
  i.ops.push_back(d.carryPredicate());
}

//===----------------------------------------------------------------------===//
// Opcodes with several forms
//===----------------------------------------------------------------------===//

/// `.sat` is defined for .s32 only.
template <class Op> void decodeSaturating(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  if (d.takeType() != Type::S32)
    d.error(".sat needs .s32");
  i.exec = &binaryExec<int32_t, Op>;
  decodeUniform(d, i, Type::S32, 2);
}

void decodeAdd(Decoder &d, Instr &i) {
  if (d.peek() == "cc")
    return decodeCarry(d, i, 0);
  if (d.take("sat"))
    return decodeSaturating<AddSat>(d, i);
  decodeBinary<Add>(d, i);
}

void decodeSub(Decoder &d, Instr &i) {
  if (d.peek() == "cc")
    return decodeCarry(d, i, Subtracts);
  if (d.take("sat"))
    return decodeSaturating<SubSat>(d, i);
  decodeBinary<Sub>(d, i);
}

template <class Op, class T> void wide(Decoder &d, Instr &i) {
  const Type wideType = sizeof(T) == 2 ? Type::B32 : Type::B64;
  i.ops[0] = d.destination(0, wideType);
  if (i.ops.size() == 4)
    i.ops[3] = d.source(3, wideType);
  if constexpr (std::is_same_v<Op, MulWide>)
    i.exec = &binaryExec<T, Op>;
  else
    i.exec = &ternaryExec<T, Op, Wide<T>>;
}

template <class Op> void decodeWide(Decoder &d, Instr &i) {
  i.kind = InstrKind::Integer;
  i.type = d.takeType();
  const unsigned sources = std::is_same_v<Op, MulWide> ? 2 : 3;
  d.expectOperands(sources + 1, sources + 1);
  if (d.failed())
    return;
  i.ops.resize(sources + 1);
  i.ops[1] = d.source(1, i.type);
  i.ops[2] = d.source(2, i.type);
  switch (i.type) {
  case Type::U16:
    return wide<Op, uint16_t>(d, i);
  case Type::S16:
    return wide<Op, int16_t>(d, i);
  case Type::U32:
    return wide<Op, uint32_t>(d, i);
  case Type::S32:
    return wide<Op, int32_t>(d, i);
  default:
    d.error("type ." + typeName(i.type) + " is not supported");
  }
}

void decodeMul(Decoder &d, Instr &i) {
  switch (d.takeOneOf({"lo", "hi", "wide"})) {
  case 0:
    return decodeBinary<MulLo>(d, i);
  case 1:
    return decodeBinary<MulHi>(d, i);
  case 2:
    return decodeWide<MulWide>(d, i);
  default:
    d.error("needs .lo, .hi or .wide");
  }
}

void decodeMad(Decoder &d, Instr &i) {
  const int part = d.takeOneOf({"wide"});
  if (part == 0)
    return decodeWide<MadWide>(d, i);
  if (d.take("cc")) {
    decodeMadCarry(d, i, SetsCarry);
    return;
  }
  const int half = d.takeOneOf({"lo", "hi"});
  if (half < 0)
    return d.error("needs .lo, .hi or .wide");
  if (half == 0)
    return decodeTernary<MadLo>(d, i);
  if (d.take("sat")) {
    i.exec = &ternaryExec<int32_t, MadHiSat>;
    i.kind = InstrKind::Integer;
    if (d.takeType() != Type::S32)
      d.error(".sat needs .s32");
    return decodeUniform(d, i, Type::S32, 3);
  }
  decodeTernary<MadHi>(d, i);
}

void decodeMul24(Decoder &d, Instr &i) {
  if (d.take("hi"))
    return decodeBinary<Mul24Hi>(d, i);
  d.take("lo");
  decodeBinary<Mul24Lo>(d, i);
}

void decodeMad24(Decoder &d, Instr &i) {
  if (d.take("hi"))
    return decodeTernary<Mad24Hi>(d, i);
  d.take("lo");
  decodeTernary<Mad24Lo>(d, i);
}

} // namespace

void registerInteger(OpcodeTable &table) {
  constexpr TypeClass integer = TypeClass::Integer;
  table.add("add", decodeAdd, integer);
  table.add("sub", decodeSub, integer);
  table.add("mul", decodeMul, integer);
  table.add("mad", decodeMad, integer);
  table.add("mul24", decodeMul24);
  table.add("mad24", decodeMad24);
  table.add("div", decodeBinary<Div>, integer);
  table.add("rem", decodeBinary<Rem>, integer);
  table.add("min", decodeMinMax<Min>, integer);
  table.add("max", decodeMinMax<Max>, integer);
  table.add("abs", decodeUnary<Abs>, integer);
  table.add("neg", decodeUnary<Neg>, integer);
  table.add("sad", decodeTernary<Sad>);
  table.add("addc", [](Decoder &d, Instr &i) { decodeCarry(d, i, UsesCarry); });
  table.add("subc", [](Decoder &d, Instr &i) {
    decodeCarry(d, i, UsesCarry | Subtracts);
  });
  table.add("madc",
            [](Decoder &d, Instr &i) { decodeMadCarry(d, i, UsesCarry); });
}

} // namespace tilewright::sim
