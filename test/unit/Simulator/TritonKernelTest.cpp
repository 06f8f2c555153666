//===- TritonKernelTest.cpp - Whole kernels made by Triton ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sources are in test/Simulator/kernels/triton/kernels.py, which also says
// how the PTX is made. Each kernel ends with two pointers that Triton adds, to
// scratch memory that none of these needs.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <numeric>

using namespace tilewright::sim;

namespace {

constexpr Dim3 fourWarps = {128};
constexpr uint64_t noScratch = 0;

class TritonKernels : public DeviceTest {
protected:
  std::vector<float> floats(size_t count) {
    std::uniform_real_distribution<float> uniform(-4, 4);
    std::vector<float> data(count);
    for (float &value : data)
      value = uniform(random);
    return data;
  }

  /// From 0 to `most`, so that sums of f32 are exact.
  std::vector<int> integers(size_t count, int most) {
    std::uniform_int_distribution<int> uniform(0, most);
    std::vector<int> data(count);
    for (int &value : data)
      value = uniform(random);
    return data;
  }

  static std::vector<uint16_t> toHalves(llvm::ArrayRef<int> data) {
    std::vector<uint16_t> halves;
    for (int value : data) {
      llvm::APFloat number(llvm::APFloat::IEEEhalf());
      number.convertFromAPInt(llvm::APInt(32, value), /*IsSigned=*/true,
                              llvm::RoundingMode::NearestTiesToEven);
      halves.push_back(number.bitcastToAPInt().getZExtValue());
    }
    return halves;
  }

  void checkMatrixProduct(llvm::StringRef file, uint64_t sharedBytes);

  /// Without a seed and with one, and no finding either way.
  template <class F> void forOrders(F run) {
    run();
    options.seed = 7;
    run();
    options.seed.reset();
  }
};

TEST_F(TritonKernels, VectorAdd) {
  const Module module = loadKernels("triton/vector_add.ptx");
  for (int n : {1, 1023, 1024, 2500}) {
    const auto x = floats(n), y = floats(n);
    const uint64_t out = blank<float>(n);
    runClean(module, "vector_add", {unsigned(n + 1023) / 1024}, fourWarps,
             ArgumentBlock()
                 .add(upload(x))
                 .add(upload(y))
                 .add(out)
                 .add(n)
                 .add(noScratch)
                 .add(noScratch));
    const auto sums = download<float>(out, n);
    for (int i = 0; i != n; ++i)
      ASSERT_EQ(sums[i], x[i] + y[i]) << i << " of " << n;
  }
}

TEST_F(TritonKernels, SoftmaxOfRows) {
  const Module module = loadKernels("triton/softmax_row.ptx");
  const int rows = 3, columns = 781;
  const auto x = floats(size_t(rows) * columns);
  const uint64_t in = upload(x);
  forOrders([&] {
    const uint64_t out = blank<float>(x.size());
    runClean(module, "softmax_row", {rows}, fourWarps,
             ArgumentBlock().add(in).add(out).add(columns).add(noScratch).add(
                 noScratch),
             16);
    const auto y = download<float>(out, x.size());
    for (int row = 0; row != rows; ++row) {
      const auto values =
          llvm::ArrayRef(x).slice(size_t(row) * columns, columns);
      double sum = 0;
      for (float value : values)
        sum += std::exp(double(value));
      for (int i = 0; i != columns; ++i) {
        const double expected = std::exp(double(values[i])) / sum;
        ASSERT_NEAR(y[row * columns + i], expected, expected * 1e-5);
      }
    }
  });
}

TEST_F(TritonKernels, Transpose) {
  const Module module = loadKernels("triton/transpose.ptx");
  const int m = 70, n = 131;
  const auto a = floats(size_t(m) * n);
  const uint64_t in = upload(a);
  forOrders([&] {
    const uint64_t out = blank<float>(a.size());
    runClean(module, "transpose", {(m + 31) / 32, (n + 31) / 32}, fourWarps,
             ArgumentBlock().add(in).add(out).add(m).add(n).add(noScratch).add(
                 noScratch),
             4096);
    const auto b = download<float>(out, a.size());
    for (int row = 0; row != m; ++row)
      for (int column = 0; column != n; ++column)
        ASSERT_EQ(b[column * m + row], a[row * n + column]);
  });
}

/// With mma.sync, and with wgmma: B is N-major there, and three stages of
/// products and copies overlap.
void TritonKernels::checkMatrixProduct(llvm::StringRef file,
                                       uint64_t sharedBytes) {
  const Module module = loadKernels(file);
  const int m = 70, n = 144, k = 208;
  const auto a = integers(size_t(m) * k, 7), b = integers(size_t(k) * n, 7);
  const uint64_t left = upload(toHalves(a)), right = upload(toHalves(b));
  forOrders([&] {
    const uint64_t out = blank<float>(size_t(m) * n);
    runClean(module, "matmul", {(m + 63) / 64, (n + 63) / 64}, fourWarps,
             ArgumentBlock()
                 .add(left)
                 .add(right)
                 .add(out)
                 .add(m)
                 .add(n)
                 .add(k)
                 .add(noScratch)
                 .add(noScratch),
             sharedBytes);
    const auto c = download<float>(out, size_t(m) * n);
    for (int row = 0; row != m; ++row)
      for (int column = 0; column != n; ++column) {
        int sum = 0;
        for (int i = 0; i != k; ++i)
          sum += a[row * k + i] * b[i * n + column];
        ASSERT_EQ(c[row * n + column], static_cast<float>(sum));
      }
  });
}

TEST_F(TritonKernels, PipelinedMatrixProduct) {
  checkMatrixProduct("triton/matmul.ptx", 16384);
}

/// Its fence.proxy.async follows the barrier.
TEST_F(TritonKernels, PipelinedWarpgroupProduct) {
  options.readersMayFenceProxy = true;
  checkMatrixProduct("triton/matmul_wgmma.ptx", 24576);
}

TEST_F(TritonKernels, HistogramByAtomics) {
  const Module module = loadKernels("triton/histogram.ptx");
  const int n = 1300;
  const auto x = integers(n, 15);
  std::vector<int> expected(16);
  for (int value : x)
    ++expected[value];
  const uint64_t in = upload(x);
  forOrders([&] {
    const uint64_t bins = upload(std::vector<int>(16));
    runClean(
        module, "histogram", {(n + 511) / 512}, fourWarps,
        ArgumentBlock().add(in).add(bins).add(n).add(noScratch).add(noScratch),
        4096);
    EXPECT_EQ(download<int>(bins, 16), expected);
  });
}

TEST_F(TritonKernels, PrefixSum) {
  const Module module = loadKernels("triton/prefix_sum.ptx");
  const int n = 999;
  const auto x = integers(n, 1000);
  std::vector<int> expected(n);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  const uint64_t in = upload(x);
  forOrders([&] {
    const uint64_t out = blank<int>(n);
    runClean(
        module, "prefix_sum", {1}, fourWarps,
        ArgumentBlock().add(in).add(out).add(n).add(noScratch).add(noScratch),
        32);
    EXPECT_EQ(download<int>(out, n), expected);
  });
}

} // namespace
