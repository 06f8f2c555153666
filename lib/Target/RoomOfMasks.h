//===- RoomOfMasks.h - What is left, for many masks at once -----*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that has single elements of rows asks of each whether its row is
// inside of a view, and its column:
//
//      row < rows && (column | 32) < columns
//
// The first is the same for all elements of a row, and the columns are
// constants apart. So for each row a number says how many columns there are
// from the thread's first one to the end, none where the row is outside:
//
//      room = row < rows ? columns - column : 0        (not below 0)
//      32 < room
//
// That is an instruction for each element in place of three, with a constant in
// it. ptxas makes it again where a store asks again, and moves such a predicate
// to a register and back if it takes more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_TARGET_ROOMOFMASKS_H
#define TILEWRIGHT_LIB_TARGET_ROOMOFMASKS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

class RoomOfMasksPass : public llvm::PassInfoMixin<RoomOfMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_ROOMOFMASKS_H
