//===- KernelTest.cpp - Whole kernels made by nvcc ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <numeric>

using namespace tilewright::sim;

namespace {

class BasicKernels : public DeviceTest {
protected:
  const Module module = loadKernels("basic.ptx");

  std::vector<float> floats(size_t count) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> data(count);
    for (float &value : data)
      value = uniform(random);
    return data;
  }
};

TEST_F(BasicKernels, CopyOfEverySize) {
  for (int n : {1, 31, 32, 33, 255, 1000}) {
    const auto x = floats(n);
    const uint64_t from = upload(x), to = blank<float>(n);
    runClean(module, "copy", {unsigned(n + 127) / 128}, {128},
             ArgumentBlock().add(from).add(to).add(n));
    EXPECT_EQ(download<float>(to, n), x);
  }
}

TEST_F(BasicKernels, Transpose) {
  const std::pair<int, int> shapes[] = {{1, 1}, {32, 32}, {33, 65}, {100, 3}};
  for (auto [rows, cols] : shapes) {
    const auto x = floats(size_t(rows) * cols);
    const uint64_t from = upload(x), to = blank<float>(x.size());
    runClean(module, "transpose",
             {unsigned(cols + 31) / 32, unsigned(rows + 31) / 32}, {32, 8},
             ArgumentBlock().add(from).add(to).add(rows).add(cols));
    const auto y = download<float>(to, x.size());
    for (int r = 0; r != rows; ++r)
      for (int c = 0; c != cols; ++c)
        ASSERT_EQ(y[c * rows + r], x[r * cols + c]);
  }
}

TEST_F(BasicKernels, TransposeCounts) {
  const uint64_t from = upload(floats(size_t(64) * 64)),
                 to = blank<float>(size_t(64) * 64);
  const LaunchReport report =
      runClean(module, "transpose", {2, 2}, {32, 8},
               ArgumentBlock().add(from).add(to).add(64).add(64));
  // 64 x 64 floats are 512 sectors; rows of 33 words have no conflicts.
  EXPECT_EQ(report.counts.globalLoadSectors, 512u);
  EXPECT_EQ(report.counts.globalStoreSectors, 512u);
  EXPECT_EQ(report.counts.sharedStoreWavefronts, 128u);
  EXPECT_EQ(report.counts.sharedLoadWavefronts, 128u);
}

TEST_F(BasicKernels, BlockSum) {
  for (unsigned seed = 0; seed != 4; ++seed) {
    if (seed)
      options.seed = seed;
    const int n = 1000;
    std::vector<float> x(size_t(3) * n);
    std::iota(x.begin(), x.end(), 0.0f); // sums are exact
    const uint64_t from = upload(x), to = blank<float>(3);
    runClean(module, "blockSum", {3}, {256},
             ArgumentBlock().add(from).add(to).add(n), uint64_t(256) * 4);
    for (int b = 0; b != 3; ++b)
      EXPECT_EQ(download<float>(to, 3)[b],
                std::accumulate(x.begin() + ptrdiff_t(b) * n,
                                x.begin() + ptrdiff_t(b + 1) * n, 0.0f));
  }
}

TEST_F(BasicKernels, DivergentLoops) {
  std::vector<uint32_t> x(100);
  std::iota(x.begin(), x.end(), 1);
  const uint64_t from = upload(x), to = blank<uint32_t>(100);
  runClean(module, "collatz", {1}, {128},
           ArgumentBlock().add(from).add(to).add(100));
  const auto y = download<uint32_t>(to, 100);
  for (uint32_t i = 0; i != 100; ++i) {
    uint32_t steps = 0;
    for (uint32_t v = x[i]; v != 1; ++steps)
      v = v & 1 ? 3 * v + 1 : v / 2;
    EXPECT_EQ(y[i], steps);
  }
}

TEST_F(BasicKernels, LocalArrays) {
  std::vector<int> x(size_t(64) * 16);
  for (int &v : x)
    v = static_cast<int>(random());
  const uint64_t from = upload(x), to = blank<int>(x.size());
  runClean(module, "localSort", {1}, {64}, ArgumentBlock().add(from).add(to));
  for (int t = 0; t != 64; ++t)
    std::sort(x.begin() + ptrdiff_t(t) * 16, x.begin() + ptrdiff_t(t + 1) * 16);
  EXPECT_EQ(download<int>(to, x.size()), x);
}

TEST_F(BasicKernels, Calls) {
  const uint64_t fib = blank<int>(64), parts = blank<double>(128);
  runClean(module, "calls", {1}, {64}, ArgumentBlock().add(fib).add(parts));
  const int expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (int t = 0; t != 64; ++t) {
    EXPECT_EQ(download<int>(fib, 64)[t], expected[t % 12]);
    const double v = 1.0 / (t + 3);
    const auto low = static_cast<float>(v);
    EXPECT_EQ(download<double>(parts, 128)[size_t(2) * t], low);
    EXPECT_EQ(download<double>(parts, 128)[2 * t + 1], v - low);
  }
}

TEST_F(BasicKernels, ModuleVariables) {
  const uint64_t y = blank<float>(32);
  runClean(module, "variables", {1}, {32}, ArgumentBlock().add(y));
  const float table[] = {1, 2, 3, 5, 7, 11, 13, 17};
  for (int t = 0; t != 32; ++t)
    EXPECT_EQ(download<float>(y, 32)[t], table[t % 8] + table[2 + t % 4]);
  const uint64_t counter =
      llvm::cantFail(device.symbolAddress(module, "counter"));
  EXPECT_EQ(download<int>(counter, 1)[0], 7);
}

TEST_F(BasicKernels, Switch) {
  std::vector<int> x(64);
  for (int t = 0; t != 64; ++t)
    x[t] = t % 9;
  const uint64_t from = upload(x), to = blank<int>(64);
  runClean(module, "choose", {1}, {64}, ArgumentBlock().add(from).add(to));
  const int expected[] = {11, 7, 1024, -97, 0x51, 125, ~6, -1, -1};
  for (int t = 0; t != 64; ++t)
    EXPECT_EQ(download<int>(to, 64)[t], expected[t % 9]);
}

} // namespace
