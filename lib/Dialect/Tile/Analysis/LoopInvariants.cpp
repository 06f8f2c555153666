//===- LoopInvariants.cpp - What is the same in all trips -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/LoopInvariants.h"

#include "tilewright/Dialect/Tile/IR/Slices.h"

using namespace mlir;
using namespace tilewright::tile;

bool LoopInvariants::contains(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || !isComputation(op))
    return false;
  if (auto found = known.find(op); found != known.end())
    return found->second;
  bool isSame = llvm::all_of(
      op->getOperands(), [this](Value operand) { return contains(operand); });
  return known[op] = isSame;
}

void LoopInvariants::hoist(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    hoist(operand);
  op->moveBefore(loop);
}
