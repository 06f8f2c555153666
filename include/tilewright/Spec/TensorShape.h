//===- TensorShape.h - The tensor behind a pointer --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape says how large a tensor is and, if it matters, which numbers it
// holds:
//
//   auto shape = TensorShape::parse("I[2 * n] in 0 .. V - 1");
//   shape->evaluate({{"n", 64}, {"V", 100}})                       // 128
//   shape->range->evaluate({{"n", 64}, {"V", 100}}, I32)           // 0 .. 99
//
// The range of a tensor of floats may have real ends: "X[n] in -0.5 .. 0.5".
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_SPEC_TENSORSHAPE_H
#define TILEWRIGHT_SPEC_TENSORSHAPE_H

#include "tilewright/Spec/ElementType.h"
#include "tilewright/Spec/IntExpr.h"

namespace tilewright::spec {

/// The numbers from low to high, both included; none where high < low.
struct ElementRange {
  /// The range of a tensor of integers.
  int64_t low = 0;
  int64_t high = 0;
  /// The range of a tensor of floats; numbers of its type.
  double realLow = 0;
  double realHigh = 0;

  bool isEmpty() const { return high < low || realHigh < realLow; }
};

/// `low .. high`, unevaluated.
class ValueRange {
public:
  /// The nodes of a shape's text that stand left and right of the points.
  static llvm::Expected<ValueRange> fromNodes(const ExprTreeRef &tree,
                                              unsigned low, unsigned high);

  /// Fails where an end is real and \p type is not.
  llvm::Error verify(ElementType type) const;
  /// Fails where an end is no number of \p type; a real end is rounded to it.
  llvm::Expected<ElementRange> evaluate(const IntScope &scope,
                                        ElementType type) const;
  llvm::Error visitNames(
      llvm::function_ref<llvm::Error(llvm::StringRef, unsigned)> visit) const;

  /// As the user wrote it.
  llvm::StringRef getText() const { return text; }
  unsigned getColumn() const { return low.column; }

private:
  struct End {
    /// Nothing: the end is `real`.
    std::optional<IntExpr> integer;
    double real = 0;
    unsigned column = 0;
  };
  static llvm::Expected<End> makeEnd(const ExprTreeRef &tree, unsigned node);
  static llvm::Error evaluateEnd(const End &end, const IntScope &scope,
                                 ElementType type, int64_t &integer,
                                 double &real);

  End low, high;
  std::string text;
};

/// `A[M, N]`: the tensor that the pointer argument A points to, row-major and
/// dense.
struct TensorShape {
  std::string name;
  std::vector<IntExpr> extents;
  std::optional<ValueRange> range;
  /// As the user wrote it.
  std::string text;

  static llvm::Expected<TensorShape> parse(llvm::StringRef text);

  /// The extents, outermost first. Fails on a negative extent and on a tensor
  /// of 2^63 elements or more.
  llvm::Expected<llvm::SmallVector<int64_t>>
  evaluate(const IntScope &scope) const;
};

} // namespace tilewright::spec

#endif // TILEWRIGHT_SPEC_TENSORSHAPE_H
