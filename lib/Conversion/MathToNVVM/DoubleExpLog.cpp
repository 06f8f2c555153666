//===- DoubleExpLog.cpp - Exponentials, logarithms, powers of f64 ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleFunctions.h"
#include "Functions.h"

#include "ScalarSum.h"

#include <limits>

using namespace mlir;
using namespace tilewright::mathfn;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// ln 2 and 1 / ln 2, as sums of two f64.
static constexpr double ln2 = 0.6931471805599453,
                        ln2Rest = 2.3190468138462996e-17;
static constexpr double log2e = 1.4426950408889634,
                        log2eRest = 2.0355273740931033e-17;
/// 1 / ln 10.
static constexpr double log10e = 0.4342944819032518,
                        log10eRest = 1.098319650216765e-17;
/// ln 2 and log10 2 as sums whose first part has 42 bits, so that its product
/// with an exponent is exact.
static constexpr double ln2High = 0.6931471805598903,
                        ln2Low = 5.497923018708371e-14;
static constexpr double log10Of2High = 0.30102999566395283,
                        log10Of2Low = 2.8363394551044964e-14;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// A number between two others; NaN stays.
static Scalar bound(const Scalar &x, double least, double most) {
  Scalar bounded = select(x < least, least, x);
  return select(x.constant(most) < bounded, most, bounded);
}

namespace {
/// A number of this size has no fraction. The sum of it and another one has the
/// nearest whole number in its last bits.
struct Rounded {
  static constexpr double wholeNumbers = 0x1.8p52;
  Scalar sum;

  Scalar getNumber() const { return sum - wholeNumbers; }
  Scalar getInteger() const {
    ImplicitLocOpBuilder &builder = sum.getBuilder();
    return sum.bitcast(builder.getI64Type())
        .convert<arith::TruncIOp>(builder.getI32Type());
  }
};
} // namespace

/// 2^exponent, of an i32 from -1022 to 1023.
static Scalar powerOfTwo(const Scalar &exponent) {
  ImplicitLocOpBuilder &builder = exponent.getBuilder();
  Scalar bits = (exponent + 1023).convert<arith::ExtUIOp>(builder.getI64Type());
  return shiftLeft(bits, 52).bitcast(builder.getF64Type());
}

/// value * 2^exponent in two steps, of which only the last one rounds: neither
/// may overflow by itself.
static Scalar scale(const Scalar &value, const Scalar &exponent) {
  Scalar half = exponent.apply<arith::ShRSIOp>(exponent.constant(1));
  return value * powerOfTwo(half) * powerOfTwo(exponent - half);
}

Scalar tilewright::mathfn::f64::exp(const Scalar &x) {
  // Beyond these e^x is 0 or infinite.
  Scalar bounded = bound(x, -746, 710);
  Rounded exponent{fma(bounded, log2e, x.constant(Rounded::wholeNumbers))};
  Scalar whole = exponent.getNumber();
  Scalar rest = fma(whole, -ln2Low, fma(whole, -ln2High, bounded));
  // e^r = 1 + r + r^2 * (1/2 + r * ...).
  Scalar series =
      polynomial(rest, {0.5, 0.16666666666666669, 0.041666666666666664,
                        0.008333333333330063, 0.0013888888888886552,
                        0.00019841269863050506, 2.4801587317142276e-05,
                        2.7557268464831627e-06, 2.7557282973002415e-07,
                        2.510038319586702e-08, 2.091123498804083e-09});
  Scalar power = fma(rest * rest, series, rest) + 1;
  return scale(power, exponent.getInteger());
}

/// 2^(x + low), where low is small.
static Scalar exp2OfSum(const Scalar &x, const Scalar *low) {
  // Beyond these 2^x is 0 or infinite.
  Scalar bounded = bound(x, -1080, 1030);
  Rounded exponent{bounded + Rounded::wholeNumbers};
  Scalar rest = bounded - exponent.getNumber();
  // 2^r = 1 + r * ln 2 + r^2 * ...
  Scalar series = polynomial(
      rest,
      {0.24022650695910072, 0.0555041086648216, 0.009618129107628479,
       0.0013333558146416936, 0.00015403530393375914, 1.525273382983612e-05,
       1.3215486802903931e-06, 1.0178062445845774e-07, 7.054899956372649e-09,
       4.4549605981865186e-10, 2.572508057683636e-11});
  Scalar power = fma(rest, ln2, fma(rest * rest, series, rest * ln2Rest));
  if (low)
    power = fma(*low * ln2, power + 1, power);
  return scale(power + 1, exponent.getInteger());
}

Scalar tilewright::mathfn::f64::exp2(const Scalar &x) {
  return exp2OfSum(x, nullptr);
}

Scalar tilewright::mathfn::f64::tanh(const Scalar &x) {
  Scalar magnitude = abs(x), square = x * x;
  Scalar series = polynomial(
      square,
      {-0.3333333333333333, 0.13333333333332714, -0.053968253967434016,
       0.021869488493666944, -0.008863234397814355, 0.003592110378689024,
       -0.001455661830100716, 0.0005889360520074057, -0.0002346347410887237,
       8.511313685577672e-05, -2.060276537636634e-05});
  Scalar small = fma(magnitude * square, series, magnitude);
  Scalar power = f64::exp(magnitude * 2) + 1;
  Scalar large = power.constant(1) - power.constant(2) / power;
  return copySign(select(magnitude < 0.55, small, large), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent * (1 + fraction), with 1 + fraction from sqrt(1/2) to
/// sqrt(2).
struct Split {
  Scalar exponent, fraction;
};
} // namespace

static Scalar makeInteger(ImplicitLocOpBuilder &builder, int64_t number) {
  return {builder, arith::ConstantIntOp::create(builder, number, 64)};
}

/// The parts of a positive, finite f64.
static Split split(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i64 = builder.getI64Type(), f64 = builder.getF64Type();
  // Denormals have no exponent of their own.
  Scalar isDenormal = x < std::numeric_limits<double>::min();
  Scalar normal = select(isDenormal, x * 0x1p54, x);
  Scalar bias = select(isDenormal, 54.0, x.constant(0));
  // As integers, floats of one sign have the order of their numbers: what is
  // above the square root of 1/2 counts how many powers of two lie between.
  Scalar bits = normal.bitcast(i64);
  Scalar above = bits - makeInteger(builder, 0x3fe6a09e667f3bcd);
  Scalar steps = above.apply<arith::ShRSIOp>(above.constant(52));
  Scalar mantissa = (bits - shiftLeft(steps, 52)).bitcast(f64);
  Scalar exponent = steps.convert<arith::TruncIOp>(builder.getI32Type())
                        .convert<arith::SIToFPOp>(f64);
  return {exponent - bias, mantissa - 1};
}

/// f / (2 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1: the s of
/// log(1 + f) = log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
static ScalarSum halveLog(const Scalar &f) {
  ScalarSum divisor = addOrdered(f.constant(2), f);
  Scalar s = f / divisor.high;
  Scalar rest = fma(-s, divisor.high, f) - s * divisor.low;
  // 1 / (2 + f) is (1 - s) / 2.
  return {s, rest * fma(s, -0.5, s.constant(0.5))};
}

/// log(1 + f), good to more bits than an f64 has.
static ScalarSum logOf(const Scalar &f) {
  ScalarSum s = halveLog(f);
  Scalar square = s.high * s.high;
  Scalar series = polynomial(
      square, {0.6666666666666666, 0.40000000000000885, 0.28571428570799784,
               0.22222222392581045, 0.18181795547521137, 0.15386244737621665,
               0.13268638369266825, 0.13088034850927555});
  return {s.high * 2, fma(s.high * square, series, s.low * 2)};
}

/// The logarithm, whose `value` is right for positive finite x, at any x.
static Scalar atEveryNumber(const Scalar &x, const Scalar &value) {
  Scalar positive = select(x == infinity, x, value);
  Scalar real = select(x == 0.0, -infinity, positive);
  // Not less than zero, or not a number.
  Scalar isDefined = compare(arith::CmpFPredicate::OGE, x, x.constant(0));
  return select(isDefined, real, std::numeric_limits<double>::quiet_NaN());
}

/// whole + rest, where whole is 0 or greater.
static Scalar addToWhole(const Scalar &whole, const ScalarSum &rest) {
  ScalarSum sum = addOrdered(whole, rest.high);
  return sum.high + (sum.low + rest.low);
}

Scalar tilewright::mathfn::f64::log(const Scalar &x) {
  Split parts = split(x);
  ScalarSum rest = logOf(parts.fraction);
  rest.low = fma(parts.exponent, ln2Low, rest.low);
  return atEveryNumber(x, addToWhole(parts.exponent * ln2High, rest));
}

Scalar tilewright::mathfn::f64::log2(const Scalar &x) {
  Split parts = split(x);
  ScalarSum rest = multiply(logOf(parts.fraction), log2e, log2eRest);
  return atEveryNumber(x, addToWhole(parts.exponent, rest));
}

Scalar tilewright::mathfn::f64::log10(const Scalar &x) {
  Split parts = split(x);
  ScalarSum rest = multiply(logOf(parts.fraction), log10e, log10eRest);
  rest.low = fma(parts.exponent, log10Of2Low, rest.low);
  return atEveryNumber(x, addToWhole(parts.exponent * log10Of2High, rest));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log(1 + f) to some 65 bits: an error of it is multiplied by up to 2^10.
static ScalarSum preciseLogOf(const Scalar &f) {
  ScalarSum s = halveLog(f);
  ScalarSum square = multiplyExactly(s.high, s.high);
  square.low = fma(s.high * 2, s.low, square.low);
  // log(1 + f) = 2 s + s (2/3 s^2 + s^4 * series).
  Scalar series =
      polynomial(square.high, {0.4, 0.28571428571428564, 0.2222222222222847,
                               0.1818181817964499, 0.1538461576290815,
                               0.13333296397963834, 0.11766819021629554,
                               0.10456195110401492, 0.1076362151501126});
  constexpr double twoThirds = 0.6666666666666666,
                   twoThirdsRest = 3.700743415417188e-17;
  ScalarSum cubic = multiply(square, twoThirds, twoThirdsRest);
  ScalarSum inner = addOrdered(cubic.high, square.high * square.high * series);
  inner.low = inner.low + cubic.low;
  ScalarSum outer = multiplyExactly(s.high, inner.high);
  outer.low = fma(s.high, inner.low, fma(s.low, inner.high, outer.low));
  ScalarSum sum = addOrdered(s.high * 2, outer.high);
  return {sum.high, sum.low + fma(s.low, 2, outer.low)};
}

static ScalarSum preciseLog2(const Scalar &x) {
  Split parts = split(x);
  ScalarSum rest = multiply(preciseLogOf(parts.fraction), log2e, log2eRest);
  ScalarSum sum = addOrdered(parts.exponent, rest.high);
  return addOrdered(sum.high, sum.low + rest.low);
}

Scalar tilewright::mathfn::f64::powOfMagnitude(const Scalar &magnitude,
                                               const Scalar &y) {
  ScalarSum log = preciseLog2(magnitude);
  log.high = select(magnitude == 0.0, -infinity, log.high);
  log.high = select(magnitude == infinity, infinity, log.high);
  ScalarSum product = multiplyExactly(log.high, y);
  Scalar low = fma(log.low, y, product.low);
  // Where the result is 0 or infinite, it may be anything.
  low = select(abs(product.high) < 2000, low, 0.0);
  return exp2OfSum(product.high, &low);
}
