//===- ReportTest.cpp - Reports, counts and device memory -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
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

/// LLVM names the calls of inlined functions in comments, PTX has an attribute.
TEST_F(Reports, InlinedFunctionsNameTheirCallers) {
  const std::string read = "ld.global.u32 %r1, [16];\n";
  const Module faulty = parseOrDie(wrapKernel(
      ".loc 1 12 4\n" + read + ".loc 1 3 2 // h.py:3:2 @[ m.py:7:1 " +
          "@[ C:/k.py:20:5 ] ]\n" + read +
          ".loc 2 5 6, function_name $info, inlined_at 1 20 7\n" + read +
          ".loc 1 0 0\n" + read,
      ".file 1 \"k.py\"\n.file 2 \"h.py\"\n"));
  const uint64_t p = 0;
  const LaunchReport report =
      run(faulty, "test", {1}, {32},
          ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0)));
  ASSERT_EQ(report.findings.size(), 4u);
  auto calls = [&](size_t finding) {
    std::string text;
    for (const SourcePlace &place : report.findings[finding].calledFrom)
      text += place.file + ":" + std::to_string(place.line) + " ";
    return text;
  };
  EXPECT_EQ(report.findings[0].sourceFile, "k.py");
  EXPECT_EQ(report.findings[0].sourceLine, 12u);
  EXPECT_EQ(report.findings[0].sourceColumn, 4u);
  EXPECT_EQ(calls(0), "");
  EXPECT_EQ(calls(1), "m.py:7 C:/k.py:20 ");
  EXPECT_EQ(report.findings[2].sourceFile, "h.py");
  EXPECT_EQ(calls(2), "k.py:20 ");
  EXPECT_EQ(report.findings[3].sourceFile, "");
  EXPECT_NE(describe(report.findings[1]).find("\n  called from C:/k.py:20"),
            std::string::npos);
  const llvm::json::Value json = toJSON(report);
  const llvm::json::Object &finding =
      *(*json.getAsObject()->getArray("findings"))[1].getAsObject();
  EXPECT_EQ(finding.getArray("called_from")->size(), 2u);
  EXPECT_EQ(finding.getInteger("source_column"), 2);
}

/// Each kind of access is told with the line of its instruction, and the text
/// of that line where the file can be read.
TEST_F(Reports, LinesAreShown) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("kernel", "py", descriptor, path));
  const llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true)
      << "def k(x):\n\tt = tl.load(x)\n";
  const std::string file = ".file 1 \"" + path.str().str() + "\"\n";
  const uint64_t p = upload(std::vector<uint32_t>(4));
  auto text = [&](const std::string &body) {
    const LaunchReport report =
        run(parseOrDie(wrapKernel("ld.param.u64 %rd1, [a];\n" + body, file)),
            "test", {1}, {1},
            ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0)));
    return report.findings.empty() ? "" : describe(report.findings[0]);
  };
  const std::string start = "test: " + path.str().str() + ":2: ";
  const std::string bad = text(".loc 1 2 6\nld.global.u32 %r1, [%rd1+2];");
  EXPECT_EQ(bad.find(start + "misaligned: PTX line "), 0u) << bad;
  EXPECT_NE(bad.find("\n  \tt = tl.load(x)\n  \t    ^"), std::string::npos)
      << bad;
  // Columns and lines that the file does not have.
  EXPECT_EQ(text(".loc 1 2 99\nld.global.u32 %r1, [%rd1+2];").find('^'),
            std::string::npos);
  EXPECT_EQ(text(".loc 1 77 1\nld.global.u32 %r1, [%rd1+2];").find('\n'),
            std::string::npos);
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

/// Bytes that are there and count as not written.
TEST_F(DeviceTest, ForgottenBytesAreNotWritten) {
  const Module module = parseOrDie(
      wrapKernel("ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];"));
  const uint64_t p = upload(std::vector<uint32_t>(1, 0x5a5a5a5au));
  llvm::cantFail(device.forget(p, 4));
  const auto arguments = ArgumentBlock().add(p).add(p).add(p).add(uint32_t(0));
  EXPECT_EQ(kinds(run(module, "test", {1}, {1}, arguments)),
            std::set<FindingKind>{FindingKind::Uninitialized});
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 0x5a5a5a5au);
  llvm::cantFail(device.fill(p, 1, 4));
  EXPECT_TRUE(run(module, "test", {1}, {1}, arguments).clean());
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
