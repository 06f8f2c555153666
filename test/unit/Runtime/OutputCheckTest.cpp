//===- OutputCheckTest.cpp - Comparing outputs with references ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Runtime/OutputCheck.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tilewright;
using namespace tilewright::runtime;
using spec::ElementType;

namespace {

/// `Y[i, j] = <right>` over i32 tensors X and Y of M rows and N columns.
class OutputCheckTest : public testing::Test {
protected:
  OutputReport check(llvm::StringRef right, const CheckOptions &options = {},
                     std::optional<uint8_t> poison = 0xff) {
    spec::KernelDescription description;
    description.name = "k";
    description.arguments = {spec::pointer("X", ElementType::I32),
                             spec::pointer("Y", ElementType::I32)};
    std::string shape =
        "[" + std::to_string(M) + ", " + std::to_string(N) + "]";
    description.shapes = {"X" + shape, "Y" + shape};
    description.grid = {"1"};
    description.references = {"Y[i, j] = " + right.str()};
    spec::KernelSpec spec =
        llvm::cantFail(spec::KernelSpec::create(description));
    spec::Binding binding = llvm::cantFail(
        spec.bind(llvm::cantFail(spec::ScalarValues::parse(spec, ""))));
    spec::ReferenceProgram program =
        llvm::cantFail(spec::ReferenceProgram::compile(
            spec, spec.getReferences()[0], binding));
    return checkOutput(program, {X.data(), nullptr}, Y.data(), poison, options);
  }

  OutputCheckTest() {
    std::iota(X.begin(), X.end(), 0);
    Y = X;
  }

  static constexpr unsigned M = 300, N = 500;
  std::vector<int32_t> X = std::vector<int32_t>(size_t(M) * N);
  std::vector<int32_t> Y;
};

TEST_F(OutputCheckTest, RightOutput) {
  OutputReport report = check("X[i, j]");
  EXPECT_TRUE(report.isRight());
  EXPECT_EQ(report.elements, 150000u);
  EXPECT_EQ(report.checked, 150000u);
  EXPECT_EQ(report.ambiguous, 0u);
  EXPECT_EQ(report.undefined, 0u);
  EXPECT_TRUE(report.mismatches.empty());
}

TEST_F(OutputCheckTest, EveryWrongElementIsFound) {
  for (size_t element : {size_t(0), size_t(77777), Y.size() - 1}) {
    int32_t right = std::exchange(Y[element], -5);
    OutputReport report = check("X[i, j]");
    EXPECT_EQ(report.wrong, 1u);
    ASSERT_EQ(report.mismatches.size(), 1u);
    const Mismatch &mismatch = report.mismatches[0];
    EXPECT_EQ(mismatch.element, element);
    EXPECT_EQ(mismatch.index[0], int64_t(element / N));
    EXPECT_EQ(mismatch.index[1], int64_t(element % N));
    EXPECT_EQ(mismatch.expected, std::to_string(element));
    EXPECT_EQ(mismatch.got, "-5");
    EXPECT_EQ(mismatch.gotBits, 0xfffffffbu);
    Y[element] = right;
  }
}

TEST_F(OutputCheckTest, ReportsTheFirstMismatchesInOrder) {
  for (size_t element = 90; element < Y.size(); ++element)
    Y[element] += 1;
  CheckOptions options;
  options.maxMismatches = 3;
  OutputReport report = check("X[i, j]", options);
  EXPECT_EQ(report.wrong, Y.size() - 90);
  ASSERT_EQ(report.mismatches.size(), 3u);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(report.mismatches[i].element, 90 + i);
}

TEST_F(OutputCheckTest, AToleranceLetsMorePass) {
  Y[0] = 1;
  Y[100] = 103;
  EXPECT_EQ(check("X[i, j]").wrong, 2u);
  EXPECT_EQ(check("X[i, j]").maxWrongError, 3);
  CheckOptions options;
  options.tolerance.absolute = 1;
  EXPECT_EQ(check("X[i, j]", options).wrong, 1u);
  options.tolerance.relative = 0.02;
  OutputReport report = check("X[i, j]", options);
  EXPECT_TRUE(report.isRight());
  EXPECT_EQ(report.maxError, 3);
  EXPECT_EQ(report.maxErrorShare, 1);
}

TEST_F(OutputCheckTest, TellsUnwrittenElements) {
  Y[17] = -1;
  OutputReport report = check("X[i, j]");
  EXPECT_EQ(report.wrong, 1u);
  EXPECT_EQ(report.unwritten, 1u);
  // Where -1 is right it may still be the poison.
  X[17] = -1;
  report = check("X[i, j]");
  EXPECT_EQ(report.wrong, 0u);
  EXPECT_EQ(report.ambiguous, 1u);
  EXPECT_EQ(check("X[i, j]", {}, 0xa5).ambiguous, 0u);
  EXPECT_EQ(check("X[i, j]", {}, std::nullopt).ambiguous, 0u);
}

TEST_F(OutputCheckTest, CountsUndefinedElements) {
  // Whether this divides by zero depends on the rounding of the sum.
  Y[1] = 12345;
  OutputReport report =
      check("X[i, j] * i32(1 / select(X[i, j] == 1, 0.1 + 0.2 - 0.3, 1))");
  EXPECT_EQ(report.undefined, 1u);
  EXPECT_EQ(report.wrong, 0u);
}

TEST_F(OutputCheckTest, SamplesWhereTheReferenceIsDear) {
  CheckOptions options;
  options.workLimit = 20000;
  OutputReport report = check("X[i, j]", options);
  EXPECT_TRUE(report.isRight());
  EXPECT_LT(report.checked, report.elements / 10);
  EXPECT_GT(report.checked, 1000u);
  // A wrong corner is always seen, and so is a wrong quarter.
  Y.back() = 0;
  EXPECT_EQ(check("X[i, j]", options).wrong, 1u);
  std::fill(Y.begin() + Y.size() / 2, Y.begin() + Y.size() / 4 * 3, -7);
  EXPECT_GT(check("X[i, j]", options).wrong, 100u);
}

TEST(ElementSample, HasTheCorners) {
  std::vector<uint64_t> sample = sampleElements({1000, 2000}, 500, 1);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  EXPECT_LE(sample.size(), 520u);
  EXPECT_GE(sample.size(), 400u);
  for (uint64_t corner : {0ul, 1999ul, 1998000ul, 1999999ul})
    EXPECT_TRUE(std::binary_search(sample.begin(), sample.end(), corner));
  // Even where nothing else is allowed.
  EXPECT_EQ(sampleElements({1000, 2000}, 1, 1),
            (std::vector<uint64_t>{0, 1999, 1998000, 1999999}));
}

TEST(ElementSample, AnyShape) {
  EXPECT_EQ(sampleElements({}, 10, 1), std::vector<uint64_t>{0});
  EXPECT_EQ(sampleElements({0, 5}, 10, 1), std::vector<uint64_t>());
  EXPECT_EQ(sampleElements({1, 1, 1}, 10, 1), std::vector<uint64_t>{0});
  EXPECT_EQ(sampleElements({3}, 1000, 1), (std::vector<uint64_t>{0, 1, 2}));
  // More than 2^32 elements.
  std::vector<uint64_t> sample = sampleElements({1 << 20, 1 << 20}, 1000, 1);
  EXPECT_EQ(sample.back(), (uint64_t(1) << 40) - 1);
  // Many axes.
  std::vector<int64_t> extents(20, 2);
  sample = sampleElements(extents, 100, 1);
  EXPECT_EQ(sample.front(), 0u);
  EXPECT_EQ(sample.back(), (1u << 20) - 1);
  EXPECT_LE(sample.size(), 100u + sampleRunLength);
}

} // namespace
