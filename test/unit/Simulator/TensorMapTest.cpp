//===- TensorMapTest.cpp - What bulk tensor copies know of a tensor -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Simulator/TensorMap.h"
#include "gtest/gtest.h"

using namespace tilewright::sim;

namespace {

TensorMap goodMap() {
  TensorMap map;
  map.element = TensorMap::Element::F16;
  map.address = 0x1000;
  map.rank = 3;
  map.extents = {uint64_t(1) << 32, 37, 5, 1, 1};
  map.strides = {(uint64_t(1) << 40) - 16, 0};
  map.box = {64, 256, 1, 1, 1};
  map.elementStrides = {1, 8, 1, 1, 1};
  map.swizzle = TensorMap::Swizzle::Bytes128;
  map.fill = TensorMap::Fill::NaN;
  return map;
}

TEST(TensorMaps, KeepAllThereIs) {
  const TensorMap map = goodMap();
  llvm::Expected<TensorMap::Encoded> encoded = map.encode();
  ASSERT_TRUE(bool(encoded));
  const std::optional<TensorMap> decoded = TensorMap::decode(encoded->bytes);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->element, map.element);
  EXPECT_EQ(decoded->address, map.address);
  EXPECT_EQ(decoded->rank, map.rank);
  EXPECT_EQ(decoded->extents, map.extents);
  EXPECT_EQ(decoded->strides, map.strides);
  EXPECT_EQ(decoded->box, map.box);
  EXPECT_EQ(decoded->elementStrides, map.elementStrides);
  EXPECT_EQ(decoded->swizzle, map.swizzle);
  EXPECT_EQ(decoded->fill, map.fill);
  EXPECT_EQ(map.boxBytes(), 64u * 2 * 32);
  EXPECT_FALSE(TensorMap::decode(std::vector<uint8_t>(128, 0)).has_value());
}

TEST(TensorMaps, Errors) {
  auto expect = [](void (*change)(TensorMap &), const std::string &message) {
    TensorMap map = goodMap();
    change(map);
    llvm::Expected<TensorMap::Encoded> encoded = map.encode();
    EXPECT_EQ(encoded ? "" : llvm::toString(encoded.takeError()), message);
  };
  expect([](TensorMap &map) { map.rank = 6; },
         "a tensor map has 1 to 5 dimensions, and not 6");
  expect([](TensorMap &map) { map.rank = 0; },
         "a tensor map has 1 to 5 dimensions, and not 0");
  expect([](TensorMap &map) { map.address = 0x1008; },
         "the address is a multiple of 16 bytes, and not 0x1008");
  expect([](TensorMap &map) { map.extents[1] = 0; },
         "dimension 1: an extent is from 1 to 2^32, and not 0");
  expect([](TensorMap &map) { ++map.extents[0]; },
         "dimension 0: an extent is from 1 to 2^32, and not 4294967297");
  expect([](TensorMap &map) { map.strides[0] = 24; },
         "dimension 1: a stride is a multiple of 16 bytes below 2^40, and not "
         "24");
  expect([](TensorMap &map) { map.strides[1] = uint64_t(1) << 40; },
         "dimension 2: a stride is a multiple of 16 bytes below 2^40, and not "
         "1099511627776");
  expect([](TensorMap &map) { map.box[1] = 257; },
         "dimension 1: an extent of the box is from 1 to 256, and not 257");
  expect([](TensorMap &map) { map.box[2] = 0; },
         "dimension 2: an extent of the box is from 1 to 256, and not 0");
  expect([](TensorMap &map) { map.elementStrides[1] = 9; },
         "dimension 1: an element stride is from 1 to 8, and not 9");
  expect([](TensorMap &map) { map.box[0] = 4; },
         "a row of the box has a multiple of 16 bytes, and not 8");
  expect([](TensorMap &map) { map.box[0] = 72; },
         "with a swizzle of 128 bytes, a row of the box has at most as many, "
         "and not 144");
  expect([](TensorMap &map) { map.box[0] = 32; },
         "with a swizzle of 128 bytes, only boxes with rows of as many are "
         "simulated, and these have 64");
  expect(
      [](TensorMap &map) {
        map.element = TensorMap::Element::S32;
        map.box[0] = 32;
      },
      "only floating-point elements are filled with NaN");
}

} // namespace
