//===- ElementTypeTest.cpp - Conversions against APFloat ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/ElementType.h"
#include "SpecTestUtils.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace tilewright::spec;
using llvm::APFloat;

namespace {

struct Format {
  ElementType type;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};

const Format smallFormats[] = {
    {ElementType::F8E4M3, APFloat::Float8E4M3FN(), 8},
    {ElementType::F8E5M2, APFloat::Float8E5M2(), 8},
    {ElementType::F16, APFloat::IEEEhalf(), 16},
    {ElementType::BF16, APFloat::BFloat(), 16},
};

const Format floatFormats[] = {
    smallFormats[0],
    smallFormats[1],
    smallFormats[2],
    smallFormats[3],
    {ElementType::F32, APFloat::IEEEsingle(), 32},
    {ElementType::F64, APFloat::IEEEdouble(), 64},
};

double decodeByAPFloat(const Format &format, uint64_t bits) {
  APFloat value(format.semantics, llvm::APInt(format.bits, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

uint64_t encodeByAPFloat(const Format &format, double number) {
  APFloat value(number);
  bool losesInfo;
  APFloat::opStatus status =
      value.convert(format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  bool isSmallest8Bits = format.bits == 8;
  if (isSmallest8Bits && !std::isnan(number) &&
      ((status & APFloat::opOverflow) || std::isinf(number)))
    value = APFloat::getLargest(format.semantics, std::signbit(number));
  return value.bitcastToAPInt().getZExtValue();
}

void expectEncodesAsAPFloat(const Format &format, double number) {
  uint64_t got = encodeReal(format.type, number);
  if (std::isnan(number)) {
    EXPECT_TRUE(isNaN(format.type, got)) << number;
    return;
  }
  EXPECT_EQ(got, encodeByAPFloat(format, number))
      << getName(format.type).str() << " of " << number;
}

TEST(ElementType, NamesRoundTrip) {
  std::string names;
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::F64); ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parseElementType(getName(type)), type);
    names += (i ? ", " : "") + getName(type).str();
  }
  EXPECT_EQ(names, elementTypeNames.str());
  EXPECT_FALSE(parseElementType("F16"));
  EXPECT_FALSE(parseElementType("f8"));
  EXPECT_FALSE(parseElementType(""));
}

TEST(ElementType, Sizes) {
  EXPECT_EQ(getByteSize(ElementType::I1), 1u);
  EXPECT_EQ(getByteSize(ElementType::I8), 1u);
  EXPECT_EQ(getByteSize(ElementType::I16), 2u);
  EXPECT_EQ(getByteSize(ElementType::I64), 8u);
  EXPECT_EQ(getByteSize(ElementType::F8E5M2), 1u);
  EXPECT_EQ(getByteSize(ElementType::BF16), 2u);
  EXPECT_EQ(getByteSize(ElementType::F32), 4u);
  EXPECT_EQ(getByteSize(ElementType::F64), 8u);
}

TEST(ElementType, DecodesEverySmallFloat) {
  for (const Format &format : smallFormats)
    for (uint64_t bits = 0; bits < uint64_t(1) << format.bits; ++bits) {
      double got = decodeReal(format.type, bits);
      double expected = decodeByAPFloat(format, bits);
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << bits;
      ASSERT_EQ(std::isnan(got), isNaN(format.type, bits)) << bits;
      if (!std::isnan(got)) {
        ASSERT_EQ(got, expected) << getName(format.type).str() << " " << bits;
        ASSERT_EQ(std::signbit(got), std::signbit(expected)) << bits;
      }
    }
}

TEST(ElementType, EncodesEverySmallFloatBack) {
  for (const Format &format : smallFormats)
    for (uint64_t bits = 0; bits < uint64_t(1) << format.bits; ++bits) {
      double value = decodeReal(format.type, bits);
      if (isNaN(format.type, bits)) {
        ASSERT_TRUE(isNaN(format.type, encodeReal(format.type, value)));
        continue;
      }
      // 8-bit floats saturate: their infinity is never the result of rounding.
      uint64_t expected =
          std::isinf(value) && format.bits == 8 ? bits - 1 : bits;
      ASSERT_EQ(encodeReal(format.type, value), expected);
    }
}

// Between each pair of neighbours: the middle (a tie) and the numbers beside
// it.
TEST(ElementType, RoundsToNearestEven) {
  for (const Format &format : smallFormats)
    for (uint64_t bits = 0; bits < uint64_t(1) << (format.bits - 1); ++bits) {
      if (isNaN(format.type, bits) || isNaN(format.type, bits + 1))
        continue;
      double low = decodeReal(format.type, bits);
      double high = decodeReal(format.type, bits + 1);
      if (std::isinf(low) || std::isinf(high))
        continue;
      double middle = (low + high) / 2;
      for (double value : {middle, std::nextafter(middle, low),
                           std::nextafter(middle, high), (low + middle) / 2}) {
        expectEncodesAsAPFloat(format, value);
        expectEncodesAsAPFloat(format, -value);
      }
    }
}

TEST(ElementType, RoundsAtTheEndsOfTheRange) {
  for (const Format &format : floatFormats) {
    double largest = getLargestFinite(format.type);
    double smallest = getSmallestDenormal(format.type);
    for (double value :
         {largest, std::nextafter(largest, HUGE_VAL), largest * 1.0001,
          largest * 1.03, largest * 1.0625, largest * 2, 1e300, HUGE_VAL,
          smallest, smallest / 2, std::nextafter(smallest / 2, 1.0),
          std::nextafter(smallest / 2, 0.0), smallest * 1.5, 0.0, 1e-320,
          std::numeric_limits<double>::quiet_NaN()}) {
      expectEncodesAsAPFloat(format, value);
      expectEncodesAsAPFloat(format, -value);
    }
  }
}

/// Whether a finite number rounds beyond the largest of a format.
bool overflowsByAPFloat(const Format &format, double number) {
  APFloat value(number);
  bool losesInfo;
  return value.convert(format.semantics, APFloat::rmNearestTiesToEven,
                       &losesInfo) &
         APFloat::opOverflow;
}

TEST(ElementType, TakesTheNumbersThatDoNotOverflow) {
  for (const Format &format : floatFormats) {
    double largest = getLargestFinite(format.type);
    // Around the numbers that end the range, and far away.
    double step = largest * getUnitRoundoff(format.type) / 8;
    for (int i = -40; i <= 80; ++i)
      for (double number :
           {largest + i * step, std::nextafter(largest + i * step, 0),
            std::nextafter(largest + i * step, HUGE_VAL)})
        for (double given : {number, -number}) {
          if (std::isinf(given))
            continue;
          std::optional<uint64_t> bits = encodeGivenReal(format.type, given);
          EXPECT_EQ(bits.has_value(), !overflowsByAPFloat(format, given))
              << getName(format.type).str() << " " << given;
          if (bits)
            EXPECT_EQ(*bits, encodeByAPFloat(format, given));
        }
    for (double number : {0.0, -0.0, 1.0, -0.1, 1e-300})
      EXPECT_EQ(encodeGivenReal(format.type, number),
                encodeReal(format.type, number));
    EXPECT_TRUE(isNaN(format.type, *encodeGivenReal(format.type, NAN)));
    for (double number : {HUGE_VAL, -HUGE_VAL}) {
      std::optional<uint64_t> bits = encodeGivenReal(format.type, number);
      ASSERT_EQ(bits.has_value(), format.type != ElementType::F8E4M3);
      if (bits)
        EXPECT_EQ(decodeReal(format.type, *bits), number);
    }
  }
  EXPECT_EQ(encodeGivenReal(ElementType::F16, 65519.996), 0x7bffu);
  EXPECT_EQ(encodeGivenReal(ElementType::F16, 65520), std::nullopt);
}

TEST(ElementType, TakesIntegersWithAndWithoutSign) {
  struct {
    ElementType type;
    uint64_t least, most; // The least without its sign.
  } const ranges[] = {
      {ElementType::I1, 1, 1},
      {ElementType::I8, 128, 255},
      {ElementType::I16, 32768, 65535},
      {ElementType::I32, uint64_t(1) << 31, 0xffffffff},
      {ElementType::I64, uint64_t(1) << 63, ~uint64_t(0)},
  };
  for (auto [type, least, most] : ranges) {
    EXPECT_EQ(encodeGivenInteger(type, false, 0), 0u);
    EXPECT_EQ(encodeGivenInteger(type, true, 0), 0u);
    EXPECT_EQ(encodeGivenInteger(type, false, most), most);
    EXPECT_EQ(encodeGivenInteger(type, true, 1), most);
    EXPECT_EQ(encodeGivenInteger(type, true, least), least);
    if (type != ElementType::I64)
      EXPECT_EQ(encodeGivenInteger(type, false, most + 1), std::nullopt);
    EXPECT_EQ(encodeGivenInteger(type, true, least + 1), std::nullopt);
    EXPECT_EQ(encodeGivenInteger(type, true, ~uint64_t(0)), std::nullopt);
  }
}

TEST(ElementType, EncodesRandomDoublesAsAPFloat) {
  std::mt19937_64 random = makeRandom(1);
  for (const Format &format : floatFormats)
    for (unsigned i = 0; i < 100000; ++i) {
      // Any bits, and numbers in the format's range.
      double any = llvm::bit_cast<double>(random());
      expectEncodesAsAPFloat(format, any);
      double mantissa = static_cast<double>(random()) * 0x1p-64 - 0.5;
      expectEncodesAsAPFloat(
          format, std::ldexp(mantissa, static_cast<int>(random() % 60) - 30));
    }
}

TEST(ElementType, Limits) {
  EXPECT_EQ(getLargestFinite(ElementType::F8E4M3), 448);
  EXPECT_EQ(getLargestFinite(ElementType::F8E5M2), 57344);
  EXPECT_EQ(getLargestFinite(ElementType::F16), 65504);
  EXPECT_EQ(getLargestFinite(ElementType::F32),
            std::numeric_limits<float>::max());
  EXPECT_EQ(getLargestFinite(ElementType::F64),
            std::numeric_limits<double>::max());
  EXPECT_EQ(getUnitRoundoff(ElementType::F8E4M3), 0x1p-4);
  EXPECT_EQ(getUnitRoundoff(ElementType::F16), 0x1p-11);
  EXPECT_EQ(getUnitRoundoff(ElementType::BF16), 0x1p-8);
  EXPECT_EQ(getUnitRoundoff(ElementType::F32), 0x1p-24);
  EXPECT_EQ(getUnitRoundoff(ElementType::F64), 0x1p-53);
  EXPECT_EQ(getUnitRoundoff(ElementType::I32), 0);
  EXPECT_EQ(getSmallestDenormal(ElementType::F16), 0x1p-24);
  EXPECT_EQ(getSmallestDenormal(ElementType::F8E5M2), 0x1p-16);
  EXPECT_EQ(getSmallestDenormal(ElementType::F32),
            std::numeric_limits<float>::denorm_min());
}

TEST(ElementType, Integers) {
  EXPECT_EQ(decodeInteger(ElementType::I8, 0xff), -1);
  EXPECT_EQ(decodeInteger(ElementType::I8, 0x7f), 127);
  EXPECT_EQ(decodeInteger(ElementType::I16, 0x8000), -32768);
  EXPECT_EQ(decodeInteger(ElementType::I32, 0xfffffffe), -2);
  EXPECT_EQ(decodeInteger(ElementType::I64, ~uint64_t(0)), -1);
  EXPECT_EQ(decodeInteger(ElementType::I1, 1), 1);
  EXPECT_EQ(decodeInteger(ElementType::I1, 255), 255);
  EXPECT_EQ(encodeInteger(ElementType::I8, -1), 0xffu);
  EXPECT_EQ(encodeInteger(ElementType::I8, 300), 44u);
  EXPECT_EQ(encodeInteger(ElementType::I1, 6), 1u);
  EXPECT_EQ(encodeInteger(ElementType::I1, 0), 0u);
  EXPECT_FALSE(isNaN(ElementType::I32, ~uint64_t(0)));
}

TEST(ElementType, ReadsAndWritesUnalignedElements) {
  char bytes[16] = {};
  writeElement(ElementType::F64, bytes + 1, 0x0123456789abcdef);
  EXPECT_EQ(readElement(ElementType::F64, bytes + 1), 0x0123456789abcdefu);
  EXPECT_EQ(readElement(ElementType::I16, bytes + 1), 0xcdefu);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[9], 0);
}

TEST(ElementType, FormatsSoThatNumbersDiffer) {
  EXPECT_EQ(formatElement(ElementType::I8, 0xff), "-1");
  EXPECT_EQ(formatElement(ElementType::F16, 0x3c00), "1");
  EXPECT_NE(formatElement(ElementType::F32, 0x3f800000),
            formatElement(ElementType::F32, 0x3f800001));
  EXPECT_NE(formatElement(ElementType::F64, 0x3ff0000000000000),
            formatElement(ElementType::F64, 0x3ff0000000000001));
}

} // namespace
