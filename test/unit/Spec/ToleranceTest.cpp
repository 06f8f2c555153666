//===- ToleranceTest.cpp - Whether a result is right ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/Tolerance.h"
#include "SpecTestUtils.h"
#include <cmath>
#include <limits>

using namespace tilewright::spec;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

/// The matcher of `Y[i] = <right>` for a tensor Y of \p type; X has the same
/// type.
Matcher makeMatcher(ElementType type, llvm::StringRef right,
                    Tolerance tolerance = {}) {
  KernelDescription description;
  description.name = "k";
  description.arguments = {pointer("X", type), pointer("Y", type)};
  description.shapes = {"X[1]", "Y[1]"};
  description.grid = {"1"};
  description.references = {"Y[i] = " + right.str()};
  KernelSpec spec = llvm::cantFail(KernelSpec::create(description));
  Binding binding =
      llvm::cantFail(spec.bind(llvm::cantFail(ScalarValues::parse(spec, ""))));
  return Matcher(llvm::cantFail(ReferenceProgram::compile(
                     spec, spec.getReferences()[0], binding)),
                 tolerance);
}

ReferenceValue real(double value, double uncertainty = 0) {
  ReferenceValue reference;
  reference.real = value;
  reference.uncertainty = uncertainty;
  return reference;
}

ReferenceValue integer(int64_t value, double uncertainty = 0) {
  ReferenceValue reference;
  reference.integer = value;
  reference.uncertainty = uncertainty;
  return reference;
}

TEST(Tolerance, WithoutUncertaintyOnlyTheRoundedNumberIsRight) {
  Matcher matcher = makeMatcher(ElementType::F16, "X[i] * 2");
  // 0.1 lies between 0x2e66 and 0x2e67, nearer to the first.
  EXPECT_TRUE(matcher.matches(0x2e66, real(0.1)));
  EXPECT_FALSE(matcher.matches(0x2e67, real(0.1)));
  EXPECT_FALSE(matcher.matches(0x2e65, real(0.1)));
  // A number of the type is met only by itself; -0 by 0 too.
  EXPECT_TRUE(matcher.matches(0x3c00, real(1)));
  EXPECT_FALSE(matcher.matches(0x3c01, real(1)));
  EXPECT_TRUE(matcher.matches(0x8000, real(0)));
}

TEST(Tolerance, UncertaintyWidens) {
  Matcher matcher = makeMatcher(ElementType::F32, "X[i] * 2");
  auto bits = [](float value) { return llvm::bit_cast<uint32_t>(value); };
  EXPECT_FALSE(matcher.matches(bits(1 + 0x1p-22f), real(1)));
  EXPECT_TRUE(matcher.matches(bits(1 + 0x1p-22f), real(1, 1)));
  EXPECT_TRUE(matcher.matches(bits(1 + 0x1p-21f), real(1, 1)));
  EXPECT_FALSE(matcher.matches(bits(1 + 0x1p-20f), real(1, 1)));
  EXPECT_TRUE(matcher.matches(bits(1 + 0x1p-20f), real(1, 2)));
  // A missing term of a long sum is seen.
  EXPECT_FALSE(matcher.matches(bits(63.5f), real(64, 65 * 4096 * 0.8)));
}

TEST(Tolerance, FlushedDenormalsAreRightWhereRoundingIsAllowed) {
  Matcher matcher = makeMatcher(ElementType::F32, "X[i] * 2");
  EXPECT_TRUE(matcher.matches(0, real(1e-40, 1e-40)));
  EXPECT_FALSE(matcher.matches(0, real(0x1p-149)));
}

TEST(Tolerance, SpecialNumbers) {
  Matcher matcher = makeMatcher(ElementType::F16, "X[i] * 2");
  EXPECT_TRUE(matcher.matches(0x7e00, real(nan)));
  EXPECT_TRUE(matcher.matches(0xffff, real(nan)));
  EXPECT_FALSE(matcher.matches(0x7c00, real(nan)));
  EXPECT_FALSE(matcher.matches(0x7e00, real(1, 1e9)));
  EXPECT_TRUE(matcher.matches(0x7c00, real(inf)));
  EXPECT_FALSE(matcher.matches(0xfc00, real(inf)));
  EXPECT_FALSE(matcher.matches(0x7bff, real(inf)));
  EXPECT_FALSE(matcher.matches(0x3c00, real(inf)));
}

TEST(Tolerance, AroundOverflow) {
  Matcher matcher = makeMatcher(ElementType::F16, "X[i] * 2");
  // 65520 is the middle between the largest number and infinity.
  EXPECT_TRUE(matcher.matches(0x7bff, real(65519)));
  EXPECT_FALSE(matcher.matches(0x7c00, real(65519)));
  EXPECT_TRUE(matcher.matches(0x7c00, real(65519.99, 65520)));
  EXPECT_TRUE(matcher.matches(0x7c00, real(65521)));
  EXPECT_TRUE(matcher.matches(0x7bff, real(65520.01, 65520)));
  EXPECT_FALSE(matcher.matches(0x7bff, real(70000, 70000)));
  EXPECT_TRUE(matcher.matches(0x7c00, real(1e30)));
  EXPECT_FALSE(matcher.matches(0xfc00, real(1e30)));
  Matcher saturating = makeMatcher(ElementType::F8E4M3, "X[i] * 2");
  EXPECT_TRUE(saturating.matches(0x7e, real(1e6)));
  EXPECT_FALSE(saturating.matches(0x7d, real(1e6)));
  EXPECT_TRUE(saturating.matches(0xfe, real(-inf)));
}

TEST(Tolerance, MovedElementsMustKeepTheirBits) {
  Matcher matcher = makeMatcher(ElementType::F16, "X[i]");
  EXPECT_TRUE(matcher.matches(0x3c00, real(1)));
  EXPECT_FALSE(matcher.matches(0x8000, real(0)));
  EXPECT_TRUE(matcher.matches(0x8000, real(-0.0)));
  EXPECT_TRUE(matcher.matches(0x7e01, real(nan)));
}

TEST(Tolerance, Integers) {
  Matcher matcher = makeMatcher(ElementType::I8, "X[i] * 2");
  EXPECT_TRUE(matcher.matches(0xff, integer(-1)));
  EXPECT_TRUE(matcher.matches(0x2c, integer(300)));
  EXPECT_FALSE(matcher.matches(0x2d, integer(300)));
  // A converted float that was rounded may be off by one, times the factor.
  EXPECT_TRUE(
      matcher.matches(6, integer(5, 1 / matcher.getBound(integer(0, 1)))));
  EXPECT_TRUE(matcher.matches(77, integer(5, inf)));
  EXPECT_TRUE(matcher.isUndefined(integer(5, inf)));
  EXPECT_FALSE(matcher.isUndefined(integer(5, 1e30)));
}

TEST(Tolerance, BoolsMustBeZeroOrOne) {
  Matcher matcher = makeMatcher(ElementType::I1, "X[i]");
  EXPECT_TRUE(matcher.matches(1, integer(1)));
  EXPECT_FALSE(matcher.matches(0xff, integer(1)));
}

TEST(Tolerance, TheUserMayAllowMore) {
  Tolerance tolerance{1e-2, 1e-3};
  Matcher matcher = makeMatcher(ElementType::F32, "X[i] * 2", tolerance);
  auto bits = [](float value) { return llvm::bit_cast<uint32_t>(value); };
  EXPECT_TRUE(matcher.matches(bits(101), real(100)));
  EXPECT_FALSE(matcher.matches(bits(101.01f), real(100)));
  EXPECT_TRUE(matcher.matches(bits(0.001f), real(0)));
  EXPECT_FALSE(matcher.matches(bits(0.0011f), real(0)));
  // The reference's own bound comes on top; what is no number stays none.
  EXPECT_TRUE(matcher.matches(bits(101.01f), real(100, 30000)));
  EXPECT_FALSE(matcher.matches(bits(1e30f), real(inf)));
  EXPECT_FALSE(matcher.matches(bits(1), real(nan)));
  EXPECT_FALSE(matcher.matches(0x7fc00000, real(1)));
  EXPECT_FALSE(matcher.matches(0x7f800000, real(1)));
  EXPECT_NEAR(matcher.getBound(real(100)), 1.001, 1e-5);

  Matcher moves = makeMatcher(ElementType::F32, "X[i]", tolerance);
  EXPECT_TRUE(moves.matches(bits(101), real(100)));
  Matcher integers = makeMatcher(ElementType::I32, "X[i]", {0, 1});
  EXPECT_TRUE(integers.matches(8, integer(7)));
  EXPECT_FALSE(integers.matches(9, integer(7)));
}

TEST(Tolerance, Parses) {
  auto parse = [](llvm::StringRef text) {
    return llvm::cantFail(Tolerance::parse(text));
  };
  EXPECT_EQ(parse("1e-3").relative, 1e-3);
  EXPECT_EQ(parse("1e-3").absolute, 0);
  EXPECT_EQ(parse("0,0.5").relative, 0);
  EXPECT_EQ(parse("0, .5").absolute, 0.5);
  EXPECT_TRUE(parse("0").isNone());
  for (llvm::StringRef text :
       {"", "x", "-1", "nan", "inf", "1e-3,", ",1", "1,2,3", "1,-2", "1 2"})
    EXPECT_EQ(getError(Tolerance::parse(text)),
              "a tolerance is REL or REL,ABS, numbers that are not negative, "
              "such as 1e-3 or 1e-3,1e-5; '" +
                  text.str() + "' is none");
}

TEST(Tolerance, ReportsErrorAndBound) {
  Matcher matcher = makeMatcher(ElementType::F16, "X[i] * 2");
  EXPECT_EQ(matcher.getError(0x4000, real(1)), 1);
  EXPECT_EQ(matcher.getError(0x7e00, real(1)), inf);
  EXPECT_EQ(matcher.getError(0x7c00, real(inf)), 0);
  EXPECT_EQ(matcher.getBound(real(1)), 0);
  EXPECT_NEAR(matcher.getBound(real(1, 16)), 128 * 0x1p-24 + 0x1p-11, 1e-12);
  EXPECT_EQ(matcher.getBound(real(0.1)), 0.1 - 0.0999755859375);
}

} // namespace
