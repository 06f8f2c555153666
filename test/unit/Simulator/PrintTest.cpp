//===- PrintTest.cpp - What vprintf prints --------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/PrintFormat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace tilewright::sim;

namespace {

/// The text of a format with these values; in `sizes` comes how many bytes were
/// asked for.
std::string print(llvm::StringRef format, std::vector<uint64_t> values,
                  std::vector<unsigned> *sizes = nullptr) {
  size_t next = 0;
  std::string text = formatText(
      format,
      [&](unsigned bytes) {
        if (sizes)
          sizes->push_back(bytes);
        return next < values.size() ? values[next++] : 0;
      },
      [](uint64_t address) { return "text" + std::to_string(address); });
  EXPECT_EQ(next, values.size());
  return text;
}

TEST(PrintFormat, IntegersAreOf32And64Bits) {
  std::vector<unsigned> sizes;
  EXPECT_EQ(print("%d %u %lld %llu %x %#X %5d|%-5d|%05d",
                  {uint32_t(-7), uint32_t(-7), uint64_t(-7), uint64_t(-7), 255,
                   255, 42, 42, 42},
                  &sizes),
            "-7 4294967289 -7 18446744073709551609 ff 0XFF    42|42   |00042");
  EXPECT_EQ(sizes, (std::vector<unsigned>{4, 4, 8, 8, 4, 4, 4, 4, 4}));
}

TEST(PrintFormat, FloatsAreDoubles) {
  auto bits = [](double value) { return llvm::bit_cast<uint64_t>(value); };
  EXPECT_EQ(print("%f %.2f %e %g %f", {bits(1.5), bits(-0.125), bits(1000),
                                       bits(1e-9), bits(INFINITY)}),
            "1.500000 -0.12 1.000000e+03 1e-09 inf");
}

TEST(PrintFormat, TextsAndPointers) {
  EXPECT_EQ(print("%s and %p, %c", {12, 0x7f00, 'x'}), "text12 and 0x7f00, x");
}

TEST(PrintFormat, WhatIsNoConversionStays) {
  EXPECT_EQ(print("100%% %y %", {}), "100% %y %");
}

TEST(PrintedText, BlocksComeInTheirOrder) {
  PrintedText printed;
  printed.add(2, "c\n");
  printed.add(0, "a\n");
  printed.add(2, "d\n");
  printed.add(1, "b\n");
  EXPECT_EQ(printed.take(), "a\nb\nc\nd\n");
  EXPECT_EQ(printed.take(), "");
}

} // namespace
