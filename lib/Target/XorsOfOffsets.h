//===- XorsOfOffsets.h - Constants leave xors last --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a thread have offsets of one sum and a constant each, which
// LLVM writes as an or, since they have no bits in common. What hashes offsets
// then has an or and an xor for each element. For ors of such bits are xors,
//
//      (base | 1) ^ x        becomes       (base ^ x) ^ 1
//      (base | 2) ^ x                      (base ^ x) ^ 2
//
// which early-cse makes one xor of all and one of each. instcombine does this
// with sums of constants, but not across the two. The same of what is compared
// with a number: which element has it is asked of the constants,
//
//      (base | 1) == x       becomes       (base ^ x) == 1
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_XORSOFOFFSETS_H
#define TILEWRIGHT_LIB_TARGET_XORSOFOFFSETS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class XorsOfOffsetsPass : public llvm::PassInfoMixin<XorsOfOffsetsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_XORSOFOFFSETS_H
