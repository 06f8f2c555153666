//===- PairsOfExtremesTest.cpp - The larger one by a sum ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairsOfExtremes.h"

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
/// How many extremes and products are left of `count` pairs, which are written
/// with `line` for each.
std::pair<unsigned, unsigned> countLeft(StringRef type, StringRef operands,
                                        unsigned count, StringRef last = "") {
  std::string text;
  raw_string_ostream os(text);
  for (StringRef name : {"smin", "smax", "umin"})
    os << "declare " << type << " @llvm." << name << "." << operands << "("
       << type << ", " << type << ")\n";
  os << "define void @f(ptr %p, i1 %c";
  for (unsigned place = 0; place <= count; ++place)
    os << ", " << type << " %x" << place;
  os << ") {\n";
  for (unsigned place = 0; place < count; ++place) {
    std::string number = std::to_string(place);
    std::string a = "%x" + number, b = "%x" + std::to_string(place + 1);
    auto write = [&](StringRef result, StringRef name, StringRef a,
                     StringRef b) {
      os << "  " << result << number << " = call " << type << " @llvm." << name
         << "." << operands << "(" << type << " " << a << ", " << type << " "
         << b << ")\n";
    };
    write("%m", "smin", a, b);
    write("%n", last == "other" ? "umin" : "smax", b, a);
    if (last == "choice") {
      os << "  %s" << number << " = select i1 %c, " << type << " %m" << number
         << ", " << type << " %n" << number << "\n  store " << type << " %s"
         << number << ", ptr %p\n";
      continue;
    }
    for (StringRef result : {"%m", "%n"})
      os << "  store volatile " << type << " " << result << number
         << ", ptr %p\n";
  }
  os << "  ret void\n}\n";

  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  FunctionAnalysisManager analyses;
  Function &function = *module->getFunction("f");
  PairsOfExtremesPass().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned extremes = 0, products = 0;
  for (Instruction &each : instructions(function)) {
    extremes += isa<MinMaxIntrinsic>(each) && !each.use_empty();
    products += each.getOpcode() == Instruction::Mul;
  }
  return {extremes, products};
}
} // namespace

// One extreme of each pair is left, and that which makes the 1.
TEST(PairsOfExtremes, AreMadeOfTheirSum) {
  EXPECT_EQ(countLeft("i32", "i32", 40), std::pair(41u, 80u));
  EXPECT_EQ(countLeft("<2 x i16>", "v2i16", 40), std::pair(41u, 80u));
  EXPECT_EQ(countLeft("i64", "i64", 40), std::pair(41u, 80u));
}

TEST(PairsOfExtremes, StayWhereFewAreNoPair) {
  EXPECT_EQ(countLeft("i32", "i32", 31), std::pair(62u, 0u));
  EXPECT_EQ(countLeft("i32", "i32", 40, "other"), std::pair(80u, 0u));
}

// A predicate makes both of these one register.
TEST(PairsOfExtremes, StayWhereOneIsChosen) {
  EXPECT_EQ(countLeft("i32", "i32", 40, "choice"), std::pair(80u, 0u));
}

TEST(PairsOfExtremes, StayWhereTheyFillNoWord) {
  EXPECT_EQ(countLeft("i16", "i16", 40), std::pair(80u, 0u));
}
