//===- SwizzleRows.h - The rows of a swizzle, given its vectors -*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps 3 and 4 of SwizzleSearch.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_SHARED_SWIZZLEROWS_H
#define TILEWRIGHT_LIB_LAYOUT_SHARED_SWIZZLEROWS_H

#include "tilewright/Layout/Shared/SwizzleSearch.h"

namespace tilewright {

/// One form for each access.
struct SwizzlePlan {
  llvm::SmallVector<const AccessSubspaces::Form *, 4> forms;
  /// The cost without conflicts.
  uint64_t leastCost = 0;
};

/// What all parts of a search share.
struct SwizzleSearchState {
  llvm::ArrayRef<int64_t> shape;
  unsigned numBits, elementBits;
  llvm::ArrayRef<AccessSubspaces> accesses;
  uint64_t stepsLeft;
  /// Some layouts were left out.
  bool isCutShort = false;
  SwizzleSearchResult result;

  /// Bits of the offset inside of a 4-byte word, and inside of the banks.
  unsigned wordBits() const {
    return elementBits < 2 ? std::min(2 - elementBits, numBits) : 0;
  }
  unsigned lineBits() const { return std::min(7 - elementBits, numBits); }
  /// Counts a step of a search for this plan. False: the search is over, since
  /// what there is cannot be beaten, or since its steps have run out.
  bool takeStep(const SwizzlePlan &plan);
  /// The elements in the order of a plain layout in which the dimension of
  /// `first` is the fastest: which bit of an element is which of the offset.
  llvm::SmallVector<unsigned, 24> plainOrder(uint32_t first) const;
};

/// Bit `bit` of the offset lies inside of vectors: the elements that may stand
/// at offset 2^bit, and those that must have the bit clear.
struct VectorBit {
  F2Subspace inside, outside;
};

/// Finds the best rows if element vectors[i] stands at offset 2^i, and records
/// them in `state` if they cost less than what there is.
void searchRows(SwizzleSearchState &state, const SwizzlePlan &plan,
                llvm::ArrayRef<VectorBit> bits,
                llvm::ArrayRef<uint32_t> vectors);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_SHARED_SWIZZLEROWS_H
