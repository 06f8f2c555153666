//===- BytesOfWords.cpp - Two words made of bytes of four -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BytesOfWords.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <array>
#include <map>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
constexpr unsigned numBytes = 4;

using Words = std::array<Value *, numBytes>;

/// A word whose bytes come from four others.
struct Gathered {
  Instruction *word;
  Words sources;
  /// For each byte, which one of its source it is.
  std::array<uint64_t, numBytes> places;
};
} // namespace

/// The word made by `instruction`, if it is made so.
static std::optional<Gathered> matchGathered(Instruction &instruction) {
  Value *vector = nullptr;
  if (!instruction.getType()->isIntegerTy(32) ||
      !match(&instruction, m_BitCast(m_Value(vector))))
    return std::nullopt;
  Gathered gathered{&instruction, {}, {}};
  // From the last byte to the first, each of which is inserted once.
  Value *rest = nullptr, *byte = nullptr, *source = nullptr;
  uint64_t position = 0, place = 0;
  while (match(vector, m_InsertElt(m_Value(rest), m_Value(byte),
                                   m_ConstantInt(position)))) {
    if (position >= numBytes || gathered.sources[position] ||
        !match(byte, m_ExtractElt(m_BitCast(m_Value(source)),
                                  m_ConstantInt(place))) ||
        !byte->getType()->isIntegerTy(8) ||
        !source->getType()->isIntegerTy(32) || place >= numBytes)
      return std::nullopt;
    gathered.sources[position] = source;
    gathered.places[position] = place;
    vector = rest;
  }
  // What is taken from fewer words takes fewer instructions by itself.
  for (unsigned i = 0; i < numBytes; ++i)
    if (!gathered.sources[i] ||
        is_contained(ArrayRef(gathered.sources).take_front(i),
                     gathered.sources[i]))
      return std::nullopt;
  return gathered;
}

/// prmt takes byte number `selectors[i]` of `low` and `high`, together eight,
/// as byte i.
static Value *permute(IRBuilder<> &builder, Value *low, Value *high,
                      const std::array<uint64_t, numBytes> &selectors) {
  uint64_t all = 0;
  for (unsigned i = 0; i < numBytes; ++i)
    all |= selectors[i] << (4 * i);
  return builder.CreateIntrinsic(Intrinsic::nvvm_prmt, {},
                                 {low, high, builder.getInt32(all)});
}

/// `second` comes behind `first`, in one block.
static void rewritePair(const Gathered &first, const Gathered &second) {
  IRBuilder<> builder(first.word);
  std::array<Value *, 2> halves;
  for (unsigned half = 0; half < 2; ++half) {
    unsigned i = 2 * half;
    halves[half] = permute(builder, first.sources[i], first.sources[i + 1],
                           {first.places[i], numBytes + first.places[i + 1],
                            second.places[i], numBytes + second.places[i + 1]});
  }
  first.word->replaceAllUsesWith(
      permute(builder, halves[0], halves[1], {0, 1, 4, 5}));
  builder.SetInsertPoint(second.word);
  second.word->replaceAllUsesWith(
      permute(builder, halves[0], halves[1], {2, 3, 6, 7}));
}

PreservedAnalyses tilewright::BytesOfWordsPass::run(Function &function,
                                                    FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function) {
    // Those that have no other word yet, by what they are made of.
    std::map<Words, Gathered> single;
    for (Instruction &instruction : make_early_inc_range(block)) {
      std::optional<Gathered> gathered = matchGathered(instruction);
      if (!gathered)
        continue;
      auto [found, isFirst] = single.try_emplace(gathered->sources, *gathered);
      if (isFirst)
        continue;
      rewritePair(found->second, *gathered);
      single.erase(found);
      changed = true;
    }
  }
  // adce removes what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
