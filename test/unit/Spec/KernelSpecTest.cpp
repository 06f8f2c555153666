//===- KernelSpecTest.cpp - Descriptions of kernels -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/KernelSpec.h"
#include "SpecTestUtils.h"
#include "tilewright/Spec/SpecError.h"

using namespace tilewright::spec;

namespace {

KernelDescription describeTranspose() {
  KernelDescription description;
  description.name = "transpose";
  description.arguments = {
      pointer("A", ElementType::F16, 16), pointer("B", ElementType::F16),
      scalar("M", ElementType::I32), scalar("N", ElementType::I32, 16)};
  description.shapes = {"B[N, M]", "A[M, N]"};
  description.grid = {"ceildiv(M, 64)", "ceildiv(N, 64)"};
  description.references = {"B[j, i] = A[i, j]"};
  return description;
}

std::string bindAndShow(const KernelDescription &description,
                        llvm::StringRef scalars) {
  llvm::Expected<KernelSpec> spec = KernelSpec::create(description);
  if (!spec)
    return llvm::toString(spec.takeError());
  llvm::Expected<ScalarValues> values = ScalarValues::parse(*spec, scalars);
  if (!values)
    return llvm::toString(values.takeError());
  llvm::Expected<Binding> binding = spec->bind(*values);
  if (!binding)
    return llvm::toString(binding.takeError());
  std::string text;
  for (const auto &extents : binding->extents) {
    for (int64_t extent : extents)
      text += std::to_string(extent) + " ";
    text += "| ";
  }
  for (int64_t blocks : binding->grid)
    text += std::to_string(blocks) + " ";
  return text;
}

TEST(KernelSpec, Binds) {
  EXPECT_EQ(bindAndShow(describeTranspose(), "M=100 N=64"),
            "100 64 | 64 100 | | | 2 1 1 ");
  EXPECT_EQ(bindAndShow(describeTranspose(), "M=0 N=64"),
            "0 64 | 64 0 | | | 0 1 1 ");
}

TEST(KernelSpec, KnowsItsParts) {
  llvm::Expected<KernelSpec> spec = KernelSpec::create(describeTranspose());
  ASSERT_VALUE(spec);
  EXPECT_EQ(spec->getName(), "transpose");
  EXPECT_EQ(spec->findArgument("N"), 3u);
  EXPECT_EQ(spec->findArgument("Q"), std::nullopt);
  EXPECT_EQ(spec->getShape(0).name, "A");
  EXPECT_EQ(spec->getShape(1).name, "B");
  ASSERT_EQ(spec->getReferences().size(), 1u);
  const Reference &reference = spec->getReferences()[0];
  EXPECT_EQ(reference.getOutput(), 1u);
  EXPECT_EQ(reference.getInputs(), llvm::ArrayRef<unsigned>({0}));
  EXPECT_TRUE(reference.movesElements());
  EXPECT_EQ(reference.getText(), "B[j, i] = A[i, j]");
}

TEST(KernelSpec, CountsElementsOver32Bits) {
  llvm::Expected<KernelSpec> spec = KernelSpec::create(describeTranspose());
  ASSERT_VALUE(spec);
  llvm::Expected<ScalarValues> values =
      ScalarValues::parse(*spec, "M=100000 N=100000");
  ASSERT_VALUE(values);
  llvm::Expected<Binding> binding = spec->bind(*values);
  ASSERT_VALUE(binding);
  EXPECT_EQ(binding->getElementCount(0), 10000000000u);
}

/// The error of the transpose's description after a change.
std::string
getErrorAfter(llvm::function_ref<void(KernelDescription &)> change) {
  KernelDescription description = describeTranspose();
  change(description);
  return getError(KernelSpec::create(description));
}

TEST(KernelSpec, ReportsWrongArguments) {
  EXPECT_EQ(getErrorAfter([](auto &d) { d.arguments[3].name = "M"; }),
            "argument: two arguments are named 'M'");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.arguments[2].name = ""; }),
            "argument: argument 2 has no name");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.arguments[0].divisibility = 12; }),
            "argument: the divisibility of 'A' is 12; it must be a power of "
            "two");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.arguments[0].divisibility = 0; }),
            "argument: the divisibility of 'A' is 0; it must be a power of "
            "two");
  EXPECT_EQ(getErrorAfter([](auto &d) {
              d.arguments.push_back(scalar("alpha", ElementType::F32, 4));
            }),
            "argument: 'alpha' is a f32; only integers and pointers have a "
            "divisibility");
}

TEST(KernelSpec, ReportsWrongShapes) {
  EXPECT_EQ(getErrorAfter([](auto &d) { d.shapes[1] = "Q[M]"; }),
            "shape: 'Q' is no argument of the kernel (column 1 of \"Q[M]\")");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.shapes[1] = " M[N]"; }),
            "shape: 'M' is no pointer (column 2 of \" M[N]\")");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.shapes[1] = "B[N, M]"; }),
            "shape: 'B' already has a shape (column 1 of \"B[N, M]\")");
  EXPECT_EQ(
      getErrorAfter([](auto &d) { d.shapes[1] = "A[M, L]"; }),
      "shape: 'L' is no argument of the kernel (column 6 of \"A[M, L]\")");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.shapes[1] = "A[M, B]"; }),
            "shape: 'B' is a pointer; an integer is needed (column 6 of "
            "\"A[M, B]\")");
  EXPECT_EQ(getErrorAfter([](auto &d) {
              d.arguments[3] = scalar("N", ElementType::F32);
            }),
            "shape: 'N' is a f32; an integer is needed (column 3 of "
            "\"B[N, M]\")");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.shapes.pop_back(); }),
            "argument: the pointer 'A' has no shape; give one such as "
            "'A[M, N]'");
}

TEST(KernelSpec, ReportsWrongGrids) {
  EXPECT_EQ(getErrorAfter([](auto &d) { d.grid.clear(); }),
            "grid: the kernel has no grid; give one such as grid "
            "[\"ceildiv(N, 128)\"]");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.grid.assign(4, "1"); }),
            "grid: a grid has one to three axes, not 4");
  EXPECT_EQ(getErrorAfter([](auto &d) { d.grid[1] = "ceildiv(P, 2)"; }),
            "grid: 'P' is no argument of the kernel (column 9 of "
            "\"ceildiv(P, 2)\")");
  EXPECT_EQ(
      getErrorAfter([](auto &d) { d.grid[1] = "1 +"; }),
      "grid: expected a number, a name or '(', found the end (column 4 of "
      "\"1 +\")");
}

TEST(KernelSpec, ReportsWrongReferences) {
  EXPECT_EQ(
      getErrorAfter([](auto &d) { d.references[0] = "B[j, i] = Q[i, j]"; }),
      "reference: 'Q' is no argument of the kernel (column 11 of \"B[j, i] = "
      "Q[i, j]\")");
  EXPECT_EQ(getErrorAfter(
                [](auto &d) { d.references.push_back(" B[a, b] = A[b, a]"); }),
            "reference: 'B' already has a reference (column 1 of \" B[a, b] = "
            "A[b, a]\")");
}

TEST(KernelSpec, ErrorsKnowTheirString) {
  KernelDescription description = describeTranspose();
  description.references.push_back("A[i, j] = B[i]");
  llvm::Expected<KernelSpec> spec = KernelSpec::create(description);
  ASSERT_FALSE(spec);
  llvm::handleAllErrors(spec.takeError(), [](const SpecError &error) {
    EXPECT_EQ(error.getField(), SpecField::Reference);
    EXPECT_EQ(error.getOrdinal(), 1u);
    EXPECT_EQ(error.getColumn(), 11u);
    EXPECT_EQ(error.getMessage(), "'B' has 2 axes, not 1");
  });
}

TEST(KernelSpec, ReportsWhatCannotBeBound) {
  EXPECT_EQ(bindAndShow(describeTranspose(), "M=-1 N=64"),
            "shape: the extent 'M' of 'A' is -1; extents are 0 or more "
            "(column 3 of \"A[M, N]\")");
  KernelDescription description = describeTranspose();
  description.grid[0] = "M - 7";
  EXPECT_EQ(
      bindAndShow(description, "M=5 N=64"),
      "grid: 'M - 7' is -2; a grid has 0 or more blocks (column 1 of \"M - "
      "7\")");
  description.grid[0] = "N / M";
  EXPECT_EQ(bindAndShow(description, "M=0 N=64"),
            "grid: division by zero: 'M' is 0 (column 5 of \"N / M\")");
  description = describeTranspose();
  description.arguments[2].type = ElementType::I64;
  EXPECT_EQ(bindAndShow(description, "M=9223372036854775807 N=1"),
            "shape: 'A' has 2^63 bytes or more");
}

TEST(KernelSpec, RefusesTheScalarsOfAnotherKernel) {
  llvm::Expected<KernelSpec> spec = KernelSpec::create(describeTranspose());
  ASSERT_VALUE(spec);
  EXPECT_EQ(getError(spec->bind(ScalarValues())),
            "'transpose' has 4 arguments; the scalars are those of a kernel "
            "with 0");
}

/// What becomes of a tensor `I[n]` of \p type with a range.
std::string showRange(ElementType type, llvm::StringRef range,
                      llvm::StringRef values = "n=5 V=100 x=1") {
  KernelDescription description;
  description.name = "k";
  description.arguments = {pointer("I", type), scalar("n", ElementType::I32),
                           scalar("V", ElementType::I32),
                           scalar("x", ElementType::F32)};
  description.shapes = {("I[n] in " + range).str()};
  description.grid = {"1"};
  llvm::Expected<KernelSpec> spec = KernelSpec::create(description);
  if (!spec)
    return llvm::toString(spec.takeError());
  EXPECT_EQ(spec->getShape(0).range->getText(), range);
  llvm::Expected<Binding> binding =
      spec->bind(llvm::cantFail(ScalarValues::parse(*spec, values)));
  if (!binding)
    return llvm::toString(binding.takeError());
  const std::optional<ElementRange> &bound = binding->ranges[0];
  if (!bound)
    return "none";
  if (isInteger(type))
    return std::to_string(bound->low) + " to " + std::to_string(bound->high);
  return formatElement(ElementType::F64,
                       encodeReal(ElementType::F64, bound->realLow)) +
         " to " +
         formatElement(ElementType::F64,
                       encodeReal(ElementType::F64, bound->realHigh));
}

TEST(KernelSpec, RangesOfTensors) {
  EXPECT_EQ(showRange(ElementType::I32, "0 .. V - 1"), "0 to 99");
  EXPECT_EQ(showRange(ElementType::I8, "-128 .. 127"), "-128 to 127");
  EXPECT_EQ(showRange(ElementType::I64, "-V .. max(V, n) * 2"), "-100 to 200");
  EXPECT_EQ(showRange(ElementType::I1, "1 .. 1"), "1 to 1");
  EXPECT_EQ(showRange(ElementType::F32, "0 .. 1"), "0 to 1");
  EXPECT_EQ(showRange(ElementType::F32, "-.5 .. 1.5e2"), "-0.5 to 150");
  EXPECT_EQ(showRange(ElementType::F16, "-V .. 0.1"),
            "-100 to 0.0999755859375");
  // Without white space a point belongs to the range, not to a number.
  TensorShape tight = llvm::cantFail(TensorShape::parse("I[n]in-1..2"));
  EXPECT_EQ(tight.range->getText(), "-1 .. 2");
  // Nothing of an empty tensor is drawn.
  EXPECT_EQ(showRange(ElementType::I32, "0 .. V - 1", "n=0 V=0 x=1"), "none");
}

TEST(KernelSpec, ReportsWrongRanges) {
  EXPECT_EQ(showRange(ElementType::I32, "0 .. V - 1", "n=5 V=0 x=1"),
            "shape: the range '0 .. V - 1' of 'I' holds no number, but the "
            "tensor has 5 elements (column 9 of \"I[n] in 0 .. V - 1\")");
  EXPECT_EQ(showRange(ElementType::F32, "0.5 .. 0"),
            "shape: the range '0.5 .. 0' of 'I' holds no number, but the "
            "tensor has 5 elements (column 9 of \"I[n] in 0.5 .. 0\")");
  EXPECT_EQ(showRange(ElementType::I8, "0 .. 128"),
            "shape: the end 128 of the range does not fit i8 (column 14 of "
            "\"I[n] in 0 .. 128\")");
  EXPECT_EQ(showRange(ElementType::F16, "0 .. 1e6"),
            "shape: the end 1000000 of the range does not fit f16 (column 14 "
            "of \"I[n] in 0 .. 1e6\")");
  EXPECT_EQ(showRange(ElementType::I32, "0 .. 1.5"),
            "shape: the tensor holds integers (i32): an end of its range is "
            "one too (column 14 of \"I[n] in 0 .. 1.5\")");
  EXPECT_EQ(showRange(ElementType::F32, "0.5 .. V + 0.5"),
            "shape: an integer is needed here, not '0.5' (column 20 of \"I[n] "
            "in 0.5 .. V + 0.5\")");
  EXPECT_EQ(showRange(ElementType::I32, "0 .. Q"),
            "shape: 'Q' is no argument of the kernel (column 14 of \"I[n] in 0 "
            ".. Q\")");
  EXPECT_EQ(showRange(ElementType::I32, "x .. 9"),
            "shape: 'x' is a f32; an integer is needed (column 9 of \"I[n] in "
            "x .. 9\")");
  EXPECT_EQ(showRange(ElementType::I32, "0 .. V / (n - 5)"),
            "shape: division by zero: '(n - 5)' is 0 (column 18 of \"I[n] in 0 "
            ".. V / (n - 5)\")");
  EXPECT_EQ(showRange(ElementType::I32, "0 < V .. 9"),
            "shape: a comparison cannot be used here (column 9 of \"I[n] in 0 "
            "< V .. 9\")");
}

} // namespace
