//===- KernelRunnerTest.cpp - Right and wrong kernels ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/KernelRunner.h"
#include "FakeDevice.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

spec::KernelDescription describeTranspose(ElementType type) {
  spec::KernelDescription description;
  description.name = "transpose";
  description.arguments = {
      spec::pointer("A", type, 16), spec::pointer("B", type, 16),
      spec::scalar("M", ElementType::I32), spec::scalar("N", ElementType::I32)};
  description.shapes = {"A[M, N]", "B[N, M]"};
  description.grid = {"ceildiv(M, 16)", "ceildiv(N, 16)"};
  description.references = {"B[j, i] = A[i, j]"};
  return description;
}

/// The kernel of that description, for 16-bit elements.
void transpose(const HostArguments &arguments) {
  const auto *a = arguments.pointer<uint16_t>(0);
  auto *b = arguments.pointer<uint16_t>(1);
  int64_t m = arguments.integer(2, ElementType::I32);
  int64_t n = arguments.integer(3, ElementType::I32);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      b[j * m + i] = a[i * n + j];
}

KernelImage makeImage(llvm::StringRef entry) {
  KernelImage image;
  image.entry = entry.str();
  image.threadsPerBlock = 128;
  return image;
}

/// The result of running \p description on \p device; an error's text in its
/// place.
llvm::Expected<RunResult> run(FakeDevice &device,
                              const spec::KernelDescription &description,
                              llvm::StringRef scalars,
                              const RunOptions &options = {}) {
  llvm::Expected<spec::KernelSpec> spec = spec::KernelSpec::create(description);
  if (!spec)
    return spec.takeError();
  llvm::Expected<spec::ScalarValues> values =
      spec::ScalarValues::parse(*spec, scalars);
  if (!values)
    return values.takeError();
  llvm::Expected<KernelRunner> runner =
      KernelRunner::create(device, *spec, makeImage(description.name), *values);
  if (!runner)
    return runner.takeError();
  return runner->run(options);
}

RunResult runRight(FakeDevice &device,
                   const spec::KernelDescription &description,
                   llvm::StringRef scalars, const RunOptions &options = {}) {
  llvm::Expected<RunResult> result = run(device, description, scalars, options);
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return RunResult();
}

std::string getError(llvm::Expected<RunResult> result) {
  return result ? "no error" : llvm::toString(result.takeError());
}

TEST(KernelRunner, RightKernelPasses) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::I16})
    for (bool hasSpecials : {false, true}) {
      FakeDevice device(transpose);
      RunOptions options;
      options.hasSpecials = hasSpecials;
      RunResult result =
          runRight(device, describeTranspose(type), "M=70 N=33", options);
      EXPECT_TRUE(result.passed());
      EXPECT_TRUE(result.launched);
      ASSERT_EQ(result.outputs.size(), 1u);
      EXPECT_EQ(result.outputs[0].name, "B");
      EXPECT_EQ(result.outputs[0].checked, 70u * 33);
      EXPECT_EQ(result.grid, (GridSize{5, 3, 1}));
      EXPECT_EQ(result.bytesMoved, 2 * 2 * 70u * 33);
      EXPECT_EQ(result.scalars[1],
                (std::pair<std::string, std::string>{"N", "33"}));
      EXPECT_EQ(result.tensors[0].role, TensorRole::Input);
      EXPECT_EQ(result.tensors[1].role, TensorRole::Output);
      EXPECT_EQ(device.countAllocations(), 0u);
    }
}

TEST(KernelRunner, FindsOneUnwrittenElement) {
  FakeDevice device([](const HostArguments &arguments) {
    auto *b = arguments.pointer<uint16_t>(1);
    uint16_t before = b[1234];
    transpose(arguments);
    b[1234] = before;
  });
  RunResult result =
      runRight(device, describeTranspose(ElementType::F16), "M=70 N=33");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.outputs[0].wrong, 1u);
  EXPECT_EQ(result.outputs[0].unwritten, 1u);
  EXPECT_EQ(result.outputs[0].mismatches[0].index,
            (llvm::SmallVector<int64_t>{17, 44}));
}

TEST(KernelRunner, FindsAnUnwrittenElementThatHappensToBeRight) {
  // Every element should be -1, which is what the poison looks like.
  spec::KernelDescription description;
  description.name = "fill";
  description.arguments = {spec::pointer("Y", ElementType::I8),
                           spec::scalar("N", ElementType::I32)};
  description.shapes = {"Y[N]"};
  description.grid = {"1"};
  description.references = {"Y[i] = -1"};
  int64_t missing = 0;
  FakeDevice device([&](const HostArguments &arguments) {
    int64_t n = arguments.integer(1, ElementType::I32);
    std::memset(arguments.pointer<char>(0), 0xff, n - missing);
  });
  RunResult result = runRight(device, description, "N=100");
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(device.launches, 2u);
  missing = 1;
  result = runRight(device, description, "N=100");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.outputs[0].unwritten, 1u);
  EXPECT_EQ(result.outputs[0].mismatches[0].element, 99u);
}

TEST(KernelRunner, FindsAWrongElement) {
  FakeDevice device([](const HostArguments &arguments) {
    transpose(arguments);
    arguments.pointer<uint16_t>(1)[70 * 33 - 1] ^= 1;
  });
  RunResult result =
      runRight(device, describeTranspose(ElementType::F16), "M=70 N=33");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.outputs[0].wrong, 1u);
  EXPECT_EQ(result.outputs[0].unwritten, 0u);
  EXPECT_EQ(result.outputs[0].mismatches[0].element, 70u * 33 - 1);
}

TEST(KernelRunner, FindsWritesOutOfBoundsByOne) {
  for (bool isAfter : {false, true})
    for (unsigned tensor : {0u, 1u}) {
      FakeDevice device([&](const HostArguments &arguments) {
        transpose(arguments);
        arguments.pointer<uint16_t>(tensor)[isAfter ? 70 * 33 : -1] = 0;
      });
      RunResult result =
          runRight(device, describeTranspose(ElementType::F16), "M=70 N=33");
      EXPECT_FALSE(result.passed());
      ASSERT_EQ(result.violations.size(), 1u);
      EXPECT_EQ(
          result.violations[0],
          std::string("out-of-bounds write: 2 bytes ") +
              (isAfter ? "after" : "before") + " tensor '" +
              (tensor ? "B' [33, 70]" : "A' [70, 33]") +
              " of f16 were overwritten, the nearest " +
              (isAfter ? "0 bytes past its end" : "1 bytes before its start"));
    }
}

TEST(KernelRunner, LeavesBoundsToADeviceThatChecksThem) {
  FakeDevice device(transpose);
  device.hasBoundsChecks = true;
  EXPECT_TRUE(runRight(device, describeTranspose(ElementType::F16), "M=70 N=33")
                  .passed());
  EXPECT_EQ(device.sizes, (std::vector<uint64_t>{4620, 4620}));
  EXPECT_TRUE(runRight(device, describeTranspose(ElementType::F16), "M=0 N=33")
                  .passed());
}

TEST(KernelRunner, FindsAnOverwrittenInput) {
  FakeDevice device([](const HostArguments &arguments) {
    transpose(arguments);
    arguments.pointer<uint16_t>(0)[71] ^= 0x100;
  });
  RunResult result =
      runRight(device, describeTranspose(ElementType::F16), "M=70 N=33");
  EXPECT_FALSE(result.passed());
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(
      result.violations[0],
      "input overwritten: element 71 of tensor 'A' [70, 33] of f16, which "
      "no reference writes, was changed");
}

TEST(KernelRunner, TensorsMayBeReadAndWritten) {
  spec::KernelDescription description;
  description.name = "axpy";
  description.arguments = {spec::pointer("X", ElementType::F32),
                           spec::pointer("Y", ElementType::F32),
                           spec::scalar("N", ElementType::I64),
                           spec::scalar("alpha", ElementType::F32)};
  description.shapes = {"X[N]", "Y[N]"};
  description.grid = {"ceildiv(N, 128)"};
  description.references = {"Y[i] = alpha * X[i] + Y[i]"};
  bool isFused = true;
  FakeDevice device([&](const HostArguments &arguments) {
    auto alpha = static_cast<float>(arguments.real(3, ElementType::F32));
    const auto *x = arguments.pointer<float>(0);
    auto *y = arguments.pointer<float>(1);
    for (int64_t i = 0; i < arguments.integer(2, ElementType::I64); ++i)
      y[i] =
          isFused ? std::fma(alpha, x[i], y[i]) : alpha * x[i] + y[i] + 1e-5f;
  });
  RunResult result = runRight(device, description, "N=100000 alpha=2.5");
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.tensors[1].role, TensorRole::InOut);
  EXPECT_EQ(result.bytesMoved, 3 * 4 * 100000u);
  isFused = false;
  EXPECT_FALSE(runRight(device, description, "N=100000 alpha=2.5").passed());
}

TEST(KernelRunner, EmptyProblemsLaunchNothing) {
  FakeDevice device(transpose);
  RunOptions options;
  options.timing = TimingPlan();
  RunResult result = runRight(device, describeTranspose(ElementType::F16),
                              "M=0 N=33", options);
  EXPECT_TRUE(result.passed());
  EXPECT_FALSE(result.launched);
  EXPECT_FALSE(result.timing);
  EXPECT_EQ(device.launches, 0u);
  EXPECT_EQ(result.outputs[0].elements, 0u);

  // Nothing launched, but there was something to compute.
  spec::KernelDescription description = describeTranspose(ElementType::F16);
  description.grid = {"0"};
  result = runRight(device, description, "M=2 N=2");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.outputs[0].unwritten, 4u);
}

TEST(KernelRunner, RefusesValuesThatTheCodeCannotTake) {
  FakeDevice device(transpose);
  spec::KernelDescription description = describeTranspose(ElementType::F16);
  description.arguments[3].divisibility = 16;
  EXPECT_EQ(getError(run(device, description, "M=70 N=40")),
            "'N' is 40, no multiple of 16, on which the compiled code relies; "
            "compile 'transpose' with divisibility 8 for it");
  device.misalignment = 8;
  std::string error = getError(run(device, description, "M=70 N=32"));
  EXPECT_NE(error.find("8 bytes past a multiple of 16, on which the compiled "
                       "code relies; compile 'transpose' with divisibility 8 "
                       "for it"),
            std::string::npos)
      << error;
  EXPECT_EQ(device.launches, 0u);
}

TEST(KernelRunner, ReportsWhatCannotBeRun) {
  FakeDevice device(transpose);
  spec::KernelDescription description = describeTranspose(ElementType::F16);
  EXPECT_EQ(getError(run(device, description, "M=70")),
            "no value for N (i32); give it as name=number");
  EXPECT_EQ(getError(run(device, description, "M=16 N=1048576")),
            "kernel 'transpose': grid axis 1 has 65536 blocks, more than the "
            "65535 that a GPU can launch; put the largest axis on grid axis 0, "
            "which takes 2147483647");
  description.references = {"B[j, i] = A[j, i]"};
  EXPECT_EQ(getError(run(device, description, "M=70 N=33")),
            "reference: index 1 of 'A' ranges over [0, 69], outside its extent "
            "33 (column 16 of \"B[j, i] = A[j, i]\")");
  EXPECT_EQ(device.launches, 0u);
}

TEST(KernelRunner, ReportsMissingMemory) {
  FakeDevice device(transpose);
  spec::KernelDescription description = describeTranspose(ElementType::F16);
  device.memoryLimit = 10000;
  EXPECT_EQ(getError(run(device, description, "M=70 N=33")),
            "tensor 'A' [70, 33] of f16: out of memory on 'fake': 12812 bytes "
            "asked for");
  // More than any machine has.
  description.grid = {"1"};
  std::string error =
      getError(run(device, description, "M=2000000000 N=1000000000"));
  EXPECT_EQ(error.find("the tensors of 'transpose' need 8000000000000000000 "
                       "bytes of host memory to fill and check; this machine "
                       "has "),
            0u)
      << error;
  // A simulated device has the host's memory: three times A, three times B.
  device.hostBytes = 2;
  error = getError(run(device, description, "M=2000000 N=1000000"));
  EXPECT_EQ(error.find("the tensors of 'transpose' need 24000000000000 bytes "),
            0u)
      << error;
}

TEST(KernelRunner, PassesOnTheDevicesErrors) {
  FakeDevice device(transpose);
  device.failure = "after the launch of 'transpose': an illegal address";
  EXPECT_EQ(
      getError(run(device, describeTranspose(ElementType::F16), "M=7 N=3")),
      device.failure);
  EXPECT_EQ(device.countAllocations(), 0u);
}

TEST(KernelRunner, TimesWhereTheDeviceCan) {
  FakeDevice device(transpose);
  RunOptions options;
  options.timing = TimingPlan();
  EXPECT_EQ(getError(run(device, describeTranspose(ElementType::F16), "M=7 N=3",
                         options)),
            "the device 'fake' cannot time kernels");
  device.samples = {3, 1, 2};
  RunResult result =
      runRight(device, describeTranspose(ElementType::F16), "M=7 N=3", options);
  const Timing timing = result.timing.value_or(Timing());
  EXPECT_EQ(timing.median, 2);
  EXPECT_TRUE(timing.flushedCache);
}

TEST(KernelRunner, WithoutReferencesNothingIsClaimed) {
  FakeDevice device([](const HostArguments &arguments) {
    transpose(arguments);
    arguments.pointer<uint16_t>(0)[0] ^= 1;
  });
  spec::KernelDescription description = describeTranspose(ElementType::F16);
  description.references.clear();
  RunResult result = runRight(device, description, "M=7 N=3");
  EXPECT_TRUE(result.passed());
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_EQ(result.tensors[0].role, TensorRole::Unknown);
  std::string text;
  llvm::raw_string_ostream os(text);
  result.print(os);
  EXPECT_NE(text.find("check     none\n"), std::string::npos);

  RunOptions options;
  options.checks = false;
  FakeDevice wrong([](const HostArguments &) {});
  EXPECT_TRUE(
      runRight(wrong, describeTranspose(ElementType::F16), "M=7 N=3", options)
          .outputs.empty());
  EXPECT_EQ(wrong.launches, 1u);
}

TEST(KernelRunner, SeedsChangeTheInputs) {
  std::vector<uint16_t> firsts;
  FakeDevice device([&](const HostArguments &arguments) {
    firsts.push_back(*arguments.pointer<uint16_t>(0));
    transpose(arguments);
  });
  RunOptions options;
  for (uint64_t seed : {1, 1, 2}) {
    options.seed = seed;
    runRight(device, describeTranspose(ElementType::F16), "M=7 N=3", options);
  }
  EXPECT_EQ(firsts[0], firsts[1]);
  EXPECT_NE(firsts[0], firsts[2]);
}

} // namespace
