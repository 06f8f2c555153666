//===- ShufflesOfShufflesTest.cpp - Exchanges of several bits -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShufflesOfShuffles.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// The distances of the shuffles that are left of those in a function, and
/// whether each exchanges what the function was given.
std::vector<std::pair<uint64_t, bool>> findLeft(StringRef body) {
  std::string text =
      "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
      "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
      "define void @f(ptr %p, i32 %x, i32 %n, i1 %c) {\n";
  text += body.str() + "  ret void\n}\n";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  FunctionAnalysisManager analyses;
  Function &function = *module->getFunction("f");
  ShufflesOfShufflesPass().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::vector<std::pair<uint64_t, bool>> left;
  for (Instruction &each : instructions(function))
    if (auto *shuffle = dyn_cast<IntrinsicInst>(&each)) {
      auto *bits = dyn_cast<ConstantInt>(shuffle->getArgOperand(2));
      left.push_back({bits ? bits->getZExtValue() : 0,
                      shuffle->getArgOperand(1) == function.getArg(1)});
    }
  return left;
}

std::string writeShuffle(StringRef result, StringRef value, StringRef bits,
                         StringRef members = "-1", StringRef kind = "bfly") {
  return ("  " + result + " = call i32 @llvm.nvvm.shfl.sync." + kind +
          ".i32(i32 " + members + ", i32 " + value + ", i32 " + bits +
          ", i32 31)\n")
      .str();
}

const std::string storeLast = "  store i32 %last, ptr %p\n";
} // namespace

TEST(ShufflesOfShuffles, BecomeOne) {
  std::string three = writeShuffle("%a", "%x", "1") +
                      writeShuffle("%b", "%a", "2") +
                      writeShuffle("%last", "%b", "4") + storeLast;
  EXPECT_EQ(findLeft(three), (std::vector{std::pair<uint64_t, bool>{7, true}}));
}

TEST(ShufflesOfShuffles, LeaveOneThatOthersUse) {
  std::string two = writeShuffle("%a", "%x", "1") +
                    writeShuffle("%last", "%a", "3") + storeLast +
                    "  store volatile i32 %a, ptr %p\n";
  EXPECT_EQ(findLeft(two),
            (std::vector<std::pair<uint64_t, bool>>{{1, true}, {2, true}}));
}

TEST(ShufflesOfShuffles, StayWhereLanesOrDistancesAreOthers) {
  std::vector<std::pair<uint64_t, bool>> both = {{1, true}, {2, false}};
  EXPECT_EQ(findLeft(writeShuffle("%a", "%x", "1", "255") +
                     writeShuffle("%last", "%a", "2") + storeLast),
            both);
  EXPECT_EQ(findLeft(writeShuffle("%a", "%x", "1", "-1", "idx") +
                     writeShuffle("%last", "%a", "2") + storeLast),
            both);
  both.front().first = 0;
  EXPECT_EQ(findLeft(writeShuffle("%a", "%x", "%n") +
                     writeShuffle("%last", "%a", "2") + storeLast),
            both);
}

// Lanes that are not there anymore would give nothing.
TEST(ShufflesOfShuffles, StayInAnotherBlock) {
  std::string apart = writeShuffle("%a", "%x", "1") +
                      "  br i1 %c, label %then, label %end\nthen:\n" +
                      writeShuffle("%last", "%a", "2") + storeLast +
                      "  br label %end\nend:\n";
  EXPECT_EQ(findLeft(apart),
            (std::vector<std::pair<uint64_t, bool>>{{1, true}, {2, false}}));
}
