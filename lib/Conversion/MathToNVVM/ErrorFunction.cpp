//===- ErrorFunction.cpp - erf --------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

using namespace mlir;
using namespace tilewright::mathfn;

Scalar tilewright::mathfn::erf(const Scalar &x) {
  Scalar magnitude = abs(x), square = x * x;
  Scalar series =
      polynomial(square, {0.12837915122509003, -0.37612488865852356,
                          0.11281730979681015, -0.026762966066598892,
                          0.0049873520620167255, -0.000595957855693996});
  Scalar small = fma(magnitude, series, magnitude);
  // Beyond 4 the result is 1. Up to there, this is log2(1 - erf(x)).
  Scalar bounded = magnitude.apply<arith::MinimumFOp>(x.constant(4));
  Scalar exponent = polynomial(
      bounded, {-0.0002560598950367421, -1.626998782157898, -0.919082760810852,
                -0.15009437501430511, 0.032139141112565994,
                -0.004408332519233227, 0.00028447460499592125});
  Scalar large = x.constant(1) - exp2(exponent);
  return copySign(select(magnitude < 0.93, small, large), x);
}
