//===- ShufflesOfShuffles.h - Exchanges of several bits ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles exchange elements by one bit of their place after the other, so that
// lanes that mirror a row have a shuffle for each of its bits. One will do:
//
//      %b = shfl.bfly %a, 1
//      %c = shfl.bfly %b, 2        becomes     %c = shfl.bfly %a, 3
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_SHUFFLESOFSHUFFLES_H
#define TILEWRIGHT_LIB_TARGET_SHUFFLESOFSHUFFLES_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class ShufflesOfShufflesPass
    : public llvm::PassInfoMixin<ShufflesOfShufflesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_SHUFFLESOFSHUFFLES_H
