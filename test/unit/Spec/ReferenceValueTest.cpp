//===- ReferenceValueTest.cpp - References against plain loops ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceFixture.h"
#include "llvm/ADT/bit.h"

using namespace tilewright::spec;

namespace {

TEST_F(ReferenceValueTest, Elementwise) {
  expectReals("Y[i] = alpha * X[i]",
              [&](size_t i) { return 2.5 * double(X[i]); });
  expectReals("Y[i] = -X[i] + 3 - X[i] / 4 * 2",
              [&](size_t i) { return -1.5 * double(X[i]) + 3; });
  expectReals("C[i, j] = C[i, j] + A[i, j % K]", [&](size_t e) {
    return double(C[e]) + double(A[e / N * K + e % N % K]);
  });
  expectReals("Y[i] = X[N - 1 - i]",
              [&](size_t i) { return double(X[N - 1 - i]); });
  expectReals("Y[i] = sqrt(abs(X[i])) + exp(X[i]) + log(abs(X[i])) + "
              "tanh(X[i])",
              [&](size_t i) {
                double x = X[i];
                return std::sqrt(std::fabs(x)) + std::exp(x) +
                       std::log(std::fabs(x)) + std::tanh(x);
              });
  expectReals("Y[i] = H[i] + i", [&](size_t i) { return 1.5 + double(i); });
}

TEST_F(ReferenceValueTest, TF32DropsLowBits) {
  expectReals("Y[i] = tf32(X[i])", [&](size_t i) {
    constexpr uint32_t lowBits = 0x1fff;
    return double(
        llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(X[i]) & ~lowBits));
  });
}

TEST_F(ReferenceValueTest, MatrixProduct) {
  expectReals("C[m, n] = max(0, sum(k, A[m, k] * B[k, n]) + X[n])",
              [&](size_t e) {
                double sum = X[e % N];
                for (size_t k = 0; k < K; ++k)
                  sum += double(A[e / N * K + k]) * double(B[k * N + e % N]);
                return std::max(0.0, sum);
              });
}

TEST_F(ReferenceValueTest, SoftmaxSharesWorkByRow) {
  expectReals("C[i, j] = exp(C[i, j] - max(k, C[i, k])) / "
              "sum(k, exp(C[i, k] - max(k, C[i, k])))",
              [&](size_t e) {
                const float *row = &C[e / N * N];
                double largest = *std::max_element(row, row + N);
                double sum = 0;
                for (size_t k = 0; k < N; ++k)
                  sum += std::exp(double(row[k]) - largest);
                return std::exp(double(C[e]) - largest) / sum;
              });
  // Both reductions are loops of a few instructions, once a row.
  EXPECT_LT(elementWork, 12);
  EXPECT_LT(rowWork, 20 * N);
}

TEST_F(ReferenceValueTest, ShadowedIndicesAreTheirOwn) {
  // The inner k hides the outer one, and depends on l, so it cannot leave.
  expectReals("Y[i] = sum(k, X[k] * sum(l, A[l, 0] * max(k, A[l, k])))",
              [&](size_t) {
                double inner = 0;
                for (size_t l = 0; l < M; ++l)
                  inner += double(A[l * K]) *
                           double(*std::max_element(&A[l * K], &A[l * K] + K));
                double sum = 0;
                for (size_t k = 0; k < N; ++k)
                  sum += double(X[k]) * inner;
                return sum;
              });
  // After the inner reduction, k is the outer one again.
  expectReals("Y[i] = sum(k, max(k, A[0, k]) * X[k] * k)", [&](size_t) {
    double largest = *std::max_element(A.begin(), A.begin() + K);
    double sum = 0;
    for (size_t k = 0; k < N; ++k)
      sum += largest * double(X[k]) * double(k);
    return sum;
  });
}

TEST_F(ReferenceValueTest, EqualNamesMayHaveDifferentRanges) {
  expectReals("Y[i] = sum(k, X[k]) + sum(k, A[0, k])", [&](size_t) {
    return std::accumulate(X.begin(), X.end(), 0.0) +
           std::accumulate(A.begin(), A.begin() + K, 0.0);
  });
}

TEST_F(ReferenceValueTest, Integers) {
  auto evaluateAll = [&](llvm::StringRef right) {
    std::vector<int64_t> result;
    for (const ReferenceValue &value : evaluate("I[i] = " + right.str()))
      result.push_back(value.integer);
    return result;
  };
  EXPECT_EQ(evaluateAll("I[i] / J[i]")[0], -1);
  EXPECT_EQ(evaluateAll("I[i] % J[i]")[0], -1);
  EXPECT_EQ(evaluateAll("ceildiv(I[i], J[i])")[4], 1);
  EXPECT_EQ(evaluateAll("max(I[i], 0) + min(J[i], 1)")[0], 1);
  EXPECT_EQ(evaluateAll("abs(I[i])")[0], 3);
  EXPECT_EQ(evaluateAll("-I[i]")[0], 3);
  EXPECT_EQ(evaluateAll("i8(I[i] * 100)")[0], int8_t(-300));
  EXPECT_EQ(evaluateAll("i1(I[i])")[0], 1);
  EXPECT_EQ(evaluateAll("i1(I[i])")[3], 0);
  EXPECT_EQ(evaluateAll("i32(X[i] * 0 - 1.9)")[0], -1);
  EXPECT_EQ(evaluateAll("sum(k, J[k]) + sum(k, I[k])")[0],
            int64_t(2 * N + N * (N - 1) / 2 - 3 * N));
  EXPECT_EQ(evaluateAll("max(k, I[k])")[0], int64_t(N) - 4);
  EXPECT_EQ(evaluateAll("9223372036854775807 + 1")[0],
            std::numeric_limits<int64_t>::min());
}

TEST_F(ReferenceValueTest, IntegersAtTheirEnds) {
  auto at = [&](llvm::StringRef right) {
    ReferenceValue value = evaluate("I[i] = " + right.str())[0];
    EXPECT_EQ(value.uncertainty, 0) << right.str();
    return value.integer;
  };
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  std::fill(J.begin(), J.end(), 0);
  EXPECT_EQ(at("I[i] / J[i]"), -3);
  EXPECT_EQ(at("I[i] % J[i]"), 0);
  EXPECT_EQ(at("ceildiv(I[i], J[i])"), -3);
  EXPECT_EQ(at("(-9223372036854775807 - 1) / (J[i] - 1)"), least);
  EXPECT_EQ(at("(-9223372036854775807 - 1) % (J[i] - 1)"), 0);
  // Conversions end at the ends of the type.
  EXPECT_EQ(at("i32(1e10)"), 2147483647);
  EXPECT_EQ(at("i32(-1e10)"), -2147483648);
  EXPECT_EQ(at("i8(-129.5)"), -128);
  EXPECT_EQ(at("i8(127.5)"), 127);
  EXPECT_EQ(at("i64(inf)"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(at("i64(-inf)"), least);
  EXPECT_EQ(at("i16(nan)"), 0);
  EXPECT_EQ(at("i64(1e10)"), 10000000000);
  EXPECT_EQ(at("i1(-0.5)"), 1);
  EXPECT_EQ(at("i1(nan)"), 1);
}

TEST_F(ReferenceValueTest, UncertainDivisorsOfIntegers) {
  X[0] = 3;
  auto isUndefined = [&](llvm::StringRef right) {
    return !std::isfinite(evaluate("I[i] = " + right.str())[0].uncertainty);
  };
  // 2 or 3, and 0 or -1.
  EXPECT_FALSE(isUndefined("100 / i32(X[0] * 1.1 / 1.1)"));
  EXPECT_TRUE(isUndefined("100 % i32(X[0] * 1.1 / 1.1)"));
  EXPECT_TRUE(isUndefined("100 / (i32(X[0] * 1.1 / 1.1) - 3)"));
}

TEST_F(ReferenceValueTest, CastsRound) {
  EXPECT_EQ(evaluateOne("f16(0.1)"), 0.0999755859375);
  EXPECT_EQ(evaluateOne("bf16(0.1)"), 0.10009765625);
  EXPECT_EQ(evaluateOne("f8e4m3(1000)"), 448);
  EXPECT_EQ(evaluateOne("f16(100000)"), inf);
  EXPECT_EQ(evaluateOne("f32(i8(300))"), 44);
}

TEST_F(ReferenceValueTest, SpecialNumbers) {
  X[0] = static_cast<float>(nan);
  X[1] = static_cast<float>(inf);
  auto at = [&](llvm::StringRef right, size_t i) {
    return evaluate("Y[i] = " + right.str())[i].real;
  };
  EXPECT_TRUE(std::isnan(at("max(0, X[i])", 0)));
  EXPECT_TRUE(std::isnan(at("max(X[i], 0)", 0)));
  EXPECT_TRUE(std::isnan(at("min(0, X[i])", 0)));
  EXPECT_EQ(at("maxnum(0, X[i])", 0), 0);
  EXPECT_EQ(at("minnum(X[i], 1)", 0), 1);
  EXPECT_TRUE(std::isnan(at("max(k, X[k])", 0)));
  EXPECT_EQ(at("maxnum(k, X[k])", 0), inf);
  EXPECT_EQ(at("exp(-X[i])", 1), 0);
  EXPECT_EQ(at("X[i] + 1", 1), inf);
  EXPECT_TRUE(std::isnan(at("X[i] - X[i]", 1)));
  std::fill(X.begin(), X.end(), static_cast<float>(nan));
  EXPECT_TRUE(std::isnan(at("maxnum(k, X[k])", 0)));
}

TEST_F(ReferenceValueTest, UncertaintyBoundsFloatArithmetic) {
  // What a kernel in f32 computes must lie within a factor 2: that of functions
  // that are off by a roundoff or two.
  auto expectCovers = [&](llvm::StringRef reference, auto kernel) {
    std::vector<ReferenceValue> values = evaluate(reference);
    for (size_t i = 0; i < values.size(); ++i) {
      double error = std::fabs(double(kernel(i)) - values[i].real);
      EXPECT_LE(error, 2 * 0x1p-24 * values[i].uncertainty)
          << reference.str() << " at " << i;
    }
  };
  expectCovers("C[m, n] = sum(k, A[m, k] * B[k, n])", [&](size_t e) {
    float sum = 0;
    for (size_t k = 0; k < K; ++k)
      sum += A[e / N * K + k] * B[k * N + e % N];
    return sum;
  });
  expectCovers(
      "Y[i] = (X[i] + 0.3) * (X[i] - alpha) / (X[i] + 7)",
      [&](size_t i) { return (X[i] + 0.3f) * (X[i] - 2.5f) / (X[i] + 7.f); });
  expectCovers("Y[i] = exp(X[i] * 3) + log(X[i] * X[i] + 1)", [&](size_t i) {
    return std::exp(X[i] * 3.f) + std::log(X[i] * X[i] + 1.f);
  });
  // As kernels without a tanh do.
  expectCovers("Y[i] = tanh(X[i] * 0.1)", [&](size_t i) {
    float power = std::exp(2.f * (X[i] * 0.1f));
    return (power - 1.f) / (power + 1.f);
  });
  expectCovers("Y[i] = exp(X[i] - max(k, X[k])) / "
               "sum(k, exp(X[k] - max(k, X[k])))",
               [&](size_t i) {
                 float largest = *std::max_element(X.begin(), X.end());
                 float sum = 0;
                 for (float x : X)
                   sum += std::exp(x - largest);
                 return std::exp(X[i] - largest) / sum;
               });
  expectCovers("Y[i] = sqrt(X[i] * X[i] + 1)",
               [&](size_t i) { return std::sqrt(X[i] * X[i] + 1.f); });
}

TEST_F(ReferenceValueTest, ExactOperationsAreCertain) {
  for (llvm::StringRef right :
       {"X[i]", "-X[i]", "max(X[i], 0)", "abs(X[i])", "f16(X[i])",
        "max(k, X[k])", "f16(f32(alpha))", "0.5", "H[i]", "I[i] * 0 + J[0]"}) {
    std::vector<ReferenceValue> values = evaluate("H[i] = " + right.str());
    EXPECT_EQ(values[0].uncertainty, 0) << right.str();
  }
  for (llvm::StringRef right : {"X[i] + 1", "X[i] * 3", "0.1", "exp(X[i])"})
    EXPECT_GT(evaluate("H[i] = " + right.str())[0].uncertainty, 0)
        << right.str();
}

TEST_F(ReferenceValueTest, RoundoffIsThatOfTheTypes) {
  auto getRoundoff = [&](llvm::StringRef reference) {
    KernelSpec spec =
        llvm::cantFail(KernelSpec::create(describeKernel({reference.str()})));
    ScalarValues scalars =
        llvm::cantFail(ScalarValues::parse(spec, "M=1 N=1 K=1 alpha=1"));
    Binding binding = llvm::cantFail(spec.bind(scalars));
    return llvm::cantFail(ReferenceProgram::compile(
                              spec, spec.getReferences()[0], binding))
        .getRoundoff();
  };
  EXPECT_EQ(getRoundoff("E[i] = D[i] * 2"), 0x1p-53);
  EXPECT_EQ(getRoundoff("E[i] = D[i] * alpha"), 0x1p-24);
  EXPECT_EQ(getRoundoff("E[i] = D[i] * X[i]"), 0x1p-24);
  EXPECT_EQ(getRoundoff("H[i] = D[i]"), 0x1p-24);
}

} // namespace
