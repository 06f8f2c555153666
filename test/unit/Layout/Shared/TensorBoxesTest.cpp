//===- TensorBoxesTest.cpp - A shared tile as boxes of bulk copies --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

SharedLayout make(llvm::ArrayRef<int64_t> shape, unsigned bytes,
                  unsigned rowDim, int64_t rowBytes) {
  return llvm::cantFail(
      hardwareLayout(shape, bytes, rowDim, HardwareSwizzle::get(rowBytes)));
}

/// Whether each element is where the hardware puts it: its box from where that
/// begins on, rows one after the other, atoms XORed by bits of the address.
void expectAsCopied(const SharedLayout &layout, unsigned bytes) {
  std::optional<TensorBoxes> boxes = TensorBoxes::of(layout, bytes);
  ASSERT_TRUE(boxes);
  llvm::SmallVector<unsigned> order =
      TensorBoxes::getOrder(layout.shape().size(), boxes->rowDim);
  int64_t elements = 0;
  for (const TensorBoxes::Box &box : boxes->boxes) {
    int64_t inBox = 1;
    for (int64_t extent : boxes->extents)
      inBox *= extent;
    for (int64_t index = 0; index < inBox; ++index, ++elements) {
      llvm::SmallVector<int32_t> point(box.start.begin(), box.start.end());
      int64_t rest = index;
      for (unsigned dim : order) {
        point[dim] += static_cast<int32_t>(rest % boxes->extents[dim]);
        rest /= boxes->extents[dim];
      }
      int64_t address = box.byte + index * bytes;
      int64_t atoms = boxes->rowBytes / HardwareSwizzle::atomBytes;
      address ^= (address >> 7 & (atoms - 1)) << 4;
      ASSERT_EQ(layout.offset(point) * bytes, address);
    }
  }
  EXPECT_EQ(elements, layout.numElements());
}

TEST(TensorBoxes, OneBoxWhereRowsFit) {
  std::optional<TensorBoxes> boxes =
      TensorBoxes::of(make({128, 64}, 2, 1, 128), 2);
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->rowDim, 1u);
  EXPECT_EQ(boxes->rowBytes, 128);
  EXPECT_EQ(boxes->extents, (llvm::SmallVector<int64_t>{128, 64}));
  EXPECT_EQ(boxes->boxes.size(), 1u);
}

TEST(TensorBoxes, PartsAcrossRows) {
  // 128 rows of two panels, for two warpgroups: 64 of each panel.
  SharedLayout layout = make({128, 128}, 2, 1, 128);
  std::optional<TensorBoxes> part = TensorBoxes::of(layout, 2)->getPart(2);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->extents, (llvm::SmallVector<int64_t>{64, 64}));
  EXPECT_EQ(part->partRows, 64);
  EXPECT_EQ(part->partBytes, 64 * 128);
  ASSERT_EQ(part->boxes.size(), 2u);
  EXPECT_EQ(part->boxes[1].byte, 128 * 128);
  EXPECT_EQ(layout.offset({64, 64}) * 2, 128 * 128 + part->partBytes);
  // Parts of 4 rows are no whole periods of the mode.
  EXPECT_FALSE(TensorBoxes::of(make({16, 64}, 2, 1, 128), 2)->getPart(4));
  EXPECT_FALSE(TensorBoxes::of(make({2, 64, 64}, 2, 2, 128), 2)->getPart(2));
}

TEST(TensorBoxes, PanelsOfLongRows) {
  std::optional<TensorBoxes> boxes =
      TensorBoxes::of(make({64, 256}, 2, 1, 128), 2);
  ASSERT_TRUE(boxes);
  ASSERT_EQ(boxes->boxes.size(), 4u);
  EXPECT_EQ(boxes->boxes[3].start, (llvm::SmallVector<int64_t>{0, 192}));
  EXPECT_EQ(boxes->boxes[3].byte, 3 * 64 * 128);
}

TEST(TensorBoxes, AtMost256RowsABox) {
  std::optional<TensorBoxes> boxes =
      TensorBoxes::of(make({512, 64}, 2, 1, 128), 2);
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->extents, (llvm::SmallVector<int64_t>{256, 64}));
  ASSERT_EQ(boxes->boxes.size(), 2u);
  EXPECT_EQ(boxes->boxes[1].byte, 256 * 128);
}

TEST(TensorBoxes, ElementsAreWhereTheHardwarePutsThem) {
  for (int64_t rowBytes : {16, 32, 64, 128})
    for (unsigned bytes : {1u, 2u, 4u, 8u})
      for (unsigned rowDim : {0u, 1u}) {
        expectAsCopied(make({128, 128}, bytes, rowDim, rowBytes), bytes);
        expectAsCopied(make({16, 512}, bytes, 1, rowBytes), bytes);
      }
  expectAsCopied(make({4, 32, 64}, 2, 2, 128), 2);
  expectAsCopied(make({4, 512, 64}, 2, 2, 128), 2);
}

TEST(TensorBoxes, OtherLayoutsAreNone) {
  EXPECT_FALSE(TensorBoxes::of(SharedLayout::rowMajor({64, 64}), 2));
  EXPECT_FALSE(
      TensorBoxes::of(SharedLayout::rowMajor({64, 64}).withPadding(64, 8), 2));
  EXPECT_FALSE(TensorBoxes::of(
      SharedLayout::rowMajor({64, 64}).withSwizzle(2, 3, 3), 2));
}

} // namespace
