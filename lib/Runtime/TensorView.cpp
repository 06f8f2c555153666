//===- TensorView.cpp - A tensor in someone else's memory -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/TensorView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::runtime;

uint64_t TensorView::getElementCount() const {
  uint64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

bool TensorView::isDense() const {
  if (strides.empty() || getElementCount() == 0)
    return true;
  int64_t expected = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(extents, strides))) {
    if (extent != 1 && stride != expected)
      return false;
    expected *= extent;
  }
  return true;
}

TensorView::Span TensorView::getSpan() const {
  uint64_t elements = getElementCount();
  unsigned bytes = spec::getByteSize(type);
  if (LLVM_LIKELY(strides.empty()) || elements == 0)
    return {address, address + elements * bytes};
  int64_t first = 0, last = 0;
  for (auto [extent, stride] : llvm::zip_equal(extents, strides))
    (stride < 0 ? first : last) += (extent - 1) * stride;
  // Unsigned, so that a first element before the address wraps to the right
  // one.
  return {address + static_cast<uint64_t>(first) * bytes,
          address + (static_cast<uint64_t>(last) + 1) * bytes};
}

std::string runtime::formatExtents(llvm::ArrayRef<int64_t> extents) {
  if (extents.empty())
    return "a single element";
  return llvm::join(
      llvm::map_range(extents,
                      [](int64_t extent) { return std::to_string(extent); }),
      " x ");
}

llvm::Error runtime::verifyTensor(llvm::StringRef name, llvm::StringRef shape,
                                  llvm::ArrayRef<int64_t> wanted,
                                  const TensorView &tensor) {
  if (LLVM_UNLIKELY(wanted != llvm::ArrayRef<int64_t>(tensor.extents)))
    return llvm::createStringError(
        llvm::formatv("'{0}' is {1}; the kernel takes {2}, which is {3} here",
                      name, formatExtents(tensor.extents), shape,
                      formatExtents(wanted))
            .str());
  if (LLVM_LIKELY(tensor.isDense()))
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::formatv("'{0}' has strides of {1} elements; the kernel takes {2} "
                    "row-major without gaps: pass a contiguous copy",
                    name, formatExtents(tensor.strides), shape)
          .str());
}
