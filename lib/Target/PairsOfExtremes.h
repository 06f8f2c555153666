//===- PairsOfExtremes.h - The larger one by a sum --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What sorts wants the smaller and the larger of two integers, and comparing
// is the work of one unit of a multiprocessor. Both have the sum of the two in
// common, which another one can make:
//
//      %m = smin(%a, %b)
//      %n = smax(%a, %b)        becomes      %s = %a * %one + %b
//                                            %n = %m * -%one + %s
//
// where nobody but the GPU knows that %one is 1. Sums that wrap around are
// right, and so are two integers in a word, and the two words of a wide one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_PAIRSOFEXTREMES_H
#define TILEWRIGHT_LIB_TARGET_PAIRSOFEXTREMES_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class PairsOfExtremesPass : public llvm::PassInfoMixin<PairsOfExtremesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_PAIRSOFEXTREMES_H
