//===- SharedLoads.h - What a thread has loaded already ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a filter that has neighbours of an array reads each of them for
// itself, and for its neighbours on either side:
//
//      x[i + 0 .. i + 3]  in a vector, where i is a multiple of 4
//      x[i - 1], x[i], x[i + 1], x[i + 2]  one by one, each with its mask
//
// Three of these are in the vector. They are taken from there, or nothing where
// their mask is false, as long as nothing is written between the two. Loads
// with masks are PTX text, which LLVM neither compares nor moves.
//
// It runs first: LLVM makes other comparisons of the same masks.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_SHAREDLOADS_H
#define TILEWRIGHT_LIB_TARGET_SHAREDLOADS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class SharedLoadsPass : public llvm::PassInfoMixin<SharedLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_SHAREDLOADS_H
