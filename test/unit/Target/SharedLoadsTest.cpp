//===- SharedLoadsTest.cpp - What a thread has loaded already -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLoads.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// Loads and selects that are left of a thread's program. %i is where it begins
/// in %x, a multiple of 4, and %n where the array ends; %p, %q: other pointers.
std::pair<unsigned, unsigned> countLeft(StringRef body) {
  std::string text = "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
                     "define void @f(ptr addrspace(1) %x, i32 %t, i32 %n, ptr "
                     "addrspace(1) %p, i1 %m, i32 %j) {\n"
                     "  %i = shl i32 %t, 2\n" +
                     body.str() + "  ret void\n}\n";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  FunctionAnalysisManager analyses;
  Function &function = *module->getFunction("f");
  SharedLoadsPass().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned loads = 0, selects = 0;
  for (Instruction &each : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&each);
    loads += call && call->isInlineAsm() && !call->getType()->isVoidTy();
    selects += isa<SelectInst>(each);
  }
  return {loads, selects};
}

/// A load of element %i + `offset`, whose mask says that it is in front of %n.
std::string load(StringRef name, int offset, StringRef number = "%i",
                 StringRef verb = "ld.global.b32") {
  std::string text;
  raw_string_ostream os(text);
  os << "  %at" << name << " = add i32 " << number << ", " << offset << "\n"
     << "  %in" << name << " = icmp slt i32 %at" << name << ", %n\n"
     << "  %to" << name << " = sext i32 %at" << name << " to i64\n"
     << "  %ptr" << name << " = getelementptr float, ptr addrspace(1) %x, i64 "
     << "%to" << name << "\n"
     << "  %" << name << " = call i32 asm sideeffect \"mov.b32 $0, 0;\\0A@$2 "
     << verb << " $0, [$1];\", \"=&r,l,b,~{memory}\"(ptr addrspace(1) %ptr"
     << name << ", i1 %in" << name << ")\n";
  return text;
}

/// A vector of four from %i on.
const std::string vector =
    "  %inv = icmp slt i32 %i, %n\n"
    "  %tov = sext i32 %i to i64\n"
    "  %ptrv = getelementptr float, ptr addrspace(1) %x, i64 %tov\n"
    "  %v = call { i32, i32, i32, i32 } asm sideeffect \"mov.b32 $0, 0;\\0Amov"
    ".b32 $1, 0;\\0Amov.b32 $2, 0;\\0Amov.b32 $3, 0;\\0A@$5 ld.global.v4.b32 "
    "{$0, $1, $2, $3}, [$4];\", \"=&r,=&r,=&r,=&r,l,b,~{memory}\"(ptr "
    "addrspace(1) %ptrv, i1 %inv)\n";

const std::string store =
    "  call void asm sideeffect \"@$0 st.global.b32 [$1], $2;\", "
    "\"b,l,r,~{memory}\"(i1 %m, ptr addrspace(1) %p, i32 %n)\n";
} // namespace

TEST(SharedLoads, NeighboursAreInTheVector) {
  EXPECT_EQ(countLeft(vector + load("a", 1) + load("b", 3)), std::pair(1u, 2u));
  // What is in front of the vector or behind it is not in it.
  EXPECT_EQ(countLeft(vector + load("a", -1) + load("b", 4)),
            std::pair(3u, 0u));
}

TEST(SharedLoads, TheVectorMayComeLast) {
  EXPECT_EQ(countLeft(load("a", 1) + load("b", 3) + vector), std::pair(1u, 2u));
}

TEST(SharedLoads, TheSameIsLoadedOnce) {
  EXPECT_EQ(countLeft(load("a", 7) + load("b", 7)), std::pair(1u, 1u));
  // Sums are the same in any order.
  EXPECT_EQ(
      countLeft(load("a", 7) + "  %k = add i32 5, %i\n" + load("b", 2, "%k")),
      std::pair(1u, 1u));
}

TEST(SharedLoads, StayBehindWhatIsWritten) {
  EXPECT_EQ(countLeft(vector + store + load("a", 1)), std::pair(2u, 0u));
  EXPECT_EQ(countLeft(load("a", 1) + store + vector), std::pair(2u, 0u));
  EXPECT_EQ(countLeft(vector +
                      "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n" +
                      load("a", 1)),
            std::pair(1u, 1u));
}

TEST(SharedLoads, StayWhereNumbersMayWrapBetween) {
  // %j is no multiple of anything: %j + 1 may be the least number.
  std::string ofOther = vector;
  for (size_t at = 0; (at = ofOther.find("%i,", at)) != std::string::npos;)
    ofOther.replace(at, 2, "%j");
  ofOther.replace(ofOther.find("sext i32 %i"), 11, "sext i32 %j");
  EXPECT_EQ(countLeft(ofOther + load("a", 1, "%j")), std::pair(2u, 0u));
}

TEST(SharedLoads, StayWhereASumIsExtendedByItsSign) {
  // All bits of %y are known, so that nothing is carried: but -1 is no 2^32
  // - 1.
  std::string far = load("b", -1, "%y");
  far.replace(far.find("sext i32 %atb to i64"), 20, "add i64 %w, 4294967295");
  EXPECT_EQ(countLeft("  %h = and i32 %t, -65536\n"
                      "  %y = shl i32 %h, 16\n"
                      "  %w = sext i32 %y to i64\n" +
                      load("a", -1, "%y") + far),
            std::pair(2u, 0u));
}

TEST(SharedLoads, StayWhereTheMaskSaysLess) {
  std::string wide = load("a", 1);
  wide.replace(wide.find("i1 %ina"), 7, "i1 %m");
  EXPECT_EQ(countLeft(vector + wide), std::pair(2u, 0u));
}

TEST(SharedLoads, MasksOfPartsThatAreShared) {
  std::string parts = "  %m0 = icmp slt i32 %j, %n\n";
  for (int level = 1; level <= 40; ++level)
    parts += formatv("  %l{0} = icmp sgt i32 %j, {0}\n"
                     "  %a{0} = and i1 %m{1}, %l{0}\n"
                     "  %b{0} = and i1 %m{1}, %m\n"
                     "  %m{0} = and i1 %a{0}, %b{0}\n",
                     level, level - 1)
                 .str();
  std::string first = load("a", 7), second = load("b", 7);
  first.replace(first.find("i1 %ina"), 7, "i1 %a40");
  second.replace(second.find("i1 %inb"), 7, "i1 %m40");
  EXPECT_EQ(countLeft(parts + first + second), std::pair(1u, 1u));
}

TEST(SharedLoads, StayWhereTheyAreVolatile) {
  EXPECT_EQ(countLeft(vector + load("a", 1, "%i", "ld.volatile.global.b32")),
            std::pair(2u, 0u));
}

// The address of the vector is loaded behind the first one.
TEST(SharedLoads, StayWhereTheVectorCannotMove) {
  std::string late = load("b", 40);
  late += "  %u = shl i32 %b, 2\n" + load("a", 1, "%u");
  std::string ofLoaded = vector;
  for (size_t at = 0; (at = ofLoaded.find("i32 %i", at)) != std::string::npos;)
    ofLoaded.replace(at, 6, "i32 %u");
  EXPECT_EQ(countLeft(late + ofLoaded), std::pair(2u, 1u));
}
