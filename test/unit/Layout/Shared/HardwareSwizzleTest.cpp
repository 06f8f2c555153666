//===- HardwareSwizzleTest.cpp - Tests of the modes of TMA and wgmma ------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Shared/HardwareSwizzle.h"
#include "LayoutTestUtils.h"
#include "tilewright/Layout/Banks/BankModel.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::test;

/// Byte for byte what the table of the header says.
TEST(HardwareSwizzle, XorsAtomsWithRows) {
  struct Case {
    int64_t rowBytes, rowsAStep, atoms;
  };
  for (auto [rowBytes, rowsAStep, atoms] :
       {Case{16, 8, 1}, {32, 4, 2}, {64, 2, 4}, {128, 1, 8}})
    for (unsigned bytes : {1, 2, 4, 8, 16}) {
      int64_t columns = rowBytes / bytes;
      // Two panels.
      SharedLayout layout = cantFail(hardwareLayout(
          {32, 2 * columns}, bytes, 1, HardwareSwizzle::get(rowBytes)));
      for (int32_t row = 0; row < 32; ++row)
        for (int32_t column = 0; column < 2 * columns; ++column) {
          int64_t inRow = column % columns * bytes;
          int64_t atom = inRow / 16 ^ row / rowsAStep % atoms;
          EXPECT_EQ(layout.offset({row, column}) * bytes,
                    column / columns * 32 * rowBytes + row * rowBytes +
                        atom * 16 + inRow % 16);
        }
    }
}

/// Eight atoms below each other, what wgmma and ldmatrix read, are in all
/// banks.
TEST(HardwareSwizzle, ColumnsOfAtomsHaveNoConflicts) {
  for (const HardwareSwizzle &mode : HardwareSwizzle::all()) {
    SharedLayout layout =
        cantFail(hardwareLayout({64, mode.rowBytes / 2}, 2, 1, mode));
    for (int32_t atom = 0; atom < mode.rowBytes / 16; ++atom) {
      SmallVector<int64_t> rows;
      for (int32_t row = 8; row < 16; ++row)
        rows.push_back(layout.offset({row, atom * 8}) * 2);
      EXPECT_EQ(countWavefronts(SharedAccessKind::LoadMatrix, 16, rows), 1u);
    }
  }
}

/// In rows of 128 bytes as they are they would be in four banks.
TEST(HardwareSwizzle, ColumnsOfPlainRowsHaveConflicts) {
  SmallVector<int64_t> rows;
  for (int64_t row = 0; row < HardwareSwizzle::periodRows; ++row)
    rows.push_back(row * 128);
  EXPECT_EQ(countWavefronts(SharedAccessKind::LoadMatrix, 16, rows), 8u);
}

TEST(HardwareSwizzle, AreKnownByName) {
  EXPECT_EQ(HardwareSwizzle::all().size(), 4u);
  EXPECT_EQ(HardwareSwizzle::get(64).name, "64B");
  for (const HardwareSwizzle &mode : HardwareSwizzle::all()) {
    EXPECT_EQ(&HardwareSwizzle::get(mode.rowBytes), &mode);
    EXPECT_EQ(mode.alignment, mode.rowBytes * HardwareSwizzle::periodRows);
  }
  // The other dimension may be that of rows.
  SharedLayout across =
      cantFail(hardwareLayout({64, 16}, 2, 0, HardwareSwizzle::get(128)));
  EXPECT_EQ(across.toString(), "order [0,1], swizzle<3,3,3>");
}

TEST(HardwareSwizzle, SaysWhatAModeNeeds) {
  auto error = [](ArrayRef<int64_t> shape, unsigned bytes, int64_t rowBytes) {
    auto layout =
        hardwareLayout(shape, bytes, 1, HardwareSwizzle::get(rowBytes));
    return layout ? "no error" : toString(layout.takeError());
  };
  EXPECT_EQ(error({8, 64}, 2, 128), "no error");
  EXPECT_EQ(error({8, 32}, 2, 128),
            "swizzle mode 128B needs rows of 128 bytes; these have 64");
  EXPECT_EQ(error({4, 64}, 2, 64), "swizzle mode 64B needs 8 rows; the tile "
                                   "has 4");
  EXPECT_EQ(error({8, 64}, 32, 32),
            "swizzle mode 32B does not hold elements of 32 bytes");
  EXPECT_EQ(error({8, 64}, 3, 32),
            "swizzle mode 32B does not hold elements of 3 bytes");
  EXPECT_EQ(error({8, 63}, 2, 32),
            "extent 63 of dimension 1 is not a power of two");
}
