//===- F2Subspace.h - Subspaces of bit vectors ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subspace of F2^n is a set of bit vectors with the XOR of any two of them.
// Where F2Span (F2Span.h) says which inserted vectors add up to another, a
// subspace forgets how it was made: it has one form, its reduced basis, so that
// equal subspaces compare equal, and it can be joined and cut with others:
//
//   F2Subspace rows({0b0100, 0b1000}), lanes({0b0001, 0b0110});
//   rows.contains(0b1100);               // true
//   (rows + lanes).rank();               // 4
//   rows.intersect(lanes).rank();        // 0: lanes are told apart by the rest
//
// A mask m is also the linear function that takes x to the parity of x & m. The
// annihilator of a subspace holds the functions that are 0 on all of it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_F2SUBSPACE_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_F2SUBSPACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// The value of the linear function `mask` at `vector`.
inline bool f2Dot(uint32_t mask, uint32_t vector) {
  return llvm::popcount(mask & vector) % 2 != 0;
}

/// A subspace of the vectors of up to 32 bits.
class F2Subspace {
public:
  F2Subspace() = default;
  explicit F2Subspace(llvm::ArrayRef<uint32_t> generators) {
    for (uint32_t vector : generators)
      insert(vector);
  }

  /// Adds a vector; returns whether it is new.
  bool insert(uint32_t vector);

  /// What is left of a vector in the quotient by this subspace: 0 for those in
  /// it, the same for two vectors whose sum is in it.
  uint32_t reduce(uint32_t vector) const;
  bool contains(uint32_t vector) const { return reduce(vector) == 0; }

  unsigned rank() const { return vectors.size(); }
  /// The reduced basis, the highest first: each vector has a highest bit that
  /// no other vector has.
  llvm::ArrayRef<uint32_t> basis() const { return vectors; }

  F2Subspace operator+(const F2Subspace &other) const;
  F2Subspace intersect(const F2Subspace &other, unsigned numBits) const;
  /// The functions of `numBits` bits that are 0 on this subspace.
  F2Subspace annihilator(unsigned numBits) const;

  bool operator==(const F2Subspace &other) const {
    return vectors == other.vectors;
  }
  bool operator<(const F2Subspace &other) const {
    return vectors < other.vectors;
  }

private:
  llvm::SmallVector<uint32_t, 12> vectors;
};

/// The rank of a few vectors.
unsigned f2Rank(llvm::ArrayRef<uint32_t> vectors);

/// The vectors x_0, x_1, ... with rows[i] . x_j = (i == j), or nullopt if the
/// rows, as many as the vectors have bits, are dependent: the columns of the
/// inverse matrix.
std::optional<llvm::SmallVector<uint32_t, 24>>
f2Inverse(llvm::ArrayRef<uint32_t> rows);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_F2SUBSPACE_H
