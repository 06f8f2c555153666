//===- SharedLayoutCandidates.h - Layouts to choose from --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The families of layouts that chooseSharedLayout() compares. Those that are
// small are listed; of the swizzles, only the best is.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTCANDIDATES_H
#define TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTCANDIDATES_H

#include "tilewright/Layout/Shared/AccessSubspaces.h"
#include "tilewright/Layout/Shared/SharedLayoutChoice.h"

namespace tilewright {

/// A tile whose dimensions are in some order, fastest first.
struct OrderedTile {
  SharedLayout layout;
  /// Goes before the name of a candidate: empty if row-major.
  std::string order;
  /// Extent of the fastest dimension that has one.
  int64_t rowElements = 1;
  unsigned elementBytes = 1;

  /// `fastest` comes first, then the others in row-major order.
  OrderedTile(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
              std::optional<int64_t> fastest);

  /// Row-major, then each other dimension as the fastest.
  static std::vector<OrderedTile> all(llvm::ArrayRef<int64_t> shape,
                                      unsigned elementBytes);

  /// The tile as it is, and padded; nobody has counted what that costs yet.
  SharedLayoutCandidate asIs() const;
  SharedLayoutCandidate padded(int64_t interval, int64_t amount) const;
};

/// The best swizzle<bits, base, shift> of each order, if there is any, and if
/// it costs less than the order as it is. The number tried is added to `tried`.
std::vector<SharedLayoutCandidate>
bestTextbookSwizzles(llvm::ArrayRef<OrderedTile> tiles,
                     llvm::ArrayRef<AccessSubspaces> accesses, uint64_t &tried);

/// One element a row, and what keeps accesses of 4 to 64 bytes aligned.
std::vector<SharedLayoutCandidate>
commonPaddings(llvm::ArrayRef<OrderedTile> tiles);

/// All other amounts up to 128 bytes, after which banks repeat, behind each row
/// and, where rows are shorter, behind each 128 bytes.
std::vector<SharedLayoutCandidate> furtherPaddings(const OrderedTile &tile);

/// The modes of TMA and wgmma that the tile can have, with rows of `rowBytes`
/// along `rowDim` where that is given.
std::vector<SharedLayoutCandidate>
hardwareCandidates(llvm::ArrayRef<int64_t> shape, unsigned elementBytes,
                   std::optional<unsigned> rowDim,
                   std::optional<int64_t> rowBytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_SHARED_SHAREDLAYOUTCANDIDATES_H
