//===- OverlapTest.cpp - Tensors of a launch that share memory ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/Overlap.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

static TensorView makeView(uint64_t address, ElementType type,
                           llvm::ArrayRef<int64_t> extents,
                           llvm::ArrayRef<int64_t> strides = {}) {
  TensorView view;
  view.address = address;
  view.type = type;
  view.extents.assign(extents.begin(), extents.end());
  view.strides.assign(strides.begin(), strides.end());
  return view;
}

static bool overlap(const TensorView &a, const TensorView &b) {
  bool result = mayOverlap(a, b);
  EXPECT_EQ(mayOverlap(b, a), result);
  return result;
}

TEST(Overlap, OfDenseTensors) {
  TensorView a = makeView(0x1000, ElementType::F32, {4, 8});
  auto at = [](uint64_t address) {
    return makeView(address, ElementType::F32, {4, 8}, {8, 1});
  };
  EXPECT_TRUE(overlap(a, a));
  EXPECT_TRUE(overlap(a, at(0x1000)));
  EXPECT_TRUE(overlap(a, at(0x1000 + 127)));
  EXPECT_FALSE(overlap(a, at(0x1000 + 128)));
  EXPECT_TRUE(overlap(a, at(0x1000 - 127)));
  EXPECT_FALSE(overlap(a, at(0x1000 - 128)));
  EXPECT_TRUE(overlap(a, makeView(0x1004, ElementType::I8, {1})));
  EXPECT_TRUE(overlap(a, makeView(0x107f, ElementType::I8, {})));
}

TEST(Overlap, OfEmptyTensors) {
  TensorView a = makeView(0x1000, ElementType::F32, {64});
  EXPECT_FALSE(overlap(a, makeView(0x1010, ElementType::F32, {0})));
  EXPECT_FALSE(overlap(a, makeView(0x1010, ElementType::F32, {3, 0}, {5, 5})));
}

TEST(Overlap, OfStridedTensors) {
  // Columns 0 to 63 and 64 to 127 of one matrix; and 63 on.
  TensorView left = makeView(0x1000, ElementType::F32, {16, 64}, {128, 1});
  auto from = [](int64_t column) {
    return makeView(0x1000 + 4 * column, ElementType::F32, {16, 64}, {128, 1});
  };
  EXPECT_FALSE(overlap(left, from(64)));
  EXPECT_TRUE(overlap(left, from(63)));
  EXPECT_TRUE(overlap(left, from(65)));
  // Elements of even and odd numbers, there and back.
  TensorView even = makeView(0x1000, ElementType::F16, {32}, {2});
  TensorView odd = makeView(0x1002, ElementType::F16, {32}, {2});
  TensorView back = makeView(0x1000 + 62 * 2, ElementType::F16, {32}, {-2});
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_FALSE(overlap(back, odd));
  EXPECT_TRUE(overlap(back, even));
  // One element, again and again.
  TensorView one = makeView(0x1004, ElementType::F32, {8}, {0});
  EXPECT_TRUE(overlap(one, makeView(0x1000, ElementType::F32, {2})));
  EXPECT_FALSE(overlap(one, makeView(0x1008, ElementType::F32, {2})));
}

/// All bytes of a tensor, one after another.
static std::set<uint64_t> listBytes(const TensorView &view) {
  std::set<uint64_t> bytes;
  for (int64_t i = 0; i < view.extents[0]; ++i)
    for (int64_t j = 0; j < view.extents[1]; ++j)
      for (unsigned byte = 0; byte < spec::getByteSize(view.type); ++byte)
        bytes.insert(view.address +
                     (i * view.strides[0] + j * view.strides[1]) *
                         static_cast<int64_t>(spec::getByteSize(view.type)) +
                     byte);
  return bytes;
}

TEST(Overlap, MissesNoByte) {
  std::mt19937 random{11};
  auto draw = [&] {
    auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
    ElementType type = below(2) ? ElementType::F32 : ElementType::F16;
    return makeView(0x1000 + 2 * below(64), type, {below(5), 1 + below(5)},
                    {below(33) - 16, below(9) - 4});
  };
  unsigned apart = 0, together = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    TensorView a = draw(), b = draw();
    std::set<uint64_t> bytesA = listBytes(a), bytesB = listBytes(b);
    bool shares = llvm::any_of(
        bytesA, [&](uint64_t byte) { return bytesB.count(byte) != 0; });
    bool may = overlap(a, b);
    ASSERT_TRUE(may || !shares) << i;
    apart += !may;
    together += shares;
  }
  EXPECT_GT(apart, 4000u);
  EXPECT_GT(together, 4000u);
}

namespace {

class CompareTensors : public testing::Test {
protected:
  CompareTensors()
      : arguments{spec::pointer("X", ElementType::F32),
                  spec::scalar("n", ElementType::I32),
                  spec::pointer("Y", ElementType::F32),
                  spec::pointer("W", ElementType::F32)} {
    arguments[0].isWritten = arguments[3].isWritten = false;
  }
  /// "apart", "shared", or why the launch is refused.
  std::string compare(uint64_t x, uint64_t y, uint64_t w) {
    TensorView views[] = {makeView(x, ElementType::F32, {64}),
                          makeView(y, ElementType::F32, {64}),
                          makeView(w, ElementType::F32, {64})};
    llvm::Expected<Overlap> overlap = compareTensors(
        arguments, {{0, &views[0]}, {2, &views[1]}, {3, &views[2]}});
    if (!overlap)
      return llvm::toString(overlap.takeError());
    return overlap->areInterleaved ? "interleaved"
           : overlap->areDisjoint  ? "apart"
                                   : "shared";
  }
  static std::string refusal(llvm::StringRef first, llvm::StringRef second,
                             llvm::StringRef written, llvm::StringRef where) {
    return ("'" + first + "' and '" + second +
            "' share memory, and the kernel writes " + written +
            ", while its code relies on it that they do not: pass a copy, or "
            "write tile.may_overlap at " +
            where + " in the kernel")
        .str();
  }

  std::vector<spec::Argument> arguments;
};

} // namespace

TEST_F(CompareTensors, ThatPromiseNothing) {
  EXPECT_EQ(compare(0x1000, 0x2000, 0x3000), "apart");
  EXPECT_EQ(compare(0x1000, 0x1000, 0x3000), "shared");
  EXPECT_EQ(compare(0x1000, 0x10fc, 0x3000), "shared");
  EXPECT_EQ(compare(0x1000, 0x1100, 0x3000), "apart");
  EXPECT_TRUE(dependsOnOverlap(arguments));
}

TEST_F(CompareTensors, ThatAreOnlyReadMayBeTheSame) {
  EXPECT_EQ(compare(0x1000, 0x2000, 0x1000), "apart");
  for (spec::Argument &argument : arguments)
    argument.isDisjoint = argument.isPointer();
  EXPECT_EQ(compare(0x1000, 0x2000, 0x1000), "apart");
  EXPECT_FALSE(dependsOnOverlap(arguments));
}

TEST_F(CompareTensors, OfWhichOnePromises) {
  arguments[0].isDisjoint = true;
  EXPECT_EQ(compare(0x1000, 0x1000, 0x3000), refusal("X", "Y", "'Y'", "'X'"));
  EXPECT_EQ(compare(0x3000, 0x1000, 0x1000), "shared");
  EXPECT_TRUE(dependsOnOverlap(arguments));
  arguments[2].isDisjoint = true;
  EXPECT_EQ(compare(0x1000, 0x1080, 0x3000), refusal("X", "Y", "'Y'", "both"));
  EXPECT_EQ(compare(0x3000, 0x1000, 0x1000), refusal("Y", "W", "'Y'", "'Y'"));
  EXPECT_FALSE(dependsOnOverlap(arguments));
  arguments[0].isWritten = true;
  EXPECT_EQ(compare(0x1000, 0x1080, 0x3000), refusal("X", "Y", "both", "both"));
}

TEST_F(CompareTensors, OfWhichAllAreShort) {
  auto areShort = [&](int64_t bytes, bool isWithAll = true) {
    TensorView x = makeView(0x1000, ElementType::F32, {64});
    TensorView y =
        makeView(uint64_t(1) << 40, ElementType::I8, {2, 16}, {bytes - 16, 1});
    TensorArgument tensors[] = {{0, &x}, {2, &y}, {3, &x}};
    Overlap overlap = llvm::cantFail(compareTensors(
        arguments, llvm::ArrayRef(tensors).take_front(isWithAll ? 3 : 2)));
    EXPECT_EQ(overlap.areDisjoint, isWithAll);
    return overlap.areShort;
  };
  EXPECT_TRUE(areShort((int64_t(1) << 31) - 1));
  EXPECT_TRUE(areShort(1 - (int64_t(1) << 30)));
  EXPECT_FALSE(areShort(int64_t(1) << 31));
  EXPECT_FALSE(areShort(int64_t(1) << 33));
  EXPECT_FALSE(areShort(64, /*isWithAll=*/false));
}

TEST_F(CompareTensors, OfWhichOneLiesInGapsOfAnother) {
  // Columns 0 to 63 of a matrix of 128, 64 to 127, and another matrix.
  TensorView left = makeView(0x1000, ElementType::F32, {16, 64}, {128, 1});
  TensorView right = makeView(0x1100, ElementType::F32, {16, 64}, {128, 1});
  TensorView other = makeView(0x9000, ElementType::F32, {16, 64});
  auto compare = [&](TensorView &x, TensorView &y, TensorView &w) {
    return llvm::cantFail(
        compareTensors(arguments, {{0, &x}, {2, &y}, {3, &w}}));
  };
  EXPECT_TRUE(compare(left, right, other).areInterleaved);
  EXPECT_TRUE(compare(left, right, other).areDisjoint);
  EXPECT_TRUE(compare(other, left, right).areInterleaved);
  // Nobody writes either, or both share bytes.
  EXPECT_FALSE(compare(left, other, right).areInterleaved);
  EXPECT_FALSE(compare(left, left, other).areInterleaved);
  // One pair is the same, and another one interleaved.
  Overlap both = compare(left, left, right);
  EXPECT_TRUE(both.areInterleaved);
  EXPECT_FALSE(both.areDisjoint);
  // Whatever arguments promise.
  for (spec::Argument &argument : arguments)
    argument.isDisjoint = argument.isPointer();
  EXPECT_TRUE(compare(left, right, other).areInterleaved);
  EXPECT_FALSE(compare(left, other, left).areInterleaved);
}

TEST_F(CompareTensors, OfWhichOneIsNotKnown) {
  TensorView x = makeView(0x1000, ElementType::F32, {64});
  EXPECT_FALSE(
      llvm::cantFail(compareTensors(arguments, {{0, &x}})).areDisjoint);
  EXPECT_FALSE(llvm::cantFail(compareTensors(arguments, {})).areDisjoint);
  EXPECT_TRUE(llvm::cantFail(compareTensors({arguments[1]}, {})).areDisjoint);
}
