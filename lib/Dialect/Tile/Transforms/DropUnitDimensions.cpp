//===- DropUnitDimensions.cpp - Rows of a program that takes one ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/UnitDimensions.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEDROPUNITDIMENSIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether nothing but rows and scalars is left.
static bool leavesRows(Operation *op) {
  auto isRow = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(dropUnitDims(type));
    return !tile || tile.getRank() == 1;
  };
  return mayDropUnitDims(op) && llvm::all_of(op->getOperandTypes(), isRow) &&
         llvm::all_of(op->getResultTypes(), isRow);
}

static bool hasUnitDims(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() > 1;
  });
}

namespace {
struct DropUnitDimensions
    : tilewright::tile::impl::TileDropUnitDimensionsBase<DropUnitDimensions> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel))
      return;
    bool isWanted = false, isPossible = true;
    typesBefore.clear();
    kernel.getBody().walk([&](Operation *op) {
      isWanted |= hasUnitDims(op);
      isPossible &= leavesRows(op);
      typesBefore[op] = llvm::to_vector(op->getOperandTypes());
    });
    if (isWanted && isPossible)
      rewrite(kernel.getBody());
  }

private:
  /// From what is used to who uses it: types of operands are new by then.
  void rewrite(Region &region) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        argument.setType(dropUnitDims(argument.getType()));
      for (Operation &op : llvm::make_early_inc_range(block))
        rewrite(&op);
    }
  }

  void rewrite(Operation *op) {
    SmallVector<Value> others = dropUnitDimsOf(op, typesBefore[op]);
    if (!others.empty()) {
      op->replaceAllUsesWith(others);
      op->erase();
      return;
    }
    for (Region &region : op->getRegions())
      rewrite(region);
  }

  DenseMap<Operation *, SmallVector<Type>> typesBefore;
};
} // namespace
