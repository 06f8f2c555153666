//===- MasksOfOffsets.cpp - Masks by places, not by what is left ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MasksOfOffsets.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
struct Mask {
  Value *start = nullptr, *offset = nullptr, *end = nullptr;
  /// What is left of the view.
  Value *rest = nullptr;
};
} // namespace

/// Whether `value` says that one number is less than another.
static bool isLess(Value *value, CmpInst::Predicate less, Value *&smaller,
                   Value *&larger) {
  return match(value,
               m_SpecificICmp(less, m_Value(smaller), m_Value(larger))) ||
         match(value, m_SpecificICmp(CmpInst::getSwappedPredicate(less),
                                     m_Value(larger), m_Value(smaller)));
}

static bool isMask(Value *begun, Value *inside, Mask &mask) {
  return isLess(begun, CmpInst::ICMP_SLT, mask.start, mask.end) &&
         isLess(inside, CmpInst::ICMP_ULT, mask.offset, mask.rest) &&
         match(mask.rest, m_Sub(m_Specific(mask.end), m_Specific(mask.start)));
}

/// Whether start and offset have a sum that is an or, with the start's sign.
static bool haveSum(const Mask &mask, const SimplifyQuery &query) {
  return isKnownNonNegative(mask.offset, query) &&
         haveNoCommonBitsSet(mask.start, mask.offset, query);
}

/// Whether the sum is there, or what is left is computed for this mask only:
/// masks of further vectors have one comparison each, as they are.
static bool isWorthwhile(const Mask &mask) {
  return mask.rest->hasOneUse() || any_of(mask.start->users(), [&](User *user) {
           return match(
               user, m_c_Or(m_Specific(mask.start), m_Specific(mask.offset)));
         });
}

/// Pointers to what stands `offset` behind `start`, by their sum.
static void rewritePointers(const Mask &mask) {
  for (User *user : make_early_inc_range(mask.offset->users())) {
    if (!match(user, m_ZExt(m_Specific(mask.offset))))
      continue;
    for (User *sum : make_early_inc_range(user->users())) {
      auto *pointer = dyn_cast<GetElementPtrInst>(sum);
      if (!pointer || pointer->getNumIndices() != 1 ||
          pointer->getOperand(1) != user)
        continue;
      auto *begin = dyn_cast<GetElementPtrInst>(pointer->getPointerOperand());
      if (!begin || begin->getNumIndices() != 1 || !begin->hasOneUse() ||
          begin->getSourceElementType() != pointer->getSourceElementType() ||
          !match(begin->getOperand(1), m_SExt(m_Specific(mask.start))))
        continue;
      IRBuilder<> builder(pointer);
      Value *place = builder.CreateOr(mask.start, mask.offset, "",
                                      /*IsDisjoint=*/true);
      pointer->replaceAllUsesWith(builder.CreateGEP(
          pointer->getSourceElementType(), begin->getPointerOperand(),
          builder.CreateSExt(place, begin->getOperand(1)->getType())));
    }
  }
}

PreservedAnalyses
tilewright::MasksOfOffsetsPass::run(Function &function,
                                    FunctionAnalysisManager &) {
  bool changed = false;
  SimplifyQuery query(function.getDataLayout());
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *first = nullptr, *second = nullptr;
    Mask mask;
    if (!match(&instruction, m_LogicalAnd(m_Value(first), m_Value(second))) ||
        !(isMask(first, second, mask) || isMask(second, first, mask)) ||
        !haveSum(mask, query) || !isWorthwhile(mask))
      continue;
    IRBuilder<> builder(&instruction);
    Value *place = builder.CreateOr(mask.start, mask.offset, "",
                                    /*IsDisjoint=*/true);
    instruction.replaceAllUsesWith(builder.CreateICmpSLT(place, mask.end));
    rewritePointers(mask);
    changed = true;
  }
  // early-cse finds equal sums, adce what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
