//===- BytesOfWords.h - Two words made of bytes of four ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where bytes are transposed in registers, words take one byte of each of four
// others. A prmt takes bytes of two, so that one such word is three of them.
// Two words of the same four are four of them together, as halves are put
// together first, of both words at once:
//
//      a0 b0 a1 b1         = prmt(a, b)        for the first and second word
//      c0 d0 c1 d1         = prmt(c, d)
//      a0 b0 c0 d0         = prmt of both
//      a1 b1 c1 d1         = prmt of both
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_BYTESOFWORDS_H
#define TILEWRIGHT_LIB_TARGET_BYTESOFWORDS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class BytesOfWordsPass : public llvm::PassInfoMixin<BytesOfWordsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_BYTESOFWORDS_H
