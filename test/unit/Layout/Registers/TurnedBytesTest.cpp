//===- TurnedBytesTest.cpp ------------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/TurnedBytes.h"

#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include "tilewright/Layout/Shared/SharedAccess.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

std::string describe(const LinearLayout &layout) {
  return toString(*layoutToFactors(layout));
}

TEST(TurnedBytes, AThreadHasBlocks) {
  LinearLayout layout = layOutTurnedBytes({128, 64}, /*to=*/0, 4);
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(describe(layout),
            "register[16,4] lane[4,2] lane[1,4] warp[2,1] warp[1,2]");
}

TEST(TurnedBytes, ThreadsWithoutElementsHaveCopies) {
  LinearLayout layout = layOutTurnedBytes({8, 32}, /*to=*/1, 4);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.zeroBasisMask("warp"), 3);
}

/// Of 16 bytes along the rows to which they are turned, in rows of 128.
TEST(TurnedBytes, WritesHaveNoConflicts) {
  for (int64_t along : {128, 256}) {
    SharedAccess store;
    store.kind = SharedAccessKind::Store;
    store.registers = layOutTurnedBytes({along, 64}, /*to=*/0, 4);
    store.elementBytes = 1;
    SharedAccessCost cost = costOfSharedAccess(
        store, llvm::cantFail(hardwareLayout({along, 64}, /*elementBytes=*/1,
                                             /*rowDim=*/0,
                                             HardwareSwizzle::get(128))));
    EXPECT_EQ(cost.vectorElements, 16u);
    EXPECT_TRUE(cost.isIdeal()) << along;
  }
}

} // namespace
