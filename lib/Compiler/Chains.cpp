//===- Chains.cpp - Ops that are computed of one another --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chains.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

LogicalResult tilewright::checkChains(KernelOp kernel) {
  // How many ops stand one behind the other up to this one.
  DenseMap<Operation *, unsigned> lengths;
  auto lengthOf = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return lengths.lookup(maker ? maker
                                : value.getParentBlock()->getParentOp());
  };
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) -> WalkResult {
        unsigned before = 0;
        for (Value operand : op->getOperands())
          before = std::max(before, lengthOf(operand));
        lengths[op] = before + 1;
        // What a region ends with, its op gives.
        if (op->hasTrait<OpTrait::IsTerminator>()) {
          unsigned &around = lengths[op->getParentOp()];
          around = std::max(around, before + 1);
        }
        if (before < kMostOpsOfChain)
          return success();
        return op->emitError("more than ")
               << kMostOpsOfChain
               << " ops stand in a chain here, each computed of the one before "
                  "it, which is more than the compiler follows: write a loop "
                  "of run time, or several kernels";
      });
  return failure(result.wasInterrupted());
}
