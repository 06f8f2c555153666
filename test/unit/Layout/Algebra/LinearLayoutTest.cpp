//===- LinearLayoutTest.cpp - Tests of LinearLayout -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Algebra/LinearLayout.h"
#include "LayoutTestUtils.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

using Point = LinearLayout::Point;

/// The layout of the tutorial: 8 lanes with 4 elements of a 4 x 8 tile each.
static LinearLayout tutorialLayout() {
  return layoutOf(
      {{"register", {{0, 1}, {0, 2}}}, {"lane", {{0, 4}, {1, 0}, {2, 0}}}},
      {4, 8});
}

static std::string errorOfInputs(std::vector<LinearLayout::Input> inputs,
                                 ArrayRef<int64_t> shape) {
  Expected<LinearLayout> layout =
      LinearLayout::create(std::move(inputs), shape);
  return layout ? "no error" : toString(layout.takeError());
}

/// The point that values of the inputs, packed into one number with the first
/// input in the lowest bits, stand for.
static Point applyPacked(const LinearLayout &layout, uint64_t packed) {
  SmallVector<std::pair<StringRef, int64_t>> values;
  for (const LinearLayout::Input &input : layout.inputs()) {
    values.push_back({input.name, packed % layout.inputSize(input.name)});
    packed >>= layout.numBits(input.name);
  }
  return layout.apply(values);
}

static uint64_t numInputs(const LinearLayout &layout) {
  uint64_t count = 1;
  for (const LinearLayout::Input &input : layout.inputs())
    count *= layout.inputSize(input.name);
  return count;
}

static uint64_t packedOf(const LinearLayout &layout, ArrayRef<int32_t> values) {
  uint64_t packed = 0;
  for (unsigned index = layout.inputs().size(); index-- > 0;)
    packed =
        packed * layout.inputSize(layout.inputs()[index].name) + values[index];
  return packed;
}

TEST(LinearLayout, TutorialOfTheHeader) {
  LinearLayout layout = tutorialLayout();
  EXPECT_EQ(layout.apply({{"register", 2}, {"lane", 5}}), (Point{2, 6}));
  EXPECT_EQ(layout.apply({{"lane", 7}}), (Point{3, 4}));
  EXPECT_TRUE(layout.isBijective());
  EXPECT_EQ(layout.toString(),
            "register:[(0,1),(0,2)] lane:[(0,4),(1,0),(2,0)] -> 4x8");
  EXPECT_EQ(layout.invert().apply({{"dim0", 2}, {"dim1", 6}}), (Point{2, 5}));
}

TEST(LinearLayout, AnswersForAbsentInputs) {
  LinearLayout layout = tutorialLayout();
  EXPECT_FALSE(layout.hasInput("warp"));
  EXPECT_TRUE(layout.bases("warp").empty());
  EXPECT_EQ(layout.numBits("warp"), 0u);
  EXPECT_EQ(layout.inputSize("warp"), 1);
  EXPECT_EQ(layout.zeroBasisMask("warp"), 0);
  EXPECT_EQ(layout.apply({{"warp", 3}, {"lane", 1}}), (Point{0, 4}));
  EXPECT_EQ(LinearLayout().toString(), "-> scalar");
  EXPECT_EQ(LinearLayout().numElements(), 1);
  EXPECT_TRUE(LinearLayout().isBijective());
}

TEST(LinearLayout, CreateNamesWhatIsWrong) {
  EXPECT_EQ(errorOfInputs({}, {6}),
            "extent 6 of dimension 0 is not a power of two");
  EXPECT_EQ(errorOfInputs({}, {4, 0}),
            "extent 0 of dimension 1 is not a power of two");
  EXPECT_EQ(errorOfInputs({}, {-8}),
            "extent -8 of dimension 0 is not a power of two");
  EXPECT_EQ(errorOfInputs({}, {INT64_MIN}),
            "extent -9223372036854775808 of "
            "dimension 0 is not a power of two");
  EXPECT_EQ(errorOfInputs({}, {int64_t(1) << 32}),
            "extent 4294967296 of dimension 0 is larger than 2^31");
  EXPECT_EQ(errorOfInputs({}, {int64_t(1) << 31, int64_t(1) << 31, 2}),
            "a tile of 2^63 elements is larger than 2^62");
  EXPECT_EQ(errorOfInputs({{"lane", {{1}, {1, 1}}}}, {4}),
            "basis of bit 1 of input 'lane' has 2 coordinates, but the tile "
            "has 1 dimensions");
  EXPECT_EQ(errorOfInputs({{"lane", {{0, 4}}}}, {4, 4}),
            "basis of bit 0 of input 'lane': coordinate 4 of dimension 1 is "
            "outside 0..3");
  EXPECT_EQ(errorOfInputs({{"lane", {{-1}}}}, {4}),
            "basis of bit 0 of input 'lane': coordinate -1 of dimension 0 is "
            "outside 0..3");
  EXPECT_EQ(errorOfInputs({{"lane", {}}, {"warp", {}}, {"lane", {}}}, {4}),
            "input 'lane' is given twice");
  EXPECT_EQ(errorOfInputs({{"", {}}}, {4}), "an input of a layout has no name");
  std::vector<Point> many(32, Point{0});
  EXPECT_EQ(errorOfInputs({{"lane", many}}, {4}),
            "input 'lane' has 32 bits; at most 31 are possible");
  many.pop_back();
  EXPECT_EQ(errorOfInputs({{"a", many}, {"b", many}, {"c", {{0}}}}, {4}),
            "the inputs have 63 bits; at most 62 are possible");
  EXPECT_EQ(errorOfInputs({{"a", many}, {"b", many}}, {int64_t(1) << 31}),
            "no error");
}

/// Nonsense gives an error or a layout that keeps its promises, never a crash.
TEST(LinearLayout, CreateSurvivesNonsense) {
  Random random(2);
  auto number = [&]() -> int64_t {
    static constexpr int64_t odd[] = {
        INT64_MIN, INT64_MAX, -1, 0, 3, int64_t(1) << 31, int64_t(1) << 62};
    return random.chance(10) ? odd[random.below(std::size(odd))]
                             : int64_t(1) << random.below(5);
  };
  unsigned valid = 0;
  for (unsigned round = 0; round < 5000; ++round) {
    SmallVector<int64_t, 4> shape(random.below(4));
    for (int64_t &extent : shape)
      extent = number();
    std::vector<LinearLayout::Input> inputs(random.below(4));
    for (auto [index, input] : enumerate(inputs)) {
      input.name = random.chance(95) ? std::string(1, 'a' + char(index)) : "a";
      input.bases.resize(random.below(4));
      for (Point &basis : input.bases)
        for (size_t dim = 0; dim < shape.size() + random.chance(3); ++dim)
          basis.push_back(static_cast<int32_t>(
              random.chance(95) && dim < shape.size() && shape[dim] > 0
                  ? random.below(shape[dim])
                  : number()));
    }
    Expected<LinearLayout> layout = LinearLayout::create(inputs, shape);
    if (!layout) {
      EXPECT_FALSE(toString(layout.takeError()).empty());
      continue;
    }
    ++valid;
    LinearLayout inverse = layout->invert();
    EXPECT_EQ(inverse.rank(), inputs.size());
    EXPECT_FALSE(layout->toString().empty());
    for (auto [coordinate, extent] :
         zip(applyPacked(*layout, random.below(1 << 12)), shape))
      EXPECT_TRUE(coordinate >= 0 && coordinate < extent);
  }
  EXPECT_GT(valid, 1000u);
}

TEST(LinearLayout, EqualityIsOfTheFunction) {
  LinearLayout layout = tutorialLayout();
  EXPECT_EQ(layout, layoutOf({{"lane", {{0, 4}, {1, 0}, {2, 0}}},
                              {"warp", {}},
                              {"register", {{0, 1}, {0, 2}}}},
                             {4, 8}));
  EXPECT_NE(layout, layoutOf({{"register", {{0, 2}, {0, 1}}},
                              {"lane", {{0, 4}, {1, 0}, {2, 0}}}},
                             {4, 8}));
  EXPECT_NE(layout, layoutOf({{"register", {{0, 1}, {0, 2}}}}, {4, 8}));
  EXPECT_NE(layoutOf({{"register", {{0, 1}, {0, 2}}}}, {4, 8}), layout);
  EXPECT_NE(layoutOf({}, {4, 8}), layoutOf({}, {8, 4}));
}

TEST(LinearLayout, IsLinear) {
  Random random(3);
  for (unsigned round = 0; round < 200; ++round) {
    auto shape = random.shape(3, 4);
    LinearLayout layout = randomLayout(random, shape, {"a", "b", "c"}, 4);
    uint64_t x = random.below(numInputs(layout));
    uint64_t y = random.below(numInputs(layout));
    Point sum = applyPacked(layout, x);
    for (auto [a, b] : zip(sum, applyPacked(layout, y)))
      a ^= b;
    EXPECT_EQ(applyPacked(layout, x ^ y), sum);
  }
}

TEST(LinearLayout, CountsImages) {
  Random random(4);
  unsigned bijective = 0;
  for (unsigned round = 0; round < 500; ++round) {
    auto shape = random.shape(2, 2);
    LinearLayout layout = randomLayout(random, shape, {"a", "b"}, 2);
    std::set<std::vector<int32_t>> images;
    for (uint64_t packed = 0; packed < numInputs(layout); ++packed) {
      Point image = applyPacked(layout, packed);
      images.emplace(image.begin(), image.end());
    }
    EXPECT_EQ(layout.isSurjective(),
              int64_t(images.size()) == layout.numElements());
    EXPECT_EQ(layout.isInjective(), images.size() == numInputs(layout));
    bijective += layout.isBijective();
  }
  EXPECT_GT(bijective, 20u);
}

TEST(LinearLayout, InverseAndThenTheLayoutIsTheIdentity) {
  Random random(5);
  unsigned surjective = 0;
  for (unsigned round = 0; round < 500; ++round) {
    auto shape = random.shape(3, 2);
    LinearLayout layout =
        randomLayout(random, shape, {"warp", "lane", "register"}, 4);
    LinearLayout inverse = layout.invert();
    ASSERT_EQ(inverse.rank(), 3u);
    for (auto [extent, input] : zip(inverse.shape(), layout.inputs()))
      EXPECT_EQ(extent, layout.inputSize(input.name));
    if (!layout.isSurjective())
      continue;
    ++surjective;
    LinearLayout identity = inverse.compose(layout);
    for (int64_t at = 0; at < layout.numElements(); ++at) {
      Point point = pointAt(at, shape);
      SmallVector<std::string> names;
      SmallVector<std::pair<StringRef, int64_t>> values;
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        names.push_back("dim" + std::to_string(dim));
      for (auto [name, coordinate] : zip(names, point))
        values.push_back({name, coordinate});
      EXPECT_EQ(identity.apply(values), point);
      // The holder is the canonical one.
      Point holder = inverse.apply(values);
      EXPECT_EQ(applyPacked(layout, packedOf(layout, holder)), point);
      for (auto [value, input] : zip(holder, layout.inputs()))
        EXPECT_EQ(value & layout.zeroBasisMask(input.name), 0);
    }
  }
  EXPECT_GT(surjective, 100u);
}

TEST(LinearLayout, InverseOfTheInverseOfABijection) {
  Random random(6);
  for (unsigned round = 0; round < 100; ++round) {
    SharedLayout shared = randomSharedLayout(random, random.shape(3, 3));
    // Only the name of the input is lost.
    LinearLayout twice = shared.pointToOffset().invert();
    EXPECT_EQ(twice.bases("dim0"), shared.linear().bases("offset"));
    EXPECT_EQ(twice.shape(), shared.shape());
  }
}

/// Of all inputs that hold an element, exactly one has no redundant bit set.
TEST(LinearLayout, OneHolderOfEachElementIsCanonical) {
  Random random(7);
  for (unsigned round = 0; round < 300; ++round) {
    auto shape = random.shape(2, 3);
    LinearLayout layout =
        randomLayout(random, shape, {"lane", "register", "warp", "x"}, 3);
    std::map<std::vector<int32_t>, unsigned> canonicalHolders;
    for (uint64_t packed = 0; packed < numInputs(layout); ++packed) {
      uint64_t rest = packed;
      bool canonical = true;
      for (const LinearLayout::Input &input : layout.inputs()) {
        int64_t value = rest % layout.inputSize(input.name);
        rest >>= layout.numBits(input.name);
        canonical &= (value & layout.zeroBasisMask(input.name)) == 0;
      }
      Point image = applyPacked(layout, packed);
      canonicalHolders[{image.begin(), image.end()}] += canonical;
    }
    for (const auto &[point, count] : canonicalHolders)
      EXPECT_EQ(count, 1u) << layout.toString();
  }
}

TEST(LinearLayout, RegistersAreCanonicalBeforeLanesBeforeWarps) {
  LinearLayout layout = layoutOf(
      {{"warp", {{1}, {2}}}, {"lane", {{1}, {2}}}, {"register", {{1}, {1}}}},
      {4});
  EXPECT_EQ(layout.zeroBasisMask("register"), 0b10);
  EXPECT_EQ(layout.zeroBasisMask("lane"), 0b01);
  EXPECT_EQ(layout.zeroBasisMask("warp"), 0b11);
  EXPECT_EQ(layout.removeZeroBases("warp").numBits("warp"), 0u);
  EXPECT_EQ(layout.removeZeroBases("lane").bases("lane").vec(),
            (std::vector<Point>{Point{2}}));
  EXPECT_EQ(layout.removeZeroBases("absent"), layout);
}

TEST(LinearLayout, RemovingRedundantBitsKeepsTheImage) {
  Random random(8);
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(random, random.shape(2, 3),
                                       {"register", "lane", "warp"}, 4);
    LinearLayout lean = layout;
    for (StringRef input : {"warp", "lane", "register"})
      lean = lean.removeZeroBases(input);
    EXPECT_TRUE(lean.isInjective());
    EXPECT_EQ(lean.isSurjective(), layout.isSurjective());
  }
}

TEST(LinearLayout, ComposeIsApplyingBoth) {
  Random random(9);
  for (unsigned round = 0; round < 200; ++round) {
    auto middle = random.shape(2, 3);
    LinearLayout inner = randomLayout(random, middle, {"a", "b"}, 3);
    std::vector<LinearLayout::Input> outerInputs, lastInputs;
    auto outerShape = random.shape(2, 3), lastShape = random.shape(3, 2);
    auto fill = [&](std::vector<LinearLayout::Input> &inputs,
                    ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
      for (auto [dim, extent] : enumerate(from)) {
        inputs.push_back({"in" + std::to_string(dim), {}});
        for (unsigned bit = 0; bit < Log2_64(extent); ++bit)
          inputs.back().bases.push_back(random.point(to));
      }
    };
    fill(outerInputs, middle, outerShape);
    fill(lastInputs, outerShape, lastShape);
    LinearLayout outer = layoutOf(outerInputs, outerShape);
    LinearLayout last = layoutOf(lastInputs, lastShape);
    LinearLayout both = inner.compose(outer);
    for (uint64_t packed = 0; packed < numInputs(inner); ++packed) {
      Point step = applyPacked(inner, packed);
      EXPECT_EQ(applyPacked(both, packed),
                applyPacked(outer, packedOf(outer, step)));
    }
    EXPECT_EQ(both.compose(last), inner.compose(outer.compose(last)));
  }
}

TEST(LinearLayout, TransposePermutesCoordinates) {
  LinearLayout layout =
      layoutOf({{"a", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}, {2, 4, 8});
  LinearLayout turned = layout.transpose({2, 0, 1});
  EXPECT_EQ(turned.shape(), (ArrayRef<int64_t>{8, 2, 4}));
  EXPECT_EQ(turned.apply({{"a", 1}}), (Point{0, 1, 0}));
  EXPECT_EQ(turned.apply({{"a", 4}}), (Point{1, 0, 0}));
  EXPECT_EQ(turned.transpose({1, 2, 0}), layout);
  EXPECT_EQ(layout.transpose({0, 1, 2}), layout);
}

TEST(LinearLayout, ReshapeKeepsRowMajorPositions) {
  Random random(10);
  for (unsigned round = 0; round < 200; ++round) {
    auto shape = random.shape(3, 3);
    LinearLayout layout = randomLayout(random, shape, {"a", "b"}, 3);
    SmallVector<int64_t, 4> other;
    for (int64_t rest = elementsOf(shape); rest > 1 || other.empty();) {
      other.push_back(int64_t(1) << random.below(Log2_64(rest) + 1));
      rest /= other.back();
    }
    LinearLayout reshaped = cantFail(layout.reshape(other));
    for (uint64_t packed = 0; packed < numInputs(layout); ++packed) {
      auto positionOf = [](ArrayRef<int32_t> point, ArrayRef<int64_t> extents) {
        int64_t position = 0;
        for (auto [coordinate, extent] : zip(point, extents))
          position = position * extent + coordinate;
        return position;
      };
      EXPECT_EQ(positionOf(applyPacked(layout, packed), shape),
                positionOf(applyPacked(reshaped, packed), other));
    }
    EXPECT_EQ(cantFail(reshaped.reshape(shape)), layout);
  }
}

TEST(LinearLayout, ReshapeNamesWhatIsWrong) {
  LinearLayout layout = tutorialLayout();
  auto errorOfReshape = [&](ArrayRef<int64_t> shape) {
    return toString(layout.reshape(shape).takeError());
  };
  EXPECT_EQ(errorOfReshape({4, 4}),
            "a tile of 32 elements cannot become one of 16");
  EXPECT_EQ(errorOfReshape({}), "a tile of 32 elements cannot become one of 1");
  EXPECT_EQ(errorOfReshape({-32}),
            "extent -32 of dimension 0 is not a power of two");
}

TEST(LinearLayout, DimensionsComeAndGo) {
  LinearLayout layout = tutorialLayout();
  for (unsigned axis = 0; axis <= 2; ++axis) {
    LinearLayout expanded = layout.insertUnitDim(axis);
    EXPECT_EQ(expanded.shape()[axis], 1);
    EXPECT_EQ(expanded.dropDim(axis), layout);
    EXPECT_EQ(expanded, cantFail(layout.reshape(expanded.shape())));
  }
  EXPECT_EQ(
      layout.dropDim(1),
      layoutOf({{"register", {{0}, {0}}}, {"lane", {{0}, {1}, {2}}}}, {4}));
  EXPECT_EQ(layout.collapseDim(0),
            layoutOf({{"register", {{0, 1}, {0, 2}}},
                      {"lane", {{0, 4}, {0, 0}, {0, 0}}}},
                     {1, 8}));
  EXPECT_EQ(layout.collapseDim(0).zeroBasisMask("lane"), 0b110);
}
