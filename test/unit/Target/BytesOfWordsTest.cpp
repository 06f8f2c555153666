//===- BytesOfWordsTest.cpp - Two words made of bytes of four -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass alone, on words of bytes that are drawn: a function of four words
// that returns an array, computed by hand from its instructions afterwards.
//
//===----------------------------------------------------------------------===//

#include "BytesOfWords.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace tilewright;

namespace {
/// Where a byte comes from: which word, and which byte of it.
struct Byte {
  unsigned word, place;
};
using Word = std::array<Byte, 4>;
constexpr std::array<uint32_t, 4> arguments = {0x13121110, 0x23222120,
                                               0x33323130, 0x43424140};

/// A function that stores words made of its arguments' bytes.
class Made {
public:
  explicit Made(ArrayRef<Word> words) : module("words", context) {
    Type *word = Type::getInt32Ty(context);
    auto *type = FunctionType::get(
        Type::getVoidTy(context),
        {PointerType::get(context, 1), word, word, word, word}, false);
    function = Function::Create(type, Function::ExternalLinkage, "f", module);
    IRBuilder<> builder(BasicBlock::Create(context, "", function));
    auto *bytes = FixedVectorType::get(builder.getInt8Ty(), 4);
    for (auto [i, each] : enumerate(words)) {
      Value *vector = PoisonValue::get(bytes);
      for (auto [k, byte] : enumerate(each)) {
        Value *from =
            builder.CreateBitCast(function->getArg(1 + byte.word), bytes);
        vector = builder.CreateInsertElement(
            vector, builder.CreateExtractElement(from, byte.place), k);
      }
      builder.CreateStore(
          builder.CreateBitCast(vector, word),
          builder.CreateConstGEP1_32(word, function->getArg(0), i));
    }
    builder.CreateRetVoid();
    FunctionAnalysisManager analyses;
    BytesOfWordsPass().run(*function, analyses);
    EXPECT_FALSE(verifyModule(module, &errs()));
  }

  unsigned countPermutes() const {
    return count_if(instructions(*function), [](const Instruction &each) {
      return isa<IntrinsicInst>(each);
    });
  }

  /// What is stored, in order.
  std::vector<uint32_t> stored() const {
    std::vector<uint32_t> values;
    for (const Instruction &each : instructions(*function))
      if (auto *store = dyn_cast<StoreInst>(&each))
        values.push_back(valueOf(store->getValueOperand()));
    return values;
  }

private:
  static uint32_t valueOf(const Value *value) {
    if (auto *argument = dyn_cast<Argument>(value))
      return arguments[argument->getArgNo() - 1];
    if (auto *cast = dyn_cast<BitCastInst>(value))
      return valueOf(cast->getOperand(0));
    if (isa<PoisonValue>(value))
      return 0;
    auto placeIn = [](const Value *place) {
      return 8 * cast<ConstantInt>(place)->getZExtValue();
    };
    if (auto *insert = dyn_cast<InsertElementInst>(value)) {
      uint64_t at = placeIn(insert->getOperand(2));
      return (valueOf(insert->getOperand(0)) & ~(0xffu << at)) |
             valueOf(insert->getOperand(1)) << at;
    }
    if (auto *extract = dyn_cast<ExtractElementInst>(value))
      return valueOf(extract->getVectorOperand()) >>
                 placeIn(extract->getIndexOperand()) &
             0xff;
    auto *permute = cast<IntrinsicInst>(value);
    EXPECT_EQ(permute->getIntrinsicID(), Intrinsic::nvvm_prmt);
    uint64_t both = valueOf(permute->getArgOperand(0)) |
                    uint64_t(valueOf(permute->getArgOperand(1))) << 32;
    uint64_t selectors =
        cast<ConstantInt>(permute->getArgOperand(2))->getZExtValue();
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      result |= uint32_t(both >> 8 * (selectors >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
  }

  LLVMContext context;
  Module module;
  Function *function;
};
} // namespace

static std::vector<uint32_t> expected(ArrayRef<Word> words) {
  std::vector<uint32_t> values;
  for (const Word &word : words) {
    uint32_t value = 0;
    for (auto [k, byte] : enumerate(word))
      value |= (arguments[byte.word] >> 8 * byte.place & 0xff) << 8 * k;
    values.push_back(value);
  }
  return values;
}

TEST(BytesOfWords, TransposesWithEight) {
  std::vector<Word> words;
  for (unsigned i = 0; i < 4; ++i)
    words.push_back({Byte{0, i}, {1, i}, {2, i}, {3, i}});
  Made made(words);
  EXPECT_EQ(made.countPermutes(), 8u);
  EXPECT_EQ(made.stored(), expected(words));
}

TEST(BytesOfWords, LeavesOneWord) {
  Word odd = {Byte{0, 1}, {1, 1}, {2, 1}, {3, 1}};
  Word other = {Byte{1, 1}, {0, 1}, {2, 1}, {3, 1}};
  Word ofThree = {Byte{0, 1}, {1, 1}, {2, 1}, {2, 2}};
  EXPECT_EQ(Made({odd}).countPermutes(), 0u);
  EXPECT_EQ(Made({odd, other}).countPermutes(), 0u);
  EXPECT_EQ(Made({ofThree, ofThree}).countPermutes(), 0u);
  EXPECT_EQ(Made({odd, other, odd}).countPermutes(), 4u);
}

TEST(BytesOfWords, AnyBytes) {
  std::mt19937 random(7);
  unsigned permutes = 0;
  for (unsigned round = 0; round < 200; ++round) {
    std::array<unsigned, 4> order = {0, 1, 2, 3};
    std::vector<Word> words(1 + random() % 8);
    for (Word &word : words) {
      if (random() % 2)
        std::shuffle(order.begin(), order.end(), random);
      for (unsigned k = 0; k < 4; ++k)
        word[k] = {random() % 8 ? order[k] : unsigned(random() % 4),
                   unsigned(random() % 4)};
    }
    Made made(words);
    EXPECT_EQ(made.stored(), expected(words));
    permutes += made.countPermutes();
  }
  EXPECT_GT(permutes, 100u);
}
