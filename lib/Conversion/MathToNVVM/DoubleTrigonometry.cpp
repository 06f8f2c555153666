//===- DoubleTrigonometry.cpp - Circular functions of f64 -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As Trigonometry.cpp: two ways to the distance from the nearest multiple of
// pi/2, which is the sum of two f64 here.
//
//===----------------------------------------------------------------------===//

#include "DoubleFunctions.h"
#include "QuarterTurns.h"
#include "ScalarSum.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright::mathfn;

namespace {
/// An angle: `quarters` quarter turns, an i32 of which the last two bits
/// matter, and `rest`, from -pi/4 to pi/4.
struct Angle {
  Scalar quarters;
  ScalarSum rest;
};
} // namespace

/// Up to here three terms of pi/2 are enough: multiples of it have 20 bits.
static constexpr double smallAngle = 0x1p20;

static Angle reduceSmall(const Scalar &x) {
  // pi/2 as a sum: the first two parts have 33 bits, so that their products
  // with a number of quarters are exact.
  constexpr double first = 1.5707963267341256, second = 6.077100506303966e-11,
                   third = 2.0222662487959506e-21;
  Scalar quarters = roundEven(x * 0.6366197723675814);
  ScalarSum rest = addExactly(fma(quarters, -first, x), quarters * -second);
  rest = addOrdered(rest.high, fma(quarters, -third, rest.low));
  return {quarters.convert<arith::FPToSIOp>(x.getBuilder().getI32Type()), rest};
}

//===----------------------------------------------------------------------===//
// Large angles
//===----------------------------------------------------------------------===//

/// 2/pi, behind a word of zeros.
static constexpr uint64_t twoOverPi[] = {0,
                                         0xa2f9836e4e441529,
                                         0xfc2757d1f534ddc0,
                                         0xdb6295993c439041,
                                         0xfe5163abdebbc561,
                                         0xb7246e3a424dd2e0,
                                         0x06492eea09d1921c,
                                         0xfe1deb1cb129a73e,
                                         0xe88235f52ebb4484,
                                         0xe99c7026b45f7e41,
                                         0x3991d639835339f4,
                                         0x9c845f8bbdf9283b,
                                         0x1ff897ffde05980f,
                                         0xef2f118b5a0a6d1f,
                                         0x6d367ecf27cb09b7,
                                         0x4f463f669e5fea2d,
                                         0x7527bac7ebe5f17b,
                                         0x3d0739f78a5292ea,
                                         0x6bfb5fb11f8d5d08,
                                         0x56033046fc7b6bab};

static Scalar makeWord(ImplicitLocOpBuilder &builder, uint64_t word) {
  return {builder, arith::ConstantIntOp::create(
                       builder, static_cast<int64_t>(word), 64)};
}

/// Four words of 2/pi from a number on, by the bits of that number.
static SmallVector<Scalar> getWords(const Scalar &first) {
  ImplicitLocOpBuilder &builder = first.getBuilder();
  SmallVector<Scalar> words;
  for (uint64_t word : twoOverPi)
    words.push_back(makeWord(builder, word));
  for (size_t step = 16; step != 0; step /= 2) {
    Scalar isBeyond =
        compare(arith::CmpIPredicate::ne, first & static_cast<double>(step),
                first.constant(0));
    // As many as the steps that follow may want, and as there are.
    size_t count = std::min(words.size(), 4 + step - 1);
    for (size_t index = 0; index < count; ++index)
      if (index + step < words.size())
        words[index] = select(isBeyond, words[index + step], words[index]);
    words.truncate(count);
  }
  return words;
}

/// The 192 bits of 2/pi that matter for a mantissa at this exponent. A mantissa
/// is a whole number, so bits whose product with it is a multiple of four
/// quarters can be left out.
static SmallVector<Scalar, 3> getBitsOfTwoOverPi(const Scalar &exponent) {
  // |x| = mantissa * 2^(exponent - 1075), and bit i of the table is that of
  // weight 2^(63 - i). The first that matters has the weight 2 in the product.
  Scalar first = exponent - 1013;
  Scalar shift =
      (first & 63).convert<arith::ExtUIOp>(first.getBuilder().getI64Type());
  SmallVector<Scalar> words = getWords(shiftRight(first, 6));
  SmallVector<Scalar, 3> bits;
  for (size_t index = 0; index < 3; ++index)
    bits.push_back(shiftLeft(words[index], shift) |
                   shiftRight(shiftRight(words[index + 1], 1),
                              shift.constant(63) - shift));
  return bits;
}

namespace {
/// The product of two i64 without sign.
struct WideProduct {
  WideProduct(const Scalar &a, const Scalar &b)
      : WideProduct(a.getBuilder(), arith::MulUIExtendedOp::create(
                                        a.getBuilder(), Value(a), Value(b))) {}
  Scalar low, high;

private:
  WideProduct(ImplicitLocOpBuilder &builder, arith::MulUIExtendedOp op)
      : low(builder, op.getLow()), high(builder, op.getHigh()) {}
};
} // namespace

/// A fraction of 128 bits with a sign, times 2^-128.
static ScalarSum toFloat(const Scalar &high, const Scalar &low) {
  Type f64 = high.getBuilder().getF64Type();
  // 53 bits, and the 64 that follow them.
  Scalar upper = high.apply<arith::ShRSIOp>(high.constant(11));
  Scalar lower = shiftLeft(high, 53) | shiftRight(low, 11);
  return addOrdered(upper.convert<arith::SIToFPOp>(f64) * 0x1p-53,
                    lower.convert<arith::UIToFPOp>(f64) * 0x1p-117);
}

/// The angle of a finite x beyond smallAngle.
static Angle reduceLarge(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type();
  Scalar bits = x.bitcast(builder.getI64Type());
  constexpr uint64_t leading = uint64_t(1) << 52;
  Scalar mantissa =
      (bits & makeWord(builder, leading - 1)) | makeWord(builder, leading);
  Scalar exponent = shiftRight(bits, 52).convert<arith::TruncIOp>(i32) & 0x7ff;
  SmallVector<Scalar, 3> factor = getBitsOfTwoOverPi(exponent);
  // The product, of which two bits are whole quarters and 126 a fraction; the
  // last 64 are dropped.
  WideProduct middle(mantissa, factor[1]);
  Scalar low = middle.low + WideProduct(mantissa, factor[2]).high;
  Scalar carry = compare(arith::CmpIPredicate::ult, low, middle.low)
                     .convert<arith::ExtUIOp>(builder.getI64Type());
  Scalar high = mantissa * factor[0] + middle.high + carry;
  // Without the quarters, and as a signed number, the fraction is the one of
  // the nearest quarter.
  ScalarSum turns =
      toFloat(shiftLeft(high, 2) | shiftRight(low, 62), shiftLeft(low, 2));
  Scalar quarters =
      shiftRight(shiftRight(high, 61) + 1, 1).convert<arith::TruncIOp>(i32);
  constexpr double halfPi = 1.5707963267948966,
                   halfPiRest = 6.123233995736766e-17;
  ScalarSum rest = multiply(turns, halfPi, halfPiRest);
  Scalar isNegative = x < 0.0;
  return {select(isNegative, quarters.constant(0) - quarters, quarters),
          {select(isNegative, -rest.high, rest.high),
           select(isNegative, -rest.low, rest.low)}};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Angle reduce(const Scalar &x) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  auto branch = [&x](Angle (*reduction)(const Scalar &)) {
    return [&x, reduction](OpBuilder &inner, Location loc) {
      ImplicitLocOpBuilder inside(loc, inner);
      Angle angle = reduction(Scalar(inside, x));
      scf::YieldOp::create(
          inside, ValueRange{angle.quarters, angle.rest.high, angle.rest.low});
    };
  };
  auto both = scf::IfOp::create(builder, abs(x) < smallAngle,
                                branch(reduceSmall), branch(reduceLarge));
  auto result = [&](unsigned index) {
    return Scalar(builder, both.getResult(index));
  };
  return {result(0), {result(1), result(2)}};
}

static Scalar sinNearZero(const ScalarSum &r) {
  Scalar square = r.high * r.high;
  Scalar series =
      polynomial(square, {-0.16666666666666666, 0.008333333333333331,
                          -0.0001984126984126506, 2.7557319219335453e-06,
                          -2.5052106231157904e-08, 1.605853141458901e-10,
                          -7.586685070091267e-13});
  // What low adds is low * cos(high).
  Scalar rest = r.low * fma(square, -0.5, square.constant(1));
  return r.high + fma(r.high * square, series, rest);
}

static Scalar cosNearZero(const ScalarSum &r) {
  Scalar square = r.high * r.high;
  Scalar series =
      polynomial(square, {0.041666666666666664, -0.0013888888888888887,
                          2.4801587301584645e-05, -2.755731922140076e-07,
                          2.0876755790363397e-09, -1.1470460773969325e-11,
                          4.7458652037874553e-14});
  ScalarSum start = addOrdered(square.constant(1), square * -0.5);
  Scalar rest = fma(square * square, series, -(r.high * r.low));
  return start.high + (start.low + rest);
}

/// sin(rest + quarters * pi/2).
static Scalar sinOf(const Angle &angle) {
  return sinAfterTurns(angle.quarters, sinNearZero(angle.rest),
                       cosNearZero(angle.rest));
}

/// sin(x) and tan(x) are x to all bits below this; so are their zeros' signs.
static constexpr double tinyAngle = 0x1p-27;

Scalar tilewright::mathfn::f64::sin(const Scalar &x) {
  Scalar value = whereFinite(x, sinOf(reduce(x)));
  return select(abs(x) < tinyAngle, x, value);
}

Scalar tilewright::mathfn::f64::cos(const Scalar &x) {
  Angle angle = reduce(x);
  return whereFinite(x, sinOf({angle.quarters + 1, angle.rest}));
}

Scalar tilewright::mathfn::f64::tan(const Scalar &x) {
  Angle angle = reduce(x);
  Scalar sine = sinNearZero(angle.rest), cosine = cosNearZero(angle.rest);
  Scalar turned = isOdd(angle.quarters);
  Scalar value = select(turned, -cosine, sine) / select(turned, sine, cosine);
  return select(abs(x) < tinyAngle, x, whereFinite(x, value));
}
