//===- Convergence.cpp - What all threads of a warp do together -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convergence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace tilewright;

/// PTX marks what waits for other threads `.sync`, and what all of a warp must
/// execute alike `.aligned`.
static bool isCollective(StringRef ptx) {
  return ptx.contains(".sync") || ptx.contains(".aligned");
}

static bool isCollective(const CallBase &call) {
  if (const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return isCollective(text->getAsmString());
  const Function *callee = call.getCalledFunction();
  static constexpr StringLiteral prefixes[] = {
      "llvm.nvvm.mma.",   "llvm.nvvm.ldmatrix.", "llvm.nvvm.stmatrix.",
      "llvm.nvvm.wgmma.", "llvm.nvvm.shfl.",     "llvm.nvvm.barrier"};
  return callee && any_of(prefixes, [&](StringRef prefix) {
           return callee->getName().starts_with(prefix);
         });
}

void tilewright::markConvergent(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && isCollective(*call))
        call->setConvergent();
}
