//===- SharedLayout.h - Where a tile stands in shared memory ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of n elements takes n places in shared memory. Which element takes
// which place is free, and decides how many banks an access can use at once. A
// SharedLayout is made of two steps, each of which may be absent:
//
//   1. a linear map (LinearLayout.h) that puts each element at an offset of
//      0 .. n-1: in the order of the dimensions, or swizzled, which moves the
//      elements of a row about in a way that differs from row to row;
//   2. padding, which leaves some elements unused after each interval:
//      padded(offset) = offset + (offset / interval) * amount.
//
// Both do the same for a column of a 4 x 4 tile with 4 banks, bank by bank:
//
//      row-major       1 element of padding every 4    swizzle<2,0,2>
//      a0 a1 a2 a3     a0 a1 a2 a3                     a0 a1 a2 a3
//      b0 b1 b2 b3     -- b0 b1 b2                     b1 b0 b3 b2
//      c0 c1 c2 c3     b3 -- c0 c1                     c2 c3 c0 c1
//      d0 d1 d2 d3     c2 c3 -- d0                     d3 d2 d1 d0
//                      d1 d2 d3
//
// Column 0 (a0 b0 c0 d0) is in one bank at left, in four banks in the others.
// Padding costs memory, a swizzle costs an XOR. In code:
//
//      auto tile = SharedLayout::rowMajor({4, 4});
//      tile.offset({2, 1});                       // 9
//      tile.withPadding(4, 1).offset({2, 1});     // 9 + 2 * 1 = 11
//      tile.withSwizzle(2, 0, 2).offset({2, 1});  // 9 ^ (9 >> 2) = 11
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUT_H
#define TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUT_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <array>
#include <optional>

namespace tilewright {

/// Where each element of a tile stands in shared memory, counted in elements
/// from the start of the tile. A tile has at most 2^31 elements, and each of
/// its extents is a power of two.
class SharedLayout {
public:
  /// A tile of one element and no dimension.
  SharedLayout() : SharedLayout(ordered({}, {})) {}

  static SharedLayout rowMajor(llvm::ArrayRef<int64_t> shape);

  /// Dimension order[0] varies fastest, then order[1], and so on; `order` is a
  /// permutation of the dimensions.
  static SharedLayout ordered(llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> order);

  /// Makes a layout from a linear one with one input, "offset", and the
  /// padding. Errors: a layout that is not bijective or has other inputs, an
  /// interval that is no power of two, an amount that is negative or makes the
  /// tile larger than 2^40 elements. No padding: an amount of 0, whatever the
  /// interval.
  static llvm::Expected<SharedLayout> create(LinearLayout offsetToPoint,
                                             int64_t padInterval = 0,
                                             int64_t padAmount = 0);

  /// This layout, with `amount` unused elements after every `interval` ones
  /// (a power of two) in place of the padding it has.
  SharedLayout withPadding(int64_t interval, int64_t amount) const;

  /// This layout, with the element at offset o moved to
  ///     o ^ ((o >> shift) & (((1 << bits) - 1) << base)),
  /// shift >= 1: CuTe's Swizzle<bits, base, shift>, in elements.
  SharedLayout withSwizzle(unsigned bits, unsigned base, unsigned shift) const;

  llvm::ArrayRef<int64_t> shape() const { return offsetToPoint.shape(); }
  int64_t numElements() const { return offsetToPoint.numElements(); }

  /// The map from "offset" to the element there, without padding.
  const LinearLayout &linear() const { return offsetToPoint; }
  /// The inverse, from "dim0", "dim1", ... to the offset, without padding.
  const LinearLayout &pointToOffset() const { return offsetOfPoint; }

  /// 0 when there is no padding.
  int64_t padInterval() const { return interval; }
  int64_t padAmount() const { return amount; }
  /// Is there an element that padding moves?
  bool isPadded() const { return amount != 0; }
  /// Where an offset without padding comes to lie.
  int64_t pad(int64_t offset) const {
    return amount ? offset + offset / interval * amount : offset;
  }

  /// Where an element stands, in elements, padding included.
  int64_t offset(llvm::ArrayRef<int32_t> point) const {
    return pad(linearOffset(point));
  }
  /// The same without padding.
  int64_t linearOffset(llvm::ArrayRef<int32_t> point) const;
  /// Elements from the start of the tile to the end of its last element.
  int64_t sizeInElements() const { return pad(numElements() - 1) + 1; }

  struct Description {
    /// Fastest dimension first. Where an extent of 1 leaves it open, the
    /// order is row-major if it can be; else such dimensions come last.
    llvm::SmallVector<int64_t, 4> order;
    /// The numbers of withSwizzle(), as small as they can be.
    std::optional<std::array<unsigned, 3>> swizzle;
  };
  /// How ordered() and withSwizzle() make the linear part, or nullopt when
  /// they cannot.
  std::optional<Description> describe() const;

  bool operator==(const SharedLayout &other) const;
  bool operator!=(const SharedLayout &other) const { return !(*this == other); }

  /// What the attribute of tile IR has after the shape, as far as it is not
  /// row-major: "order [0,1]" (the fastest dimension first), "swizzle<3,2,3>"
  /// or "bits [c0..1+r0..1, c2, r0..2]" (OffsetBits.h), "pad 1 every 32".
  llvm::SmallVector<std::string, 3> clauses() const;

  /// The clauses, or "row-major" where there are none.
  std::string toString() const;

private:
  explicit SharedLayout(LinearLayout linear);

  LinearLayout offsetToPoint, offsetOfPoint;
  int64_t interval = 0;
  int64_t amount = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_SHARED_SHAREDLAYOUT_H
