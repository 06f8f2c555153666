//===- Slices.cpp - What ops are made of ----------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/Slices.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

bool tilewright::tile::isComputation(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op);
}

LogicalResult tilewright::tile::addSlice(Operation *op,
                                         SetVector<Operation *> &slice) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *maker) {
    return maker->getBlock() == op->getBlock();
  };
  return getBackwardSlice(op, &slice, options);
}
