//===- QuotientsOfCounts.h - Divisions by how many there are ----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who combines means divides by how many elements they are of. div.full scales
// operands whose reciprocal would be too small or too large, eight instructions
// in all. A count is a whole number from 0 to 2^24, which needs none of that:
//
//      %a = uitofp i1 %p                 %a = select i1 %p, 1.0, 0.0
//      %n = fadd %a, 3.0                 %n = select i1 %p, 4.0, 3.0
//      %q = div.full(%a, %n)             %q = select i1 %p, 0.25, 0.0
//      %z = fcmp oeq %n, 0.0   becomes   false
//      %m = fadd %n, %b                  %m = fadd %n, %b
//      %r = div.full(%b, %m)             %r = div.approx.ftz(%b, %m)
//
// Both have the same bits then, but for quotients of constants, which are
// rounded once. Conversions are those that ArithToNVVM writes, which LLVM does
// not know.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_QUOTIENTSOFCOUNTS_H
#define TILEWRIGHT_LIB_TARGET_QUOTIENTSOFCOUNTS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class QuotientsOfCountsPass
    : public llvm::PassInfoMixin<QuotientsOfCountsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_QUOTIENTSOFCOUNTS_H
