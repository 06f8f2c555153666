//===- ReferenceErrorTest.cpp - What is no reference ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTestUtils.h"
#include "tilewright/Spec/SpecError.h"

using namespace tilewright::spec;

namespace {

std::string show(llvm::Error error, SpecField field) {
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const SpecError &specError) {
    EXPECT_EQ(specError.getField(), field);
    text = specError.getMessage() + " (column " +
           std::to_string(specError.getColumn()) + ")";
  });
  return text;
}

/// The error of a reference; empty if there is none. J holds 0 to 7.
std::string check(llvm::StringRef reference,
                  llvm::StringRef scalars = "M=4 N=8 K=16 alpha=1") {
  KernelDescription description = describeKernel({reference.str()});
  description.shapes[6] = "J[N] in 0 .. N - 1";
  llvm::Expected<KernelSpec> spec = KernelSpec::create(description);
  if (!spec)
    return show(spec.takeError(), SpecField::Reference);
  ScalarValues values = llvm::cantFail(ScalarValues::parse(*spec, scalars));
  Binding binding = llvm::cantFail(spec->bind(values));
  llvm::Expected<ReferenceProgram> program =
      ReferenceProgram::compile(*spec, spec->getReferences()[0], binding);
  return program ? "" : show(program.takeError(), SpecField::None);
}

TEST(ReferenceError, AcceptsTheNotation) {
  const llvm::StringRef softmax = "C[i, j] = exp(C[i, j] - max(k, C[i, k])) / "
                                  "sum(k, exp(C[i, k] - max(k, C[i, k])))";
  EXPECT_EQ(check(softmax), "");
  for (llvm::StringRef text :
       {"Y[i] = alpha * X[i]",
        "Y[ i ]=X[i]",
        "C[m, n] = A[m, n] + 1",
        "C[m, n] = max(0, sum(k, A[m, k] * B[k, n]) + X[n])",
        "H[i] = f16(X[i]) + H[i] * bf16(2)",
        "I[i] = i32(X[i]) + i * K",
        "Y[i] = X[N - 1 - i]",
        "Y[i] = X[min(i + 1, N - 1)]",
        "Y[i] = X[(i + 3) % N]",
        "Y[i] = X[max(i, 1) / 2]",
        "Y[i] = minnum(X[i], maxnum(k, X[k]), 4)",
        "Y[i] = X[i] < 3",
        "Y[i] = (X[i] >= 0) * (i != 3) + (1 - (alpha == inf))",
        "I[i] = select(I[i] <= J[i], I[i], i)",
        "Y[i] = max(-inf, nan)",
        "Y[i] = select(i, X[i], 1)",
        "Y[i] = within(f16, X[i] + 1)",
        "Y[i] = pow(X[i], 2) + atan2(X[i], i)",
        "Y[i] = X[J[i]]",
        "Y[i] = X[(J[J[i]] + 1) % N]",
        "C[m, n] = A[min(J[n], M - 1), m]",
        "Y[i] = sum(k, X[J[k]] * alpha)"})
    EXPECT_EQ(check(text), "") << text.str();
}

TEST(ReferenceError, LeftSide) {
  EXPECT_EQ(check(""),
            "expected the name of a tensor, found the end (column 1)");
  EXPECT_EQ(check("Y[i]"),
            "expected '=' between the two sides, found the end (column 5)");
  EXPECT_EQ(check("Y = X[i]"), "expected '[' after 'Y', found '=' (column 3)");
  EXPECT_EQ(check("Q[i] = X[i]"),
            "'Q' is no argument of the kernel (column 1)");
  EXPECT_EQ(check("alpha[i] = X[i]"),
            "'alpha' is a scalar; only a tensor can be computed (column 1)");
  EXPECT_EQ(check("Y[i, j] = X[i]"), "'Y' has 1 axes, not 2 (column 1)");
  EXPECT_EQ(check("Y[i + 1] = X[i]"),
            "an index of the left side is a name, not 'i + 1' (column 3)");
  EXPECT_EQ(check("Y[0] = X[0]"),
            "an index of the left side is a name, not '0' (column 3)");
  EXPECT_EQ(check("Y[N] = X[N]"),
            "the index 'N' has the name of an argument (column 3)");
  EXPECT_EQ(check("C[i, i] = X[i]"), "the index 'i' stands twice (column 6)");
}

TEST(ReferenceError, Names) {
  EXPECT_EQ(check("Y[i] = Q[i]"),
            "'Q' is no argument of the kernel (column 8)");
  EXPECT_EQ(check("Y[i] = beta * X[i]"),
            "'beta' is neither an argument of the kernel nor an index (column "
            "8)");
  EXPECT_EQ(check("Y[i] = X"), "'X' is a tensor; name an element of it, such "
                               "as 'X[i]' (column 8)");
  EXPECT_EQ(check("Y[i] = alpha[i]"),
            "'alpha' is a scalar and has no elements (column 8)");
  EXPECT_EQ(check("Y[i] = A[i]"), "'A' has 2 axes, not 1 (column 8)");
  EXPECT_EQ(check("Y[i] = X[j]"),
            "'j' is neither an argument of the kernel nor an index (column "
            "10)");
}

TEST(ReferenceError, Functions) {
  EXPECT_EQ(check("Y[i] = 1 + sine(X[i])"),
            "'sine' is no function; there are abs, acos, asin, atan, atan2, "
            "ceil, ceildiv, cos, erf, erfc, exp, exp2, expm1, floor, log, "
            "log10, log1p, log2, max, maxnum, min, minnum, pow, round, "
            "roundeven, rsqrt, select, sin, sqrt, sum, tan, tanh, tf32, trunc, "
            "within and casts such as f16(x) (column 12)");
  EXPECT_EQ(check("Y[i] = pow(X[i])"), "'pow' takes two operands (column 8)");
  EXPECT_EQ(check("Y[i] = erf()"), "'erf' takes one operand (column 8)");
  EXPECT_EQ(check("Y[i] = select(1, 2)"),
            "'select' takes three operands (column 8)");
  EXPECT_EQ(check("Y[i] = select(X[i], 1, 2)"),
            "the condition of 'select' is a comparison or an integer, not a "
            "real number (column 15)");
  for (llvm::StringRef within : {"X[i], 3", "i8, X[i]", "f17, X[i]"})
    EXPECT_EQ(check(("Y[i] = within(" + within + ")").str()),
              "'within' takes a type of floats and an expression, such as "
              "'within(f16, X[i])' (column 15)");
  EXPECT_EQ(check("Y[i] = within(f16)"),
            "'within' takes two operands (column 8)");
  EXPECT_EQ(check("Y[i] = exp(X[i], 1)"), "'exp' takes one operand (column 8)");
  EXPECT_EQ(check("Y[i] = max(X[i])"),
            "'max' takes two operands or more (column 8)");
  EXPECT_EQ(check("Y[i] = ceildiv(i)"),
            "'ceildiv' takes two operands (column 8)");
  EXPECT_EQ(check("Y[i] = f16()"), "'f16' takes one operand (column 8)");
  EXPECT_EQ(check("Y[i] = X[i] % 2"), "'%' takes integers only (column 8)");
  EXPECT_EQ(check("Y[i] = ceildiv(2, alpha)"),
            "'ceildiv' takes integers only (column 19)");
}

TEST(ReferenceError, Comparisons) {
  EXPECT_EQ(check("Y[i] == X[i]"),
            "write '=' between the two sides; '==' compares two numbers "
            "(column 6)");
  EXPECT_EQ(check("Y[i] = 0 < X[i] < 1"),
            "comparisons do not follow one another: write (a < b) * (b < c) "
            "for 'and', max(a < b, b < c) for 'or' (column 17)");
  EXPECT_EQ(check("Y[i] = X[i] = 1"),
            "expected an operator or the end, found '=' (column 13)");
  EXPECT_EQ(check("Y[i] = X[i] ! 1"),
            "expected an operator or the end, found '!' (column 13)");
  EXPECT_EQ(check("Y[i] = X[i] <"),
            "expected a number, a name or '(', found the end (column 14)");
  EXPECT_EQ(check("Y[i] = X[i] => 1"),
            "expected an operator or the end, found '=' (column 13)");
}

TEST(ReferenceError, Indices) {
  EXPECT_EQ(check("Y[i] = X[I[i]]"),
            "index 0 of 'X' ranges over [-2147483648, 2147483647], outside its "
            "extent 8; say in its shape which numbers 'I' holds, such as "
            "\"I[N] in 0 .. N - 1\" (column 10)");
  EXPECT_EQ(check("C[m, n] = A[0, I[n] * 2]"),
            "index 1 of 'A' ranges over [-4294967296, 4294967294], outside its "
            "extent 16; say in its shape which numbers 'I' holds, such as "
            "\"I[N] in 0 .. K - 1\" (column 16)");
  EXPECT_EQ(check("Y[i] = X[J[i] + 1]"),
            "index 0 of 'X' ranges over [1, 8], outside its extent 8 (column "
            "10)");
  EXPECT_EQ(check("Y[i] = X[J[i + 1]]"),
            "index 0 of 'J' ranges over [1, 8], outside its extent 8 (column "
            "12)");
  EXPECT_EQ(check("Y[i] = X[X[i]]"), "'X[i]' is no integer (column 10)");
  EXPECT_EQ(check("Y[i] = X[i < 3]"),
            "'i < 3' cannot be part of an index; indices are made of index "
            "names, integer scalars, elements of integer tensors, + - * / %, "
            "ceildiv, min and max (column 10)");
  EXPECT_EQ(check("Y[i] = X[i + 1.5]"),
            "'1.5' cannot be part of an index; indices are made of index "
            "names, integer scalars, elements of integer tensors, + - * / %, "
            "ceildiv, min and max (column 14)");
  EXPECT_EQ(check("Y[i] = X[alpha]"), "'alpha' is no integer (column 10)");
  EXPECT_EQ(check("Y[i] = X[i + 1]"), "index 0 of 'X' ranges over [1, 8], "
                                      "outside its extent 8 (column 10)");
  EXPECT_EQ(check("Y[i] = X[i - 1]"), "index 0 of 'X' ranges over [-1, 6], "
                                      "outside its extent 8 (column 10)");
  EXPECT_EQ(check("C[i, j] = B[j, i]", "M=4 N=8 K=7 alpha=1"),
            "index 0 of 'B' ranges over [0, 7], outside its extent 7 (column "
            "13)");
  EXPECT_EQ(check("Y[i] = X[N / (i - 3)]"),
            "the index may divide by zero (column 10)");
  EXPECT_EQ(
      check("Y[i] = X[(i + 1) * K * K]", "M=4 N=8 K=1125899906842624 alpha=1"),
      "the index may overflow 64 bits (column 10)");
  EXPECT_EQ(check("Y[i] = X[(i - 5) % N]"),
            "index 0 of 'X' ranges over [-5, 2], outside its extent 8 (column "
            "10)");
}

TEST(ReferenceError, Reductions) {
  EXPECT_EQ(check("Y[i] = sum(X[i])"),
            "'sum' takes an index and an expression, such as 'sum(k, X[k])' "
            "(column 8)");
  EXPECT_EQ(check("Y[i] = sum(k + 1, X[k])"),
            "'sum' takes an index and an expression, such as 'sum(k, X[k])' "
            "(column 8)");
  EXPECT_EQ(check("Y[i] = sum(N, X[N])"),
            "'N' is an argument of the kernel; a reduction needs an index of "
            "its own (column 12)");
  EXPECT_EQ(check("Y[i] = sum(i, X[i])"),
            "'i' is an index of the left side; a reduction needs an index of "
            "its own (column 12)");
  EXPECT_EQ(check("Y[i] = sum(k, X[i])"),
            "the range of 'k' is unknown: use it alone as an index of a tensor "
            "in the reduction (column 12)");
  EXPECT_EQ(check("Y[i] = sum(k, X[2 * k])"),
            "the range of 'k' is unknown: use it alone as an index of a tensor "
            "in the reduction (column 12)");
  EXPECT_EQ(check("C[m, n] = sum(k, A[m, k] * X[k])"),
            "'k' ranges over axis 1 of 'A' (extent 16) and over axis 0 of 'X' "
            "(extent 8); the extents must agree (column 11)");
}

TEST(ReferenceError, Types) {
  EXPECT_EQ(check("I[i] = X[i] * 2"),
            "'I' has elements of type i32, the right side is a real number; "
            "write i32(...) (column 8)");
  EXPECT_EQ(check("I[i] = J[i] / 2"), "");
}

TEST(ReferenceError, TooManyIndices) {
  std::string text = "Y[i] = 0";
  for (unsigned i = 0; i < 64; ++i)
    text += " + sum(k" + std::to_string(i) + ", X[k" + std::to_string(i) + "])";
  EXPECT_NE(check(text).find("more than 64 different indices"),
            std::string::npos);
}

} // namespace
