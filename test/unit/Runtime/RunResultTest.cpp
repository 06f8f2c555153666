//===- RunResultTest.cpp - Reports as text and JSON -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/RunResult.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <limits>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

RunResult makeResult() {
  RunResult result;
  result.kernel = "transpose";
  result.device.name = "NVIDIA Test";
  result.device.architecture = "sm_90";
  result.scalars = {{"M", "100"}, {"N", "64"}};
  result.tensors = {
      {"A", spec::ElementType::F16, {100, 64}, TensorRole::Input},
      {"B", spec::ElementType::F16, {64, 100}, TensorRole::Output}};
  result.grid = {4, 1, 1};
  result.threadsPerBlock = 128;
  result.resources.registers = 32;
  result.resources.localBytes = 0;
  result.resources.staticSharedBytes = 1024;
  result.resources.dynamicSharedBytes = 2048;
  result.resources.blocksPerMultiprocessor = 8;
  result.launched = true;
  result.bytesMoved = 25600;
  OutputReport output;
  output.name = "B";
  output.elements = output.checked = 6400;
  result.outputs.push_back(output);
  return result;
}

std::string print(const RunResult &result) {
  std::string text;
  llvm::raw_string_ostream os(text);
  result.print(os);
  return text;
}

TEST(RunResult, PrintsARightKernel) {
  RunResult result = makeResult();
  result.timing = Timing::fromSamples({2.0, 1.0, 4.0}, true);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(
      print(result),
      "kernel    transpose M=100 N=64\n"
      "device    NVIDIA Test (sm_90)\n"
      "launch    grid 4 x 1 x 1, 128 threads a block\n"
      "resources 32 registers, 0 bytes of local memory, 3072 bytes of shared "
      "memory, 8 blocks a multiprocessor\n"
      "check     B: correct, checked 6400 of 6400 elements\n"
      "time      median 2.00 us, from 1.00 to 4.00 us in 3 runs, caches "
      "flushed "
      "before each\n"
      "rate      12.8 GB/s (25600 bytes: every input read once, every output "
      "written once)\n");
}

TEST(RunResult, PrintsAWrongKernel) {
  RunResult result = makeResult();
  OutputReport &output = result.outputs[0];
  output.checked = 1000;
  output.wrong = 3;
  output.unwritten = 2;
  output.mismatches.push_back({5, {0, 5}, "1", "1.5", 0x3e00, 0.5, 0.25});
  result.violations.push_back("out-of-bounds write: somewhere");
  EXPECT_FALSE(result.passed());
  std::string text = print(result);
  EXPECT_NE(
      text.find("check     B: 3 WRONG (2 never written), checked 1000 of 6400 "
                "elements (all corners, edges, the rest at random)\n"
                "          B[0, 5]: expected 1, got 1.5 (0x3e00); off by 0.5, "
                "may be 0.25\n"
                "          ... and 2 more\n"
                "check     out-of-bounds write: somewhere\n"),
      std::string::npos)
      << text;
}

TEST(RunResult, HintsAtRounding) {
  RunResult result = makeResult();
  OutputReport &output = result.outputs[0];
  output.wrong = 1;
  output.maxWrongError = 0.25;
  output.maxWrongShare = 2;
  output.maxExpected = 20;
  std::string text = print(result);
  EXPECT_NE(text.find("check     B: 1 WRONG, checked 6400 of 6400 elements, "
                      "largest error 0.25 (2 times the bound)\n"
                      "hint      errors of this size come from rounding"),
            std::string::npos)
      << text;
  // No rounding is that large, and none leaves elements unwritten.
  output.maxExpected = 15;
  EXPECT_EQ(print(result).find("hint"), std::string::npos);
  output.maxExpected = 20;
  output.unwritten = 1;
  EXPECT_EQ(print(result).find("hint"), std::string::npos);
}

TEST(RunResult, ViolationsAloneFail) {
  RunResult result = makeResult();
  EXPECT_TRUE(result.passed());
  result.violations.push_back("x");
  EXPECT_FALSE(result.passed());
}

TEST(RunResult, GivesJSON) {
  RunResult result = makeResult();
  result.timing = Timing::fromSamples({2.0, 1.0}, false);
  OutputReport &output = result.outputs[0];
  output.wrong = 1;
  output.maxError = std::numeric_limits<double>::infinity();
  output.mismatches.push_back({5,
                               {0, 5},
                               "1",
                               "nan",
                               0x7e00,
                               std::numeric_limits<double>::infinity(),
                               0});
  llvm::json::Value json = result.toJSON();

  // What is written can be read back.
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(parsed)) << text;
  EXPECT_EQ(*parsed, json);

  const llvm::json::Object &object = *json.getAsObject();
  EXPECT_EQ(object.getBoolean("passed"), false);
  EXPECT_EQ(object.getObject("timing")->getNumber("median_microseconds"), 1.5);
  EXPECT_EQ(object.getNumber("gigabytes_per_second"), 25600 / 1.5 / 1e3);
  EXPECT_EQ(object.getObject("resources")->getInteger("registers"), 32);
  const llvm::json::Object &first =
      *(*object.getArray("outputs"))[0].getAsObject();
  EXPECT_EQ(first.getString("max_error"), "inf");
  const llvm::json::Object &mismatch =
      *(*first.getArray("mismatches"))[0].getAsObject();
  EXPECT_EQ(mismatch.getString("got_bits"), "0x7e00");
  EXPECT_EQ(mismatch.getString("got"), "nan");
}

TEST(RunResult, UnknownResourcesAreNull) {
  RunResult result = makeResult();
  result.resources = KernelResources();
  llvm::json::Object object = result.toJSON();
  EXPECT_EQ(*object.getObject("resources")->get("registers"),
            llvm::json::Value(nullptr));
  EXPECT_NE(print(result).find("resources 0 bytes of shared memory\n"),
            std::string::npos);
}

TEST(Timing, Summarises) {
  Timing timing = Timing::fromSamples({5, 1, 3, 2}, true);
  EXPECT_EQ(timing.median, 2.5);
  EXPECT_EQ(timing.min, 1);
  EXPECT_EQ(timing.max, 5);
  EXPECT_EQ(timing.samples, (std::vector<double>{5, 1, 3, 2}));
  EXPECT_EQ(Timing::fromSamples({}, true).median, 0);
}

} // namespace
