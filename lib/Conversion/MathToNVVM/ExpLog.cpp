//===- ExpLog.cpp - Exponentials, logarithms, powers ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

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

namespace {
/// x = 2^exponent * (1 + fraction), with 1 + fraction from sqrt(1/2) to
/// sqrt(2).
struct Split {
  Scalar exponent, fraction;
};
} // namespace

/// Of a positive, finite f32.
static Split split(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  // Denormals have no exponent of their own.
  constexpr double smallestNormal = std::numeric_limits<float>::min();
  Scalar isDenormal = x < smallestNormal;
  Scalar normal = select(isDenormal, x * 0x1p23, x);
  Scalar bias = select(isDenormal, 23.0, x.constant(0));
  // As integers, floats of one sign have the order of their numbers: what is
  // above sqrt(1/2) counts how many powers of two lie between.
  constexpr int32_t sqrtHalf = 0x3f3504f3;
  Scalar bits = normal.bitcast(i32);
  Scalar steps = (bits - sqrtHalf).apply<arith::ShRSIOp>(bits.constant(23));
  Scalar mantissa = (bits - shiftLeft(steps, 23)).bitcast(f32);
  return {steps.convert<arith::SIToFPOp>(f32) - bias, mantissa - 1};
}

/// log(1 + f) - f for f from sqrt(1/2) - 1 to sqrt(2) - 1.
static Scalar logRest(const Scalar &f) {
  Scalar rest = polynomial(
      f, {0.3333333134651184, -0.2499999701976776, 0.20000715553760529,
          -0.1666780263185501, 0.14249058067798615, -0.12425687164068222,
          0.11685419827699661, -0.11479733884334564, 0.06971611827611923});
  Scalar square = f * f;
  return fma(square * f, rest, square * -0.5);
}

/// The logarithm, whose `value` is right for positive finite x, at any x.
static Scalar atEveryNumber(const Scalar &x, const Scalar &value) {
  Scalar positive = select(x == infinity, x, value);
  Scalar real = select(x == 0.0, -infinity, positive);
  // Not less than zero, or not a number.
  Scalar isDefined = compare(arith::CmpFPredicate::OGE, x, x.constant(0));
  return select(isDefined, real, notANumber);
}

Scalar tilewright::mathfn::log(const Scalar &x) {
  Split parts = split(x);
  // ln 2 as a sum: the first part has 15 bits, so its product is exact.
  Scalar rest =
      fma(parts.exponent, 1.428606765330187e-06, logRest(parts.fraction));
  return atEveryNumber(
      x, fma(parts.exponent, 0.693145751953125, rest + parts.fraction));
}

Scalar tilewright::mathfn::log2(const Scalar &x) {
  Split parts = split(x);
  Scalar rest = logRest(parts.fraction);
  // (fraction + rest) / ln 2, with what the product by one f32 would lose.
  Scalar low = fma(parts.fraction, log2eLow, rest * log2eHigh);
  Scalar high = fma(parts.fraction, log2eHigh, low);
  return atEveryNumber(x, parts.exponent + high);
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
  return atEveryNumber(x, fma(parts.exponent, 0.30102539062, high));
}

/// log2 of a positive finite f32, in f64 to 40 bits: an error of it is
/// multiplied by an exponent of up to 2^7 and by ln 2.
static Scalar preciseLog2(const Scalar &x) {
  Type f64 = x.getBuilder().getF64Type();
  Split parts = split(x);
  Scalar f = parts.fraction.convert<arith::ExtFOp>(f64);
  // log((1 + s) / (1 - s)) = 2 s (1 + s^2/3 + s^4/5 + ...), |s| < 0.172.
  Scalar s = f / (f + 2);
  Scalar series =
      polynomial(s * s, {1, 1 / 3., 1 / 5., 1 / 7., 1 / 9., 1 / 11., 1 / 13.});
  return fma(s * series, 2 * log2e, parts.exponent.convert<arith::ExtFOp>(f64));
}

/// |x|^y, where the logarithm of |x| is a number.
static Scalar powOfMagnitude(const Scalar &log, const Scalar &y) {
  Type f32 = y.getBuilder().getF32Type();
  Type f64 = y.getBuilder().getF64Type();
  Scalar product = log * y.convert<arith::ExtFOp>(f64);
  // Beyond these the result is 0 or infinite.
  Scalar bounded = product.apply<arith::MaximumFOp>(product.constant(-160))
                       .apply<arith::MinimumFOp>(product.constant(130));
  Scalar high = bounded.convert<arith::TruncFOp>(f32);
  Scalar low = bounded - high.convert<arith::ExtFOp>(f64);
  return exp2OfSum(high, low.convert<arith::TruncFOp>(f32));
}

Scalar tilewright::mathfn::pow(const Scalar &x, const Scalar &y) {
  Scalar magnitude = abs(x);
  Scalar log = preciseLog2(magnitude);
  log = select(magnitude == 0.0, -infinity, log);
  log = select(magnitude == infinity, infinity, log);
  Scalar result = powOfMagnitude(log, y);

  // A negative x: odd exponents keep the sign, even ones lose it, others have
  // no real power, except of zero and of infinity.
  Scalar isInteger = truncate(y) == y;
  Scalar half = y * 0.5;
  Scalar isOdd = isInteger.apply<arith::AndIOp>(
      compare(arith::CmpFPredicate::ONE, truncate(half), half));
  Scalar isRegular = (magnitude < infinity).apply<arith::AndIOp>(x < 0.0);
  Scalar hasNone = isRegular.apply<arith::AndIOp>(
      compare(arith::CmpFPredicate::ONE, truncate(y), y));
  result = select(hasNone, notANumber, result);
  result = select(isOdd, copySign(result, x), result);

  result = select(compare(arith::CmpFPredicate::UNO, x, y), notANumber, result);
  // (-1) to an infinite power is 1; x^0 and 1^y are 1 even for NaNs.
  Scalar isOne = (magnitude == 1.0).apply<arith::AndIOp>(abs(y) == infinity);
  isOne = isOne.apply<arith::OrIOp>(y == 0.0);
  isOne = isOne.apply<arith::OrIOp>(x == 1.0);
  return select(isOne, 1.0, result);
}
