//===- HalvesOfProducts.cpp - Both halves of a product at once ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalvesOfProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

using Factors = std::pair<Value *, Value *>;

/// Both factors in one order, whichever they are written in.
static Factors inOrder(Value *a, Value *b) {
  return std::less<>()(b, a) ? Factors(b, a) : Factors(a, b);
}

/// The 32 bits that a factor of 64 has; null where it has more.
static Value *getNarrow(Value *factor) {
  Value *narrow = nullptr;
  if (match(factor, m_ZExt(m_Value(narrow))) &&
      narrow->getType()->isIntegerTy(32))
    return narrow;
  auto *constant = dyn_cast<ConstantInt>(factor);
  if (!constant || !constant->getValue().isIntN(32))
    return nullptr;
  return ConstantInt::get(Type::getInt32Ty(factor->getContext()),
                          constant->getZExtValue());
}

/// Products of a block whose low halves are computed behind them.
static bool joinHalves(BasicBlock &block) {
  DenseMap<Factors, Instruction *> products;
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(block)) {
    Value *a = nullptr, *b = nullptr;
    if (!match(&instruction, m_Mul(m_Value(a), m_Value(b))))
      continue;
    if (instruction.getType()->isIntegerTy(64)) {
      a = getNarrow(a);
      b = getNarrow(b);
      if (a && b)
        products.try_emplace(inOrder(a, b), &instruction);
    } else if (Instruction *wide = products.lookup(inOrder(a, b))) {
      // Of factors without a sign it may be false, and then the low half is
      // right all the same.
      wide->setHasNoSignedWrap(false);
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(
          builder.CreateTrunc(wide, instruction.getType()));
      changed = true;
    }
  }
  return changed;
}

PreservedAnalyses
tilewright::HalvesOfProductsPass::run(Function &function,
                                      FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= joinHalves(block);
  // adce removes what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
