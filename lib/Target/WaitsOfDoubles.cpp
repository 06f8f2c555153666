//===- WaitsOfDoubles.cpp - Sums of doubles, waited for -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitsOfDoubles.h"

#include "UnknownOne.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace tilewright;

/// A product of fragments of doubles.
static bool isProduct(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == Intrinsic::nvvm_mma_m16n8k8_row_col_f64 ||
          call->getIntrinsicID() == Intrinsic::nvvm_mma_m8n8k4_row_col_f64);
}

/// An access whose mask is false.
static bool isMaskedOut(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && call->isInlineAsm() && any_of(call->args(), [](Value *value) {
           auto *mask = dyn_cast<ConstantInt>(value);
           return mask && mask->getType()->isIntegerTy(1) && mask->isZero();
         });
}

/// Whether something besides products hangs on a value.
static bool isUsed(const Value &value) {
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<const Value *> open = {&value};
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users()) {
      const auto &instruction = *cast<Instruction>(user);
      if (isMaskedOut(instruction) || !seen.insert(user).second)
        continue;
      if (instruction.isTerminator() ||
          (instruction.mayHaveSideEffects() && !isProduct(instruction)))
        return true;
      open.push_back(user);
    }
  return false;
}

/// What a product adds to.
static iterator_range<Use *> getSums(CallInst &product) {
  return drop_begin(product.args(),
                    product.arg_size() -
                        product.getType()->getStructNumElements());
}

/// The sums that a loop carries to a product, fragment by fragment, of those
/// that are used.
static SmallVector<SmallVector<PHINode *, 4>> findFragments(const Loop &loop) {
  SmallVector<SmallVector<PHINode *, 4>> fragments;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (!isProduct(instruction))
        continue;
      SmallVector<PHINode *, 4> carried;
      for (Value *sum : getSums(cast<CallInst>(instruction)))
        if (auto *phi = dyn_cast<PHINode>(sum);
            phi && phi->getParent() == loop.getHeader() && isUsed(*phi))
          carried.push_back(phi);
      if (!carried.empty())
        fragments.push_back(std::move(carried));
    }
  return fragments;
}

/// Uses sums where the loop goes around.
static void waitFor(ArrayRef<PHINode *> sums, BasicBlock &latch, Value *one) {
  IRBuilder<> builder(latch.getTerminator());
  Value *zero = builder.CreateZExt(builder.CreateSub(one, builder.getInt32(1)),
                                   builder.getInt64Ty());
  for (PHINode *sum : sums) {
    Value *next = sum->getIncomingValueForBlock(&latch);
    Value *bits = builder.CreateBitCast(next, zero->getType());
    sum->setIncomingValueForBlock(
        &latch,
        builder.CreateBitCast(builder.CreateXor(bits, zero), next->getType()));
  }
}

static void waitInLoops(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  Value *one = nullptr;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<SmallVector<PHINode *, 4>> fragments = findFragments(*loop);
    BasicBlock *latch = loop->getLoopLatch();
    if (fragments.size() != 1 || !latch)
      continue;
    if (!one)
      one = makeUnknownOne(function);
    waitFor(fragments[0], *latch, one);
  }
}

void tilewright::waitForDoubles(Module &module) {
  for (Function &function : module)
    if (any_of(instructions(function), isProduct))
      waitInLoops(function);
}
