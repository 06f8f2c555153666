//===- LanesOfWarpsTest.cpp - Tests of other lanes for elements -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/LanesOfWarps.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

static std::string inLanes(const LinearLayout &registers,
                           unsigned vectorElements) {
  std::optional<LinearLayout> layout =
      coalescedByLanes(registers, vectorElements);
  if (!layout)
    return "none";
  EXPECT_TRUE(layout->isSurjective());
  EXPECT_TRUE(layout->bases("warp") == registers.bases("warp"));
  std::optional<SmallVector<LayoutFactor>> factors = layoutToFactors(*layout);
  return factors ? toString(*factors) : "no product";
}

TEST(LanesOfWarps, VectorsSideBySide) {
  EXPECT_EQ(inLanes(coalescedRows({4096}, 0, 8, 4), 4),
            "register[4] lane[32] register[2] warp[4] register[4]");
  EXPECT_EQ(inLanes(coalescedRows({1, 4096}, 1, 8, 4), 4),
            "register[1,4] lane[1,32] register[1,2] warp[1,4] register[1,4]");
  // As they are.
  EXPECT_EQ(inLanes(coalescedRows({4096}, 0, 4, 4), 4),
            "register[4] lane[32] warp[4] register[8]");
  // Lines, of which a warp has every fourth one.
  EXPECT_EQ(inLanes(coalescedRows({4096}, 0, 1, 4), 4),
            "register[4] lane[8] warp[4] lane[4] register[8]");
  EXPECT_EQ(inLanes(coalescedRows({4, 256}, 1, 8, 4), 4),
            "register[1,4] lane[1,32] register[1,2] warp[4,1]");
}

TEST(LanesOfWarps, None) {
  // Vectors of which no warp has one, lanes with copies, and too few elements.
  LinearLayout dealt =
      cantFail(LinearLayout::create({{"register", {{128}, {256}}},
                                     {"lane", {{4}, {8}, {16}, {32}, {64}}},
                                     {"warp", {{1}, {2}}}},
                                    {512}));
  EXPECT_EQ(inLanes(dealt, 4), "none");
  EXPECT_EQ(inLanes(coalescedRows({64}, 0, 4, 4), 4), "none");
  EXPECT_EQ(inLanes(coalescedRows({128}, 0, 4, 1), 8), "none");
}

TEST(LanesOfWarps, ElementsByName) {
  LinearLayout rows = coalescedRows({16, 128}, 1, 4, 4);
  auto name = nameElementsOfWarps(rows);
  EXPECT_FALSE(name.empty());
  // Other lanes of the same warps.
  EXPECT_EQ(nameElementsOfWarps(*coalescedByLanes(rows, 1)), name);
  // Every fourth row, not four side by side.
  EXPECT_NE(nameElementsOfWarps(coalescedRows({16, 128}, 1, 1, 4)), name);
  // The same parts of the tile, of other warps.
  std::vector<LinearLayout::Input> inputs = rows.inputs().vec();
  for (LinearLayout::Input &input : inputs)
    if (input.name == "warp")
      std::swap(input.bases[0], input.bases[1]);
  LinearLayout swapped = cantFail(LinearLayout::create(inputs, {16, 128}));
  EXPECT_NE(nameElementsOfWarps(swapped), name);
  // Two warps have each element.
  EXPECT_TRUE(nameElementsOfWarps(coalescedRows({64}, 0, 1, 4)).empty());
}
