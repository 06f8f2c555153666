//===- OperandMaking.cpp - What operands are computed from ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/OperandMaking.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether the op makes a tile, and not one of addresses.
static bool makesElements(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && !isa<PtrType>(tile.getElementType());
  });
}

static void addMaking(Value operand, Block *block,
                      SetVector<Operation *> &making) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == block && makesElements(op);
  };
  SetVector<Operation *> slice;
  if (succeeded(getBackwardSlice(operand, &slice, options)) &&
      llvm::none_of(slice, llvm::IsaPred<ProductOpInterface>))
    making.insert_range(slice);
}

SetVector<Operation *> tilewright::tile::findOperandMaking(Block *block) {
  SetVector<Operation *> making;
  for (auto product : block->getOps<ProductOpInterface>())
    for (Value operand : product->getOperands().take_front(2))
      addMaking(operand, block, making);
  return making;
}
