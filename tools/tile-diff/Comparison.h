//===- Comparison.h - Where two results differ ------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_TOOLS_TILE_DIFF_COMPARISON_H
#define TILEWRIGHT_TOOLS_TILE_DIFF_COMPARISON_H

#include "TestRun.h"
#include "llvm/Support/JSON.h"

namespace tilewright::diff {

/// An element whose two results are further apart than they may be.
struct Difference {
  uint64_t index;
  uint64_t first;
  uint64_t second;
};

/// How two results of a buffer compare.
struct BufferComparison {
  std::string name;
  spec::ElementType type;
  uint64_t elements = 0;
  /// Elements whose bits differ, and those that differ by too much.
  uint64_t unequal = 0;
  uint64_t wrong = 0;
  /// The first wrong ones.
  std::vector<Difference> differences;
  /// The largest distance of all elements, as the buffer's tolerance measures
  /// it; 0 where bits are compared.
  double largestDistance = 0;

  llvm::json::Object toJSON() const;
};

/// Compares what two launches of a test left in its memory, one result for each
/// buffer. Both must have the sizes that the test says.
std::vector<BufferComparison> compare(const KernelTest &test,
                                      const BufferBytes &first,
                                      const BufferBytes &second);

/// "0x0000002a", as wide as the type.
std::string formatBits(spec::ElementType type, uint64_t bits);

} // namespace tilewright::diff

#endif // TILEWRIGHT_TOOLS_TILE_DIFF_COMPARISON_H
