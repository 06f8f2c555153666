//===- IntExprTest.cpp - Integer expressions and shapes -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Spec/IntExpr.h"
#include "SpecTestUtils.h"
#include "tilewright/Spec/SpecError.h"
#include "tilewright/Spec/TensorShape.h"

using namespace tilewright::spec;

namespace {

const IntScope scope = {{"M", 100}, {"N", 64}, {"zero", 0}, {"neg", -7}};

llvm::Expected<int64_t> evaluate(llvm::StringRef text) {
  llvm::Expected<IntExpr> expr = IntExpr::parse(text);
  if (!expr)
    return expr.takeError();
  return expr->evaluate(scope);
}

/// The value as text, or the error.
std::string show(llvm::StringRef text) {
  llvm::Expected<int64_t> value = evaluate(text);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

TEST(IntExpr, Evaluates) {
  EXPECT_EQ(show("42"), "42");
  EXPECT_EQ(show("M"), "100");
  EXPECT_EQ(show("1 + 2 * 3"), "7");
  EXPECT_EQ(show("(1 + 2) * 3"), "9");
  EXPECT_EQ(show("10 - 3 - 2"), "5");
  EXPECT_EQ(show("100 / 7 / 2"), "7");
  EXPECT_EQ(show("-M + 1"), "-99");
  EXPECT_EQ(show("--M"), "100");
  EXPECT_EQ(show("2 * -3"), "-6");
  EXPECT_EQ(show("ceildiv(M, 64) * ceildiv(N, 64)"), "2");
  EXPECT_EQ(show("min(M, N, 70)"), "64");
  EXPECT_EQ(show("max(M, N, 170)"), "170");
  EXPECT_EQ(show(" \t( M\n+N ) "), "164");
  EXPECT_EQ(show("9223372036854775807"), "9223372036854775807");
}

TEST(IntExpr, DivisionTruncatesTowardZero) {
  EXPECT_EQ(show("neg / 2"), "-3");
  EXPECT_EQ(show("neg % 2"), "-1");
  EXPECT_EQ(show("ceildiv(neg, 2)"), "-3");
  EXPECT_EQ(show("ceildiv(7, 2)"), "4");
}

TEST(IntExpr, ReportsWhatCannotBeComputed) {
  EXPECT_EQ(show("M / zero"), "division by zero: 'zero' is 0 (column 5)");
  EXPECT_EQ(show("1 + M % (N - 64)"),
            "division by zero: '(N - 64)' is 0 (column 9)");
  EXPECT_EQ(show("ceildiv(M, 0)"), "division by zero: '0' is 0 (column 12)");
  EXPECT_EQ(show("1 + 9223372036854775807 * M"),
            "'9223372036854775807 * M' overflows 64 bits (column 5)");
  EXPECT_EQ(show("9223372036854775807 + 1"),
            "'9223372036854775807 + 1' overflows 64 bits (column 1)");
  EXPECT_EQ(show("-(-9223372036854775807 - 1)"),
            "'-(-9223372036854775807 - 1)' overflows 64 bits (column 1)");
  EXPECT_EQ(show("(-9223372036854775807 - 1) / -1"),
            "'(-9223372036854775807 - 1) / -1' overflows 64 bits (column 1)");
  EXPECT_EQ(show("M + Q"), "'Q' has no value (column 5)");
}

TEST(IntExpr, ReportsSyntaxErrors) {
  EXPECT_EQ(show(""),
            "expected a number, a name or '(', found the end (column 1)");
  EXPECT_EQ(show("M +"),
            "expected a number, a name or '(', found the end (column 4)");
  EXPECT_EQ(show("M * * N"),
            "expected a number, a name or '(', found '*' (column 5)");
  EXPECT_EQ(show("M N"),
            "expected an operator or the end, found 'N' (column 3)");
  EXPECT_EQ(show("(M"),
            "expected ')' to close the parenthesis, found the end (column 3)");
  EXPECT_EQ(show("M // 2"), "write '/' for '//': between integers it drops the "
                            "fraction (column 3)");
  EXPECT_EQ(show("min(M, N"), "expected ')' or ',' in the operand list, found "
                              "the end (column 9)");
  EXPECT_EQ(show("2x"), "'2x' is neither a number nor a name (column 1)");
  EXPECT_EQ(show("9223372036854775808"),
            "the number '9223372036854775808' is out of range (column 1)");
  EXPECT_EQ(show("M + \x01"),
            "expected a number, a name or '(', found '\\x01' (column 5)");
}

TEST(IntExpr, ReportsWhatIsNoInteger) {
  EXPECT_EQ(show("M * 1.5"), "an integer is needed here, not '1.5' (column 5)");
  EXPECT_EQ(show("A[0] + 1"),
            "an element of a tensor cannot be used here (column 1)");
  EXPECT_EQ(show("exp(M)"), "'exp' is no integer function; there are ceildiv, "
                            "min and max (column 1)");
  EXPECT_EQ(show("1 + ceildiv(M)"), "'ceildiv' takes two operands (column 5)");
  EXPECT_EQ(show("ceildiv(M, 1, 2)"),
            "'ceildiv' takes two operands (column 1)");
  EXPECT_EQ(show("min(M)"), "'min' takes at least two operands (column 1)");
  EXPECT_EQ(show("max()"), "'max' takes at least two operands (column 1)");
}

TEST(IntExpr, DeepNestingIsAnError) {
  for (const std::string &text :
       {std::string(100000, '('), std::string(100000, '-'),
        std::string(1000, '(') + "1" + std::string(1000, ')')}) {
    EXPECT_NE(show(text).find("nested too deeply"), std::string::npos);
  }
  std::string sum = "1";
  for (unsigned i = 0; i < 10000; ++i)
    sum += "+1";
  EXPECT_NE(show(sum).find("nested too deeply"), std::string::npos);
  // Ordinary depth is fine.
  EXPECT_EQ(show(std::string(100, '(') + "1" + std::string(100, ')')), "1");
}

TEST(IntExpr, VisitsNames) {
  llvm::Expected<IntExpr> expr = IntExpr::parse("M + min(N, M) * 2");
  ASSERT_VALUE(expr);
  std::string names;
  llvm::cantFail(expr->visitNames([&](llvm::StringRef name, unsigned column) {
    names += name.str() + std::to_string(column) + " ";
    return llvm::Error::success();
  }));
  EXPECT_EQ(names, "M1 N9 M12 ");
  EXPECT_EQ(expr->getText(), "M + min(N, M) * 2");
}

TEST(SpecError, KeepsThePlaceApart) {
  llvm::Error error =
      inField(IntExpr::parse("M +").takeError(), SpecField::Grid, 2);
  bool handled = false;
  llvm::handleAllErrors(std::move(error), [&](const SpecError &specError) {
    handled = true;
    EXPECT_EQ(specError.getMessage(),
              "expected a number, a name or '(', found the end");
    EXPECT_EQ(specError.getColumn(), 4u);
    EXPECT_EQ(specError.getField(), SpecField::Grid);
    EXPECT_EQ(specError.getOrdinal(), 2u);
  });
  EXPECT_TRUE(handled);
}

std::string showShape(llvm::StringRef text) {
  llvm::Expected<TensorShape> shape = TensorShape::parse(text);
  if (!shape)
    return llvm::toString(shape.takeError());
  llvm::Expected<llvm::SmallVector<int64_t>> extents = shape->evaluate(scope);
  if (!extents)
    return llvm::toString(extents.takeError());
  std::string result = shape->name;
  for (int64_t extent : *extents)
    result += " " + std::to_string(extent);
  return result;
}

TEST(TensorShape, Evaluates) {
  EXPECT_EQ(showShape("A[M, N]"), "A 100 64");
  EXPECT_EQ(showShape("bias [ N ]"), "bias 64");
  EXPECT_EQ(showShape("S[2 * M, N / 3, 1]"), "S 200 21 1");
  EXPECT_EQ(showShape("one[]"), "one");
  EXPECT_EQ(showShape("E[zero, M]"), "E 0 100");
  EXPECT_EQ(showShape("E[zero, 9223372036854775807, 9223372036854775807]"),
            "E 0 9223372036854775807 9223372036854775807");
  EXPECT_EQ(showShape("A[M] in 0 .. N"), "A 100");
}

TEST(TensorShape, Reports) {
  EXPECT_EQ(showShape(""),
            "expected the name of a tensor, found the end (column 1)");
  EXPECT_EQ(showShape("A"), "expected '[' after 'A', found the end (column 2)");
  EXPECT_EQ(showShape("A(M)"), "expected '[' after 'A', found '(' (column 2)");
  EXPECT_EQ(showShape("A[M"),
            "expected ']' or ',' in the index list, found the end (column 4)");
  EXPECT_EQ(showShape("A[M,]"),
            "expected a number, a name or '(', found ']' (column 5)");
  EXPECT_EQ(showShape("A[M] + 1"),
            "expected an operator or the end, found '+' (column 6)");
  EXPECT_EQ(showShape("A[M, neg]"), "the extent 'neg' of 'A' is -7; extents "
                                    "are 0 or more (column 6)");
  EXPECT_EQ(showShape("A[4294967296, 4294967296]"),
            "'A' has 2^63 elements or more (column 15)");
  EXPECT_EQ(showShape("A[N, M / zero]"),
            "division by zero: 'zero' is 0 (column 10)");
  EXPECT_EQ(showShape("A[M] in"),
            "expected a number, a name or '(', found the end (column 8)");
  EXPECT_EQ(
      showShape("A[M] in 3"),
      "expected '..' between the ends of the range, found the end (column "
      "10)");
  EXPECT_EQ(showShape("A[M] in 3 . 4"),
            "expected '..' between the ends of the range, found '.' (column "
            "11)");
  EXPECT_EQ(showShape("A[M] in .. 4"),
            "expected a number, a name or '(', found '.' (column 9)");
  EXPECT_EQ(showShape("A[M] in 0 .. 4 .. 5"),
            "expected an operator or the end, found '.' (column 16)");
  EXPECT_EQ(showShape("A[M] inside 0 .. 4"),
            "expected an operator or the end, found 'i' (column 6)");
  EXPECT_EQ(showShape("A[M < N]"),
            "a comparison cannot be used here (column 3)");
}

} // namespace
