//===- Tolerance.h - Whether a result is right ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result `got` of type T is right for the reference `ref` if
//
//   |got - ref| <= r(ref) + 8 * u * uncertainty + f + tolerance
//
//   r      rounding to T: half the distance between the numbers of T around
//   ref;
//          where the uncertainty is 0, the distance from ref to the nearest one
//   u, uncertainty   of the reference, see ReferenceProgram.h
//   f      2^-126 where the uncertainty is not 0 (2^-1022 if u is that of f64):
//          kernels may flush denormals in arithmetic
//   tolerance
//          what the user allows besides: relative * |ref| + absolute
//
// So a result without intermediate rounding must be the correctly rounded one
// or its exact tie, and an integer must be equal. NaN is right for NaN only, an
// infinity for the same infinity or for a number that may round to it. Where
// elements are only moved, the bits must be equal (any NaN for a NaN), unless
// the user allows more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_TOLERANCE_H
#define TILEWRIGHT_SPEC_TOLERANCE_H

#include "tilewright/Spec/ReferenceProgram.h"

namespace tilewright::spec {

/// What a user allows beside the reference's own bound.
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  /// Reads "REL" or "REL,ABS": two numbers, finite and not negative.
  static llvm::Expected<Tolerance> parse(llvm::StringRef text);

  bool isNone() const { return relative == 0 && absolute == 0; }
};

class Matcher {
public:
  explicit Matcher(const ReferenceProgram &program, Tolerance tolerance = {});

  /// Whether the element with these bits is right.
  bool matches(uint64_t gotBits, const ReferenceValue &reference) const;

  /// Whether the reference has no defined value: anything is right.
  bool isUndefined(const ReferenceValue &reference) const;

  /// The element that the reference, rounded, would be.
  uint64_t encode(const ReferenceValue &reference) const;

  /// |got - ref|; infinite where one is NaN or infinite and they differ.
  double getError(uint64_t gotBits, const ReferenceValue &reference) const;

  /// The right side of the inequality above.
  double getBound(const ReferenceValue &reference) const;

private:
  double getAllowed(const ReferenceValue &reference) const;
  /// The bound without the rounding to the type.
  double getSlack(const ReferenceValue &reference) const;
  double getRounding(const ReferenceValue &reference) const;
  bool isSaturated(const ReferenceValue &reference) const;
  bool matchesInteger(uint64_t gotBits, const ReferenceValue &reference) const;
  bool matchesReal(uint64_t gotBits, const ReferenceValue &reference) const;

  ElementType type;
  bool movesElements;
  double unit;
  double flushed;
  Tolerance tolerance;
  /// The unit roundoff of the type: see above.
  double unitRoundoff = 0;
  double smallestDenormal = 0;
  /// The smallest number that rounds to infinity; infinite where none does.
  double overflow = 0;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_TOLERANCE_H
