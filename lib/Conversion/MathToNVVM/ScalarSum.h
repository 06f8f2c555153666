//===- ScalarSum.h - Numbers with twice as many bits ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers with twice as many digits, as a sum of two: what rounding takes off
// an addition or a product is a number too, and can be computed.
//
//   addOrdered(1, 2^-30)   of f32:   high 1, low 2^-30, which 1 + 2^-30 loses
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALARSUM_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALARSUM_H

#include "Scalar.h"

namespace tilewright::mathfn {

/// high + low, where low is what rounding took from high, or little more.
struct ScalarSum {
  Scalar high, low;
};

/// a + b, to all bits, where a is 0 or not smaller than b.
inline ScalarSum addOrdered(const Scalar &a, const Scalar &b) {
  Scalar sum = a + b;
  return {sum, (a - sum) + b};
}

/// a + b, to all bits.
inline ScalarSum addExactly(const Scalar &a, const Scalar &b) {
  Scalar sum = a + b;
  Scalar partOfB = sum - a;
  Scalar partOfA = sum - partOfB;
  return {sum, (a - partOfA) + (b - partOfB)};
}

/// a * b, to all bits.
inline ScalarSum multiplyExactly(const Scalar &a, const Scalar &b) {
  Scalar product = a * b;
  return {product, fma(a, b, -product)};
}

/// A sum times a constant, which is the sum of two numbers too.
inline ScalarSum multiply(const ScalarSum &a, double high, double low) {
  ScalarSum product = multiplyExactly(a.high, a.high.constant(high));
  return {product.high, fma(a.high, low, fma(a.low, high, product.low))};
}

} // namespace tilewright::mathfn

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_SCALARSUM_H
