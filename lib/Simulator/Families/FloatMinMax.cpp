//===- FloatMinMax.cpp - Extremes, signs and tests of f32 and f64 ---------===//
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

/// attr: {isMax, ftz, NaN, xorsign, abs}; a NaN loses against a number unless
/// .NaN is given, and -0 is less than +0.
template <class T>
Step minMaxExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const bool isMax = instr.attr[0], ftz = instr.attr[1], nan = instr.attr[2],
             xorsign = instr.attr[3];
  auto fix = [&](T v) {
    if constexpr (std::is_same_v<T, float>)
      if (ftz)
        v = flush(v);
    return v;
  };
  auto pick = [&](T a, T b) -> T {
    if (a != a || b != b) {
      if (nan || (a != a && b != b))
        return std::numeric_limits<T>::quiet_NaN();
      return a != a ? b : a;
    }
    if (a == b)
      return std::signbit(a) == isMax ? b : a;
    return (a < b) == isMax ? b : a;
  };
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = warp.source(instr.ops[2]);
  const uint64_t *c = warp.source(instr.ops.back());
  uint64_t *d = warp.destination(instr.ops[0]);
  const bool hasThird = instr.ops.size() == 4;
  forLanes(mask, [&](unsigned lane) {
    const T x = fix(fromBits<T>(a[lane])), y = fix(fromBits<T>(b[lane]));
    T r = xorsign ? pick(std::fabs(x), std::fabs(y)) : pick(x, y);
    if (xorsign)
      r = std::copysign(r, std::signbit(x) != std::signbit(y) ? T(-1) : T(1));
    if (hasThird)
      r = pick(r, fix(fromBits<T>(c[lane])));
    if constexpr (std::is_same_v<T, float>)
      r = canonical(r);
    d[lane] = toBits(r);
  });
  return Step::Next;
}

/// The type of an instruction that has f32 and f64, but no pairs.
Type takeSingleType(Decoder &d) {
  const Type type = d.takeType();
  if (type == Type::F32x2)
    d.error("type .f32x2 is not supported");
  return type;
}

void decodeMinMax(Decoder &d, Instr &i, bool isMax) {
  const bool ftz = d.take("ftz"), nan = d.take("NaN");
  const bool xorsign = d.take("xorsign") && d.take("abs");
  i.attr = {isMax, ftz, nan, xorsign};
  const Type type = takeSingleType(d);
  i.kind = type == Type::F64 ? InstrKind::Float64 : InstrKind::Float32;
  i.exec = type == Type::F64 ? &minMaxExec<double> : &minMaxExec<float>;
  decodeUniform(d, i, type, d.operandCount() == 4 ? 3 : 2);
}

/// Clears, flips or copies the sign; with ftz the result is flushed. PTX
/// leaves the NaN of abs and neg open; hardware changes only the sign.
enum class SignOp : uint8_t { Abs, Neg };

template <class Bits, SignOp op, bool ftz>
Step signExec(Warp &warp, const Instr &instr, uint32_t mask) {
  constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  const uint64_t *a = warp.source(instr.ops[1]);
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    Bits bits = static_cast<Bits>(a[lane]);
    bits = op == SignOp::Abs ? bits & ~sign : bits ^ sign;
    if constexpr (ftz)
      bits = llvm::bit_cast<uint32_t>(
          flush(llvm::bit_cast<float>(static_cast<uint32_t>(bits))));
    d[lane] = bits;
  });
  return Step::Next;
}

template <SignOp op> void decodeSign(Decoder &d, Instr &i) {
  const bool ftz = d.take("ftz");
  const Type type = takeSingleType(d);
  i.kind = type == Type::F64 ? InstrKind::Float64 : InstrKind::Float32;
  i.exec = type == Type::F64 ? &signExec<uint64_t, op, false>
           : ftz             ? &signExec<uint32_t, op, true>
                             : &signExec<uint32_t, op, false>;
  decodeUniform(d, i, type, 1);
}

/// The sign of a, the rest of b.
template <class Bits> struct CopySign {
  static Bits apply(Bits a, Bits b) {
    constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
    return (a & sign) | (b & ~sign);
  }
};

void decodeCopySign(Decoder &d, Instr &i) {
  const Type type = takeSingleType(d);
  i.kind = type == Type::F64 ? InstrKind::Float64 : InstrKind::Float32;
  i.exec = type == Type::F64 ? &binaryExec<uint64_t, CopySign<uint64_t>>
                             : &binaryExec<uint32_t, CopySign<uint32_t>>;
  decodeUniform(d, i, type, 2);
}

constexpr StringRef testNames[] = {"finite",     "infinite", "number",
                                   "notanumber", "normal",   "subnormal"};

template <class T> bool testValue(unsigned test, T v) {
  switch (test) {
  case 0:
    return std::isfinite(v);
  case 1:
    return std::isinf(v);
  case 2:
    return !std::isnan(v);
  case 3:
    return std::isnan(v);
  case 4: // true of zeros, says PTX ISA's testp, and does an H200
    return std::isnormal(v) || v == 0;
  default:
    return std::fpclassify(v) == FP_SUBNORMAL;
  }
}

template <class T>
Step testExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const uint64_t *a = warp.source(instr.ops[1]);
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    result |= uint32_t(testValue(instr.attr[0], fromBits<T>(a[lane]))) << lane;
  });
  warp.setPredicate(instr.ops[0], mask, result);
  return Step::Next;
}

void decodeTest(Decoder &d, Instr &i) {
  i.kind = InstrKind::Compare;
  const int test = d.takeOneOf(testNames);
  if (test < 0)
    d.error("testp needs a property such as .finite");
  i.attr[0] = static_cast<uint8_t>(test);
  const Type type = takeSingleType(d);
  i.exec = type == Type::F64 ? &testExec<double> : &testExec<float>;
  d.expectOperands(2, 2);
  i.ops = {d.predicateDestination(d.operand(0)), d.source(1, type)};
}

} // namespace

void registerFloatMinMax(OpcodeTable &table) {
  constexpr TypeClass floating = TypeClass::Float;
  table.add(
      "min", [](Decoder &d, Instr &i) { decodeMinMax(d, i, false); }, floating);
  table.add(
      "max", [](Decoder &d, Instr &i) { decodeMinMax(d, i, true); }, floating);
  table.add("abs", decodeSign<SignOp::Abs>, floating);
  table.add("neg", decodeSign<SignOp::Neg>, floating);
  table.add("copysign", decodeCopySign, floating);
  table.add("testp", decodeTest, floating);
}

} // namespace tilewright::sim
