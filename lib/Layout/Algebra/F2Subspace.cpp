//===- F2Subspace.cpp - Subspaces of bit vectors --------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/F2Subspace.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilewright;

uint32_t F2Subspace::reduce(uint32_t vector) const {
  for (uint32_t pivot : vectors)
    if (vector & bit_floor(pivot))
      vector ^= pivot;
  return vector;
}

bool F2Subspace::insert(uint32_t vector) {
  vector = reduce(vector);
  if (!vector)
    return false;
  uint32_t highest = bit_floor(vector);
  for (uint32_t &pivot : vectors)
    if (pivot & highest)
      pivot ^= vector;
  vectors.insert(upper_bound(vectors, vector, std::greater<>()), vector);
  return true;
}

F2Subspace F2Subspace::operator+(const F2Subspace &other) const {
  F2Subspace sum = *this;
  for (uint32_t vector : other.vectors)
    sum.insert(vector);
  return sum;
}

F2Subspace F2Subspace::intersect(const F2Subspace &other,
                                 unsigned numBits) const {
  // A vector is in both if all functions that are 0 on either are 0 on it.
  return (annihilator(numBits) + other.annihilator(numBits))
      .annihilator(numBits);
}

F2Subspace F2Subspace::annihilator(unsigned numBits) const {
  uint32_t pivots = 0;
  for (uint32_t vector : vectors)
    pivots |= bit_floor(vector);
  F2Subspace result;
  for (unsigned bit = 0; bit < numBits; ++bit) {
    if (pivots >> bit & 1)
      continue;
    uint32_t function = uint32_t(1) << bit;
    for (uint32_t vector : vectors)
      if (vector >> bit & 1)
        function |= bit_floor(vector);
    result.insert(function);
  }
  return result;
}

unsigned tilewright::f2Rank(ArrayRef<uint32_t> vectors) {
  // Pivots by their highest bit; none is reduced by later ones.
  SmallVector<uint32_t, 16> pivots;
  for (uint32_t vector : vectors) {
    for (uint32_t pivot : pivots)
      vector = std::min(vector, vector ^ pivot);
    if (vector)
      pivots.push_back(vector);
  }
  return pivots.size();
}

std::optional<SmallVector<uint32_t, 24>>
tilewright::f2Inverse(ArrayRef<uint32_t> rows) {
  // Gauss-Jordan: the rows become unit vectors, and `combined` says of which
  // rows each is the sum.
  unsigned size = rows.size();
  SmallVector<uint32_t, 24> left(rows), combined;
  for (unsigned row = 0; row < size; ++row)
    combined.push_back(uint32_t(1) << row);
  for (unsigned column = 0; column < size; ++column) {
    unsigned pivot = column;
    while (pivot < size && !(left[pivot] >> column & 1))
      ++pivot;
    if (pivot == size)
      return std::nullopt;
    std::swap(left[pivot], left[column]);
    std::swap(combined[pivot], combined[column]);
    for (unsigned row = 0; row < size; ++row)
      if (row != column && left[row] >> column & 1) {
        left[row] ^= left[column];
        combined[row] ^= combined[column];
      }
  }
  // combined[i] holds row i of the inverse; its columns are asked for.
  SmallVector<uint32_t, 24> columns(size, 0);
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column)
      if (combined[row] >> column & 1)
        columns[column] |= uint32_t(1) << row;
  return columns;
}
