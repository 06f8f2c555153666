//===- Float.cpp - f32 and f64 arithmetic ---------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Family.h"
#include "FloatFormat.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace tilewright::sim {
namespace {

/// What surrounds an f32 operation: flushing, saturation, rounding.
struct Style {
  Rounding rounding = Rounding::NearestEven;
  bool ftz = false;
  bool sat = false;
};

using Terms = std::pair<double, double>;

/// A sum that is exactly zero is -0 when rounding down, unless both terms are
/// +0 (IEEE 754-2019, 6.3).
double zeroRoundedDown(Terms terms) {
  const bool bothPositive =
      !std::signbit(terms.first) && !std::signbit(terms.second);
  return bothPositive ? 0.0 : -0.0;
}

/// The f32 operations, exact up to a rounding to odd.
struct AddOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = true;
  static constexpr bool isSum = true;
  static Terms terms(double a, double b, double) { return {a, b}; }
  static float nearest(float a, float b, float) { return a + b; }
  static double odd(double a, double b, double) { return oddAdd(a, b); }
  static double nearest64(double a, double b, double) { return a + b; }
  static void apf(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.add(b, mode);
  }
};
struct SubOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = true;
  static constexpr bool isSum = true;
  static Terms terms(double a, double b, double) { return {a, -b}; }
  static float nearest(float a, float b, float) { return a - b; }
  static double odd(double a, double b, double) { return oddAdd(a, -b); }
  static double nearest64(double a, double b, double) { return a - b; }
  static void apf(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.subtract(b, mode);
  }
};
struct MulOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = true;
  static constexpr bool isSum = false;
  static Terms terms(double, double, double) { return {}; }
  static float nearest(float a, float b, float) { return a * b; }
  static double odd(double a, double b, double) { return a * b; }
  static double nearest64(double a, double b, double) { return a * b; }
  static void apf(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.multiply(b, mode);
  }
};
struct FmaOp {
  static constexpr unsigned sources = 3;
  static constexpr bool hasPairs = true;
  static constexpr bool isSum = true;
  static Terms terms(double a, double b, double c) { return {a * b, c}; }
  static float nearest(float a, float b, float c) { return std::fma(a, b, c); }
  static double odd(double a, double b, double c) { return oddFma(a, b, c); }
  static double nearest64(double a, double b, double c) {
    return std::fma(a, b, c);
  }
  static void apf(APFloat &a, const APFloat &b, const APFloat &c,
                  RoundingMode mode) {
    a.fusedMultiplyAdd(b, c, mode);
  }
};
/// Of floats, mad is fma by another name.
struct MadOp : FmaOp {
  static constexpr bool hasPairs = false;
};
struct DivOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = false;
  static constexpr bool isSum = false;
  static Terms terms(double, double, double) { return {}; }
  static float nearest(float a, float b, float) { return a / b; }
  static double odd(double a, double b, double) { return oddDiv(a, b); }
  static double nearest64(double a, double b, double) { return a / b; }
  static void apf(APFloat &a, const APFloat &b, const APFloat &,
                  RoundingMode mode) {
    a.divide(b, mode);
  }
};
struct RcpOp {
  static constexpr unsigned sources = 1;
  static constexpr bool hasPairs = false;
  static constexpr bool isSum = false;
  static Terms terms(double, double, double) { return {}; }
  static float nearest(float a, float, float) { return 1.0f / a; }
  static double odd(double a, double, double) { return oddDiv(1, a); }
  static double nearest64(double a, double, double) { return 1 / a; }
  static void apf(APFloat &a, const APFloat &, const APFloat &,
                  RoundingMode mode) {
    APFloat one(1.0);
    one.divide(a, mode);
    a = one;
  }
};
struct SqrtOp {
  static constexpr unsigned sources = 1;
  static constexpr bool hasPairs = false;
  static constexpr bool isSum = false;
  static Terms terms(double, double, double) { return {}; }
  static float nearest(float a, float, float) { return std::sqrt(a); }
  static double odd(double a, double, double) { return oddSqrt(a); }
  static double nearest64(double a, double, double) { return std::sqrt(a); }
};

/// Lane values of up to three sources.
template <class T, class Op, class F>
void forOperands(Warp &warp, const Instr &instr, uint32_t mask, F f) {
  const uint64_t *a = warp.source(instr.ops[1]);
  const uint64_t *b = Op::sources > 1 ? warp.source(instr.ops[2]) : a;
  const uint64_t *c = Op::sources > 2 ? warp.source(instr.ops[3]) : a;
  uint64_t *d = warp.destination(instr.ops[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toBits(
        f(fromBits<T>(a[lane]), fromBits<T>(b[lane]), fromBits<T>(c[lane])));
  });
}

/// In nearest rounding.
template <class Op, bool ftz, bool sat>
float nearestResult(float a, float b, float c) {
  float r =
      ftz ? Op::nearest(flush(a), flush(b), flush(c)) : Op::nearest(a, b, c);
  if (ftz)
    r = flush(r);
  return sat ? saturate01(r) : canonical(r);
}

/// In any rounding.
template <class Op>
float directedResult(const Style &style, float a, float b, float c) {
  if (style.ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  double exact = Op::odd(a, b, c);
  if (Op::isSum && exact == 0 && style.rounding == Rounding::Down)
    exact = zeroRoundedDown(Op::terms(a, b, c));
  float r = llvm::bit_cast<float>(roundTo(formatF32, exact, style.rounding));
  if (style.ftz)
    r = flush(r);
  return style.sat ? saturate01(r) : canonical(r);
}

template <class Op, bool ftz, bool sat>
Step nearestExec(Warp &warp, const Instr &instr, uint32_t mask) {
  forOperands<float, Op>(warp, instr, mask, nearestResult<Op, ftz, sat>);
  return Step::Next;
}

/// The attributes of an instruction that is rounded.
Style styleOf(const Instr &instr) {
  return {static_cast<Rounding>(instr.attr[0]), instr.attr[1] != 0,
          instr.attr[2] != 0};
}

template <class Op>
Step directedExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const Style style = styleOf(instr);
  forOperands<float, Op>(warp, instr, mask, [&](float a, float b, float c) {
    return directedResult<Op>(style, a, b, c);
  });
  return Step::Next;
}

/// Two f32 in a register of 64 bits.
template <class Op>
Step pairExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const Style style = styleOf(instr);
  auto half = [&](uint64_t a, uint64_t b, uint64_t c) {
    const float x = fromBits<float>(a), y = fromBits<float>(b),
                z = fromBits<float>(c);
    if (style.rounding != Rounding::NearestEven)
      return toBits(directedResult<Op>(style, x, y, z));
    return toBits(style.ftz ? nearestResult<Op, true, false>(x, y, z)
                            : nearestResult<Op, false, false>(x, y, z));
  };
  forOperands<uint64_t, Op>(
      warp, instr, mask, [&](uint64_t a, uint64_t b, uint64_t c) {
        return half(a, b, c) | half(a >> 32, b >> 32, c >> 32) << 32;
      });
  return Step::Next;
}

RoundingMode apfRounding(Rounding mode) {
  switch (mode) {
  case Rounding::Zero:
    return RoundingMode::TowardZero;
  case Rounding::Down:
    return RoundingMode::TowardNegative;
  case Rounding::Up:
    return RoundingMode::TowardPositive;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}

template <class Op>
Step nearest64Exec(Warp &warp, const Instr &instr, uint32_t mask) {
  forOperands<double, Op>(warp, instr, mask, Op::nearest64);
  return Step::Next;
}

template <class Op>
Step directed64Exec(Warp &warp, const Instr &instr, uint32_t mask) {
  const RoundingMode mode = apfRounding(static_cast<Rounding>(instr.attr[0]));
  forOperands<double, Op>(warp, instr, mask, [&](double a, double b, double c) {
    APFloat x(a);
    Op::apf(x, APFloat(b), APFloat(c), mode);
    return x.convertToDouble();
  });
  return Step::Next;
}

/// sqrt has no APFloat counterpart: round the nearest result by its residual.
template <>
Step directed64Exec<SqrtOp>(Warp &warp, const Instr &instr, uint32_t mask) {
  const auto mode = static_cast<Rounding>(instr.attr[0]);
  forOperands<double, SqrtOp>(warp, instr, mask, [&](double a, double, double) {
    const double root = std::sqrt(a);
    if (!std::isfinite(root) || root == 0)
      return root;
    // Scaled so that the residual does not underflow.
    const double scale = a < 1e-200 ? 0x1p200 : 1;
    const double residual =
        std::fma(-root * scale, root * scale, a * scale * scale);
    if (residual < 0 && mode != Rounding::Up)
      return std::nextafter(root, 0.0);
    if (residual > 0 && mode == Rounding::Up)
      return std::nextafter(root, HUGE_VAL);
    return root;
  });
  return Step::Next;
}

} // namespace

Rounding takeRounding(Decoder &d) {
  constexpr Rounding modes[] = {Rounding::NearestEven, Rounding::Zero,
                                Rounding::Down, Rounding::Up};
  const int index = d.takeOneOf({"rn", "rz", "rm", "rp"});
  return modes[index < 0 ? 0 : index];
}

namespace {

template <class Op> ExecFn selectNearest(const Style &style) {
  if (style.ftz)
    return style.sat ? &nearestExec<Op, true, true>
                     : &nearestExec<Op, true, false>;
  return style.sat ? &nearestExec<Op, false, true>
                   : &nearestExec<Op, false, false>;
}

template <class Op> void decodeRounded(Decoder &d, Instr &i) {
  Style style;
  style.rounding = takeRounding(d);
  style.ftz = d.take("ftz");
  style.sat = d.take("sat");
  i.attr = {static_cast<uint8_t>(style.rounding), style.ftz, style.sat};
  const Type type = d.takeType();
  const bool isNearest = style.rounding == Rounding::NearestEven;
  if (type == Type::F32) {
    i.kind = InstrKind::Float32;
    i.exec = isNearest ? selectNearest<Op>(style) : &directedExec<Op>;
  } else if (type == Type::F64) {
    i.kind = InstrKind::Float64;
    i.exec = isNearest ? &nearest64Exec<Op> : &directed64Exec<Op>;
    if (style.sat || style.ftz)
      d.error(".f64 takes neither .sat nor .ftz");
  } else if (type == Type::F32x2 && Op::hasPairs) {
    i.kind = InstrKind::Float32;
    i.exec = &pairExec<Op>;
    if (style.sat)
      d.error(".f32x2 takes no .sat");
  } else {
    d.error("type ." + typeName(type) + " is not supported");
  }
  decodeUniform(d, i, type, Op::sources);
}

//===----------------------------------------------------------------------===//
// min, max, abs, neg, copysign, testp
//===----------------------------------------------------------------------===//

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

void registerFloat(OpcodeTable &table) {
  constexpr TypeClass floating = TypeClass::Float;
  table.add("add", decodeRounded<AddOp>, floating);
  table.add("sub", decodeRounded<SubOp>, floating);
  table.add("mul", decodeRounded<MulOp>, floating);
  table.add("fma", decodeRounded<FmaOp>, floating);
  table.add("mad", decodeRounded<MadOp>, floating);
  table.add("div", decodeRounded<DivOp>, floating);
  table.add("rcp", decodeRounded<RcpOp>, floating);
  table.add("sqrt", decodeRounded<SqrtOp>, floating);
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
