//===- TensorMapTest.cpp - Parameters by which boxes are copied -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/TensorMap.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::spec;

/// A, M, N, and a number of each other width.
static const Argument gemmArguments[] = {
    pointer("A", ElementType::F16), scalar("M", ElementType::I32),
    scalar("N", ElementType::I64), scalar("k", ElementType::I16)};

/// The rows of A[k, M, N].
static TensorMap makeMap(ElementType type = ElementType::F16) {
  TensorMap map;
  map.pointer = 0;
  map.type = type;
  map.extents = {{1, {2}}, {1, {1}}, {3, {3}}};
  map.strides = {{1, {2}}, {1, {1, 2}}};
  map.box = {64, 16, 1};
  map.swizzleBytes = 128;
  return map;
}

static ArgumentBlock makeValues(uint64_t address, int64_t m, int64_t n,
                                int64_t k) {
  ArgumentBlock block(gemmArguments);
  block.set(0, address);
  block.set(1, m);
  block.set(2, n);
  block.set(3, k);
  return block;
}

/// Whether such a launch has the map.
static bool has(const TensorMap &map, uint64_t address, int64_t m, int64_t n,
                int64_t k = 1) {
  return evaluate(map, makeValues(address, m, n, k)).has_value();
}

TEST(TensorMap, HasTheValuesOfALaunch) {
  std::optional<TensorMapValues> values =
      evaluate(makeMap(), makeValues(0x7f0000000010, 300, 4096, 5));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->address, 0x7f0000000010u);
  EXPECT_EQ(values->extents, (llvm::SmallVector<uint64_t, 5>{4096, 300, 15}));
  // Of elements of two bytes.
  EXPECT_EQ(values->strides,
            (llvm::SmallVector<uint64_t, 4>{8192, 8192 * 300}));
  EXPECT_EQ(values->box, (llvm::SmallVector<uint32_t, 5>{64, 16, 1}));
}

TEST(TensorMap, HasBoxesOfWhatIsLeft) {
  TensorMap map = makeMap();
  map.isLast = true;
  auto getRows = [&](int64_t m) {
    return evaluate(map, makeValues(16, m, 4096, 5))->box[1];
  };
  EXPECT_EQ(getRows(300), 12u);
  EXPECT_EQ(getRows(1), 1u);
  EXPECT_EQ(getRows(304), 16u);
  EXPECT_FALSE(map == makeMap());
  // Launches whose boxes differ have other maps.
  EXPECT_FALSE(evaluate(map, makeValues(16, 300, 4096, 5))
                   ->isAlike(*evaluate(map, makeValues(16, 301, 4096, 5))));
}

TEST(TensorMap, TakesAddressesOfSixteenBytes) {
  EXPECT_TRUE(has(makeMap(), 16, 8, 8));
  EXPECT_FALSE(has(makeMap(), 24, 8, 8));
  EXPECT_FALSE(has(makeMap(), 17, 8, 8));
  EXPECT_FALSE(has(makeMap(), 0, 8, 8));
}

TEST(TensorMap, TakesStridesOfSixteenBytes) {
  EXPECT_TRUE(has(makeMap(), 256, 8, 24));
  EXPECT_FALSE(has(makeMap(), 256, 8, 20));
  // The same numbers of bytes, in other elements.
  EXPECT_TRUE(has(makeMap(ElementType::F32), 256, 8, 20));
  EXPECT_FALSE(has(makeMap(ElementType::F8E4M3), 256, 8, 24));
}

TEST(TensorMap, TakesExtentsThatCoordinatesReach) {
  TensorMap map = makeMap();
  map.strides = {{8, {}}, {16, {}}};
  EXPECT_TRUE(has(map, 256, 1, 1));
  EXPECT_FALSE(has(map, 256, 0, 1));
  EXPECT_FALSE(has(map, 256, 1, 0));
  EXPECT_FALSE(has(map, 256, 1, 1, 0));
  EXPECT_TRUE(has(map, 256, 1, TensorMap::maxExtent));
  EXPECT_FALSE(has(map, 256, 1, TensorMap::maxExtent + 1));
}

TEST(TensorMap, ReadsIntegersWithTheirSigns) {
  TensorMap map = makeMap();
  map.strides = {{8, {}}, {16, {}}};
  EXPECT_FALSE(has(map, 256, -1, 8));
  EXPECT_FALSE(has(map, 256, 8, -1));
  EXPECT_FALSE(has(map, 256, 8, 8, -1));
  // Two numbers below zero make one above.
  map.extents[0] = {-2, {3}};
  std::optional<TensorMapValues> values =
      evaluate(map, makeValues(256, 8, 8, -5));
  EXPECT_FALSE(values);
  map.extents[2] = {1, {}};
  values = evaluate(map, makeValues(256, 8, 8, -5));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->extents.front(), 10u);
}

TEST(TensorMap, TakesStridesFromSixteenToWhatFits) {
  TensorMap map = makeMap();
  map.extents = {{8, {}}, {8, {}}};
  map.strides = {{1, {2}}};
  EXPECT_FALSE(has(map, 256, 1, 0));
  EXPECT_FALSE(has(map, 256, 1, -8));
  EXPECT_TRUE(has(map, 256, 1, (int64_t(1) << 39) - 8));
  EXPECT_FALSE(has(map, 256, 1, int64_t(1) << 39));
}

TEST(TensorMap, HasNoValuesThatOverflow) {
  TensorMap map = makeMap();
  map.extents = {{8, {}}, {8, {}}};
  // These wrap to 2^37 + 16 and to 16 bytes.
  map.strides = {{8, {2, 2}}};
  EXPECT_FALSE(has(map, 256, 1, (int64_t(1) << 32) + 1));
  map.strides = {{1, {2}}};
  EXPECT_FALSE(has(map, 256, 1, INT64_MIN + 8));
}

TEST(TensorMap, ReachesAllAddressesByTwoDimensionsMore) {
  for (ElementType type :
       {ElementType::F8E4M3, ElementType::F16, ElementType::F64}) {
    TensorMap map = makeMap(type);
    map.addMoveDims();
    ASSERT_EQ(map.getRank(), 5u);
    std::optional<TensorMapValues> values =
        evaluate(map, makeValues(256, 8, 16, 1));
    ASSERT_TRUE(values);
    constexpr uint64_t gib = uint64_t(1) << 30;
    EXPECT_EQ(llvm::ArrayRef(values->extents).drop_front(3),
              llvm::ArrayRef<uint64_t>({gib, gib}));
    EXPECT_EQ(llvm::ArrayRef(values->strides).drop_front(2),
              llvm::ArrayRef<uint64_t>({16, 16 * gib}));
    EXPECT_EQ(llvm::ArrayRef(map.box).drop_front(3),
              llvm::ArrayRef<unsigned>({1, 1}));
  }
}

TEST(TensorMap, ALaunchHasAllMapsOrNot) {
  TensorMap maps[] = {makeMap(), makeMap(ElementType::F32)};
  ArgumentBlock both = makeValues(256, 8, 8, 1),
                second = makeValues(256, 8, 4, 1);
  EXPECT_TRUE(canHave(maps, both));
  EXPECT_FALSE(canHave(maps, second));
  EXPECT_TRUE(canHave(llvm::ArrayRef(maps).drop_front(), second));
  EXPECT_TRUE(canHave({}, second));
}

/// "" where the launch is allowed to do without.
static std::string refuse(const TensorMap &map, const ArgumentBlock &values) {
  return llvm::toString(
      refuseWithoutMaps("gemm", gemmArguments, {map}, values));
}

TEST(TensorMap, SaysWhichArgumentStandsInTheWay) {
  TensorMap map = makeMap();
  const std::string head =
      "'gemm' requires bulk copies, which this launch cannot have: ";
  EXPECT_EQ(refuse(map, makeValues(8, 8, 8, 1)),
            head + "the address of 'A' is no multiple of 16 bytes");
  EXPECT_EQ(refuse(map, makeValues(256, -8, 8, 1)),
            head + "an extent of 'A', M = -8, is not from 1 to 2146435071");
  EXPECT_EQ(refuse(map, makeValues(256, 8, 8, -5)),
            head + "an extent of 'A', 3 * k = -15, is not from 1 to "
                   "2146435071");
  EXPECT_EQ(refuse(map, makeValues(256, 8, 4, 1)),
            head + "a stride of 'A', N = 4, times 2 bytes, is no multiple of "
                   "16 below 2^40");
  // Nothing is copied.
  EXPECT_EQ(refuse(map, makeValues(8, 0, 8, 1)), "");
}

TEST(TensorMap, GoesThroughJson) {
  TensorMap map = makeMap(ElementType::BF16);
  map.isLast = true;
  llvm::json::Value value = toJSON(map);
  TensorMap again;
  llvm::json::Path::Root root;
  ASSERT_TRUE(fromJSON(value, again, root));
  EXPECT_EQ(again, map);
  for (llvm::StringRef key : {"pointer", "type", "extents", "strides", "box",
                              "last", "swizzle_bytes"}) {
    llvm::json::Value part = value;
    part.getAsObject()->erase(key);
    EXPECT_FALSE(fromJSON(part, again, root)) << key.str();
  }
  (*value.getAsObject())["type"] = "f17";
  EXPECT_FALSE(fromJSON(value, again, root));
}
