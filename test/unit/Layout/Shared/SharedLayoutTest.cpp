//===- SharedLayoutTest.cpp - Tests of SharedLayout -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"
#include "tilewright/Layout/Algebra/OffsetBits.h"

#include <gtest/gtest.h>

#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

static std::string errorOf(LinearLayout layout, int64_t interval = 0,
                           int64_t amount = 0) {
  Expected<SharedLayout> shared =
      SharedLayout::create(std::move(layout), interval, amount);
  return shared ? "no error" : toString(shared.takeError());
}

TEST(SharedLayout, ExampleOfTheHeader) {
  auto tile = SharedLayout::rowMajor({4, 4});
  EXPECT_EQ(tile.offset({2, 1}), 9);
  EXPECT_EQ(tile.withPadding(4, 1).offset({2, 1}), 11);
  EXPECT_EQ(tile.withSwizzle(2, 0, 2).offset({2, 1}), 11);
  // Column 0 in four banks of four.
  for (const SharedLayout &layout :
       {tile.withPadding(4, 1), tile.withSwizzle(2, 0, 2)}) {
    std::set<int64_t> banks;
    for (int32_t row = 0; row < 4; ++row)
      banks.insert(layout.offset({row, 0}) % 4);
    EXPECT_EQ(banks.size(), 4u);
  }
}

TEST(SharedLayout, OrderSaysWhichDimensionIsFastest) {
  auto tile = SharedLayout::ordered({2, 4, 8}, {1, 2, 0});
  EXPECT_EQ(tile.offset({0, 1, 0}), 1);
  EXPECT_EQ(tile.offset({0, 0, 1}), 4);
  EXPECT_EQ(tile.offset({1, 0, 0}), 32);
  EXPECT_EQ(SharedLayout::ordered({2, 4, 8}, {2, 1, 0}),
            SharedLayout::rowMajor({2, 4, 8}));
}

TEST(SharedLayout, SwizzleIsTheFormulaOfCuTe) {
  for (unsigned bits = 0; bits < 6; ++bits)
    for (unsigned base = 0; base < 8; ++base)
      for (unsigned shift = 1; shift < 10; ++shift) {
        auto tile = SharedLayout::rowMajor({16, 32});
        auto swizzled = tile.withSwizzle(bits, base, shift);
        std::set<int64_t> offsets;
        for (int32_t at = 0; at < 512; ++at) {
          auto point = pointAt(at, {16, 32});
          // CuTe masks the bits that are read before it shifts them down.
          int64_t read = at & (((1 << bits) - 1) << base << shift);
          EXPECT_EQ(swizzled.offset(point), at ^ (read >> shift));
          offsets.insert(swizzled.offset(point));
        }
        EXPECT_EQ(offsets.size(), 512u);
      }
}

TEST(SharedLayout, PaddingCountsWholeIntervals) {
  auto tile = SharedLayout::rowMajor({4, 8}).withPadding(8, 3);
  EXPECT_TRUE(tile.isPadded());
  EXPECT_EQ(tile.offset({0, 7}), 7);
  EXPECT_EQ(tile.offset({1, 0}), 11);
  EXPECT_EQ(tile.offset({3, 7}), 31 + 9);
  EXPECT_EQ(tile.sizeInElements(), 41);
  EXPECT_EQ(tile.withPadding(0, 0), SharedLayout::rowMajor({4, 8}));
}

TEST(SharedLayout, PaddingBehindTheLastElementIsNone) {
  auto tile = SharedLayout::rowMajor({4, 8});
  EXPECT_FALSE(tile.withPadding(32, 5).isPadded());
  EXPECT_EQ(tile.withPadding(32, 5), tile);
  EXPECT_EQ(tile.withPadding(1024, 5).sizeInElements(), 32);
  EXPECT_TRUE(tile.withPadding(16, 5).isPadded());
}

TEST(SharedLayout, EveryElementHasAPlaceOfItsOwn) {
  Random random(30);
  for (unsigned round = 0; round < 300; ++round) {
    auto shape = random.shape(3, 3);
    SharedLayout layout = randomSharedLayout(random, shape);
    std::set<int64_t> offsets;
    for (int64_t at = 0; at < layout.numElements(); ++at) {
      auto point = pointAt(at, shape);
      offsets.insert(layout.offset(point));
      EXPECT_EQ(layout.linear().apply({{"offset", layout.linearOffset(point)}}),
                point);
      SmallVector<std::string> names;
      SmallVector<std::pair<StringRef, int64_t>> values;
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        names.push_back("dim" + std::to_string(dim));
      for (auto [name, coordinate] : zip(names, point))
        values.push_back({name, coordinate});
      EXPECT_EQ(layout.pointToOffset().apply(values)[0],
                layout.linearOffset(point));
    }
    EXPECT_EQ(int64_t(offsets.size()), layout.numElements());
    EXPECT_EQ(*offsets.rbegin() + 1, layout.sizeInElements());
  }
}

TEST(SharedLayout, CreateNamesWhatIsWrong) {
  LinearLayout good = SharedLayout::rowMajor({2, 2}).linear();
  EXPECT_EQ(errorOf(good), "no error");
  EXPECT_EQ(errorOf(good, 2, 1), "no error");
  EXPECT_EQ(errorOf(good, 7, 0), "no error");
  EXPECT_EQ(errorOf(layoutOf({{"lane", {{1}}}}, {2})),
            "a shared layout has one input, named 'offset'; this one is "
            "lane:[(1)] -> 2");
  EXPECT_EQ(errorOf(LinearLayout()),
            "a shared layout has one input, named 'offset'; this one is -> "
            "scalar");
  EXPECT_EQ(errorOf(layoutOf({{"offset", {{1}, {1}}}}, {4})),
            "a shared layout must put each element of the tile at one offset "
            "of its own; this one does not: offset:[(1),(1)] -> 4");
  EXPECT_EQ(errorOf(good, 3, 1), "padding interval 3 is not a power of two");
  EXPECT_EQ(errorOf(good, 0, 1), "padding interval 0 is not a power of two");
  EXPECT_EQ(errorOf(good, INT64_MIN, 1),
            "padding interval -9223372036854775808 is not a power of two");
  EXPECT_EQ(errorOf(good, 2, -1), "padding of -1 elements is negative");
  EXPECT_EQ(errorOf(good, 1, INT64_MAX),
            "padding of 9223372036854775807 elements makes the tile too large");
}

TEST(SharedLayout, DescribesWhatItWasMadeOf) {
  auto tile = SharedLayout::rowMajor({64, 64});
  EXPECT_EQ(tile.toString(), "row-major");
  EXPECT_EQ(tile.withPadding(64, 1).toString(), "pad 1 every 64");
  EXPECT_EQ(tile.withPadding(64, 8).toString(), "pad 8 every 64");
  EXPECT_EQ(tile.withSwizzle(3, 2, 6).toString(), "swizzle<3,2,6>");
  EXPECT_EQ(SharedLayout::ordered({4, 8}, {0, 1})
                .withSwizzle(1, 0, 2)
                .withPadding(4, 2)
                .toString(),
            "order [0,1], swizzle<1,0,2>, pad 2 every 4");
  EXPECT_EQ(SharedLayout::ordered({4, 8, 2}, {0, 2, 1}).toString(),
            "order [0,2,1]");
  EXPECT_EQ(cantFail(SharedLayout::create(
                         layoutOf({{"offset", {{1, 1}, {1, 0}}}}, {2, 2})))
                .toString(),
            "bits [c0, c0+r0]");
  EXPECT_EQ(SharedLayout().toString(), "row-major");
}

/// Extents of 1 may stand anywhere in the order; row-major wins.
TEST(SharedLayout, DescribesUnitDimensions) {
  EXPECT_EQ(SharedLayout::ordered({8, 1}, {0, 1}).toString(), "row-major");
  EXPECT_EQ(SharedLayout::ordered({1, 4, 8}, {2, 0, 1}).toString(),
            "row-major");
  EXPECT_EQ(SharedLayout::ordered({4, 1, 8}, {1, 0, 2}).toString(),
            "order [0,2,1]");
}

TEST(SharedLayout, DescriptionsMakeTheLayoutAgain) {
  Random random(31);
  unsigned described = 0;
  for (unsigned round = 0; round < 1000; ++round) {
    auto shape = random.shape(3, 4);
    SharedLayout layout = randomSharedLayout(random, shape);
    auto description = layout.describe();
    if (!description)
      continue;
    ++described;
    SharedLayout again = SharedLayout::ordered(shape, description->order);
    if (description->swizzle) {
      auto [bits, base, shift] = *description->swizzle;
      EXPECT_GE(bits, 1u);
      again = again.withSwizzle(bits, base, shift);
    }
    EXPECT_EQ(again.linear(), layout.linear());
  }
  EXPECT_GT(described, 800u);
}

/// Swizzles whose read bits lie beyond the tile lose those bits.
TEST(SharedLayout, DescribesSwizzlesByTheirEffect) {
  auto tile = SharedLayout::rowMajor({8, 8});
  EXPECT_EQ(tile.withSwizzle(3, 2, 3).toString(), "swizzle<1,2,3>");
  EXPECT_EQ(tile.withSwizzle(3, 3, 3).toString(), "row-major");
  // Bits that are read and written: one step, not a chain.
  auto chained = tile.withSwizzle(4, 0, 1);
  EXPECT_EQ(chained.toString(), "swizzle<4,0,1>");
  EXPECT_EQ(chained.withSwizzle(4, 0, 1).toString(), "swizzle<3,0,2>");
}

/// Any bijection is read back from what is printed, and the shortest text of a
/// plain order is two runs.
TEST(SharedLayout, OffsetBitsMakeTheLayoutAgain) {
  Random random(32);
  unsigned general = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    auto shape = random.shape(3, 4);
    if (shape.empty())
      continue;
    SharedLayout layout = randomSharedLayout(random, shape);
    std::string text = formatOffsetBits(layout.pointToOffset());
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, ", ", -1, /*KeepEmpty=*/false);
    std::vector<std::string> sums(parts.begin(), parts.end());
    Expected<LinearLayout> again = parseOffsetBits(sums, shape);
    ASSERT_TRUE(bool(again)) << text << ": " << toString(again.takeError());
    EXPECT_EQ(*again, layout.linear()) << text;
    general += !layout.describe();
  }
  EXPECT_GT(general, 50u);
  auto bitsOf = [](const SharedLayout &layout) {
    return formatOffsetBits(layout.pointToOffset());
  };
  auto tile = SharedLayout::rowMajor({8, 8});
  EXPECT_EQ(bitsOf(tile), "c0..2, r0..2");
  EXPECT_EQ(bitsOf(tile.withSwizzle(2, 0, 3)), "c0..1+r0..1, c2, r0..2");
  EXPECT_EQ(bitsOf(SharedLayout::rowMajor({2, 4, 2})), "d2.0, d1.0..1, d0.0");
  EXPECT_EQ(bitsOf(SharedLayout::rowMajor({16})), "c0..3");
}
