//===- QuotientsOfCountsTest.cpp - Divisions by how many there are --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuotientsOfCounts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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
/// A function of these instructions, behind the pass.
class PassedQuotients {
public:
  explicit PassedQuotients(StringRef body) {
    std::string text = R"(
define float @f(i1 %p, i1 %q, i32 %i, float %x, float %y) {
  %one = zext i1 %p to i32
  %a = call float asm "cvt.rn.f32.u32 $0, $1;", "=f,r"(i32 %one)
  %other = zext i1 %q to i32
  %b = call float asm "cvt.rn.f32.u32 $0, $1;", "=f,r"(i32 %other)
  %few = and i32 %i, 255
  %c = call float asm "cvt.rn.f32.s32 $0, $1;", "=f,r"(i32 %few)
  %any = call float asm "cvt.rn.f32.s32 $0, $1;", "=f,r"(i32 %i)
)" + body.str() + R"(
  ret float %r
}
declare float @llvm.nvvm.div.full(float, float)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
)";
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    FunctionAnalysisManager analyses;
    QuotientsOfCountsPass().run(*module->begin(), analyses);
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }

  unsigned count(Intrinsic::ID id) const {
    return count_if(instructions(*module->begin()), [&](Instruction &each) {
      auto *call = dyn_cast<IntrinsicInst>(&each);
      return call && call->getIntrinsicID() == id;
    });
  }
  unsigned countComparisons() const {
    return count_if(instructions(*module->begin()),
                    [](Instruction &each) { return isa<FCmpInst>(each); });
  }
  Value *getResult() const {
    return cast<ReturnInst>(module->begin()->back().getTerminator())
        ->getReturnValue();
  }

private:
  LLVMContext context;
  std::unique_ptr<Module> module;
};

constexpr auto full = Intrinsic::nvvm_div_full,
               approximate = Intrinsic::nvvm_div_approx_f,
               flushed = Intrinsic::nvvm_div_approx_ftz_f;
} // namespace

TEST(QuotientsOfCounts, ChoosesQuotientsByOneCondition) {
  PassedQuotients passed(R"(
  %n = fadd float %a, 3.0
  %r = call float @llvm.nvvm.div.full(float %a, float %n))");
  EXPECT_EQ(passed.count(full) + passed.count(flushed), 0u);
  EXPECT_TRUE(match(passed.getResult(),
                    m_Select(m_Value(), m_SpecificFP(0.25), m_SpecificFP(0))));
}

TEST(QuotientsOfCounts, DividesByNoChoiceThatMayBeZero) {
  PassedQuotients passed(
      "%r = call float @llvm.nvvm.div.full(float %a, float %a)");
  EXPECT_EQ(passed.count(flushed), 1u);
}

TEST(QuotientsOfCounts, DividesCountsWithoutScalingThem) {
  for (StringRef n : {"%n = fadd float %a, %b", "%n = fadd float %c, 1.0",
                      "%n = select i1 %q, float %c, float 2.0"}) {
    PassedQuotients passed((n + R"(
  %r = call float @llvm.nvvm.div.full(float %a, float %n))")
                               .str());
    EXPECT_EQ(passed.count(flushed), 1u) << n.str();
    EXPECT_EQ(passed.count(full), 0u) << n.str();
  }
}

TEST(QuotientsOfCounts, KeepsSubnormalDividends) {
  PassedQuotients passed(
      "%r = call float @llvm.nvvm.div.full(float %x, float %c)");
  EXPECT_EQ(passed.count(approximate), 1u);
}

TEST(QuotientsOfCounts, LeavesConstantDivisorsAlone) {
  PassedQuotients passed(
      "%r = call float @llvm.nvvm.div.full(float %x, float 127.0)");
  EXPECT_EQ(passed.count(full), 1u);
}

TEST(QuotientsOfCounts, CountsWhatOtherLanesHave) {
  PassedQuotients passed(R"(
  %s = fadd float %a, %c
  %bits = bitcast float %s to i32
  %moved = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %bits, i32 1, i32 31)
  %t = bitcast i32 %moved to float
  %n = fadd float %s, %t
  %r = call float @llvm.nvvm.div.full(float %t, float %n))");
  EXPECT_EQ(passed.count(flushed), 1u);
}

TEST(QuotientsOfCounts, AnotherLaneHasAnotherCondition) {
  PassedQuotients passed(R"(
  %bits = bitcast float %a to i32
  %moved = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %bits, i32 1, i32 31)
  %t = bitcast i32 %moved to float
  %n = fadd float %a, 1.0
  %r = call float @llvm.nvvm.div.full(float %t, float %n))");
  EXPECT_EQ(passed.count(flushed), 1u);
}

TEST(QuotientsOfCounts, LeavesOtherNumbersAlone) {
  for (StringRef n :
       {"%n = fadd float %x, %a", "%n = fsub float %c, %a",
        "%n = fadd float %any, 1.0", "%n = fadd float %c, 0.5",
        "%n = fadd float %c, -1.0", "%n = fadd float %c, 16777216.0"}) {
    PassedQuotients passed((n + R"(
  %r = call float @llvm.nvvm.div.full(float %a, float %n))")
                               .str());
    EXPECT_EQ(passed.count(full), 1u) << n.str();
  }
}

TEST(QuotientsOfCounts, TakesHalvesOfTheBitsForNoCounts) {
  PassedQuotients passed(R"(
  %n = fadd float %c, 1.0
  %halves = bitcast float %n to <2 x half>
  %sums = fadd <2 x half> %halves, %halves
  %m = bitcast <2 x half> %sums to float
  %r = call float @llvm.nvvm.div.full(float %a, float %m))");
  EXPECT_EQ(passed.count(full), 1u);
}

TEST(QuotientsOfCounts, ComparesNoCountWithZeroThatIsMore) {
  for (StringRef least : {"1.0", "0.0"})
    for (StringRef predicate : {"oeq", "une"}) {
      PassedQuotients passed(("%n = fadd float %c, " + least + R"(
  %z = fcmp )" + predicate +
                              R"( float %n, 0.0
  %r = select i1 %z, float %x, float %y)")
                                 .str());
      EXPECT_EQ(passed.countComparisons(), least == "0.0") << predicate.str();
      if (least == "1.0") {
        Value *condition = nullptr;
        ASSERT_TRUE(match(passed.getResult(),
                          m_Select(m_Value(condition), m_Value(), m_Value())));
        EXPECT_EQ(cast<ConstantInt>(condition)->isOne(), predicate == "une");
      }
    }
}
