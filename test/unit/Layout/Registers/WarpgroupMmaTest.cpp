//===- WarpgroupMmaTest.cpp - Tests of warpgroups' products ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "LayoutTestUtils.h"

#include "tilewright/Layout/Registers/MmaLayout.h"
#include "llvm/Testing/Support/Error.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

static std::string accumulator(ArrayRef<int64_t> shape, unsigned numWarps) {
  LinearLayout layout = warpgroupAccumulatorLayout(shape, numWarps);
  EXPECT_EQ(layout.shape(), shape);
  EXPECT_TRUE(layout.isBijective());
  EXPECT_TRUE(isWarpgroupAccumulatorLayout(layout));
  EXPECT_TRUE(isMmaAccumulatorLayout(layout));
  return toString(*layoutToFactors(layout));
}

TEST(WarpgroupMma, Accumulators) {
  EXPECT_EQ(accumulator({64, 8}, 4),
            "register[1,2] lane[8,4] register[2,1] warp[4,1]");
  EXPECT_EQ(accumulator({128, 128}, 4), "register[1,2] lane[8,4] register[2,1] "
                                        "warp[4,1] register[2,16]");
  // Two warpgroups below each other, or side by side where rows are short of.
  EXPECT_EQ(accumulator({128, 256}, 8), "register[1,2] lane[8,4] register[2,1] "
                                        "register[1,32] warp[8,1]");
  EXPECT_EQ(accumulator({64, 256}, 8), "register[1,2] lane[8,4] register[2,1] "
                                       "register[1,16] warp[4,1] warp[1,2]");
  EXPECT_EQ(getInstructionN(warpgroupAccumulatorLayout({64, 256}, 8)), 128);
  EXPECT_EQ(getInstructionN(warpgroupAccumulatorLayout({64, 512}, 4)), 256);
}

TEST(WarpgroupMma, WhatFitsWarpgroups) {
  EXPECT_TRUE(fitsWarpgroups({64, 8}, 4));
  EXPECT_FALSE(fitsWarpgroups({32, 64}, 4));
  EXPECT_FALSE(fitsWarpgroups({64, 4}, 4));
  EXPECT_FALSE(fitsWarpgroups({64, 64}, 2));
  EXPECT_TRUE(fitsWarpgroups({64, 8}, 8));
  EXPECT_FALSE(keepsWarpgroupsBusy({64, 8}, 8));
  EXPECT_TRUE(keepsWarpgroupsBusy({64, 16}, 8));
  EXPECT_TRUE(keepsWarpgroupsBusy({128, 8}, 8));
  EXPECT_FALSE(keepsWarpgroupsBusy({128, 8}, 16));
  EXPECT_FALSE(
      isWarpgroupAccumulatorLayout(mmaAccumulatorLayout({128, 64}, 4)));
}

static uint64_t describe(uint64_t mode, uint64_t stride, uint64_t leading) {
  return mode << 62 | stride / 16 << 32 | leading / 16 << 16;
}

static WarpgroupOperand operand(ArrayRef<int64_t> shape, unsigned elementBytes,
                                unsigned rowDim, int64_t rowBytes,
                                unsigned kDim) {
  return cantFail(WarpgroupOperand::create(
      cantFail(hardwareLayout(shape, elementBytes, rowDim,
                              HardwareSwizzle::get(rowBytes))),
      elementBytes, kDim));
}

TEST(WarpgroupMma, DescribesRowsAlongK) {
  // A of 128 x 64 halves: rows of 128 bytes, 8 of which are 1024 bytes.
  WarpgroupOperand a = operand({128, 64}, 2, 1, 128, 1);
  EXPECT_FALSE(a.isTransposed());
  EXPECT_EQ(a.getDescriptor(), describe(1, 1024, 128 * 128));
  EXPECT_EQ(a.getStartBytes({0, 16}), 32);
  EXPECT_EQ(a.getStartBytes({64, 0}), 64 * 128);
  EXPECT_EQ(a.getAlignment(), 1024);
  // Of 32 floats, and of 64 bytes.
  EXPECT_EQ(operand({64, 32}, 4, 1, 128, 1).getDescriptor(),
            describe(1, 1024, 64 * 128));
  EXPECT_EQ(operand({64, 64}, 1, 1, 64, 1).getDescriptor(),
            describe(2, 512, 64 * 64));
  EXPECT_EQ(operand({64, 32}, 1, 1, 32, 1).getDescriptor(),
            describe(3, 256, 64 * 32));
  // No swizzle: the next 16 bytes of K are a panel away.
  EXPECT_EQ(operand({64, 64}, 2, 1, 16, 1).getDescriptor(),
            describe(0, 128, 64 * 16));
}

TEST(WarpgroupMma, DescribesRowsAcrossK) {
  // B of 64 x 128 halves: two panels of 64 columns.
  WarpgroupOperand b = operand({64, 128}, 2, 1, 128, 0);
  EXPECT_TRUE(b.isTransposed());
  EXPECT_EQ(b.getDescriptor(), describe(1, 1024, 64 * 128));
  EXPECT_EQ(b.getStartBytes({16, 64}), 64 * 128 + 16 * 128);
  EXPECT_EQ(operand({64, 128}, 2, 1, 16, 0).getDescriptor(),
            describe(0, 64 * 16, 128));
}

TEST(WarpgroupMma, RefusesWhatItCannotRead) {
  auto refuse = [](const SharedLayout &layout, unsigned bytes, unsigned kDim) {
    return toString(WarpgroupOperand::create(layout, bytes, kDim).takeError());
  };
  EXPECT_EQ(refuse(SharedLayout::rowMajor({64, 64}), 2, 1),
            "wgmma reads a tile in one of the layouts of the hardware (modes "
            "128B, 64B, 32B and none) only");
  auto floats =
      cantFail(hardwareLayout({64, 32}, 4, 1, HardwareSwizzle::get(128)));
  EXPECT_EQ(refuse(floats, 4, 0),
            "wgmma reads elements of 4 bytes only by rows along K");
  auto narrow =
      cantFail(hardwareLayout({64, 8}, 2, 1, HardwareSwizzle::get(16)));
  EXPECT_EQ(refuse(narrow, 2, 1), "wgmma takes 32 bytes along K at a time");
}

TEST(WarpgroupMma, HasInstructionsOfMultiples) {
  EXPECT_TRUE(hasInstruction(8, 2));
  EXPECT_TRUE(hasInstruction(192, 2));
  EXPECT_TRUE(hasInstruction(40, 4));
  EXPECT_FALSE(hasInstruction(264, 2));
  EXPECT_FALSE(hasInstruction(12, 2));
  EXPECT_TRUE(hasInstruction(24, 1));
  EXPECT_FALSE(hasInstruction(40, 1));
  EXPECT_TRUE(hasInstruction(48, 1));
}

TEST(WarpgroupMma, ContinuesATileInFront) {
  // B along N: panels of 64 columns stand in a row.
  WarpgroupOperand b = operand({64, 128}, 2, 1, 128, 0);
  EXPECT_TRUE(operand({64, 64}, 2, 1, 128, 0).continues(b));
  EXPECT_TRUE(b.continues(operand({64, 64}, 2, 1, 128, 0)));
  EXPECT_FALSE(operand({64, 32}, 2, 1, 64, 0).continues(b));
  EXPECT_FALSE(operand({32, 64}, 2, 1, 128, 0).continues(b));
  // Along K one row of the mode has all of K; of two the second is elsewhere.
  WarpgroupOperand along = operand({128, 64}, 2, 1, 128, 1);
  EXPECT_TRUE(operand({64, 64}, 2, 1, 128, 1).continues(along));
  EXPECT_FALSE(operand({64, 64}, 2, 1, 128, 0).continues(along));
  EXPECT_FALSE(operand({64, 128}, 2, 1, 128, 1)
                   .continues(operand({128, 128}, 2, 1, 128, 1)));
}

/// What the hardware reads, by the rules of the PTX ISA, is what the layout
/// stored: the address of each element from descriptor, start and XOR.
TEST(WarpgroupMma, AgreesWithTheAddressesOfTheHardware) {
  for (unsigned bytes : {1u, 2u, 4u})
    for (int64_t rowBytes : {16, 32, 64, 128})
      for (unsigned kDim : {0u, 1u})
        for (unsigned rowDim : {0u, 1u}) {
          if (rowDim != kDim && bytes != 2)
            continue;
          SmallVector<int64_t, 2> shape = {128, 128};
          WarpgroupOperand read = operand(shape, bytes, rowDim, rowBytes, kDim);
          SharedLayout layout = cantFail(hardwareLayout(
              shape, bytes, rowDim, HardwareSwizzle::get(rowBytes)));
          uint64_t word = read.getDescriptor();
          int64_t leading = (word >> 16 & 0x3fff) * 16;
          int64_t stride = (word >> 32 & 0x3fff) * 16;
          int64_t perAtom = 16 / bytes, steps = 32 / bytes;
          int64_t perRow = rowBytes / bytes;
          for (int64_t k0 = 0; k0 < 128; k0 += steps)
            for (int64_t k = 0; k < steps; ++k)
              for (int64_t i = 0; i < 64; ++i) {
                SmallVector<int32_t, 2> start = {0, 0}, point = {0, 0};
                start[kDim] = k0;
                point[kDim] = k0 + k;
                point[1 - kDim] = i;
                int64_t address = read.getStartBytes(start);
                if (rowDim == kDim)
                  address += i % 8 * rowBytes + i / 8 * stride +
                             (rowBytes == 16
                                  ? k / perAtom * leading + k % perAtom * bytes
                                  : k * bytes);
                else
                  address +=
                      k % 8 * rowBytes + i % perRow * bytes +
                      (rowBytes == 16 ? k / 8 * leading + i / perRow * stride
                                      : k / 8 * stride + i / perRow * leading);
                int64_t mask = rowBytes / 16 - 1;
                address ^= (address >> 7 & mask) << 4;
                EXPECT_EQ(address, layout.offset(point) * bytes)
                    << bytes << " " << rowBytes << " " << kDim << rowDim;
              }
        }
}
