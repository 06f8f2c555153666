//===- BankModelTest.cpp - Tests of the bank model ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace llvm;
using namespace tilewright;

static SmallVector<int64_t> strided(unsigned lanes, int64_t stride) {
  SmallVector<int64_t> addresses;
  for (unsigned lane = 0; lane < lanes; ++lane)
    addresses.push_back(lane * stride);
  return addresses;
}

/// Each line: access, bytes, wavefronts counted, 32 addresses.
TEST(BankModel, GivesWhatAnH200Counted) {
  auto file = MemoryBuffer::getFile(TILEWRIGHT_TEST_DATA "/h200-wavefronts.csv",
                                    /*IsText=*/true);
  ASSERT_TRUE(bool(file));
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), 401u);
  for (StringRef line : ArrayRef(lines).drop_front()) {
    SmallVector<StringRef> fields;
    line.trim().split(fields, ',');
    ASSERT_EQ(fields.size(), 3u + lanesPerWarp);
    SharedAccessKind kind = SharedAccessKind::Load;
    if (fields[0] == "store")
      kind = SharedAccessKind::Store;
    else if (fields[0] == "ldmatrix")
      kind = SharedAccessKind::LoadMatrix;
    else
      ASSERT_EQ(fields[0], "load");
    unsigned bytes = 0, counted = 0;
    ASSERT_TRUE(to_integer(fields[1], bytes, 10));
    ASSERT_TRUE(to_integer(fields[2], counted, 10));
    SmallVector<int64_t> addresses(lanesPerWarp);
    for (auto [field, address] : zip(ArrayRef(fields).drop_front(3), addresses))
      ASSERT_TRUE(to_integer(field, address, 10));
    EXPECT_EQ(countWavefronts(kind, bytes, addresses), counted) << line.str();
    EXPECT_LE(fewestWavefronts(kind, bytes, addresses), counted) << line.str();
  }
}

TEST(BankModel, StrideOfWordsConflictsByItsCommonDivisorWith32) {
  for (int64_t stride = 0; stride <= 130; ++stride) {
    unsigned expected = stride ? std::gcd<int64_t>(stride, 32) : 1;
    for (auto kind : {SharedAccessKind::Load, SharedAccessKind::Store})
      EXPECT_EQ(countWavefronts(kind, 4, strided(32, 4 * stride)), expected)
          << stride;
  }
}

TEST(BankModel, AdjacentLanesUseAllBanks) {
  for (auto kind : {SharedAccessKind::Load, SharedAccessKind::Store}) {
    EXPECT_EQ(countWavefronts(kind, 1, strided(32, 1)), 1u);
    EXPECT_EQ(countWavefronts(kind, 2, strided(32, 2)), 1u);
    EXPECT_EQ(countWavefronts(kind, 4, strided(32, 4)), 1u);
    EXPECT_EQ(countWavefronts(kind, 8, strided(32, 8)), 2u);
    EXPECT_EQ(countWavefronts(kind, 16, strided(32, 16)), 4u);
  }
  EXPECT_EQ(countWavefronts(SharedAccessKind::LoadMatrix, 16, strided(32, 16)),
            4u);
}

TEST(BankModel, OnlyWideLoadsMergeGroups) {
  SmallVector<int64_t> same(32, 0);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 16, same), 2u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Store, 16, same), 4u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::LoadMatrix, 16, same), 4u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 8, same), 1u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Store, 8, same), 2u);
  // One lane that disagrees with both of its partners ends the merge; without
  // its partners it agrees with anything.
  SmallVector<int64_t> other = same;
  other[31] = 128;
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 16, other), 5u);
  other[30] = other[29] = -1;
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 16, other), 3u);
}

/// Lanes l and l ^ 2 share their 16 bytes: two groups of 16 lanes, each all
/// banks once, where a store takes four of 8.
TEST(BankModel, MergesPartnersAtDistanceTwo) {
  SmallVector<int64_t> addresses;
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses.push_back(int64_t(16) * (lane / 4 * 2 + lane % 2));
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 16, addresses), 2u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Store, 16, addresses), 4u);
  // At distance 4 nothing merges.
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses[lane] = int64_t(16) * (lane / 8 * 4 + lane % 4);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 16, addresses), 4u);
}

/// What the groups of lanes ask for at least, wherever the data are.
TEST(BankModel, TheFewestWavefrontsAreOfGroups) {
  auto load = [](unsigned bytes, ArrayRef<int64_t> addresses) {
    return fewestWavefronts(SharedAccessKind::Load, bytes, addresses);
  };
  auto store = [](unsigned bytes, ArrayRef<int64_t> addresses) {
    return fewestWavefronts(SharedAccessKind::Store, bytes, addresses);
  };
  SmallVector<int64_t> column = strided(32, 128), same(32, 0), none(32, -1);
  for (unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    EXPECT_EQ(load(bytes, column), std::max(bytes / 4, 1u));
    EXPECT_EQ(store(bytes, column), std::max(bytes / 4, 1u));
    EXPECT_EQ(load(bytes, same), std::max(bytes / 8, 1u));
    EXPECT_EQ(store(bytes, same), std::max(bytes / 4, 1u));
    EXPECT_EQ(load(bytes, none), 0u);
  }
  // Two different addresses that no lane l shares with l ^ 1 and l ^ 2: the
  // groups are of 8 lanes.
  SmallVector<int64_t> two;
  for (unsigned lane = 0; lane < 32; ++lane)
    two.push_back(popcount(lane) % 2 ? 512 : 0);
  EXPECT_EQ(load(16, two), 4u);
  // An idle group takes nothing.
  SmallVector<int64_t> first8 = column;
  std::fill(first8.begin() + 8, first8.end(), -1);
  EXPECT_EQ(store(16, first8), 1u);
  EXPECT_EQ(fewestWavefronts(SharedAccessKind::LoadMatrix, 16, same), 4u);
}

TEST(BankModel, InactiveLanesTakeNoPart) {
  SmallVector<int64_t> none(32, -1);
  for (auto kind : {SharedAccessKind::Load, SharedAccessKind::Store,
                    SharedAccessKind::LoadMatrix})
    EXPECT_EQ(countWavefronts(kind, 16, none), 0u);
  SmallVector<int64_t> column = strided(32, 128);
  for (unsigned lane = 8; lane < 32; ++lane)
    column[lane] = -1;
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 4, column), 8u);
  // Addresses beyond the end are the same as inactive ones.
  EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 4, strided(8, 128)), 8u);
  EXPECT_EQ(countWavefronts(SharedAccessKind::Store, 16, {}), 0u);
}

/// Reading 16 bytes of each row of a 32-word-wide tile: the eight lanes of a
/// group start 32 words apart, all in bank 0. A pitch of 33 words (pad 1) is
/// not 16-byte aligned and could not be executed; of 36 (pad 4) it spreads
/// the group over all banks; of 34 or 40 it does so only in part.
TEST(BankModel, SixteenByteColumnsNeedFourWordsOfPadding) {
  auto countAt = [](int64_t pitchInWords) {
    return countWavefronts(SharedAccessKind::Load, 16,
                           strided(32, 4 * pitchInWords));
  };
  EXPECT_EQ(countAt(32), 32u);
  EXPECT_EQ(countAt(36), 4u);
  EXPECT_EQ(countAt(40), 8u);
  EXPECT_EQ(countAt(48), 16u);
}

TEST(BankModel, TurningTheBanksRoundChangesNothing) {
  for (int64_t stride : {4, 12, 20, 64, 132})
    for (int64_t shift : {4, 8, 60, 128, 4096}) {
      SmallVector<int64_t> here = strided(32, stride), there = here;
      for (int64_t &address : there)
        address += shift;
      EXPECT_EQ(countWavefronts(SharedAccessKind::Load, 4, here),
                countWavefronts(SharedAccessKind::Load, 4, there));
    }
}
