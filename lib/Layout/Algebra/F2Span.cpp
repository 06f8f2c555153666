//===- F2Span.cpp - Span of bit vectors -----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/F2Span.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace tilewright;

F2Span::Pivot F2Span::reduce(Pivot rest) const {
  uint64_t pending = rest.vector;
  while (pending) {
    unsigned bit = llvm::Log2_64(pending);
    if (const Pivot &pivot = pivots[bit]; pivot.vector) {
      rest.vector ^= pivot.vector;
      rest.sumOf ^= pivot.sumOf;
    }
    pending = rest.vector & ((uint64_t(1) << bit) - 1);
  }
  return rest;
}

bool F2Span::insert(uint64_t vector) {
  assert(numInserted < 64 && "a span numbers at most 64 vectors");
  Pivot rest = reduce({vector, uint64_t(1) << numInserted++});
  if (!rest.vector)
    return false;
  pivots[llvm::Log2_64(rest.vector)] = rest;
  ++numIndependent;
  return true;
}

std::optional<uint64_t> F2Span::solve(uint64_t vector) const {
  Pivot rest = reduce({vector, 0});
  if (rest.vector)
    return std::nullopt;
  return rest.sumOf;
}

uint64_t F2Span::coordinates(uint64_t vector) const {
  Pivot rest = reduce({vector, 0});
  assert(!rest.vector && "the span does not hold the vector");
  return rest.sumOf;
}
