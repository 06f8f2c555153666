//===- DoubleFunctions.h - Functions of f64, as formulas --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As Functions.h, of f64. There is no instruction for any of them. Polynomials
// interpolate their function at the zeros of a Chebyshev polynomial; they were
// computed with 70 digits, and are off by less than a tenth of a unit in the
// last place.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_DOUBLEFUNCTIONS_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_DOUBLEFUNCTIONS_H

#include "Scalar.h"

namespace tilewright::mathfn::f64 {

Scalar exp(const Scalar &x);
Scalar exp2(const Scalar &x);
Scalar log(const Scalar &x);
Scalar log2(const Scalar &x);
Scalar log10(const Scalar &x);
/// |x| to the power of y.
Scalar powOfMagnitude(const Scalar &magnitude, const Scalar &y);
Scalar tanh(const Scalar &x);
Scalar erf(const Scalar &x);

Scalar sin(const Scalar &x);
Scalar cos(const Scalar &x);
Scalar tan(const Scalar &x);

} // namespace tilewright::mathfn::f64

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_DOUBLEFUNCTIONS_H
