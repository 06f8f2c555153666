//===- XorsOfOffsets.cpp - Constants leave xors last ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "XorsOfOffsets.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// What `sum` is without a constant that it has no bits in common with; null
/// where there is none.
static Value *takeOffset(Value *sum, Constant *&offset, IRBuilder<> &builder) {
  Value *base = nullptr, *other = nullptr;
  if (match(sum, m_DisjointOr(m_Value(base), m_ImmConstant(offset))))
    return base;
  if (match(sum,
            m_c_DisjointOr(m_DisjointOr(m_Value(base), m_ImmConstant(offset)),
                           m_Value(other))))
    return builder.CreateOr(other, base, "", /*IsDisjoint=*/true);
  return nullptr;
}

PreservedAnalyses
tilewright::XorsOfOffsetsPass::run(Function &function,
                                   FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *sum = nullptr, *other = nullptr;
    // A sum that others use too would stay beside the xors.
    if (!match(&instruction,
               m_c_Xor(m_OneUse(m_CombineAnd(m_DisjointOr(m_Value(), m_Value()),
                                             m_Value(sum))),
                       m_Value(other))) ||
        isa<Constant>(other))
      continue;
    IRBuilder<> builder(&instruction);
    Constant *offset = nullptr;
    Value *base = takeOffset(sum, offset, builder);
    if (!base)
      continue;
    instruction.replaceAllUsesWith(
        builder.CreateXor(builder.CreateXor(base, other), offset));
    changed = true;
  }
  // adce removes what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
