//===- SwizzleSearchTest.cpp - Tests of the search for a swizzle ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/SwizzleSearch.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

static std::vector<AccessSubspaces>
subspacesOf(ArrayRef<SharedAccess> accesses) {
  return std::vector<AccessSubspaces>(accesses.begin(), accesses.end());
}

/// By the bank model; UINT64_MAX if the layout does not serve an access.
static uint64_t costByModel(ArrayRef<SharedAccess> accesses,
                            const SharedLayout &layout) {
  uint64_t total = 0;
  for (const SharedAccess &access : accesses) {
    SharedAccessCost cost = costOfSharedAccess(access, layout);
    if (!isServedBy(access, cost.vectorElements))
      return UINT64_MAX;
    total += access.trips * (cost.wavefronts + cost.instructionsOfBlock());
  }
  return total;
}

//===----------------------------------------------------------------------===//
// The oracle
//===----------------------------------------------------------------------===//

namespace {
/// Tries every invertible matrix: row by row, each vector that is independent
/// of those before. Rows beyond 128 bytes do not matter (LinesMayBePermuted),
/// but for being there; nor does the order of rows beyond 16 bytes, of which
/// one is tried.
class Oracle {
public:
  Oracle(ArrayRef<SharedAccess> accesses, unsigned numBits, unsigned bytes)
      : subspaces(subspacesOf(accesses)), numBits(numBits),
        numRows(std::min(numBits, 7 - Log2_32(bytes))),
        widestVector(4 - Log2_32(bytes)) {}

  uint64_t run() {
    extend(F2Subspace());
    return least;
  }

private:
  void extend(const F2Subspace &span) {
    if (rows.size() == numRows) {
      SmallVector<uint32_t, 24> all(rows);
      F2Subspace complete = span;
      for (unsigned bit = 0; bit < numBits; ++bit)
        if (complete.insert(1u << bit))
          all.push_back(1u << bit);
      OffsetMatrix matrix(all);
      uint64_t cost = 0;
      for (const AccessSubspaces &access : subspaces)
        cost = SaturatingAdd(cost, access.cost(matrix).value_or(UINT64_MAX));
      least = std::min(least, cost);
      return;
    }
    uint32_t first = rows.size() > widestVector ? rows.back() : 1;
    for (uint32_t row = first; row < 1u << numBits; ++row) {
      F2Subspace larger = span;
      if (!larger.insert(row))
        continue;
      rows.push_back(row);
      extend(larger);
      rows.pop_back();
    }
  }

  std::vector<AccessSubspaces> subspaces;
  unsigned numBits, numRows, widestVector;
  SmallVector<uint32_t, 24> rows;
  uint64_t least = UINT64_MAX;
};
} // namespace

static SharedAccess randomAccess(Random &random, ArrayRef<int64_t> shape,
                                 unsigned bytes) {
  SharedAccess access;
  access.kind =
      random.chance(50) ? SharedAccessKind::Load : SharedAccessKind::Store;
  access.registers = randomRegisterLayout(random, shape, random.below(2),
                                          /*mix=*/random.chance(30));
  access.elementBytes = bytes;
  access.trips = 1 + random.below(3);
  return access;
}

static std::string describe(ArrayRef<SharedAccess> accesses) {
  std::string text;
  for (const SharedAccess &access : accesses)
    text += (access.kind == SharedAccessKind::Load ? "load " : "store ") +
            std::to_string(access.trips) + " x " + access.registers.toString() +
            " of " + std::to_string(access.elementBytes) + " bytes, vector " +
            std::to_string(access.requiredVector) + "\n";
  return text;
}

/// A random tile of 2^numBits elements.
static void compareWithOracle(Random &random, unsigned numBits, unsigned bytes,
                              unsigned minAccesses, unsigned maxAccesses,
                              unsigned &aboveBound) {
  unsigned rowBits = random.below(numBits + 1);
  SmallVector<int64_t, 4> shape = {int64_t(1) << rowBits,
                                   int64_t(1) << (numBits - rowBits)};
  std::vector<SharedAccess> accesses;
  for (uint64_t count =
           minAccesses + random.below(maxAccesses - minAccesses + 1);
       count > 0; --count)
    accesses.push_back(randomAccess(random, shape, bytes));
  SCOPED_TRACE(describe(accesses));

  SwizzleSearchResult found =
      searchSwizzles(shape, bytes, subspacesOf(accesses));
  uint64_t oracle = Oracle(accesses, numBits, bytes).run();
  EXPECT_EQ(found.cost, oracle);
  EXPECT_LE(found.lowerBound, oracle);
  EXPECT_TRUE(found.isProven);
  ASSERT_EQ(found.best.has_value(), oracle != UINT64_MAX);
  if (found.best) {
    EXPECT_EQ(costByModel(accesses, found.best->toLayout(shape)), oracle);
  }
  aboveBound += found.cost > found.lowerBound;
}

TEST(SwizzleSearch, NeverLosesToTheOracle) {
  Random random(70);
  unsigned aboveBound = 0;
  for (unsigned round = 0; round < 300 && !HasFailure(); ++round)
    compareWithOracle(random, 4, 1u << random.below(5), 1, 4, aboveBound);
  for (unsigned round = 0; round < 40 && !HasFailure(); ++round)
    compareWithOracle(random, 6, 16, 6, 16, aboveBound);
  for (unsigned round = 0; round < 20 && !HasFailure(); ++round)
    compareWithOracle(random, 5, 8, 1, 5, aboveBound);
  // Not all of them are easy.
  EXPECT_GT(aboveBound, 10u);
}
