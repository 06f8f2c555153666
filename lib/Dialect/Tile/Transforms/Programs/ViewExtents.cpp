//===- ViewExtents.cpp - Extents that are not negative --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs/ViewExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether it is negative only where an argument is, or a number in memory.
static bool isMadeOfSizes(Value extent, NumberRanges &ranges) {
  SmallVector<Value> open = {extent};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = stripCasts(open.pop_back_val());
    if (!seen.insert(value).second || ranges.get(value).smin().isNonNegative())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (!isa<KernelOp>(value.getParentBlock()->getParentOp()))
        return false;
      continue;
    }
    if (!getMemoryAccesses(op).empty())
      continue;
    if (!isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp,
             arith::MinSIOp>(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

void tilewright::tile::boundViewExtents(KernelOp kernel) {
  NumberRanges ranges;
  kernel.walk([&](ViewOp view) {
    OpBuilder builder(view);
    for (OpOperand &extent : view.getShapeMutable()) {
      if (isMadeOfSizes(extent.get(), ranges))
        continue;
      Value zero = arith::ConstantIndexOp::create(builder, view.getLoc(), 0);
      extent.set(
          arith::MaxSIOp::create(builder, view.getLoc(), extent.get(), zero));
    }
  });
}
