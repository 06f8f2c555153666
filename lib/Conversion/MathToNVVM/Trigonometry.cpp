//===- Trigonometry.cpp - Circular functions and their inverses -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A circular function needs the distance of its argument from the nearest
// multiple of pi/2, to all its bits. Up to some thousand turns three terms of
// pi/2 suffice (Cody and Waite, Software Manual for the Elementary Functions,
// 1980). Beyond, the argument times 2/pi is computed with as many bits of 2/pi
// as can matter (Payne and Hanek, Radian reduction for trigonometric functions,
// 1983); threads take that way only where they must.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "QuarterTurns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace tilewright::mathfn;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double pi = 3.14159265358979323846;

namespace {
/// An angle: `quarters` quarter turns, of which the last two bits matter, and
/// `rest`, from -pi/4 to pi/4.
struct Angle {
  Scalar quarters, rest;
};
} // namespace

/// Up to here three terms of pi/2 are enough: multiples of it have 16 bits.
static constexpr double smallAngle = 100000;

/// Between 2^23 and 2^24 floats are whole numbers, whose last bits are those of
/// the mantissa: to add this rounds to one. Its own last two bits are zeros.
static constexpr double wholeNumbers = 0x1.8p23;

/// The angle of x and some quarters more.
static Angle reduceSmall(const Scalar &x, unsigned more) {
  double zero = wholeNumbers + more;
  Scalar rounded = fma(x, 2 / pi, x.constant(zero));
  Scalar quarters = rounded - zero;
  Scalar rest = fma(quarters, -1.570796251296997, x);
  rest = fma(quarters, -7.549789415861596e-08, rest);
  rest = fma(quarters, -5.390302953474238e-15, rest);
  return {rounded.bitcast(x.getBuilder().getI32Type()), rest};
}

/// The 96 bits of 2/pi that matter for a mantissa at this exponent, as three
/// words of 32 bits, in i64. A mantissa is a whole number, so bits whose
/// product with it is a multiple of four quarters can be left out.
static SmallVector<Scalar, 3> getBitsOfTwoOverPi(const Scalar &exponent) {
  // A word of zeros, for exponents from 143 to 151; 2/pi behind the point.
  static constexpr int64_t table[] = {0,          0xa2f9836e, 0x4e441529,
                                      0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                      0x3c439041, 0xfe5163ab};
  // |x| = mantissa * 2^(exponent - 150), so the bit of weight 2^-j in 2/pi has
  // the weight 2^(exponent - 150 - j) here. The first that matters has 2^1; bit
  // 0 of the table is that of weight 2^31 in 2/pi.
  Scalar first = exponent - 120;
  Scalar word = shiftRight(first, 5), shift = first & 31;
  SmallVector<Scalar, 4> words;
  for (unsigned index = 0; index < 4; ++index) {
    constexpr unsigned lastWord = (254 - 120) / 32;
    Scalar value = word.constant(static_cast<double>(table[index + lastWord]));
    for (unsigned other = lastWord; other-- > 0;)
      value = select(word == other, static_cast<double>(table[index + other]),
                     value);
    words.push_back(value);
  }
  SmallVector<Scalar, 3> bits;
  for (unsigned index = 0; index < 3; ++index) {
    Scalar both = shiftLeft(words[index], 32) | words[index + 1];
    bits.push_back(shiftRight(shiftLeft(both, shift), 32));
  }
  return bits;
}

/// The angle of an x beyond smallAngle and some quarters more. No angle is
/// infinite.
static Angle reduceLarge(const Scalar &x, unsigned more) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Scalar bits = x.bitcast(i32).convert<arith::ExtUIOp>(i64);
  Scalar mantissa = (bits & 0x7fffff) | 0x800000;
  SmallVector<Scalar, 3> factor =
      getBitsOfTwoOverPi(shiftRight(bits, 23) & 0xff);
  // The product, of which two bits are whole quarters and 94 a fraction; the
  // last 32 are dropped.
  Scalar middle = mantissa * factor[1] + shiftRight(mantissa * factor[2], 32);
  Scalar product = shiftLeft(mantissa * factor[0], 32) + middle;
  // Without the quarters, and as a signed number, the fraction is the one of
  // the nearest quarter.
  Scalar fraction =
      shiftLeft(product, 2).convert<arith::SIToFPOp>(builder.getF64Type());
  Scalar half = shiftRight(product, 61) + 1;
  Scalar quarters = shiftRight(half, 1).convert<arith::TruncIOp>(i32);
  Scalar rest = (fraction * (pi / 2 * 0x1p-64))
                    .convert<arith::TruncFOp>(builder.getF32Type());
  Scalar isNegative = x < 0.0;
  quarters = select(isNegative, quarters.constant(0) - quarters, quarters);
  return {quarters + more, whereFinite(x, select(isNegative, -rest, rest))};
}

/// The angle of x and some quarters more.
static Angle reduce(const Scalar &x, unsigned more = 0) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Scalar isSmall = abs(x) < smallAngle;
  auto branch = [&](Angle (*reduction)(const Scalar &, unsigned)) {
    return [&x, more, reduction](OpBuilder &inner, Location loc) {
      ImplicitLocOpBuilder inside(loc, inner);
      Angle angle = reduction(Scalar(inside, x), more);
      scf::YieldOp::create(inside, ValueRange{angle.quarters, angle.rest});
    };
  };
  auto both = scf::IfOp::create(builder, isSmall, branch(reduceSmall),
                                branch(reduceLarge));
  return {{builder, both.getResult(0)}, {builder, both.getResult(1)}};
}

/// sin(r) and cos(r) for r from -pi/4 to pi/4. The sine of a small r, below
/// 2^-12, is r to all bits.
static Scalar sinNearZero(const Scalar &r) {
  Scalar square = r * r;
  Scalar rest = polynomial(square, {-0.166666641831398, 0.008332724682986736,
                                    -0.00019582855748012662});
  // To add a zero makes the cube of -0 a positive one, and the sum -0.
  Scalar cube = fma(square, r, 0.0);
  return fma(cube, rest, r);
}
static Scalar cosNearZero(const Scalar &r) {
  return polynomial(r * r, {1.0, -0.5, 0.0416666641831398,
                            -0.0013888279208913445, 2.4542896426282823e-05});
}

/// sin(rest + quarters * pi/2).
static Scalar sinOf(const Angle &angle) {
  return sinAfterTurns(angle.quarters, sinNearZero(angle.rest),
                       cosNearZero(angle.rest));
}

Scalar tilewright::mathfn::sin(const Scalar &x) { return sinOf(reduce(x)); }

Scalar tilewright::mathfn::cos(const Scalar &x) { return sinOf(reduce(x, 1)); }

SineAndCosine tilewright::mathfn::sincos(const Scalar &x) {
  Angle angle = reduce(x);
  Scalar sine = sinNearZero(angle.rest), cosine = cosNearZero(angle.rest);
  return {sinAfterTurns(angle.quarters, sine, cosine),
          sinAfterTurns(angle.quarters + 1, sine, cosine)};
}

Scalar tilewright::mathfn::tan(const Scalar &x) {
  Angle angle = reduce(x);
  Scalar sine = sinNearZero(angle.rest), cosine = cosNearZero(angle.rest);
  Scalar turned = isOdd(angle.quarters);
  return select(turned, -cosine, sine) / select(turned, sine, cosine);
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

/// atan(z) for z from 0 to 1.
static Scalar atanOfSmall(const Scalar &z) {
  Scalar square = z * z;
  Scalar rest = polynomial(square, {-0.3333333134651184, 0.19999739527702332,
                                    -0.1427856832742691, 0.11033763736486435,
                                    -0.08656880259513855, 0.0625016912817955,
                                    -0.035871539264917374, 0.01350777130573988,
                                    -0.0023869972210377455});
  return fma(z * square, rest, z);
}

/// pi/2 as the sum of two f32.
static constexpr double halfPiHigh = 1.5707963705062866;
static constexpr double halfPiLow = -4.371138828673793e-08;

/// quarters * pi/2 - angle.
static Scalar subtractFromQuarters(double quarters, const Scalar &angle) {
  return angle.constant(quarters * halfPiHigh) - (angle - quarters * halfPiLow);
}
static Scalar complement(const Scalar &angle) {
  return subtractFromQuarters(1, angle);
}

Scalar tilewright::mathfn::atan(const Scalar &x) {
  Scalar magnitude = abs(x);
  Scalar isLarge = x.constant(1) < magnitude;
  Scalar angle =
      atanOfSmall(select(isLarge, x.constant(1) / magnitude, magnitude));
  return copySign(select(isLarge, complement(angle), angle), x);
}

Scalar tilewright::mathfn::atan2(const Scalar &y, const Scalar &x) {
  Scalar across = abs(x), up = abs(y);
  Scalar isSteep = across < up;
  // These are NaN where x or y is. Of two zeros, and of two infinities, the
  // quotient is the limit along an axis and along the diagonal.
  Scalar small = minimum(across, up);
  Scalar large = maximum(maximum(across, up), 0x1p-149);
  Scalar quotient = select(small == infinity, 1.0, small / large);
  Scalar angle = atanOfSmall(quotient);
  // From the nearest axis: 0, 1 or 2 quarters, and the angle from there.
  Scalar isLeft = x.bitcast(x.getBuilder().getI32Type()) < 0.0;
  Scalar quarters =
      select(isSteep, 1.0, select(isLeft, x.constant(2), x.constant(0)));
  angle = select(isSteep.apply<arith::XOrIOp>(isLeft), -angle, angle);
  angle = fma(quarters, halfPiHigh, fma(quarters, halfPiLow, angle));
  return copySign(angle, y);
}

/// (asin(r) - r) / r for r from 0 to 1/2, of r^2.
static Scalar asinRest(const Scalar &square) {
  return square * polynomial(square, {0.16666753590106964, 0.07495252043008804,
                                      0.0454760417342186, 0.02415209263563156,
                                      0.04221179708838463});
}

namespace {
/// asin(|x|) where |x| is up to 1/2; beyond, acos(|x|) / 2, which is
/// asin(sqrt((1 - |x|) / 2)).
struct HalfArc {
  Scalar isSmall, arc;
};
} // namespace

static HalfArc halfArc(const Scalar &x) {
  Scalar magnitude = abs(x);
  Scalar isSmall = magnitude < 0.5;
  Scalar complement = fma(magnitude, -0.5, x.constant(0.5));
  Scalar square = select(isSmall, x * x, complement);
  Scalar sine = select(isSmall, magnitude, complement.apply<math::SqrtOp>());
  return {isSmall, fma(sine, asinRest(square), sine)};
}

Scalar tilewright::mathfn::asin(const Scalar &x) {
  HalfArc half = halfArc(x);
  Scalar large = complement(half.arc * 2);
  return copySign(select(half.isSmall, half.arc, large), x);
}

Scalar tilewright::mathfn::acos(const Scalar &x) {
  HalfArc half = halfArc(x);
  Scalar small = complement(copySign(half.arc, x));
  Scalar right = half.arc * 2;
  Scalar large = select(x < 0.0, subtractFromQuarters(2, right), right);
  return select(half.isSmall, small, large);
}
