//===- OffsetsTest.cpp - Passes that take instructions in another order ---===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalvesOfProducts.h"
#include "RoundedSelects.h"
#include "XorsOfOffsets.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

namespace {
/// The one function of a module, behind a pass.
class Passed {
public:
  template <typename Pass> Passed(StringRef text, Pass pass) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    FunctionAnalysisManager analyses;
    pass.run(*module->begin(), analyses);
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }

  template <typename Pattern> unsigned count(Pattern pattern) const {
    return count_if(instructions(*module->begin()),
                    [&](Instruction &each) { return match(&each, pattern); });
  }
  Value *getResult() const {
    return cast<ReturnInst>(module->begin()->back().getTerminator())
        ->getReturnValue();
  }

private:
  LLVMContext context;
  std::unique_ptr<Module> module;
};

std::string compareTwo(StringRef second, StringRef other = "%y") {
  return R"(
define i1 @f(i32 %x, i32 %y) {
  %base = and i32 %x, 31
  %a = or disjoint i32 %base, 32
  %b = or disjoint i32 %base, )" +
         second.str() + R"(
  %p = icmp eq i32 %a, )" +
         other.str() + R"(
  %q = icmp ne i32 )" +
         other.str() + R"(, %b
  %r = and i1 %p, %q
  ret i1 %r
})";
}

auto isXor() { return m_Xor(m_Value(), m_Value()); }
auto isComparedXor() { return m_ICmp(isXor(), m_ImmConstant()); }
} // namespace

TEST(XorsOfOffsets, ComparesOffsetsFromOneBase) {
  Passed passed(compareTwo("64"), XorsOfOffsetsPass());
  EXPECT_EQ(passed.count(isComparedXor()), 2u);
}

TEST(XorsOfOffsets, LeavesOneOffsetAlone) {
  // The same comparison twice.
  Passed passed(compareTwo("32"), XorsOfOffsetsPass());
  EXPECT_EQ(passed.count(isXor()), 0u);
}

TEST(XorsOfOffsets, LeavesConstantsAlone) {
  Passed passed(compareTwo("64", "77"), XorsOfOffsetsPass());
  EXPECT_EQ(passed.count(isXor()), 0u);
}

TEST(RoundedSelects, SelectsBeforeItRounds) {
  for (StringRef arms : {"half 0xH3C00, half %h", "half %h, half 0xH3C00"}) {
    Passed passed(R"(
define half @f(i1 %c, float %x) {
  %h = fptrunc float %x to half
  %s = select i1 %c, )" +
                      arms.str() + R"(
  ret half %s
})",
                  RoundedSelectsPass());
    Value *selected = nullptr;
    ASSERT_TRUE(match(passed.getResult(), m_FPTrunc(m_Value(selected))));
    bool isFirst = arms.starts_with("half 0");
    EXPECT_TRUE(
        isFirst ? match(selected, m_Select(m_Value(), m_FPOne(), m_Value()))
                : match(selected, m_Select(m_Value(), m_Value(), m_FPOne())));
  }
}

TEST(RoundedSelects, LeavesWhatIsUsedRounded) {
  Passed passed(R"(
define half @f(i1 %c, float %x, ptr %p) {
  %h = fptrunc float %x to half
  store half %h, ptr %p
  %s = select i1 %c, half 0.0, half %h
  ret half %s
})",
                RoundedSelectsPass());
  EXPECT_TRUE(isa<SelectInst>(passed.getResult()));
}

TEST(RoundedSelects, LeavesNaNs) {
  Passed passed(R"(
define half @f(i1 %c, float %x) {
  %h = fptrunc float %x to half
  %s = select i1 %c, half 0xHFE01, half %h
  ret half %s
})",
                RoundedSelectsPass());
  EXPECT_TRUE(isa<SelectInst>(passed.getResult()));
}

TEST(HalvesOfProducts, TakesTheLowHalfOfAWideProduct) {
  for (StringRef low : {"%x, %y", "%y, %x"}) {
    Passed passed(R"(
define i32 @f(i32 %x, i32 %y, ptr %p) {
  %a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %wide = mul nuw nsw i64 %a, %b
  store i64 %wide, ptr %p
  %low = mul i32 )" + low.str() +
                      R"(
  ret i32 %low
})",
                  HalvesOfProductsPass());
    Value *wide = nullptr;
    ASSERT_TRUE(match(passed.getResult(), m_Trunc(m_Value(wide))));
    // Of two factors of 32 bits the product may have the bit of the sign.
    EXPECT_TRUE(cast<Instruction>(wide)->hasNoUnsignedWrap());
    EXPECT_FALSE(cast<Instruction>(wide)->hasNoSignedWrap());
  }
}

TEST(HalvesOfProducts, LeavesOtherFactorsAlone) {
  // With a sign, of more bits, and a product that stands behind.
  Passed passed(R"(
define i32 @f(i32 %x, i32 %y) {
  %low = mul i32 %x, %y
  %a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %c = sext i32 %y to i64
  %signed = mul i64 %a, %c
  %more = mul i64 %a, 4294967297
  %other = mul i32 %x, 1
  %wide = mul i64 %a, %b
  ret i32 %low
})",
                HalvesOfProductsPass());
  EXPECT_EQ(passed.count(m_Trunc(m_Value())), 0u);
}
