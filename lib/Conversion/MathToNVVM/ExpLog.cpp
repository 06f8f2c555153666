//===- ExpLog.cpp - Exponentials, logarithms, powers ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "DoubleFunctions.h"
#include "ScalarSum.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace tilewright::mathfn;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

static constexpr double ln2 = 0.69314718055994530942;
static constexpr double log2e = 1.44269504088896340736;
/// 1 / ln 2 as the sum of two f32.
static constexpr double log2eHigh = 1.4426950216293335;
static constexpr double log2eLow = 1.925963033500011e-08;

/// ln 2 as a sum: the first part has 15 bits, so that its product with an
/// exponent is exact.
static constexpr double ln2High = 0.693145751953125;
static constexpr double ln2Low = 1.428606765330187e-06;

/// 2^exponent for an i32 exponent from -126 to 127; bits above are ignored.
static Scalar powerOfTwo(const Scalar &exponent) {
  Type f32 = exponent.getBuilder().getF32Type();
  return shiftLeft(exponent + 127, 23).bitcast(f32);
}

/// 2^(high + low), where low is the small error of high. The instruction is
/// exact to two units in the last place, but only for what one f32 can say.
static Scalar exp2OfSum(const Scalar &high, const Scalar &low) {
  return exp2(high) * fma(low, ln2, low.constant(1));
}

Scalar tilewright::mathfn::exp(const Scalar &x) {
  // Beyond these e^x is 0 or infinite; infinite x would give infinity minus
  // infinity below.
  Scalar bounded = x.apply<arith::MaximumFOp>(x.constant(-106))
                       .apply<arith::MinimumFOp>(x.constant(90));
  Scalar high = bounded * log2eHigh;
  Scalar lost = fma(bounded, log2eHigh, -high);
  return exp2OfSum(high, fma(bounded, log2eLow, lost));
}

Scalar tilewright::mathfn::expm1(const Scalar &x) {
  // Beyond these the result is -1 or infinite.
  Scalar bounded = x.apply<arith::MaximumFOp>(x.constant(-30))
                       .apply<arith::MinimumFOp>(x.constant(89));
  // x = exponent * ln 2 + rest; e^rest - 1 = rest + rest^2 * (1/2 + ...).
  // Numbers of this size have no fraction: the sum rounds to a whole number,
  // which its low bits are too.
  constexpr double wholeNumbers = 0x1.8p23;
  Scalar sum = fma(bounded, log2e, x.constant(wholeNumbers));
  Scalar exponent = sum - wholeNumbers;
  Scalar rest = fma(exponent, -ln2High, bounded);
  rest = fma(exponent, -ln2Low, rest);
  Scalar series = polynomial(rest, {0.4999999701976776, 0.1666654646396637,
                                    0.04166743531823158, 0.008366270922124386,
                                    0.0013870693510398269});
  Scalar power = fma(rest * rest, series, rest);
  // Half of the result, since 2^128 is no f32.
  Scalar half = powerOfTwo(sum.bitcast(x.getBuilder().getI32Type()) - 1);
  Scalar value = fma(power, half, half - 0.5) * 2;
  // x is the result to all bits, and what is halved above may lose some.
  return select(abs(x) < 0x1p-25, x, value);
}

Scalar tilewright::mathfn::tanh(const Scalar &x) {
  Scalar magnitude = abs(x), square = x * x;
  Scalar series = polynomial(
      square, {-0.33333316445350647, 0.13332527875900269, -0.053844694048166275,
               0.02103550359606743, -0.006217485293745995});
  Scalar small = fma(magnitude * square, series, magnitude);
  // 1 - 2 / (e^2x + 1); where e^2x is infinite, 1.
  Scalar power = exp2(magnitude * (2 * log2e)) + 1;
  Scalar large = fma(reciprocal(power), -2, power.constant(1));
  return copySign(select(magnitude < 0.55, small, large), x);
}

namespace {
/// x = 2^exponent * (1 + fraction), with 1 + fraction from sqrt(1/2) to
/// sqrt(2). `normal`: x, or 2^23 times that where it is less than a number that
/// has an exponent.
struct Split {
  Scalar exponent, fraction, normal;
};
} // namespace

/// The bits of sqrt(1/2). As integers, floats of one sign have the order of
/// their numbers: what is above it counts how many powers of two lie between.
static constexpr int32_t sqrtHalf = 0x3f3504f3;

/// Whether the number is kept above a bound that has an exponent, as in
/// log(max(x, 1e-10)): no denormal, zero, or less. It may be no number.
static bool isNormalAndPositive(const Scalar &x) {
  Operation *op = Value(x).getDefiningOp();
  APFloat bound(0.0f);
  return isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(op) &&
         (matchPattern(op->getOperand(0), m_ConstantFloat(&bound)) ||
          matchPattern(op->getOperand(1), m_ConstantFloat(&bound))) &&
         bound.isNormal() && !bound.isNegative();
}

/// The parts of a positive, finite f32.
static Split split(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Scalar normal = x, bias = x.constant(0);
  // Denormals have no exponent of their own.
  if (!isNormalAndPositive(x)) {
    constexpr double smallestNormal = std::numeric_limits<float>::min();
    Scalar isDenormal = x < smallestNormal;
    normal = select(isDenormal, x * 0x1p23, x);
    bias = select(isDenormal, -23.0, bias);
  }
  Scalar bits = normal.bitcast(i32);
  // 2^23 times the exponent, so exact as an f32.
  constexpr int32_t exponentBits = -(1 << 23);
  Scalar steps = (bits - sqrtHalf) & exponentBits;
  Scalar mantissa = (bits - steps).bitcast(f32);
  return {fma(steps.convert<arith::SIToFPOp>(f32), 0x1p-23, bias), mantissa - 1,
          normal};
}

/// (log(1 + f) - f + f^2 / 2) / f^3 for f from sqrt(1/2) - 1 to sqrt(2) - 1.
static Scalar logSeries(const Scalar &f) {
  return polynomial(
      f, {0.3333333134651184, -0.2499999701976776, 0.20000715553760529,
          -0.1666780263185501, 0.14249058067798615, -0.12425687164068222,
          0.11685419827699661, -0.11479733884334564, 0.06971611827611923});
}

/// log(1 + f) - f.
static Scalar logRest(const Scalar &f) {
  Scalar square = f * f;
  return fma(square * f, logSeries(f), square * -0.5);
}

/// The logarithm, whose `value` is right for positive finite x, at any x.
static Scalar atEveryNumber(const Scalar &x, const Scalar &value) {
  // As bits without sign, those of infinity and what is above are of no finite
  // or of a negative number: infinite, or not a number.
  constexpr int32_t infinityBits = 0x7f800000;
  Scalar bits = x.bitcast(x.getBuilder().getI32Type());
  if (isNormalAndPositive(x)) {
    Scalar isOther =
        compare(arith::CmpIPredicate::uge, bits, bits.constant(infinityBits));
    Scalar other = fma(x, infinity, x.constant(infinity));
    return select(isOther, other, value);
  }
  // Less 1, those of 0 are above them, too. The GPU's logarithm, which is good
  // to fewer bits, is right for all of these.
  Scalar isOther = compare(arith::CmpIPredicate::uge, bits - 1,
                           bits.constant(infinityBits - 1));
  return select(isOther, approximateLog2(x), value);
}

/// Good to 0.91 units in the last place of all f32.
static Scalar logOf(const Split &parts) {
  const Scalar &f = parts.fraction;
  Scalar half = fma(f, logSeries(f), f.constant(-0.5));
  return fma(parts.exponent, ln2, fma(f * f, half, f));
}

Scalar tilewright::mathfn::log(const Scalar &x) {
  Split parts = split(x);
  return atEveryNumber(parts.normal, logOf(parts));
}

Scalar tilewright::mathfn::log2(const Scalar &x) {
  Split parts = split(x);
  Scalar rest = logRest(parts.fraction);
  // (fraction + rest) / ln 2, with what the product by one f32 would lose.
  Scalar low = fma(parts.fraction, log2eLow, rest * log2eHigh);
  Scalar high = fma(parts.fraction, log2eHigh, low);
  return atEveryNumber(parts.normal, parts.exponent + high);
}

Scalar tilewright::mathfn::log10(const Scalar &x) {
  constexpr double log10eHigh = 0.4342944920063019; // 1 / ln 10, two f32
  constexpr double log10eLow = -1.010068082945e-08;
  Split parts = split(x);
  Scalar rest = logRest(parts.fraction);
  Scalar low = fma(parts.fraction, log10eLow, rest * log10eHigh);
  // log10(2) as a sum, as above.
  low = fma(parts.exponent, 4.605038962e-06, low);
  Scalar high = fma(parts.fraction, log10eHigh, low);
  return atEveryNumber(parts.normal, fma(parts.exponent, 0.30102539062, high));
}

Scalar tilewright::mathfn::log1p(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  // 1 + x = 2^exponent * (1 + fraction). The sum, rounded, tells the exponent;
  // the fraction is x * 2^-exponent + (2^-exponent - 1), to all its bits.
  Scalar sum = x + 1;
  Scalar bits = sum.bitcast(i32);
  Scalar steps = (bits - sqrtHalf).apply<arith::ShRSIOp>(bits.constant(23));
  Scalar shift = shiftLeft(steps, 23);
  Scalar scaled = (x.bitcast(i32) - shift).bitcast(f32);
  // Four times the power of two, since 2^-128 has too few bits itself.
  constexpr int32_t four = 0x40800000;
  Scalar power = (shift.constant(four) - shift).bitcast(f32);
  Scalar fraction = scaled + fma(power, 0.25, power.constant(-1));
  Scalar value = logOf({steps.convert<arith::SIToFPOp>(f32), fraction, sum});
  return copySign(atEveryNumber(sum, value), x);
}

/// log2 of a positive finite f32, to 35 bits or more: an error of it is
/// multiplied by up to 150, and by ln 2.
static ScalarSum preciseLog2(const Scalar &x) {
  Split parts = split(x);
  const Scalar &f = parts.fraction;
  // log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172, where s
  // is f / (2 + f). What rounding takes from s is told by f - 2 s - f s, of
  // which the first difference is exact.
  Scalar inverse = reciprocal(f + 2);
  Scalar s = f * inverse;
  Scalar lost = fma(-s, f, fma(s, -2, f)) * inverse;
  ScalarSum square = multiplyExactly(s, s);

  // log2 = s * factor, with factor = first + third s^2 + fifth s^4 + ...
  constexpr double first = 2.885390043258667, firstRest = 3.851926067000022e-08;
  constexpr double third = 0.9617967009544373;
  Scalar fifth =
      polynomial(square.high,
                 {0.5770788788795471, 0.41192200779914856, 0.3366023004055023});
  Scalar factor = fma(square.high, third, s.constant(first));
  Scalar rest = fma(square.high, square.high * fifth, firstRest);
  rest = fma(square.low, third, rest);
  rest = fma(square.high, third, s.constant(first) - factor) + rest;

  Scalar high = fma(s, factor, parts.exponent);
  Scalar low = fma(s, factor, parts.exponent - high);
  // By s the logarithm grows as first / (1 - s^2).
  Scalar slope = fma(square.high, first, s.constant(first));
  return {high, fma(lost, slope, fma(s, rest, low))};
}

/// 2^(high + low), where low may be anything if high is not within 200 of 0.
static Scalar preciseExp2(const ScalarSum &x) {
  // The sum rounds to a whole number, which its low bits are too.
  constexpr double wholeNumbers = 0x1.8p23;
  Scalar sum = (x.high + x.low) + wholeNumbers;
  Scalar fraction = (x.high - (sum - wholeNumbers)) + x.low;
  Scalar power =
      fma(fraction,
          polynomial(fraction, {0.6931471824645996, 0.24022647738456726,
                                0.05550359562039375, 0.009618500247597694,
                                0.0013390971580520272, 0.0001532892492832616}),
          fraction.constant(1));
  // In two steps, of which only the second one may overflow or lose bits.
  Scalar exponent = sum.bitcast(sum.getBuilder().getI32Type());
  Scalar half = exponent.apply<arith::ShRSIOp>(exponent.constant(1));
  Scalar other = shiftLeft(exponent - half, 23);
  Scalar scaled =
      (power.bitcast(other.getType()) + other).bitcast(power.getType());
  Scalar value = scaled * powerOfTwo(half);
  // Far beyond what has a finite result that is not 0.
  value = select(x.high < -200.0, 0.0, value);
  return select(x.high.constant(200) < x.high, infinity, value);
}

/// |x| to the power of y.
static Scalar powOfMagnitude(const Scalar &magnitude, const Scalar &y) {
  ScalarSum log = preciseLog2(magnitude);
  // Of 0 and infinity only the sign is right. As bits, without sign, these are
  // below the first number and above the last one.
  constexpr int32_t infinityBits = 0x7f800000;
  Scalar bits = magnitude.bitcast(magnitude.getBuilder().getI32Type()) - 1;
  Scalar isEdge =
      compare(arith::CmpIPredicate::uge, bits, bits.constant(infinityBits - 1));
  log.high = select(isEdge, log.high * infinity, log.high);
  ScalarSum product = multiplyExactly(log.high, y);
  product.low = fma(log.low, y, product.low);
  return preciseExp2(product);
}

Scalar tilewright::mathfn::pow(const Scalar &x, const Scalar &y) {
  APFloat constant(0.0);
  if (matchPattern(Value(y), m_ConstantFloat(&constant)) &&
      constant.isExactlyValue(2.0))
    return x * x;

  Scalar magnitude = abs(x);
  Scalar result = x.getType().isF64() ? f64::powOfMagnitude(magnitude, y)
                                      : powOfMagnitude(magnitude, y);

  // A negative x: odd exponents keep the sign, even ones lose it, others have
  // no real power, except of zero and of infinity. An infinite y is even: what
  // it has beyond an even number is not a number.
  Scalar beyondEven = abs(fma(truncate(y * 0.5), -2, y));
  result = select(beyondEven == 1.0, copySign(result, x), result);
  auto isNot = [&](double number) {
    return compare(arith::CmpFPredicate::ONE, beyondEven,
                   beyondEven.constant(number));
  };
  Scalar hasNone = (x < 0.0)
                       .apply<arith::AndIOp>(magnitude < infinity)
                       .apply<arith::AndIOp>(isNot(0))
                       .apply<arith::AndIOp>(isNot(1));
  hasNone =
      hasNone.apply<arith::OrIOp>(compare(arith::CmpFPredicate::UNO, x, y));
  result = select(hasNone, notANumber, result);

  // (-1) to an infinite power is 1; x^0 and 1^y are 1 even for NaNs.
  Scalar isOne = (magnitude == 1.0).apply<arith::AndIOp>(abs(y) == infinity);
  isOne = isOne.apply<arith::OrIOp>(y == 0.0);
  isOne = isOne.apply<arith::OrIOp>(x == 1.0);
  return select(isOne, 1.0, result);
}
