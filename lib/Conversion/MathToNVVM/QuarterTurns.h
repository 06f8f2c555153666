//===- QuarterTurns.h - Circular functions of an angle's rest ---*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left to do for f32 and f64 alike once an angle is a number of quarter
// turns and a rest: sin(rest + quarters * pi/2) is the sine of the rest or its
// cosine, with one sign or the other.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_QUARTERTURNS_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_QUARTERTURNS_H

#include "Scalar.h"

#include <limits>

namespace tilewright::mathfn {

inline Scalar isOdd(const Scalar &quarters) {
  return compare(mlir::arith::CmpIPredicate::ne, quarters & 1,
                 quarters.constant(0));
}

/// sin(rest + quarters * pi/2), by the sine and cosine of the rest.
inline Scalar sinAfterTurns(const Scalar &quarters, const Scalar &sine,
                            const Scalar &cosine) {
  Scalar value = select(isOdd(quarters), cosine, sine);
  Scalar isUpper = (quarters & 2) == 0.0;
  return select(isUpper, value, -value);
}

/// `value` where x is finite: no angle is infinite.
inline Scalar whereFinite(const Scalar &x, const Scalar &value) {
  return select(abs(x) < std::numeric_limits<double>::infinity(), value,
                std::numeric_limits<double>::quiet_NaN());
}

} // namespace tilewright::mathfn

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTONVVM_QUARTERTURNS_H
