//===- SwizzleSearch.h - The best swizzle for any accesses ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A swizzle is an invertible matrix over F2 that takes the n bits of an element
// to the n bits of its offset. For n = 12 there are some 2^142 of them; this
// search builds a best one row by row instead, for AccessSubspaces.h says what
// each row has to do:
//
//   1. Forms. Each access wants wide vectors; which widths can be had together
//      is decided by ranks alone. Sets of widths are visited from the cheapest
//      up, at the cost they have without conflicts. The first is a lower bound
//      that holds for every layout, padded ones too.
//   2. Vectors. Offsets 1, 2, 4, ... inside of a vector must be elements that
//      each thread of each wide access holds: they come out of the
//      intersection of these accesses' registers.
//   3. Banks. Row by row, an offset bit that selects a bank is a linear
//      function of the element. Each access has a kernel: differences between
//      its words in one group of lanes which all rows so far take to 0. A row
//      that is not 0 on the kernel makes it one dimension smaller; once it is
//      empty, the access has no conflict. With one row left for a kernel of
//      one dimension, or k for k, only rows that cut it will do, so that most
//      branches end at once.
//   4. Lines. The other bits of the offset, 128 bytes and up, are whatever
//      makes the matrix invertible.
//
// For example, a tile of 8 x 4 float4 (16 bytes, 8 to all banks), where lanes
// 0-7 write two rows and lanes 0-7 read 8 rows of one column. Bits of an
// element: r2 r1 r0 c1 c0. The kernels are {c0, c1, r0} and {r0, r1, r2}, and
// three rows must cut both to nothing. In row-major order they are c0, c1, r0:
// r1 and r2 stay in the second kernel, 4 wavefronts. The search finds
//      c0 + r1, c1 + r2, r0:     swizzle<2,0,3>, no conflict for either.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_SWIZZLESEARCH_H
#define TILEWRIGHT_LAYOUT_SHARED_SWIZZLESEARCH_H

#include "tilewright/Layout/Shared/AccessSubspaces.h"

namespace tilewright {

struct SwizzleSearchResult {
  /// The cheapest layout found, if it costs less than what was to be beaten.
  std::optional<OffsetMatrix> best;
  /// Its cost, or what was to be beaten.
  uint64_t cost = UINT64_MAX;
  /// No layout costs less, padded ones included. UINT64_MAX: no layout serves
  /// all accesses.
  uint64_t lowerBound = UINT64_MAX;
  /// No layout without padding costs less than `cost`: either it is the lower
  /// bound, or the search has seen all that could.
  bool isProven = false;
  /// Rows that were tried.
  uint64_t steps = 0;
};

/// Rows to try before a search gives up on a proof: one or two milliseconds.
constexpr uint64_t defaultSwizzleSearchSteps = 10000;

/// The layout without padding of least cost for `accesses` to a tile of
/// `shape`, elements of `elementBytes`, if it costs less than `costToBeat`.
/// The same result on every machine.
SwizzleSearchResult
searchSwizzles(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
               llvm::ArrayRef<AccessSubspaces> accesses,
               uint64_t costToBeat = UINT64_MAX,
               uint64_t maxSteps = defaultSwizzleSearchSteps);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_SWIZZLESEARCH_H
