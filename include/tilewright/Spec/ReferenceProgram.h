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
// differ because it rounds intermediate results, in units of the roundoff u of
// the type it computes in (u = 2^-24 for f32; 2^-53 where every float of the
// reference is f64). To first order in u, with x' the uncertainty of x:
//
//   element, scalar, integer, representable number   0
//   x + y, x - y       x' + y' + |result|
//   x * y              |x| y' + |y| x' + |result|
//   x / y              (x' + |result| y') / |y| + |result|
//   exp(x)             result (1 + |x| + x')
//   log(x)             1 + |result| + x' / |x|
//   sqrt(x)            |result| + x' / (2 result)
//   tanh(x)            1 + (1 - result^2) x'
//   min, max           the larger of the operands'
//   sum of n terms     the sum of the terms' + (1 + sqrt(n)) * sum of |term|
//   cast to a float T  0 if x' = 0, else x' + one unit in the last place of T
//
// (Higham, Accuracy and Stability of Numerical Algorithms, sections 3.1
// and 4.2; sqrt(n) for the worst case's n because rounding errors of the terms
// are unlike each other. log and tanh have an absolute part because kernels
// compute them from instructions whose error is absolute near 1 and 0.)
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_REFERENCEPROGRAM_H
#define TILEWRIGHT_SPEC_REFERENCEPROGRAM_H

#include "tilewright/Spec/KernelSpec.h"

namespace tilewright::spec {

struct ReferenceCode;

/// What an element of the output should be.
struct ReferenceValue {
  /// The value, where the output's elements are floats.
  double real = 0;
  /// The value, where they are integers.
  int64_t integer = 0;
  /// See above. Infinite: the reference has no defined value here, because it
  /// divides an integer by zero or converts a number that does not fit.
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
