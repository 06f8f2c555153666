//===- WarpKernelTest.cpp - Warp-level kernels made by nvcc ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cfenv>
#include <cmath>
#include <numeric>

using namespace tilewright::sim;

namespace {

uint32_t convertBits(float value, const llvm::fltSemantics &semantics,
                     bool saturate = false) {
  llvm::APFloat number(value);
  bool lost = false;
  number.convert(semantics, llvm::RoundingMode::NearestTiesToEven, &lost);
  if (saturate && (number.isInfinity() || number.isNaN()) &&
      !std::isnan(value)) {
    number = llvm::APFloat::getLargest(semantics, std::signbit(value));
  }
  return static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
}

double valueOfBits(uint32_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(
      semantics,
      llvm::APInt(llvm::APFloat::semanticsSizeInBits(semantics), bits));
  bool lost = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::RoundingMode::NearestTiesToEven, &lost);
  return number.convertToDouble();
}

class WarpKernels : public DeviceTest {
protected:
  const Module module = loadKernels("warp.ptx");
};

TEST_F(WarpKernels, Sum) {
  std::vector<float> x(size_t(2) * 256);
  std::iota(x.begin(), x.end(), 1.0f);
  const uint64_t y = blank<float>(2);
  runClean(module, "warpSum", {2}, {256},
           ArgumentBlock().add(upload(x)).add(y));
  for (int b = 0; b != 2; ++b)
    EXPECT_EQ(download<float>(y, 2)[b],
              std::accumulate(x.begin() + ptrdiff_t(b) * 256,
                              x.begin() + ptrdiff_t(b) * 256 + 256, 0.0f));
}

TEST_F(WarpKernels, Scan) {
  std::vector<int> x(32);
  for (int &v : x)
    v = static_cast<int>(random() % 100);
  const uint64_t y = blank<int>(32);
  runClean(module, "warpScan", {1}, {32},
           ArgumentBlock().add(upload(x)).add(y));
  std::partial_sum(x.begin(), x.end(), x.begin());
  EXPECT_EQ(download<int>(y, 32), x);
}

TEST_F(WarpKernels, Votes) {
  std::vector<int> x(32);
  for (int lane = 0; lane != 32; ++lane)
    x[lane] = lane % 5 - 1;
  const uint64_t y = blank<uint32_t>(size_t(32) * 5);
  runClean(module, "votes", {1}, {32}, ArgumentBlock().add(upload(x)).add(y));
  const auto out = download<uint32_t>(y, size_t(32) * 5);
  uint32_t positive = 0, sum = 0;
  for (int lane = 0; lane != 32; ++lane) {
    positive |= uint32_t(x[lane] > 0) << lane;
    sum += static_cast<uint32_t>(x[lane]);
  }
  for (int lane = 0; lane != 32; ++lane) {
    uint32_t same = 0;
    for (int other = 0; other != 32; ++other)
      same |= uint32_t(x[other] == x[lane]) << other;
    EXPECT_EQ(out[size_t(lane) * 5], positive);
    EXPECT_EQ(out[lane * 5 + 1], same);
    EXPECT_EQ(out[lane * 5 + 2], sum);
    EXPECT_EQ(out[lane * 5 + 3], 3u);
    EXPECT_EQ(out[lane * 5 + 4], 3u);
  }
}

TEST_F(WarpKernels, Histogram) {
  std::vector<uint8_t> x(5000);
  std::vector<uint32_t> expected(16);
  for (uint8_t &v : x) {
    v = static_cast<uint8_t>(random());
    ++expected[v % 16];
  }
  const uint64_t bins = upload(std::vector<uint32_t>(16));
  runClean(module, "histogram", {4}, {128},
           ArgumentBlock().add(upload(x)).add(bins).add(5000));
  EXPECT_EQ(download<uint32_t>(bins, 16), expected);
}

TEST_F(WarpKernels, LastBlockSum) {
  std::vector<float> x(size_t(20) * 32, 0.5f);
  const uint64_t parts = blank<float>(20), y = blank<float>(1);
  runClean(module, "lastBlockSum", {20}, {32},
           ArgumentBlock().add(upload(x)).add(parts).add(y));
  EXPECT_EQ(download<float>(y, 1)[0], 320.0f);
}

TEST_F(WarpKernels, SpinLockMakesProgress) {
  const uint64_t lock = upload(std::vector<int>(1)),
                 count = upload(std::vector<int>(1));
  run(module, "spinLock", {4}, {64}, ArgumentBlock().add(lock).add(count));
  EXPECT_EQ(download<int>(count, 1)[0], 256);
}

TEST_F(WarpKernels, GridBarrier) {
  const uint64_t arrived = upload(std::vector<int>(1)), x = blank<int>(20),
                 y = blank<int>(20);
  runClean(module, "gridBarrier", {20}, {32},
           ArgumentBlock().add(arrived).add(x).add(y));
  for (int b = 0; b != 20; ++b)
    EXPECT_EQ(download<int>(y, 20)[b], (b + 1) % 20 + 1);
}

TEST_F(WarpKernels, GridBarrierThatNeverOpens) {
  // One block fewer arrives than the blocks wait for.
  const uint64_t arrived = upload(std::vector<int>{-1}), x = blank<int>(3),
                 y = blank<int>(3);
  const LaunchReport report = run(module, "gridBarrier", {3}, {32},
                                  ArgumentBlock().add(arrived).add(x).add(y));
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(kinds(report), std::set<FindingKind>{FindingKind::Deadlock});
}

TEST_F(WarpKernels, Fp8) {
  std::vector<float> x(256);
  for (int i = 0; i != 256; ++i)
    x[i] = std::ldexp(static_cast<float>(int(random() % 2001) - 1000) / 500,
                      int(random() % 24) - 14);
  x[0] = 0;
  x[1] = -0.0f;
  x[2] = 1e9f;
  x[3] = -1e9f;
  const uint64_t e4 = blank<uint8_t>(256), e5 = blank<uint8_t>(256),
                 back = blank<float>(512);
  runClean(module, "fp8", {1}, {256},
           ArgumentBlock().add(upload(x)).add(e4).add(e5).add(back));
  for (int i = 0; i != 256; ++i) {
    const uint32_t a = convertBits(x[i], llvm::APFloat::Float8E4M3FN(), true);
    const uint32_t b = convertBits(x[i], llvm::APFloat::Float8E5M2(), true);
    EXPECT_EQ(download<uint8_t>(e4, 256)[i], a) << x[i];
    EXPECT_EQ(download<uint8_t>(e5, 256)[i], b) << x[i];
    EXPECT_EQ(download<float>(back, 512)[size_t(2) * i],
              valueOfBits(a, llvm::APFloat::Float8E4M3FN()));
    EXPECT_EQ(download<float>(back, 512)[2 * i + 1],
              valueOfBits(b, llvm::APFloat::Float8E5M2()));
  }
}

TEST_F(WarpKernels, Halves) {
  std::vector<float> x(64);
  for (float &v : x)
    v = static_cast<float>(int(random() % 4001) - 2000) / 700;
  const uint64_t y = blank<float>(256);
  runClean(module, "halves", {1}, {64}, ArgumentBlock().add(upload(x)).add(y));
  const auto &half = llvm::APFloat::IEEEhalf();
  const auto &bfloat = llvm::APFloat::BFloat();
  auto round = [](double v, const llvm::fltSemantics &semantics) {
    llvm::APFloat number(v);
    bool lost = false;
    number.convert(semantics, llvm::RoundingMode::NearestTiesToEven, &lost);
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::RoundingMode::NearestTiesToEven, &lost);
    return number.convertToDouble();
  };
  for (int i = 0; i != 64; ++i) {
    const double h = round(x[i], half), b = round(x[i], bfloat);
    const double plus = round(h + 1, half);
    EXPECT_EQ(download<float>(y, 256)[size_t(4) * i], round(h * h, half));
    EXPECT_EQ(download<float>(y, 256)[4 * i + 1], round(b * b, bfloat));
    EXPECT_EQ(download<float>(y, 256)[4 * i + 2], round(h * h + 0.5, half));
    EXPECT_EQ(download<float>(y, 256)[4 * i + 3],
              round(plus * plus + 0.5, half));
  }
}

uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i != 4; ++i)
    result |= uint32_t(bytes >> (8 * (selector >> 4 * i & 7)) & 0xff) << 8 * i;
  return result;
}

TEST_F(WarpKernels, BitTricks) {
  std::vector<uint32_t> x(64);
  for (uint32_t &v : x)
    v = static_cast<uint32_t>(random());
  const uint64_t y = blank<uint32_t>(256);
  runClean(module, "bitTricks", {1}, {32},
           ArgumentBlock().add(upload(x)).add(y));
  const auto out = download<uint32_t>(y, 256);
  for (int i = 0; i != 32; ++i) {
    const uint32_t a = x[size_t(2) * i], b = x[2 * i + 1],
                   *o = &out[size_t(8) * i];
    const uint32_t shift = a & 31;
    EXPECT_EQ(o[0], shift ? b << shift | a >> (32 - shift) : b);
    EXPECT_EQ(o[1], permuteBytes(a, b, 0x5140));
    uint32_t reversed = 0;
    for (int bit = 0; bit != 32; ++bit)
      reversed |= (a >> bit & 1) << (31 - bit);
    EXPECT_EQ(o[2], reversed ^ uint32_t(llvm::countl_zero(b)) ^
                        uint32_t(llvm::popcount(a)) ^
                        uint32_t(b ? llvm::countr_zero(b) + 1 : 0));
    int dot = 7;
    for (int n = 0; n != 4; ++n)
      dot += int8_t(a >> 8 * n) * int8_t(b >> 8 * n);
    EXPECT_EQ(o[3], static_cast<uint32_t>(dot));
    auto low24 = [](uint32_t v) { return int64_t(int32_t(v << 8)) >> 8; };
    EXPECT_EQ(o[4], uint32_t(uint64_t(a) * b >> 32) +
                        static_cast<uint32_t>(low24(a) * low24(b)));
    const uint64_t wide = (uint64_t(a) << 32 | b) * 0x123456789abcdefull;
    EXPECT_EQ(o[5], uint32_t(wide >> 32));
    EXPECT_EQ(o[6], (a & b) | (~a & (b ^ 0x5a5a5a5a)));
    EXPECT_EQ(o[7], (a > b ? a - b : b - a) + 5 + a / (b | 1) + b % (a | 1));
  }
}

TEST_F(WarpKernels, Doubles) {
  std::vector<double> x(64);
  for (double &v : x)
    v = static_cast<double>(random()) / 1e6 + 0.1;
  const uint64_t y = blank<double>(384);
  runClean(module, "doubles", {1}, {64}, ArgumentBlock().add(upload(x)).add(y));
  const auto out = download<double>(y, 384);
  for (int i = 0; i != 64; ++i) {
    const double v = x[i], *o = &out[size_t(6) * i];
    EXPECT_EQ(o[0], std::sqrt(v));
    EXPECT_EQ(o[1], 1 / v);
    EXPECT_EQ(o[2], std::fma(v, v, -v));
    EXPECT_EQ(o[3], v); // the tiny term is cut off
    EXPECT_EQ(o[4], std::floor(v) + std::nearbyint(v));
    EXPECT_EQ(o[5], v / 3);
  }
}

TEST_F(WarpKernels, Functions) {
  std::vector<float> x(64);
  for (float &v : x)
    v = static_cast<float>(random() % 10000) / 1000 + 0.01f;
  const uint64_t y = blank<float>(384);
  runClean(module, "functions", {1}, {64},
           ArgumentBlock().add(upload(x)).add(y));
  const auto out = download<float>(y, 384);
  for (int i = 0; i != 64; ++i) {
    const float v = x[i], *o = &out[size_t(6) * i];
    const auto tolerance = [](float e) { return 4e-7f * std::fabs(e) + 4e-7f; };
    EXPECT_NEAR(o[0], std::exp(v), tolerance(std::exp(v)));
    EXPECT_NEAR(o[1], std::log(v), tolerance(std::log(v)));
    EXPECT_NEAR(o[2], std::sin(v), tolerance(1));
    EXPECT_NEAR(o[3], 1 / std::sqrt(v), tolerance(1 / std::sqrt(v)));
    EXPECT_NEAR(o[4], std::tanh(v), tolerance(1));
    EXPECT_EQ(o[5], v / 3.7f);
  }
}

} // namespace
