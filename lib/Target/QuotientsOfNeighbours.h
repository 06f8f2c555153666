//===- QuotientsOfNeighbours.h - Quotients by the first one -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that has neighbours of an array, and asks for the row and the column
// of each, divides each by an argument, which takes 20 instructions:
//
//      %q0 = sdiv %x, %d,  %q1 = sdiv %x + 1, %d,  ...  and their remainders
//
// Where %x is not negative, and %d at least as much as there are neighbours,
// the row ends once at the most:
//
//      %r0 = %x - %q0 * %d
//      %ends = %r0 + 1 >= %d
//      %q1 = %q0 + %ends,  %r1 = %r0 + 1 - (%ends ? %d : 0)
//
// All others divide, in a branch. Remainders of neighbours are neighbours again
// where no row ends between the first one and the last one, so that columns and
// planes of several dimensions follow.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_QUOTIENTSOFNEIGHBOURS_H
#define TILEWRIGHT_LIB_TARGET_QUOTIENTSOFNEIGHBOURS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class QuotientsOfNeighboursPass
    : public llvm::PassInfoMixin<QuotientsOfNeighboursPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_QUOTIENTSOFNEIGHBOURS_H
