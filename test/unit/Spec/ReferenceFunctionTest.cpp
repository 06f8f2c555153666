//===- ReferenceFunctionTest.cpp - Functions, choice, indirection ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceFixture.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace tilewright::spec;

namespace {

/// The bound that an uncertainty is in f32.
double toBound(double uncertainty) {
  return toleranceFactor * 0x1p-24 * uncertainty;
}

TEST_F(ReferenceValueTest, Functions) {
  auto expectUnary = [&](llvm::StringRef name, double (*function)(double),
                         double scale, double shift) {
    std::string reference = ("Y[i] = " + name + "(" + llvm::Twine(int(scale)) +
                             " * X[i] + " + llvm::Twine(int(shift)) + ")")
                                .str();
    expectReals(reference, [&](size_t i) {
      return function(double(X[i]) * scale + shift);
    });
  };
  for (float &x : X)
    x = std::remainder(x, 1.0f);
  expectUnary("erf", std::erf, 2, 0);
  expectUnary("erfc", std::erfc, 2, 0);
  expectUnary("sin", std::sin, 9, 0);
  expectUnary("cos", std::cos, 9, 0);
  expectUnary("tan", std::tan, 2, 0);
  expectUnary("tanh", std::tanh, 2, 0);
  expectUnary("asin", std::asin, 2, 0);
  expectUnary("acos", std::acos, 2, 0);
  expectUnary("atan", std::atan, 9, 0);
  expectUnary("exp", std::exp, 9, 0);
  expectUnary("exp2", std::exp2, 9, 0);
  expectUnary("expm1", std::expm1, 1, 0);
  expectUnary("log", std::log, 3, 2);
  expectUnary("log2", std::log2, 3, 2);
  expectUnary("log10", std::log10, 3, 2);
  expectUnary("log1p", std::log1p, 1, 0);
  expectUnary("sqrt", std::sqrt, 3, 2);
  expectUnary("rsqrt", [](double x) { return 1 / std::sqrt(x); }, 3, 2);
  expectUnary("floor", std::floor, 9, 0);
  expectUnary("ceil", std::ceil, 9, 0);
  expectUnary("trunc", std::trunc, 9, 0);
  expectUnary("round", std::round, 9, 0);
  expectUnary("roundeven", std::nearbyint, 9, 0);
  expectReals("Y[i] = pow(X[i] + 2, 3 * X[i])", [&](size_t i) {
    return std::pow(double(X[i]) + 2, 3 * double(X[i]));
  });
  expectReals("Y[i] = atan2(X[i], X[N - 1 - i])", [&](size_t i) {
    return std::atan2(double(X[i]), double(X[N - 1 - i]));
  });
  EXPECT_EQ(evaluateOne("round(2.5)"), 3);
  EXPECT_EQ(evaluateOne("roundeven(2.5)"), 2);
  EXPECT_EQ(evaluateOne("roundeven(-3.5)"), -4);
  EXPECT_EQ(evaluateOne("rsqrt(0)"), inf);
  EXPECT_TRUE(std::isnan(evaluateOne("rsqrt(-1)")));
}

/// By how much a function that is evaluated at x +- 8 u x may differ lies
/// within the bound, and what the function's operand is off is seen.
TEST_F(ReferenceValueTest, FunctionsCarryWhatOperandsAreOff) {
  auto expectBound = [&](llvm::StringRef name, double (*function)(double),
                         float x) {
    X[0] = x;
    std::string operand = "(X[0] * 1.25)";
    double exact = evaluate("Y[i] = " + name.str() + operand)[0].real;
    double bound =
        toBound(evaluate("Y[i] = " + name.str() + operand)[0].uncertainty);
    double own =
        toBound(evaluate("Y[i] = " + name.str() + "(X[0])")[0].uncertainty);
    double at = 1.25 * double(x);
    for (double share : {-1.0, -0.5, 0.5, 1.0}) {
      double off = function(at * (1 + share * 0x1p-21)) - exact;
      EXPECT_LE(std::fabs(off), bound) << name.str() << " at " << at;
    }
    // No more than four times what is needed, beside the function's own part.
    double needed = std::fabs(function(at * (1 + 0x1p-21)) - exact);
    EXPECT_LE(bound, 4 * (needed + own) + 0x1p-20 * std::fabs(at))
        << name.str() << " at " << at;
  };
  for (float x : {0.125f, 0.3f, 0.7f}) {
    expectBound("acos", std::acos, x);
    expectBound("asin", std::asin, x);
    expectBound("expm1", std::expm1, -x);
    expectBound("log1p", std::log1p, -x);
  }
  for (float x : {0.125f, 1.3f, 5.0f, 40.0f}) {
    expectBound("atan", std::atan, -x);
    expectBound("cos", std::cos, x);
    expectBound("erf", std::erf, x);
    expectBound("erfc", std::erfc, -x);
    expectBound("exp", std::exp, -x);
    expectBound("exp2", std::exp2, x);
    expectBound("log", std::log, x);
    expectBound("log2", std::log2, x);
    expectBound("log10", std::log10, x);
    expectBound("rsqrt", [](double v) { return 1 / std::sqrt(v); }, x);
    expectBound("sin", std::sin, x);
    expectBound("sqrt", std::sqrt, x);
    expectBound("tan", std::tan, x);
    expectBound("tanh", std::tanh, x);
  }
}

TEST_F(ReferenceValueTest, Comparisons) {
  X[0] = static_cast<float>(nan);
  X[1] = 1;
  X[2] = -0.0f;
  auto at = [&](llvm::StringRef right, size_t i) {
    ReferenceValue value = evaluate("I[i] = " + right.str())[i];
    EXPECT_EQ(value.uncertainty, 0) << right.str();
    return value.integer;
  };
  // Of a NaN, 1 and -0 with 1.
  const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
  const std::array<int, 3> results[] = {{0, 0, 1}, {0, 1, 1}, {0, 0, 0},
                                        {0, 1, 0}, {0, 1, 0}, {1, 0, 1}};
  for (auto [op, expected] : llvm::zip_equal(operators, results))
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(at("X[i] " + std::string(op) + " 1", i), expected[i])
          << op << i;
  EXPECT_EQ(at("X[i] == 0", 2), 1);
  EXPECT_EQ(at("X[i] > -inf", 1), 1);
  EXPECT_EQ(at("(X[i] >= 1) * (i < 2)", 1), 1);
  // Integers are compared as such.
  EXPECT_EQ(at("9007199254740993 == 9007199254740992", 0), 0);
  EXPECT_EQ(at("I[i] < i", 0), 1);
  EXPECT_EQ(at("select(I[i], 7, i - 9)", 3), -6);
  EXPECT_EQ(at("select(I[i], 7, i - 9)", 4), 7);
  EXPECT_EQ(evaluateOne("select(X[0] == X[0], 1, 2.5)"), 2.5);
  // What is not chosen does not count.
  EXPECT_EQ(evaluateOne("select(i == 0, 1, nan)"), 1);
  EXPECT_EQ(evaluateOne("inf"), inf);
  EXPECT_EQ(evaluateOne("-inf"), -inf);
  EXPECT_TRUE(std::isnan(evaluateOne("nan")));
}

TEST_F(ReferenceValueTest, WhatRoundingDecidesIsOpen) {
  X[0] = 0.1f;
  X[1] = 0.3f;
  auto get = [&](llvm::StringRef right) {
    return evaluate("Y[i] = " + right.str())[0];
  };
  // A kernel that adds 0.1 three times may get less than 0.3 or more.
  ReferenceValue sum = get("select(X[0] + X[0] + X[0] < X[1], 5, 7)");
  EXPECT_TRUE(sum.real == 5 || sum.real == 7);
  EXPECT_EQ(toBound(sum.uncertainty), 2);
  EXPECT_EQ(toBound(get("X[0] * 3 == X[1]").uncertainty), 1);
  // Far apart, it is decided.
  ReferenceValue decided = get("select(X[0] * 3 < X[1] + 1, 5, 7)");
  EXPECT_EQ(decided.real, 5);
  EXPECT_EQ(decided.uncertainty, 0);
  // A number or none: anything is right.
  for (llvm::StringRef right :
       {"select(X[0] * 3 < X[1], 5, nan)", "1 / (X[0] * 3 - X[1])",
        "log(X[0] * 3 - X[1])", "tan(X[0] * 15.7079632)",
        "0 * log(X[0] * 3 - X[1]) + 1", "f16(655200 * X[0])",
        "max(1, 0 * log(X[0] * 3 - X[1]))", "sin(0 * log(X[0] * 3 - X[1]))",
        "f16(exp(0 * log(X[0] * 3 - X[1])))",
        "select(X[0] * 3 < X[1], 1, 0 * log(X[0] * 3 - X[1]))",
        "i8(i32(0 * log(X[0] * 3 - X[1])))",
        "select(0 * log(X[0] * 3 - X[1]) < 1, 5, 7)"})
    EXPECT_FALSE(std::isfinite(get(right).uncertainty)) << right.str();
}

TEST_F(ReferenceValueTest, CastsCostWhatTheyRound) {
  auto getBound = [&](llvm::StringRef right) {
    return toBound(evaluate("E[i] = " + right.str())[0].uncertainty);
  };
  // Numbers of f16 are 2^-10 apart here: this is far from the middle of two.
  X[0] = 1.0f + 0x1p-12f;
  EXPECT_EQ(getBound("f16(X[0] * 1)"), 0);
  // At the middle, the next number is right too.
  X[0] = 1.0f + 0x1p-11f;
  EXPECT_EQ(getBound("f16(X[0] * 1)"), 0x1p-10);
  EXPECT_EQ(getBound("f16(X[0])"), 0);
  // The same holds for a step of other functions.
  EXPECT_EQ(getBound("tf32(X[0] * 1)"), 0);
  EXPECT_EQ(getBound("tf32((X[0] + 0.00048828125) * 1)"), 0x1p-10);
  EXPECT_EQ(getBound("floor(X[0] * 1)"), 0);
  EXPECT_EQ(getBound("floor(X[0] - 0.00048828125)"), 1);
  EXPECT_EQ(getBound("i32(X[0] * 3)"), 0);
  EXPECT_EQ(getBound("i32(X[0] - 0.00048828125)"), 1);
  EXPECT_EQ(getBound("i1(X[0] * 3)"), 0);
  EXPECT_EQ(getBound("i1(X[0] * 3 - X[0] - X[0] - X[0])"), 1);
  // 127 or 128, which is -128 in i8.
  EXPECT_EQ(getBound("i8(i32(X[0] - 0.00048828125) + 127)"), 255);
  // Rounded in another way, each number is off by half a unit.
  X[0] = 1.0f;
  EXPECT_EQ(getBound("within(f16, X[0])"), 0x1p-11 + 0x1p-25);
  EXPECT_EQ(getBound("within(bf16, -X[0])"), 0x1p-8 + 0x1p-134);
  EXPECT_EQ(evaluateOne("within(f16, 0.1)"), 0.1);
}

/// A product that is rounded term by term does not hide a factor of 1.01.
TEST_F(ReferenceValueTest, CastsInSumsDoNotHideErrors) {
  for (const char *term : {"X[k] * X[k]", "f16(X[k] * X[k])"}) {
    ReferenceValue value =
        evaluate("Y[i] = sum(k, " + std::string(term) + ")")[0];
    EXPECT_LT(toBound(value.uncertainty), value.real / 200) << term;
  }
}

TEST_F(ReferenceValueTest, ElementsAsIndices) {
  for (size_t i = 0; i < N; ++i)
    J[i] = static_cast<int32_t>(i * 7 % M);
  auto index = [&](size_t i) { return static_cast<size_t>(J[i]); };
  rangeOfJ = "0 .. M - 1";
  expectReals("Y[i] = A[J[i], 2]",
              [&](size_t i) { return double(A[index(i) * K + 2]); });
  EXPECT_EQ(evaluate("Y[i] = A[J[i], 2]")[0].uncertainty, 0);
  expectReals("Y[i] = X[J[J[i]] * 2 + i / 10]", [&](size_t i) {
    return double(X[index(index(i)) * 2 + i / 10]);
  });
  expectReals("Y[i] = sum(k, X[k] * A[J[k], 0])", [&](size_t) {
    double sum = 0;
    for (size_t k = 0; k < N; ++k)
      sum += double(X[k]) * double(A[index(k) * K]);
    return sum;
  });
  // An element outside its range reads nothing.
  J[13] = 1 << 30;
  J[14] = -1;
  for (llvm::StringRef reference :
       {"Y[i] = A[J[i], 2]", "Y[i] = X[J[J[i] * 0 + i]]",
        "Y[i] = sum(k, A[J[i], k]) * 0", "Y[i] = max(X[J[i]], 0)"}) {
    std::vector<ReferenceValue> values = evaluate(reference);
    for (size_t i = 0; i < N; ++i)
      EXPECT_EQ(!std::isfinite(values[i].uncertainty), i == 13 || i == 14)
          << reference.str() << " at " << i;
  }
}

} // namespace
