//===- RowRing.cpp - Rows of memory that are walked along -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/RowRing.h"

#include "llvm/Support/MathExtras.h"

using namespace tilewright;

/// Granules are lines of memory: by halves of them blocks do worse than without
/// walks (docs/decisions/0078-walks-along-odd-rows.md).
static constexpr int64_t kRingBytes = 512;

std::optional<RowRing> RowRing::choose(int64_t rows, int64_t room) {
  RowRing ring{kRingBytes};
  return ring.countBytes(rows) <= room ? std::optional(ring) : std::nullopt;
}

SharedLayout RowRing::getLayout(llvm::ArrayRef<int64_t> shape, unsigned rowDim,
                                unsigned elementBytes, int64_t rows) const {
  llvm::SmallVector<int64_t> order = {rowDim};
  for (size_t dim = shape.size(); dim-- > 0;)
    if (dim != rowDim)
      order.push_back(dim);
  SharedLayout layout = SharedLayout::ordered(shape, order);
  int64_t ofRow = ringBytes / elementBytes;
  int64_t numRows = layout.numElements() / ofRow;
  int64_t missing = countBytes(rows) / elementBytes - numRows * ofRow;
  return layout.withPadding(ofRow, llvm::divideCeil(missing, numRows - 1));
}
