//===- ReportTest.cpp - Reports, counts and device memory -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include <numeric>

using namespace tilewright::sim;

namespace {

class Reports : public DeviceTest {
protected:
  LaunchReport histogram(unsigned blocks = 8) {
    const std::vector<uint8_t> x(5000, 3);
    const uint64_t bins = upload(std::vector<uint32_t>(16));
    return runClean(module, "histogram", {blocks}, {128},
                    ArgumentBlock().add(upload(x)).add(bins).add(5000));
  }
  const Module module = loadKernels("warp.ptx");
};

TEST_F(Reports, KindsAddUp) {
  const LaunchCounts counts = histogram().counts;
  const auto &kinds = counts.warpInstructionsByKind;
  EXPECT_EQ(std::accumulate(kinds.begin(), kinds.end(), uint64_t(0)),
            counts.warpInstructions);
  EXPECT_LE(counts.threadInstructions, counts.warpInstructions * 32);
  EXPECT_GT(kinds[static_cast<size_t>(InstrKind::Atomic)], 0u);
}

TEST_F(Reports, CountsDoNotDependOnHostThreads) {
  options.threads = 1;
  const LaunchReport one = histogram();
  options.threads = 4;
  const LaunchReport four = histogram();
  EXPECT_EQ(one.counts.warpInstructions, four.counts.warpInstructions);
  EXPECT_EQ(one.counts.globalLoadSectors, four.counts.globalLoadSectors);
}

TEST_F(Reports, ProgressReachesTheEnd) {
  uint64_t last = 0, total = 0;
  options.progress = [&](uint64_t done, uint64_t all) {
    EXPECT_TRUE(done == last || done == last + 1); // time passes, or a block
    last = done;
    total = all;
  };
  histogram(8);
  EXPECT_EQ(last, 8u);
  EXPECT_EQ(total, 8u);
}

TEST_F(Reports, JSONHoldsFindingsAndCounts) {
  const Module faulty = parseOrDie(wrapKernel("ld.global.u32 %r1, [16];"));
  const uint64_t p = 0;
  const LaunchReport report =
      run(faulty, "test", {2}, {32},
          ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0)));
  const llvm::json::Value value = toJSON(report);
  const llvm::json::Object &object = *value.getAsObject();
  EXPECT_EQ(object.getBoolean("completed"), true);
  const llvm::json::Array &findings = *object.getArray("findings");
  ASSERT_EQ(findings.size(), 1u);
  const llvm::json::Object &finding = *findings[0].getAsObject();
  EXPECT_EQ(finding.getString("kind"), "out-of-bounds");
  EXPECT_EQ(finding.getString("kernel"), "test");
  EXPECT_EQ(finding.getInteger("address"), 16);
  EXPECT_EQ(finding.getInteger("occurrences"), 64);
  const llvm::json::Object &counts = *object.getObject("counts");
  EXPECT_EQ(counts.getObject("warp_instructions_by_kind")->getInteger("load"),
            2);
}

TEST_F(Reports, NumberOfFindingsIsLimited) {
  options.maximumFindings = 2;
  std::string body = "ld.param.u64 %rd1, [a];";
  for (int i = 0; i != 5; ++i)
    body += "ld.global.u32 %r1, [16];\n";
  const Module faulty = parseOrDie(wrapKernel(body));
  const uint64_t p = 0;
  EXPECT_EQ(run(faulty, "test", {1}, {1},
                ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0)))
                .findings.size(),
            2u);
}

TEST_F(DeviceTest, MemoryErrors) {
  const uint64_t address = upload(std::vector<uint32_t>(4, 1));
  std::vector<uint8_t> bytes(17);
  auto text = [](llvm::Error error) {
    return llvm::toString(std::move(error));
  };
  EXPECT_NE(text(device.read(address, bytes)).find("do not lie in one"),
            std::string::npos);
  EXPECT_NE(text(device.write(address + 8, bytes)), "");
  EXPECT_EQ(text(device.fill(address, 0, 16)), "");
  EXPECT_NE(text(device.free(address + 4)).find("is not an allocation"),
            std::string::npos);
  EXPECT_EQ(text(device.free(address)), "");
  EXPECT_NE(text(device.free(address)).find("was freed before"),
            std::string::npos);
  EXPECT_NE(text(device.fill(address, 0, 4)).find("were freed"),
            std::string::npos);
  // More than the host can have.
  EXPECT_FALSE(
      bool(llvm::expectedToOptional(device.allocate(~uint64_t(0) - 1000))));
  // Addresses are not used again.
  EXPECT_NE(blank<uint32_t>(4), address);
  EXPECT_NE(llvm::cantFail(device.allocate(0)), 0u);
}

} // namespace
