//===- Float.cpp - f32 and f64 arithmetic ---------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families/Family.h"
#include "Machine/FloatFormat.h"
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

/// The f32 operations, exact up to a rounding to odd. `isMixed`: there is a
/// form whose last source is f32, and the others are f16 or bf16.
struct AddOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = true;
  static constexpr bool isMixed = true;
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
  static constexpr bool isMixed = true;
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
  static constexpr bool isMixed = false;
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
  static constexpr bool isMixed = true;
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
  static constexpr bool isMixed = false;
};
struct DivOp {
  static constexpr unsigned sources = 2;
  static constexpr bool hasPairs = false;
  static constexpr bool isMixed = false;
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
  static constexpr bool isMixed = false;
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
  static constexpr bool isMixed = false;
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

/// The result, rounded to the nearest.
template <class Op, bool ftz, bool sat>
float nearestResult(float a, float b, float c) {
  float r =
      ftz ? Op::nearest(flush(a), flush(b), flush(c)) : Op::nearest(a, b, c);
  if (ftz)
    r = flush(r);
  return sat ? saturate01(r) : canonical(r);
}

/// The result, rounded as `style` says.
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

/// All sources but the last are f16 or bf16, which f32 holds exactly.
template <class Op, float widen(uint16_t)>
Step mixedExec(Warp &warp, const Instr &instr, uint32_t mask) {
  const Style style = styleOf(instr);
  auto wide = [](uint64_t bits) { return widen(static_cast<uint16_t>(bits)); };
  forOperands<uint64_t, Op>(
      warp, instr, mask, [&](uint64_t a, uint64_t b, uint64_t c) {
        const uint64_t last = Op::sources == 2 ? b : c;
        const float x = wide(a), z = fromBits<float>(last);
        const float y = Op::sources == 2 ? z : wide(b);
        if (style.rounding != Rounding::NearestEven)
          return toBits(directedResult<Op>(style, x, y, z));
        return toBits(style.sat ? nearestResult<Op, false, true>(x, y, z)
                                : nearestResult<Op, false, false>(x, y, z));
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

/// PTX ISA, mixed precision: `add.f32.f16 d, a, c`, from sm_100 and PTX 8.6.
template <class Op>
void decodeMixed(Decoder &d, Instr &i, Type wide, Type narrow) {
  if (wide != Type::F32 || (narrow != Type::F16 && narrow != Type::BF16))
    return d.error("types ." + typeName(wide) + "." + typeName(narrow) +
                   " do not go together");
  if (d.architecture() < 100)
    d.error("operands of mixed types need .target sm_100 or later, and the "
            "module is for " +
            d.target());
  if (i.attr[1])
    d.error("operands of mixed types take no .ftz");
  i.kind = InstrKind::Float32;
  i.exec = narrow == Type::F16 ? &mixedExec<Op, f16Value>
                               : &mixedExec<Op, bf16Value>;
  d.expectOperands(Op::sources + 1, Op::sources + 1);
  if (d.failed())
    return;
  i.type = Type::F32;
  i.ops.push_back(d.destination(0, Type::F32));
  for (unsigned s = 1; s != Op::sources; ++s) {
    const Operand &operand = d.operand(s);
    if (operand.kind != Operand::Kind::Register ||
        typeBits(operand.reg.type) != 16)
      d.error("a source of type ." + typeName(narrow) +
              " must be a register of 16 bits");
    i.ops.push_back(d.source(operand, narrow));
  }
  i.ops.push_back(d.source(Op::sources, Type::F32));
}

template <class Op> void decodeRounded(Decoder &d, Instr &i) {
  Style style;
  style.rounding = takeRounding(d);
  style.ftz = d.take("ftz");
  style.sat = d.take("sat");
  i.attr = {static_cast<uint8_t>(style.rounding), style.ftz, style.sat};
  const Type type = d.takeType();
  if constexpr (Op::isMixed)
    if (const Type second = d.takeOptionalType(); second != Type::None)
      return decodeMixed<Op>(d, i, type, second);
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
}

} // namespace tilewright::sim
