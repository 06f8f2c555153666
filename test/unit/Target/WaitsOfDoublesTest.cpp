//===- WaitsOfDoublesTest.cpp - Sums of doubles, waited for ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitsOfDoubles.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

namespace {
/// How many sums are used where a loop goes around that has a fragment of two
/// sums for each of `masks`, under which its first sum is stored.
unsigned countUses(ArrayRef<StringRef> masks) {
  std::string text;
  raw_string_ostream os(text);
  os << R"(
declare {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(
    double, double, double, double)
define void @f(ptr addrspace(1) %p, i1 %mask, i1 %again, double %a) {
  br label %loop
loop:
)";
  auto forEach = [&](StringRef line) {
    for (size_t place = 0; place < masks.size(); ++place) {
      std::string number = std::to_string(place), written = line.str();
      for (size_t at; (at = written.find('#')) != std::string::npos;)
        written.replace(at, 1, number);
      os << written << '\n';
    }
  };
  forEach("  %c# = phi double [0.0, %0], [%x#, %loop]\n"
          "  %d# = phi double [0.0, %0], [%y#, %loop]");
  forEach("  %m# = call {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64("
          "double %a, double %a, double %c#, double %d#)\n"
          "  %x# = extractvalue {double, double} %m#, 0\n"
          "  %y# = extractvalue {double, double} %m#, 1");
  os << "  br i1 %again, label %loop, label %end\nend:\n";
  for (auto [place, mask] : enumerate(masks))
    os << "  call void asm sideeffect \"@$0 st.global.f64 [$1], $2;\", "
          "\"b,l,d\"(i1 "
       << mask << ", ptr addrspace(1) %p, double %x" << place << ")\n";
  os << "  ret void\n}\n";

  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  if (!module) {
    ADD_FAILURE() << error.getMessage().str();
    return 0;
  }
  waitForDoubles(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return count_if(
      instructions(*module->getFunction("f")),
      [](Instruction &each) { return each.getOpcode() == Instruction::Xor; });
}
} // namespace

TEST(WaitsOfDoubles, ForTheOnlyFragment) {
  EXPECT_EQ(countUses({"%mask"}), 2u);
}

TEST(WaitsOfDoubles, ForTheOnlyOneThatIsStored) {
  EXPECT_EQ(countUses({"false", "%mask", "false"}), 2u);
}

TEST(WaitsOfDoubles, ForNoneOfSeveral) {
  EXPECT_EQ(countUses({"%mask", "%mask"}), 0u);
}

TEST(WaitsOfDoubles, ForNoneThatIsNotStored) {
  EXPECT_EQ(countUses({"false"}), 0u);
}
