//===- MasksOfOffsets.h - Masks by places, not by what is left --*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of a view that begins at `start` has what is left of the view, from
// there to its end, and a thread's offset is inside if it is less:
//
//      start < end && offset < end - start (without a sign)
//
// Where start and offset have no bits in common, and the offset no sign, that
// is `(start | offset) < end`: a comparison for two and a difference, and the
// sum is often there already. It is computed in an IMAD, for which the pipe of
// comparisons, logic and shifts has no work. Addresses made of both take the
// sum, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_MASKSOFOFFSETS_H
#define TILEWRIGHT_LIB_TARGET_MASKSOFOFFSETS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class MasksOfOffsetsPass : public llvm::PassInfoMixin<MasksOfOffsetsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_MASKSOFOFFSETS_H
