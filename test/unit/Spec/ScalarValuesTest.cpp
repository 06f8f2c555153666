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
  EXPECT_EQ(getErrorOf("N=4.5"), "'N=4.5': an i32 is needed");
  EXPECT_EQ(getErrorOf("N=four"), "'N=four': 'four' is no number");
  EXPECT_EQ(getErrorOf("N=2147483648"), "'N=2147483648' does not fit an i32");
  EXPECT_EQ(getErrorOf("N=99999999999999999999"),
            "'N=99999999999999999999' does not fit an i32");
  EXPECT_EQ(getErrorOf("small=-129"), "'small=-129' does not fit an i8");
  EXPECT_EQ(getErrorOf("flag=2"), "'flag=2' does not fit an i1");
  EXPECT_EQ(getErrorOf("alpha=x"), "'alpha=x': 'x' is no number");
  EXPECT_EQ(getErrorOf("alpha=70000"), "'alpha=70000' is too large for an f16");
  EXPECT_EQ(getErrorOf("beta=1e999"), "'beta=1e999' is too large for an f64");
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
