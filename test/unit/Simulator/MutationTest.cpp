//===- MutationTest.cpp - Kernels with a synchronisation left out ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves out each barrier, wait, commit and fence of a kernel in turn. The
// simulator must report every mutant, or its result must differ; a mutant that
// survives is listed with the reason why it cannot go wrong.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <numeric>

using namespace tilewright::sim;

namespace {

class Mutations : public DeviceTest {
protected:
  std::string text(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(
        llvm::Twine(TILEWRIGHT_SIMULATOR_KERNELS) + "/" + name);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  /// Calls `check(module, line)` for each mutant of the kernel: one line that
  /// begins with one of `starts` is blanked.
  template <class F>
  unsigned forMutants(const std::string &ptx, const std::string &kernel,
                      llvm::ArrayRef<llvm::StringRef> starts, F check) {
    llvm::SmallVector<llvm::StringRef, 0> lines;
    llvm::StringRef(ptx).split(lines, '\n');
    bool inKernel = false;
    unsigned count = 0;
    for (size_t i = 0; i != lines.size(); ++i) {
      if (lines[i].contains(".entry"))
        inKernel = lines[i].contains(".entry " + kernel + "(");
      const bool matches =
          inKernel && llvm::any_of(starts, [&](llvm::StringRef start) {
            return lines[i].trim().starts_with(start);
          });
      if (!matches)
        continue;
      std::string mutant = ptx;
      const size_t at = lines[i].data() - ptx.data();
      mutant.replace(at, lines[i].size(), lines[i].size(), ' ');
      check(parseOrDie(mutant),
            lines[i].trim().str() + " of line " + std::to_string(i + 1));
      ++count;
    }
    return count;
  }
};

TEST_F(Mutations, BarriersOfABlockSum) {
  const unsigned count = forMutants(
      text("basic.ptx"), "blockSum", {"bar.sync"},
      [&](const Module &module, const std::string &what) {
        std::vector<float> x(1000, 1.0f);
        const uint64_t y = blank<float>(1);
        EXPECT_FALSE(run(module, "blockSum", {1}, {256},
                         ArgumentBlock().add(upload(x)).add(y).add(1000),
                         uint64_t(256) * 4)
                         .clean())
            << what;
      });
  EXPECT_EQ(count, 2u);
}

TEST_F(Mutations, BarriersOfATranspose) {
  const unsigned count = forMutants(
      text("basic.ptx"), "transpose", {"bar.sync"},
      [&](const Module &module, const std::string &what) {
        const uint64_t x = upload(std::vector<float>(1024, 1.0f)),
                       y = blank<float>(1024);
        EXPECT_FALSE(run(module, "transpose", {1}, {32, 8},
                         ArgumentBlock().add(x).add(y).add(32).add(32))
                         .clean())
            << what;
      });
  EXPECT_EQ(count, 1u);
}

TEST_F(Mutations, PipelineOfAGemm) {
  const int n = 128, k = 256;
  const uint64_t a = upload(std::vector<uint16_t>(size_t(n) * k, 0x3c00)),
                 b = upload(std::vector<uint16_t>(size_t(n) * k, 0x3c00));
  const unsigned count = forMutants(
      text("gemm.ptx"), "gemm",
      {"bar.sync", "cp.async.wait_group", "cp.async.commit_group"},
      [&](const Module &module, const std::string &what) {
        const uint64_t c = blank<float>(size_t(n) * n);
        const LaunchReport report =
            run(module, "gemm", {1}, {256},
                ArgumentBlock().add(a).add(b).add(c).add(n).add(n).add(k),
                uint64_t(3) * (128 * 40 + 32 * 136) * 2);
        EXPECT_FALSE(report.clean()) << what;
      });
  EXPECT_GE(count, 4u);
}

TEST_F(Mutations, PipelineOfAWarpgroupProduct) {
  const int n = 64, k = 256;
  const uint64_t a = upload(std::vector<uint16_t>(size_t(n) * k, 0x3c00)),
                 b = upload(std::vector<uint16_t>(size_t(n) * k, 0x3c00));
  options.readersMayFenceProxy = true;
  std::vector<std::string> survivors;
  const unsigned count = forMutants(
      text("triton/matmul_wgmma.ptx"), "matmul",
      {"bar.sync", "cp.async.wait_group", "cp.async.commit_group",
       "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "fence.proxy"},
      [&](const Module &module, const std::string &what) {
        const uint64_t c = blank<float>(size_t(n) * n);
        const LaunchReport report = run(module, "matmul", {1}, {128},
                                        ArgumentBlock()
                                            .add(a)
                                            .add(b)
                                            .add(c)
                                            .add(n)
                                            .add(n)
                                            .add(k)
                                            .add(uint64_t(0))
                                            .add(uint64_t(0)),
                                        24576);
        if (report.clean())
          survivors.push_back(what);
      });
  EXPECT_EQ(count, 17u);
  // The first two groups of copies may be one. A wait for a product is enough
  // to overwrite what it read, as there is one warpgroup only.
  const std::vector<std::string> expected = {
      "cp.async.commit_group; of line 102", "bar.sync \t0; of line 345"};
  EXPECT_EQ(survivors, expected);
}

TEST_F(Mutations, FencesBetweenBlocks) {
  const unsigned count = forMutants(
      text("warp.ptx"), "lastBlockSum", {"membar", "fence", "bar.sync"},
      [&](const Module &module, const std::string &what) {
        const uint64_t x = upload(std::vector<float>(size_t(8) * 32, 1.0f)),
                       parts = blank<float>(8), y = blank<float>(1);
        EXPECT_FALSE(run(module, "lastBlockSum", {8}, {32},
                         ArgumentBlock().add(x).add(parts).add(y))
                         .clean())
            << what;
      });
  EXPECT_EQ(count, 2u);
}

} // namespace
