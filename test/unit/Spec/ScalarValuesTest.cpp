//===- ScalarValuesTest.cpp - Values of scalar arguments ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTestUtils.h"
#include <cmath>

using namespace tilewright::spec;

namespace {

class ScalarValuesTest : public testing::Test {
protected:
  ScalarValuesTest() {
    KernelDescription description;
    description.name = "scale";
    description.arguments = {
        pointer("X", ElementType::F32),    scalar("N", ElementType::I32),
        scalar("small", ElementType::I8),  scalar("flag", ElementType::I1),
        scalar("alpha", ElementType::F16), scalar("beta", ElementType::F64),
    };
    description.shapes = {"X[N]"};
    description.grid = {"N"};
    spec = std::make_unique<KernelSpec>(
        llvm::cantFail(KernelSpec::create(description)));
  }

  std::string getParseError(llvm::StringRef text) {
    return getError(ScalarValues::parse(*spec, text));
  }

  /// The error where \p text replaces the value of one name, with the others
  /// right.
  std::string getErrorOf(llvm::StringRef text) {
    std::string all = text.str();
    for (llvm::StringRef other :
         {"N=1", "small=1", "flag=1", "alpha=1", "beta=1"})
      if (other.split('=').first != text.split('=').first)
        all += " " + other.str();
    return getParseError(all);
  }

  std::unique_ptr<KernelSpec> spec;
};

TEST_F(ScalarValuesTest, ParsesEveryType) {
  llvm::Expected<ScalarValues> values = ScalarValues::parse(
      *spec, "  beta=0.1,N=-5\tsmall=0x7f flag=true alpha=2.5 ");
  ASSERT_VALUE(values);
  EXPECT_EQ(decodeInteger(ElementType::I32, values->getBits(1)), -5);
  EXPECT_EQ(values->getBits(2), 127u);
  EXPECT_EQ(values->getBits(3), 1u);
  EXPECT_EQ(decodeReal(ElementType::F16, values->getBits(4)), 2.5);
  EXPECT_EQ(decodeReal(ElementType::F64, values->getBits(5)), 0.1);
}

TEST_F(ScalarValuesTest, RoundsFloatsToTheirType) {
  llvm::Expected<ScalarValues> values =
      ScalarValues::parse(*spec, "beta=inf N=1 small=-128 flag=0 alpha=0.1");
  ASSERT_VALUE(values);
  EXPECT_EQ(values->getBits(4), 0x2e66u);
  EXPECT_TRUE(std::isinf(decodeReal(ElementType::F64, values->getBits(5))));
}

TEST_F(ScalarValuesTest, IntegersHaveNoSignAndDecimalDigits) {
  llvm::Expected<ScalarValues> values = ScalarValues::parse(
      *spec, "N=0xffffffff small=200 flag=-1 alpha=-0 beta=nan");
  ASSERT_VALUE(values);
  EXPECT_EQ(values->getBits(1), 0xffffffffu);
  EXPECT_EQ(values->getBits(2), 200u);
  EXPECT_EQ(values->getBits(3), 1u);
  EXPECT_EQ(values->getBits(4), 0x8000u);
  EXPECT_TRUE(isNaN(ElementType::F64, values->getBits(5)));
  values = ScalarValues::parse(*spec, "N=-0x10,small=0b11,flag=0 alpha=65519 "
                                      "beta=-inf");
  ASSERT_VALUE(values);
  EXPECT_EQ(values->getBits(1), 0xfffffff0u);
  EXPECT_EQ(values->getBits(2), 3u);
  EXPECT_EQ(values->getBits(4), 0x7bffu);
  // A zero in front makes no octal number.
  values =
      ScalarValues::parse(*spec, "N=010 small=-007 flag=+0 alpha=1 beta=1");
  ASSERT_VALUE(values);
  EXPECT_EQ(values->getBits(1), 10u);
  EXPECT_EQ(values->getBits(2), 0xf9u);
}

TEST_F(ScalarValuesTest, ListsTheNames) {
  const std::string scalars =
      "N (i32), small (i8), flag (i1), alpha (f16), beta (f64)";
  EXPECT_EQ(getParseError("M=1"),
            "'M' is no argument of 'scale'; its scalars are " + scalars);
  EXPECT_EQ(getParseError("N"), "'N' is not of the form name=number; the "
                                "scalars of 'scale' are " +
                                    scalars);
  EXPECT_EQ(getParseError("=4"), "'=4' is not of the form name=number; the "
                                 "scalars of 'scale' are " +
                                     scalars);
  EXPECT_EQ(getParseError("N="), "'N=' is not of the form name=number; the "
                                 "scalars of 'scale' are " +
                                     scalars);
  EXPECT_EQ(getParseError("X=1"), "'X' is a pointer and gets its value from "
                                  "the runner; the scalars of 'scale' are " +
                                      scalars);
  EXPECT_EQ(getParseError(""),
            "no value for " + scalars + "; give it as name=number");
  EXPECT_EQ(getParseError("N=1 flag=0 alpha=1"),
            "no value for small (i8), beta (f64); give it as name=number");
}

TEST_F(ScalarValuesTest, ReportsWrongValues) {
  EXPECT_EQ(getParseError("N=1 N=1"), "'N' is given twice");
  EXPECT_EQ(getErrorOf("N=4.5"), "'N=4.5': 'N' is an i32 and takes an integer");
  EXPECT_EQ(getErrorOf("N=four"), "'N=four': 'four' is no number");
  EXPECT_EQ(getErrorOf("N=1e3"), "'N=1e3': 'N' is an i32 and takes an integer");
  EXPECT_EQ(getErrorOf("N=-+4"), "'N=-+4': '-+4' is no number");
  EXPECT_EQ(getErrorOf("N=4*4"), "'N=4*4': '4*4' is no number");
  EXPECT_EQ(getErrorOf("N=--4"), "'N=--4': '--4' is no number");
  EXPECT_EQ(getErrorOf("N=0x"), "'N=0x': '0x' is no number");
  EXPECT_EQ(getErrorOf("N=4294967296"),
            "'N' is 4294967296; an i32 takes -2147483648 to 4294967295");
  EXPECT_EQ(getErrorOf("N=0x100000000"),
            "'N' is 0x100000000; an i32 takes -2147483648 to 4294967295");
  EXPECT_EQ(getErrorOf("N=99999999999999999999"),
            "'N' is 99999999999999999999; an i32 takes -2147483648 to "
            "4294967295");
  EXPECT_EQ(getErrorOf("small=-129"), "'small' is -129; an i8 takes -128 to "
                                      "255");
  EXPECT_EQ(getErrorOf("flag=2"), "'flag' is 2; an i1 takes -1 to 1");
  EXPECT_EQ(getErrorOf("alpha=x"), "'alpha=x': 'x' is no number");
  EXPECT_EQ(getErrorOf("alpha=65520"),
            "'alpha' is 65520, too large for an f16: the largest is 65504");
  EXPECT_EQ(getErrorOf("beta=-1e999"),
            "'beta' is -1e999, too large for an f64: the largest is "
            "1.7976931348623157e+308");
}

TEST_F(ScalarValuesTest, FromBits) {
  llvm::Expected<ScalarValues> values =
      ScalarValues::fromBits(*spec, {7, 1, 0xfff, 0, 0x3c00, 0});
  ASSERT_VALUE(values);
  EXPECT_EQ(values->getBits(2), 0xffu);
  EXPECT_EQ(getError(ScalarValues::fromBits(*spec, {1, 2})),
            "'scale' has 6 arguments, not 2");
}

} // namespace
