//===- ShufflesOfShuffles.cpp - Exchanges of several bits -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShufflesOfShuffles.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace {
/// Operands of shuffles.
enum : unsigned { members, value, distance, clamp };

/// A shuffle of all lanes of a warp with those some bits away.
struct Exchange {
  IntrinsicInst *shuffle;
  ConstantInt *bits;
};
} // namespace

static std::optional<Exchange> findExchange(Value *of) {
  auto *shuffle = dyn_cast<IntrinsicInst>(of);
  if (!shuffle ||
      shuffle->getIntrinsicID() != Intrinsic::nvvm_shfl_sync_bfly_i32)
    return std::nullopt;
  auto *who = dyn_cast<ConstantInt>(shuffle->getArgOperand(members));
  auto *bits = dyn_cast<ConstantInt>(shuffle->getArgOperand(distance));
  auto *end = dyn_cast<ConstantInt>(shuffle->getArgOperand(clamp));
  if (!who || !who->isMinusOne() || !bits || bits->getZExtValue() > 31 ||
      !end || !end->equalsInt(31))
    return std::nullopt;
  return Exchange{shuffle, bits};
}

PreservedAnalyses
tilewright::ShufflesOfShufflesPass::run(Function &function,
                                        FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    std::optional<Exchange> outer = findExchange(&instruction);
    if (!outer)
      continue;
    std::optional<Exchange> inner =
        findExchange(outer->shuffle->getArgOperand(value));
    // Elsewhere other lanes may be there.
    if (!inner || inner->shuffle->getParent() != instruction.getParent())
      continue;
    outer->shuffle->setArgOperand(value, inner->shuffle->getArgOperand(value));
    outer->shuffle->setArgOperand(
        distance,
        ConstantInt::get(outer->bits->getType(),
                         outer->bits->getValue() ^ inner->bits->getValue()));
    // adce takes a shuffle for something that others may see.
    if (inner->shuffle->use_empty())
      inner->shuffle->eraseFromParent();
    changed = true;
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return changed ? preserved : PreservedAnalyses::all();
}
