//===- HalvesOfProducts.h - Both halves of a product at once ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash, or a remainder, wants both halves of products of 32 bits. LLVM takes
// the low one for a product of its own:
//
//      %w = mul i64 (zext %a), (zext %b)
//      %h = trunc (lshr %w, 32)
//      %l = mul i32 %a, %b              becomes      %l = trunc %w
//
// which is one mul.wide in place of a mul.hi and a mul.lo.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_HALVESOFPRODUCTS_H
#define TILEWRIGHT_LIB_TARGET_HALVESOFPRODUCTS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class HalvesOfProductsPass : public llvm::PassInfoMixin<HalvesOfProductsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_HALVESOFPRODUCTS_H
