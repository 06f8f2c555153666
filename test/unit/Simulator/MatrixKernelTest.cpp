//===- MatrixKernelTest.cpp - GEMM kernels made by nvcc -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tilewright::sim;

namespace {

/// Independent of the simulator's own conversions.
uint16_t toHalf(float value) {
  llvm::APFloat number(value);
  bool lost = false;
  number.convert(llvm::APFloat::IEEEhalf(),
                 llvm::RoundingMode::NearestTiesToEven, &lost);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

class MatrixKernels : public DeviceTest {
protected:
  const Module module = loadKernels("gemm.ptx");

  /// Small integers: every partial sum is exact, so results compare exactly.
  std::vector<float> integers(size_t count) {
    std::uniform_int_distribution<int> uniform(-4, 4);
    std::vector<float> data(count);
    for (float &value : data)
      value = static_cast<float>(uniform(random));
    return data;
  }

  LaunchReport gemm(int m, int n, int k, std::vector<float> &result,
                    std::vector<float> &expected) {
    const auto a = integers(size_t(m) * k), b = integers(size_t(k) * n);
    std::vector<uint16_t> halfA, halfB;
    for (float v : a)
      halfA.push_back(toHalf(v));
    for (float v : b)
      halfB.push_back(toHalf(v));
    const uint64_t c = blank<float>(size_t(m) * n);
    const uint64_t shared = uint64_t(3) * (128 * 40 + 32 * 136) * 2;
    LaunchReport report =
        runClean(module, "gemm",
                 {unsigned(n + 127) / 128, unsigned(m + 127) / 128}, {256},
                 ArgumentBlock()
                     .add(upload(halfA))
                     .add(upload(halfB))
                     .add(c)
                     .add(m)
                     .add(n)
                     .add(k),
                 shared);
    result = download<float>(c, size_t(m) * n);
    expected.assign(size_t(m) * n, 0);
    for (int r = 0; r != m; ++r)
      for (int i = 0; i != k; ++i)
        for (int col = 0; col != n; ++col)
          expected[size_t(r) * n + col] +=
              a[size_t(r) * k + i] * b[size_t(i) * n + col];
    return report;
  }
};

TEST_F(MatrixKernels, TensorCoreGemm) {
  const int shapes[][3] = {
      {128, 128, 64}, {1, 8, 8}, {130, 136, 40}, {64, 256, 32}};
  for (auto [m, n, k] : shapes) {
    std::vector<float> result, expected;
    gemm(m, n, k, result, expected);
    EXPECT_EQ(result, expected) << m << " x " << n << " x " << k;
  }
}

TEST_F(MatrixKernels, RandomOrdersAgree) {
  std::vector<float> result, expected;
  for (uint64_t seed : {1, 2, 3}) {
    options.seed = seed;
    gemm(128, 128, 96, result, expected);
    EXPECT_EQ(result, expected);
  }
}

TEST_F(MatrixKernels, Counts) {
  std::vector<float> result, expected;
  const LaunchReport report = gemm(128, 128, 64, result, expected);
  // 8 warps, 4 steps of K, 2 x 8 products each.
  const auto kind = static_cast<size_t>(InstrKind::Matrix);
  EXPECT_EQ(report.counts.warpInstructionsByKind[kind], 8u * 4 * 16);
  // 6 ldmatrix.x4 a step, 4 wavefronts each: rows are padded.
  EXPECT_EQ(report.counts.sharedLoadWavefronts, 8u * 4 * 6 * 4);
}

TEST_F(MatrixKernels, FusedMultiplyAddInOrder) {
  const int n = 64;
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(size_t(n) * n), b(size_t(n) * n);
  for (int i = 0; i != n * n; ++i) {
    a[i] = uniform(random);
    b[i] = uniform(random);
  }
  const uint64_t c = blank<float>(size_t(n) * n);
  runClean(module, "sgemm", {4, 4}, {16, 16},
           ArgumentBlock().add(upload(a)).add(upload(b)).add(c).add(n));
  const auto result = download<float>(c, size_t(n) * n);
  for (int r = 0; r != n; ++r)
    for (int col = 0; col != n; ++col) {
      float sum = 0;
      for (int k = 0; k != n; ++k)
        sum = std::fma(a[r * n + k], b[k * n + col], sum);
      ASSERT_EQ(result[r * n + col], sum);
    }
}

} // namespace
