//===- F2Span.h - Span of bit vectors ---------------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear algebra over F2, the field of the two numbers 0 and 1, where addition
// is XOR. A vector is a word of bits; the span of some vectors is every XOR of
// a subset of them. Rank, membership, inverse and redundancy of a layout are
// all questions to a span:
//
//   F2Span span;
//   span.insert(0b011);         // vector 0: true, it is new
//   span.insert(0b110);         // vector 1: true
//   span.insert(0b101);         // vector 2: false, it is vector 0 ^ vector 1
//   span.rank();                // 2
//   span.solve(0b101);          // 0b011: the sum of vectors 0 and 1
//   span.solve(0b001);          // nullopt: outside the span
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_F2SPAN_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_F2SPAN_H

#include <array>
#include <cstdint>
#include <optional>

namespace tilewright {

/// The span of vectors of up to 64 bits, inserted one at a time.
class F2Span {
public:
  /// Adds a vector, numbered by order of insertion (at most 64 of them).
  /// Returns false when it is the sum of earlier ones: it then keeps its
  /// number, and solve() never uses it.
  bool insert(uint64_t vector);

  /// The set of inserted vectors whose sum is `vector`, as a mask of their
  /// numbers, or nullopt when there is none. Unique, for only independent
  /// vectors take part.
  std::optional<uint64_t> solve(uint64_t vector) const;

  /// The solution for a vector that the span holds.
  uint64_t coordinates(uint64_t vector) const;

  bool contains(uint64_t vector) const { return solve(vector).has_value(); }

  /// Dimension of the span: it holds 2^rank vectors.
  unsigned rank() const { return numIndependent; }

private:
  struct Pivot {
    uint64_t vector = 0; // its highest bit is the index of the pivot
    uint64_t sumOf = 0;  // the inserted vectors that add up to it
  };
  /// What is left of `rest` once every pivot has cleared its bit.
  Pivot reduce(Pivot rest) const;

  std::array<Pivot, 64> pivots;
  unsigned numInserted = 0;
  unsigned numIndependent = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_F2SPAN_H
