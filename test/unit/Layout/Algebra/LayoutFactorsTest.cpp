//===- LayoutFactorsTest.cpp - Tests of layouts as products ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Factors = SmallVector<LayoutFactor>;

/// Of a layout that is a product.
static Factors factorsOf(const LinearLayout &layout) {
  std::optional<Factors> factors = layoutToFactors(layout);
  EXPECT_TRUE(factors) << layout.toString();
  return factors.value_or(Factors());
}

static std::string errorOf(ArrayRef<LayoutFactor> factors, unsigned rank) {
  Expected<LinearLayout> layout = layoutFromFactors(factors, rank);
  return layout ? "no error" : llvm::toString(layout.takeError());
}

TEST(LayoutFactors, ExampleOfTheHeader) {
  Factors factors = {{"register", {1, 4}},
                     {"lane", {4, 8}},
                     {"warp", {2, 1}},
                     {"register", {4, 1}}};
  LinearLayout layout = productOf(factors, 2);
  EXPECT_EQ(layout.shape(), (ArrayRef<int64_t>{32, 32}));
  EXPECT_TRUE(layout.isBijective());
  using Point = LinearLayout::Point;
  EXPECT_EQ(layout.apply({{"register", 3}}), (Point{0, 3}));
  EXPECT_EQ(layout.apply({{"lane", 1}}), (Point{0, 4}));
  EXPECT_EQ(layout.apply({{"lane", 8}}), (Point{1, 0}));
  EXPECT_EQ(layout.apply({{"warp", 1}}), (Point{4, 0}));
  EXPECT_EQ(layout.apply({{"register", 4}}), (Point{8, 0}));
  EXPECT_EQ(layoutToFactors(layout), factors);
  EXPECT_EQ(toString(factors),
            "register[1,4] lane[4,8] warp[2,1] register[4,1]");
}

TEST(LayoutFactors, CopiesAreZeroBases) {
  Factors factors = {{"register", {1, 4}}, {"lane", {1, 8}}, {"lane", {}, 4}};
  LinearLayout layout = productOf(factors, 2);
  EXPECT_EQ(layout.shape(), (ArrayRef<int64_t>{1, 32}));
  EXPECT_EQ(layout.numBits("lane"), 5u);
  EXPECT_EQ(layout.zeroBasisMask("lane"), 0b11000);
  EXPECT_EQ(layoutToFactors(layout), factors);
  EXPECT_EQ(toString(factors), "register[1,4] lane[1,8] lane*4");
}

/// The accumulator of mma.m16n8 (PTX ISA, "Matrix fragments"): two adjacent
/// columns, 8 rows of four lanes, and the same 8 rows further down.
TEST(LayoutFactors, MatrixFragmentsGoRound) {
  Factors accumulator = {{"register", {1, 2}},
                         {"lane", {8, 4}},
                         {"register", {2, 1}},
                         {"warp", {4, 1}},
                         {"register", {2, 8}}};
  EXPECT_EQ(layoutToFactors(productOf(accumulator, 2)), accumulator);
  // In the order of its columns and rows the last factor is two.
  Factors loose = {{"register", {1, 2}}, {"lane", {8, 4}},
                   {"register", {2, 1}}, {"register", {1, 8}},
                   {"warp", {4, 1}},     {"register", {2, 1}}};
  EXPECT_EQ(layoutToFactors(productOf(loose, 2)), accumulator);
  // The operand A of m16n8k16, and B, which is the transpose of its kind.
  Factors a = {{"register", {1, 2}}, {"lane", {8, 4}}, {"register", {2, 1}},
               {"register", {1, 2}}, {"warp", {2, 1}}, {"warp", {}, 2}};
  EXPECT_EQ(layoutToFactors(productOf(a, 2)), a);
  LinearLayout b = productOf(a, 2).transpose({1, 0});
  EXPECT_EQ(productOf(factorsOf(b), 2), b);
}

TEST(LayoutFactors, LanesDownColumnsAreTwoFactors) {
  LinearLayout layout =
      productOf(Factors{{"lane", {8, 1}}, {"lane", {1, 4}}}, 2);
  EXPECT_EQ(layout.apply({{"lane", 1}}), (LinearLayout::Point{1, 0}));
  EXPECT_EQ(factorsOf(layout).size(), 2u);
}

TEST(LayoutFactors, SwizzledAndPartialLayoutsHaveNone) {
  auto factorsOfLayout = [](std::vector<LinearLayout::Input> inputs,
                            ArrayRef<int64_t> shape) {
    return layoutToFactors(layoutOf(std::move(inputs), shape));
  };
  EXPECT_EQ(factorsOfLayout({{"lane", {{0, 1}, {1, 1}}}}, {2, 2}),
            std::nullopt);
  // Bits of a dimension out of order, also round a cycle of two inputs.
  EXPECT_EQ(factorsOfLayout({{"lane", {{2}, {1}}}}, {4}), std::nullopt);
  EXPECT_EQ(
      factorsOfLayout({{"lane", {{2, 0}, {0, 1}}}, {"warp", {{0, 2}, {1, 0}}}},
                      {4, 4}),
      std::nullopt);
  // An element that nobody holds, or two hold in nonzero bases.
  EXPECT_EQ(factorsOfLayout({{"lane", {{1}}}}, {4}), std::nullopt);
  EXPECT_EQ(factorsOfLayout({{"lane", {{1}}}, {"warp", {{1}}}}, {2}),
            std::nullopt);
  EXPECT_EQ(factorsOfLayout({}, {2}), std::nullopt);
}

TEST(LayoutFactors, EmptyProducts) {
  EXPECT_EQ(layoutToFactors(LinearLayout()), Factors());
  EXPECT_EQ(layoutToFactors(productOf(Factors{}, 3)), Factors());
  EXPECT_EQ(productOf(Factors{}, 3).shape(), (ArrayRef<int64_t>{1, 1, 1}));
  EXPECT_EQ(layoutToFactors(productOf(Factors{{"lane", {1, 1}}}, 2)),
            Factors());
}

TEST(LayoutFactors, OtherInputsAreWelcome) {
  Factors factors = {{"register", {2}}, {"cta", {4}}};
  EXPECT_EQ(layoutToFactors(productOf(factors, 1)), factors);
}

TEST(LayoutFactors, ErrorsNameTheFactor) {
  EXPECT_EQ(errorOf(Factors{{"lane", {4}}}, 2),
            "factor lane[4] has 1 extents, but the tile has 2 dimensions");
  EXPECT_EQ(errorOf(Factors{{"lane", {4, 3}}}, 2),
            "factor lane[4,3] has an extent that is not a power of two up to "
            "2^31");
  EXPECT_EQ(errorOf(Factors{{"lane", {4}, 2}}, 1),
            "factor lane*2 has both extents and copies; it is one or the "
            "other");
  EXPECT_EQ(errorOf(Factors{{"lane", {}, 0}}, 2),
            "factor lane*0 has a number of copies that is not a power of two "
            "up to 2^31");
  EXPECT_EQ(errorOf(Factors{{"lane", {}, -4}}, 2),
            "factor lane*-4 has a number of copies that is not a power of two "
            "up to 2^31");
  EXPECT_EQ(errorOf(Factors{{"a", {1 << 30}}, {"b", {4}}}, 1),
            "the factors cover more than 2^31 elements of dimension 0");
  EXPECT_EQ(errorOf(Factors{{"", {4}}}, 1), "an input of a layout has no name");
}

TEST(LayoutFactors, SurviveNonsense) {
  Random random(20);
  static constexpr int64_t numbers[] = {
      INT64_MIN, INT64_MAX, -1, 0, 1, 1, 1, 2, 2, 3, 4, 1LL << 31, 1LL << 40};
  for (unsigned round = 0; round < 5000; ++round) {
    Factors factors(random.below(4));
    for (LayoutFactor &factor : factors) {
      factor.input = std::string(random.below(2), 'a' + char(random.below(2)));
      factor.extents.resize(random.below(4));
      for (int64_t &extent : factor.extents)
        extent = numbers[random.below(std::size(numbers))];
      if (random.chance(30))
        factor.copies = numbers[random.below(std::size(numbers))];
    }
    Expected<LinearLayout> layout = layoutFromFactors(factors, 2);
    if (!layout) {
      EXPECT_FALSE(llvm::toString(layout.takeError()).empty());
      continue;
    }
    Factors again = factorsOf(*layout);
    EXPECT_EQ(productOf(again, 2), *layout);
    EXPECT_LE(again.size(), factors.size());
  }
}

TEST(LayoutFactors, ProductsGoRoundInNoMoreFactors) {
  Random random(21);
  static constexpr StringLiteral names[] = {"register", "lane", "warp"};
  for (unsigned round = 0; round < 1000; ++round) {
    unsigned rank = 1 + random.below(3);
    Factors factors(random.below(7));
    for (LayoutFactor &factor : factors) {
      factor.input = names[random.below(3)].str();
      if (random.chance(20)) {
        factor.copies = int64_t(2) << random.below(2);
        continue;
      }
      for (unsigned dim = 0; dim < rank; ++dim)
        factor.extents.push_back(int64_t(1) << random.below(3));
    }
    LinearLayout layout = productOf(factors, rank);
    Factors found = factorsOf(layout);
    EXPECT_EQ(productOf(found, rank), layout) << toString(factors);
    EXPECT_LE(found.size(), factors.size()) << toString(factors);
    // Canonical: nothing but the function decides.
    EXPECT_EQ(factorsOf(productOf(found, rank)), found);
  }
}
