//===- Functions.h - Functions of f32, as formulas --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each writes the ops that compute its function at its argument, a Scalar of
// f32. All follow IEEE 754-2019, section 9.2, for NaNs, infinities and zeros;
// how exact they are is in docs/math.md. The polynomials were
// fitted to this end: their largest error, relative to the result, is as small
// as it can be, and their degree brings it far below half a unit in the last
// place.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_FUNCTIONS_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_FUNCTIONS_H

#include "Scalar.h"

namespace tilewright::mathfn {

Scalar exp(const Scalar &x);
Scalar expm1(const Scalar &x);
Scalar log(const Scalar &x);
Scalar log2(const Scalar &x);
Scalar log10(const Scalar &x);
Scalar log1p(const Scalar &x);
/// The power of f32, or of f64.
Scalar pow(const Scalar &base, const Scalar &exponent);
Scalar tanh(const Scalar &x);

Scalar erf(const Scalar &x);

Scalar sin(const Scalar &x);
Scalar cos(const Scalar &x);
struct SineAndCosine {
  Scalar sine, cosine;
};
/// Both functions of one angle, which is reduced once.
SineAndCosine sincos(const Scalar &x);
Scalar tan(const Scalar &x);
Scalar atan(const Scalar &x);
Scalar atan2(const Scalar &y, const Scalar &x);
Scalar asin(const Scalar &x);
Scalar acos(const Scalar &x);

} // namespace tilewright::mathfn

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_FUNCTIONS_H
