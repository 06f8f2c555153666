//===- ErrorFunction.cpp - erf --------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleFunctions.h"
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

Scalar tilewright::mathfn::f64::erf(const Scalar &x) {
  Scalar magnitude = abs(x), square = x * x;
  Scalar series = polynomial(
      square,
      {0.1283791670955126, -0.37612638903183754, 0.1128379167095512,
       -0.02686617064512984, 0.0052239776254232985, -0.000854832702193483,
       0.00012055332902888736, -1.4925647567519332e-05, 1.6462045441468418e-06,
       -1.6364642158167616e-07, 1.4792401209404813e-08, -1.216456005728345e-09,
       8.709045129053106e-11, -4.230945824295338e-12});
  Scalar small = fma(magnitude, series, magnitude);
  // Beyond 6 the result is 1. Up to there, (1 - erf(x)) * exp(x^2) is smooth,
  // and the more so as a function of this quotient.
  Scalar bounded = select(magnitude.constant(6) < magnitude, 6.0, magnitude);
  Scalar quotient = (bounded - 3.5) / (bounded + 3.5);
  Scalar factor = polynomial(
      quotient,
      {0.1552936556088943, -0.2892650448327675, 0.23313048160025399,
       -0.16133852476447896, 0.09442780690876125, -0.04543676118647769,
       0.016976760950897597, -0.004242238468024573, 0.00026738478589562463,
       0.000288552006757455, -0.00010808575517121791, -4.640178919530465e-06,
       1.3412352275651315e-05, -1.7121197069097852e-06, -1.949999883482146e-06,
       -1.5885446316700733e-07});
  Scalar large = x.constant(1) - f64::exp(-(bounded * bounded)) * factor;
  return copySign(select(magnitude < 1.0, small, large), x);
}
