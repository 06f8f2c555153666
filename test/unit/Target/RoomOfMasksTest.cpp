//===- RoomOfMasksTest.cpp - Masks of rows by what is left of them --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoomOfMasks.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
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
/// Masks of the places `%x` and what stands behind it, as bits of a number.
/// `less` is a predicate, and `type` that of places.
std::string writeMasks(StringRef less, StringRef type,
                       ArrayRef<unsigned> offsets) {
  std::string text;
  raw_string_ostream os(text);
  os << "define i32 @f(i1 %c, " << type << " %y, " << type << " %end) {\n"
     << "  %x = and " << type << " %y, -97\n"; // No bits of 32 and 64.
  std::string sum = "0";
  for (auto [index, offset] : enumerate(offsets)) {
    std::string place = "%x";
    if (offset != 0) {
      place = "%x" + std::to_string(index);
      os << "  " << place << " = or disjoint " << type << " %x, " << offset
         << "\n";
    }
    os << "  %m" << index << " = icmp " << less << " " << type << " " << place
       << ", %end\n"
       << "  %a" << index << " = and i1 %c, %m" << index << "\n"
       << "  %z" << index << " = zext i1 %a" << index << " to i32\n"
       << "  %s" << index << " = shl i32 %z" << index << ", " << index << "\n"
       << "  %o" << index << " = or i32 %s" << index << ", " << sum << "\n";
    sum = "%o" + std::to_string(index);
  }
  os << "  ret i32 " << sum << "\n}\n";
  return text;
}

class Masks {
public:
  explicit Masks(StringRef text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
  }

  void run() {
    FunctionAnalysisManager analyses;
    RoomOfMasksPass().run(*module->begin(), analyses);
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }

  unsigned countRooms() const {
    return count_if(instructions(*module->begin()), [](Instruction &each) {
      return match(&each, m_Select(m_Value(), m_Value(), m_Zero()));
    });
  }

  /// What the function returns for these arguments.
  uint64_t call(bool condition, int64_t place, int64_t end) const {
    Function &function = *module->begin();
    DenseMap<Value *, Constant *> known;
    for (auto [argument, number] :
         zip_equal(make_pointer_range(function.args()),
                   std::array<int64_t, 3>{condition ? 1 : 0, place, end}))
      known[argument] = ConstantInt::get(
          argument->getType(),
          APInt(64, number, true)
              .trunc(argument->getType()->getIntegerBitWidth()));
    auto get = [&](Value *value) {
      auto *constant = dyn_cast<Constant>(value);
      return constant ? constant : known.lookup(value);
    };
    for (Instruction &each : instructions(function)) {
      if (auto *result = dyn_cast<ReturnInst>(&each))
        return cast<ConstantInt>(get(result->getReturnValue()))->getZExtValue();
      SmallVector<Constant *> operands = llvm::map_to_vector(
          each.operands(), [&](Use &use) { return get(use); });
      auto *compare = dyn_cast<ICmpInst>(&each);
      known[&each] =
          compare ? ConstantFoldCompareInstOperands(compare->getPredicate(),
                                                    operands[0], operands[1],
                                                    module->getDataLayout())
                  : ConstantFoldInstOperands(&each, operands,
                                             module->getDataLayout());
    }
    return ~0u;
  }

private:
  LLVMContext context;
  std::unique_ptr<Module> module;
};

const std::vector<unsigned> offsets = {0, 32, 64, 96};
} // namespace

TEST(RoomOfMasks, SaysTheSameOfAllPlaces) {
  for (StringRef less : {"ult", "slt"})
    for (StringRef type : {"i32", "i64"}) {
      Masks before(writeMasks(less, type, offsets));
      Masks after(writeMasks(less, type, offsets));
      after.run();
      EXPECT_EQ(after.countRooms(), 1u);
      const std::vector<int64_t> numbers = {0,
                                            1,
                                            31,
                                            32,
                                            33,
                                            64,
                                            96,
                                            97,
                                            128,
                                            500,
                                            INT32_MAX,
                                            INT32_MAX - 96,
                                            INT32_MIN,
                                            -1,
                                            -32,
                                            -96,
                                            -97,
                                            -500,
                                            INT64_MAX,
                                            INT64_MIN,
                                            1LL << 32,
                                            3LL << 31,
                                            (1LL << 32) + 33};
      for (bool condition : {false, true})
        for (int64_t place : numbers)
          for (int64_t end : numbers)
            EXPECT_EQ(after.call(condition, place, end),
                      before.call(condition, place, end))
                << less.str() << " " << type.str() << " " << place << " "
                << end;
    }
}

TEST(RoomOfMasks, LeavesFewMasksAlone) {
  Masks masks(writeMasks("ult", "i32", {0, 32, 64}));
  masks.run();
  EXPECT_EQ(masks.countRooms(), 0u);
}

TEST(RoomOfMasks, LeavesPlacesFarApartAlone) {
  // Four, of which one has an offset of more than 31 bits.
  std::string text = writeMasks("ult", "i64", offsets);
  text.replace(text.find("%x, 96"), 6, "%x, 4294967296");
  Masks masks(text);
  masks.run();
  EXPECT_EQ(masks.countRooms(), 0u);
}

TEST(RoomOfMasks, KnowsThatThereIsNoMoreRoomThanANumberSays) {
  // From the least place to 0 there is one more than INT32_MAX.
  std::string text = writeMasks("slt", "i32", {0, 32, 64, 96, 2147483647});
  text.replace(text.find("-97"), 3, "-2147483648");
  Masks before(text), after(text);
  after.run();
  EXPECT_EQ(after.countRooms(), 1u);
  EXPECT_EQ(after.call(true, INT32_MIN, 0), before.call(true, INT32_MIN, 0));
}

TEST(RoomOfMasks, LeavesWhatIsNoWordAlone) {
  for (StringRef type : {"i8", "i16", "i128"}) {
    Masks masks(writeMasks("slt", type, offsets));
    masks.run();
    EXPECT_EQ(masks.countRooms(), 0u) << type.str();
  }
}

TEST(RoomOfMasks, LeavesPointersAlone) {
  std::string text = "define i1 @f(i1 %c, ptr %x, ptr %end) {\n"
                     "  %m = icmp ult ptr %x, %end\n";
  for (unsigned index : seq(4u))
    text += ("  %a" + Twine(index) + " = and i1 %c, %m\n").str();
  Masks masks(text + "  ret i1 %a3\n}\n");
  masks.run();
  EXPECT_EQ(masks.countRooms(), 0u);
}
