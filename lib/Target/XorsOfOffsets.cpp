//===- XorsOfOffsets.cpp - Constants leave xors last ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "XorsOfOffsets.h"

#include "llvm/ADT/MapVector.h"
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

/// What offsets from one base are compared with.
using Compared = std::pair<Value *, Value *>;

/// Comparisons for equality of a base with a number, each by its offset: one
/// alone has an or for an xor, and so have those of offsets with other uses.
static bool compareOffsets(Function &function) {
  MapVector<Compared, SmallVector<std::pair<ICmpInst *, Constant *>>> groups;
  for (Instruction &instruction : instructions(function)) {
    Value *base = nullptr, *other = nullptr;
    Constant *offset = nullptr;
    if (match(&instruction, m_c_ICmp(m_OneUse(m_DisjointOr(
                                         m_Value(base), m_ImmConstant(offset))),
                                     m_Value(other))) &&
        cast<ICmpInst>(instruction).isEquality() && !isa<Constant>(other))
      groups[{base, other}].push_back({cast<ICmpInst>(&instruction), offset});
  }
  bool changed = false;
  for (auto &[compared, each] : groups) {
    Constant *first = each.front().second;
    if (all_of(each, [&](auto &compare) { return compare.second == first; }))
      continue;
    for (auto [compare, offset] : each) {
      IRBuilder<> builder(compare);
      compare->setOperand(0,
                          builder.CreateXor(compared.second, compared.first));
      compare->setOperand(1, offset);
    }
    changed = true;
  }
  return changed;
}

PreservedAnalyses
tilewright::XorsOfOffsetsPass::run(Function &function,
                                   FunctionAnalysisManager &) {
  bool changed = compareOffsets(function);
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
