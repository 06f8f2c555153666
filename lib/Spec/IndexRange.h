//===- IndexRange.h - The values an index expression takes ------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_SPEC_INDEXRANGE_H
#define TILEWRIGHT_LIB_SPEC_INDEXRANGE_H

#include "tilewright/Spec/Reference.h"

namespace tilewright::spec {

/// The integers from low to high, both included; none if high < low.
struct IndexRange {
  int64_t low = 0;
  int64_t high = -1;

  static IndexRange ofExtent(int64_t extent) { return {0, extent - 1}; }

  bool isEmpty() const { return high < low; }
  bool isWithin(int64_t extent) const {
    return isEmpty() || (low >= 0 && high < extent);
  }
  bool contains(int64_t value) const { return low <= value && value <= high; }
};

/// The smallest range known to hold every result of \p op on operands of these
/// ranges. Fails where an operation can overflow or divide by zero.
llvm::Expected<IndexRange> applyToRanges(ValueOp op,
                                         llvm::ArrayRef<IndexRange> operands);

} // namespace tilewright::spec

#endif // TILEWRIGHT_LIB_SPEC_INDEXRANGE_H
