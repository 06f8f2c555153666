//===- RoundedSelects.h - Selected before it is rounded ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// instcombine rounds a number before it is selected, where the other one is a
// constant:
//
//      select(c, 0.0, x) as half      becomes      select(c, half 0, x as half)
//
// Two numbers are rounded by one instruction, which makes a word of them: they
// would be taken out of it, selected one by one, and put together again. So
// such selects are taken back.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_ROUNDEDSELECTS_H
#define TILEWRIGHT_LIB_TARGET_ROUNDEDSELECTS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class RoundedSelectsPass : public llvm::PassInfoMixin<RoundedSelectsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_ROUNDEDSELECTS_H
