//===- LayoutFactors.h - Register layouts as products -----------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most register layouts are products of blocks, and are easiest to read so,
// from the innermost block out:
//
//      register[1,4] lane[4,8] warp[2,1] register[4,1]
//
// says that a thread holds 1 x 4 adjacent elements; the 32 lanes of a warp
// cover 4 x 8 such pieces, that is 4 x 32 elements, the last dimension
// fastest (lanes 0 to 7 are side by side, lane 8 is below lane 0); two warps
// stand one above the other, 8 x 32; and all of that repeats 4 times downward
// in further registers: a tile of 32 x 32.
//
// Data that several threads hold has a factor of copies in place of a block:
//
//      register[1,4] lane[1,8] lane*4
//
// is a tile of 1 x 32 in lanes 0 to 7, and again in 8 to 15, 16 to 23 and
// 24 to 31.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTFACTORS_H
#define TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTFACTORS_H

#include "tilewright/Layout/Algebra/LinearLayout.h"

#include <optional>

namespace tilewright {

/// A block that an input covers, or copies that it numbers.
struct LayoutFactor {
  /// "register", "lane" or "warp", though any name will do.
  std::string input;
  /// One extent a dimension, in units of what inner factors cover; empty for
  /// copies.
  llvm::SmallVector<int64_t, 4> extents;
  /// Values of the input that hold the same data; 1 for a block.
  int64_t copies = 1;

  bool operator==(const LayoutFactor &other) const {
    return input == other.input && extents == other.extents &&
           copies == other.copies;
  }
};

/// The product of `factors`, the innermost first, over a tile of `rank`
/// dimensions whose extents are what the factors cover. The inputs "register",
/// "lane" and "warp" are there even without a factor. Errors: a number of
/// extents other than `rank`, both extents and copies, an extent or number of
/// copies that is no power of two, a layout too large for LinearLayout.
llvm::Expected<LinearLayout>
layoutFromFactors(llvm::ArrayRef<LayoutFactor> factors, unsigned rank);

/// The factors of a layout, as few as possible, or nullopt when it is no
/// product of blocks (a swizzled one, or one that leaves out elements).
/// layoutFromFactors() of them gives the layout back.
std::optional<llvm::SmallVector<LayoutFactor>>
layoutToFactors(const LinearLayout &layout);

/// "register[1,4] lane[1,8] lane*4".
std::string toString(llvm::ArrayRef<LayoutFactor> factors);

} // namespace tilewright

#endif // TILEWRIGHT_LAYOUT_ALGEBRA_LAYOUTFACTORS_H
