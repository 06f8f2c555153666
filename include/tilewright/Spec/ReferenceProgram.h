//===- ReferenceProgram.h - Evaluates a reference ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the sizes known, a reference is compiled to a flat program for many
// elements at a time. Equal sub-expressions are computed once; what depends on
// an outer index only is computed once a row. So the softmax
//
//   Y[i, j] = exp(X[i, j] - max(k, X[i, k])) / sum(k, exp(X[i, k] - max(l, X[i,
//   l])))
//
// costs one pass for the maximum, one for the sum and one for the quotient a
// row, not a pass for each element.
//
//   auto program = ReferenceProgram::compile(spec, spec.getReferences()[0],
//   binding); ReferenceEvaluator evaluator(*program, tensors);    // one a
//   thread evaluator.evaluate({0, 1, 2}, values);
//
// Beside each value runs its *uncertainty*: by how much a correct kernel may
// differ because it rounds intermediate results, in units of 8 u, where u is
// the roundoff of the type it computes in (u = 2^-24 for f32; 2^-53 where every
// float of the reference is f64), and 8 allows for operations that are off by a
// few roundoffs (ex2.approx: 4). With x' the uncertainty of x:
//
//   element, scalar, integer, representable number   0
//   x + y, x - y       x' + y' + |result|
//   x * y              |x| y' + |y| x' + |result|
//   x / y              (x' + |result| y') / |y| + |result|
//   f(x)               what f's own rounding adds (MathFunctions.cpp) + the
//                      largest |f(y) - f(x)| for |y - x| <= x'
//   cast               the same: the kernel casts too, so that only an operand
//                      near the middle of two numbers costs anything
//   within(T, x)       x' + the rounding of x to T
//   min, max           the larger of the operands'
//   x < y and so on    0, or 1 where the operands differ by x' + y' or less
//   select(c, x, y)    that of the chosen; where c' leaves both open, |x - y| +
//                      the larger of x' and y'
//   sum of n terms     the sum of the terms' + (1 + sqrt(n)) * sum of |term|
//
// (Higham, Accuracy and Stability of Numerical Algorithms, sections 3.1
// and 4.2; sqrt(n) for the worst case's n because rounding errors of the terms
// are unlike each other.)
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_REFERENCEPROGRAM_H
#define TILEWRIGHT_SPEC_REFERENCEPROGRAM_H

#include "tilewright/Spec/KernelSpec.h"

namespace tilewright::spec {

struct ReferenceCode;

/// What a kernel's operation may be off, in roundoffs.
inline constexpr double toleranceFactor = 8;

/// Kernels may take smaller numbers for 0 in arithmetic of this roundoff.
double getFlushed(double roundoff);

/// What an element of the output should be.
struct ReferenceValue {
  /// The value, where the output's elements are floats.
  double real = 0;
  /// The value, where they are integers.
  int64_t integer = 0;
  /// See above. Infinite: the reference has no defined value here,
  /// because rounding decides whether there is a number, or because it takes an
  /// element at an index outside the range of its tensor.
  double uncertainty = 0;
};

class ReferenceProgram {
public:
  /// \p reference is one of \p spec. Fails, with a SpecError, where the extents
  /// that give a reduction its range differ, and where an index can leave its
  /// tensor.
  static llvm::Expected<ReferenceProgram> compile(const KernelSpec &spec,
                                                  const Reference &reference,
                                                  const Binding &binding);

  unsigned getOutput() const;
  ElementType getOutputType() const;
  llvm::ArrayRef<int64_t> getExtents() const;
  uint64_t getElementCount() const;
  /// The extent of the innermost axis; 1 for a tensor of rank 0. Elements of
  /// one row share work.
  uint64_t getRowLength() const;
  bool movesElements() const;
  /// The roundoff u of the type in which the kernel is taken to compute.
  double getRoundoff() const;

  /// Operations for each element, and for each row besides.
  double getElementWork() const;
  double getRowWork() const;

private:
  friend class ReferenceEvaluator;
  explicit ReferenceProgram(std::shared_ptr<const ReferenceCode> code)
      : code(std::move(code)) {}

  std::shared_ptr<const ReferenceCode> code;
};

/// The state of one evaluation: one for each thread.
class ReferenceEvaluator {
public:
  /// \p tensors has the host address of each pointer argument that the
  /// reference reads, by argument.
  ReferenceEvaluator(const ReferenceProgram &program,
                     llvm::ArrayRef<const void *> tensors);
  ~ReferenceEvaluator();

  /// Evaluates the elements at these row-major positions, each below
  /// getElementCount(). Neighbours in a row, in order, are quickest.
  void evaluate(llvm::ArrayRef<uint64_t> elements,
                llvm::MutableArrayRef<ReferenceValue> values);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_REFERENCEPROGRAM_H
