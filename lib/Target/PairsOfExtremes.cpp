//===- PairsOfExtremes.cpp - The larger one by a sum ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairsOfExtremes.h"

#include "UnknownOne.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace tilewright;

/// The other extreme of the same two.
static Intrinsic::ID getOther(const MinMaxIntrinsic &extreme) {
  return getInverseMinMaxIntrinsic(extreme.getIntrinsicID());
}

/// A word, or two.
static bool fillsWords(const MinMaxIntrinsic &extreme) {
  return extreme.getType()->getPrimitiveSizeInBits() == 32 ||
         extreme.getType()->isIntegerTy(64);
}

/// Whether one of both is chosen, so that a predicate makes them one register.
static bool isChosenFrom(Value *one, Value *other) {
  return any_of(one->users(), [&](User *user) {
    auto *choice = dyn_cast<SelectInst>(user);
    return choice && is_contained(choice->operands(), other);
  });
}

/// Extremes of a block whose other one stands before them, each with that one.
static void findPairs(
    BasicBlock &block,
    SmallVectorImpl<std::pair<MinMaxIntrinsic *, MinMaxIntrinsic *>> &pairs) {
  DenseMap<std::tuple<Value *, Value *, unsigned>, MinMaxIntrinsic *> seen;
  for (Instruction &instruction : block) {
    auto *extreme = dyn_cast<MinMaxIntrinsic>(&instruction);
    if (!extreme || !fillsWords(*extreme))
      continue;
    Value *a = extreme->getLHS(), *b = extreme->getRHS();
    if (std::less<>()(b, a))
      std::swap(a, b);
    MinMaxIntrinsic *other = seen.lookup({a, b, getOther(*extreme)});
    if (other && !isChosenFrom(extreme, other))
      pairs.push_back({other, extreme});
    seen.try_emplace({a, b, extreme->getIntrinsicID()}, extreme);
  }
}

/// Each word of both extremes is one of the same two.
static void computeBySum(MinMaxIntrinsic *other, MinMaxIntrinsic *extreme,
                         Value *one, Value *minusOne) {
  IRBuilder<> builder(extreme);
  unsigned count = extreme->getType()->getPrimitiveSizeInBits() / 32;
  auto ofEach = [&](Value *factor) {
    return count == 1 ? factor : builder.CreateVectorSplat(count, factor);
  };
  Value *ones = ofEach(one), *minusOnes = ofEach(minusOne);
  auto asWords = [&](Value *value) {
    return builder.CreateBitCast(value, ones->getType());
  };
  Value *sum =
      builder.CreateAdd(builder.CreateMul(asWords(extreme->getLHS()), ones),
                        asWords(extreme->getRHS()));
  Value *rest =
      builder.CreateAdd(builder.CreateMul(asWords(other), minusOnes), sum);
  extreme->replaceAllUsesWith(builder.CreateBitCast(rest, extreme->getType()));
}

PreservedAnalyses
tilewright::PairsOfExtremesPass::run(Function &function,
                                     FunctionAnalysisManager &) {
  // Fewer are not what a kernel waits for.
  constexpr size_t fewest = 32;
  SmallVector<std::pair<MinMaxIntrinsic *, MinMaxIntrinsic *>> pairs;
  for (BasicBlock &block : function)
    findPairs(block, pairs);
  if (pairs.size() < fewest)
    return PreservedAnalyses::all();
  // ptxas would take the products of a 1 that it knows for sums.
  Value *one = makeUnknownOne(function);
  Value *minusOne =
      IRBuilder<>(cast<Instruction>(one)->getNextNode()).CreateNeg(one);
  for (auto [other, extreme] : pairs)
    computeBySum(other, extreme, one, minusOne);
  // adce removes what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
