//===- MathFunctions.h - The functions of real numbers ----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table says of each function of the notation what it is, by how much a
// kernel's may be off on exact operands, and how it carries on what its
// operands are off.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_MATHFUNCTIONS_H
#define TILEWRIGHT_LIB_SPEC_MATHFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

namespace tilewright::spec {

struct MathFunction {
  llvm::StringLiteral name;
  /// Operands: 1 or 2. Of one, the second is not used.
  unsigned arity;
  double (*value)(double x, double y);
  /// What a kernel's function may be off, in units of the roundoff; the
  /// tolerance multiplies it (ReferenceProgram.h). Null: the function is exact,
  /// as floor is.
  double (*rounding)(double x, double result);
  /// By how much the result may change where the operands do by \p ux and \p
  /// uy, of which one is not 0. Null: the function is monotone in each operand,
  /// so that the extremes are at the corners.
  double (*spread)(double x, double y, double result, double ux, double uy);

  bool isExact() const { return !rounding; }
  double getSpread(double x, double y, double result, double ux,
                   double uy) const;
};

/// All functions, in alphabetic order.
llvm::ArrayRef<MathFunction> getMathFunctions();

/// Null where there is none of that name.
const MathFunction *findMathFunction(llvm::StringRef name);

/// The largest distance of \p value(x - ux) and \p value(x + ux) from \p
/// result; infinite where one of them is infinite or NaN and the others are
/// not.
template <typename Fn>
double getMonotoneSpread(Fn value, double x, double result, double ux) {
  double spread = 0;
  for (double end : {value(x - ux), value(x + ux)}) {
    bool isSame = end == result || (std::isnan(end) && std::isnan(result));
    double distance = isSame ? 0 : std::fabs(end - result);
    spread = std::fmax(spread, std::isnan(distance) ? HUGE_VAL : distance);
  }
  return spread;
}

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_MATHFUNCTIONS_H
