//===- RoundedSelects.cpp - What is selected, before it is rounded --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundedSelects.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The constant as it was before it was rounded; a half is a float, too. Null
/// for NaN, whose bits no rounding gives back.
static Constant *widenConstant(const APFloat &rounded, Type *type) {
  if (rounded.isNaN())
    return nullptr;
  APFloat wide = rounded;
  bool losesInfo = false;
  wide.convert(type->getFltSemantics(), APFloat::rmNearestTiesToEven,
               &losesInfo);
  return losesInfo ? nullptr : ConstantFP::get(type, wide);
}

PreservedAnalyses
tilewright::RoundedSelectsPass::run(Function &function,
                                    FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *select = dyn_cast<SelectInst>(&instruction);
    if (!select || !instruction.getType()->is16bitFPTy())
      continue;
    for (bool isFirst : {true, false}) {
      Value *constant =
          isFirst ? select->getTrueValue() : select->getFalseValue();
      Value *rounded =
          isFirst ? select->getFalseValue() : select->getTrueValue();
      const APFloat *number = nullptr;
      Value *wide = nullptr;
      if (!match(constant, m_APFloat(number)) ||
          !match(rounded, m_OneUse(m_FPTrunc(m_Value(wide)))))
        continue;
      Constant *other = widenConstant(*number, wide->getType());
      if (!other)
        continue;
      IRBuilder<> builder(select);
      Value *selected =
          builder.CreateSelect(select->getCondition(), isFirst ? other : wide,
                               isFirst ? wide : other);
      select->replaceAllUsesWith(
          builder.CreateFPTrunc(selected, select->getType()));
      changed = true;
      break;
    }
  }
  // adce removes what has no use any more.
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
