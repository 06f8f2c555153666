//===- UnknownOne.cpp - A number that ptxas does not know -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownOne.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

Value *tilewright::makeUnknownOne(Function &function) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Type *word = builder.getInt32Ty();
  Value *blocks = builder.CreateCall(
      InlineAsm::get(FunctionType::get(word, false), "mov.u32 $0, %nctaid.x;",
                     "=r", /*hasSideEffects=*/false));
  return builder.CreateBinaryIntrinsic(Intrinsic::umin, blocks,
                                       builder.getInt32(1));
}
