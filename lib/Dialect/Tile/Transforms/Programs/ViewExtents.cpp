//===- ViewExtents.cpp - Extents that are not negative --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs/ViewExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

bool tilewright::tile::isSize(Value value, const llvm::StringSet<> &negative) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  return kernel &&
         !negative.contains(kernel.getArgName(argument.getArgNumber()));
}

/// Whether it is negative only where such an argument is.
static bool isMadeOfSizes(Value extent, const llvm::StringSet<> &negative,
                          NumberRanges &ranges) {
  SmallVector<Value> open = {extent};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = stripCasts(open.pop_back_val());
    if (!seen.insert(value).second ||
        ranges.get(value).smin().isNonNegative() || isSize(value, negative))
      continue;
    Operation *op = value.getDefiningOp();
    if (!isa_and_present<arith::AddIOp, arith::MulIOp, arith::DivSIOp,
                         arith::CeilDivSIOp, arith::MinSIOp>(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

/// Whether it gives the same number as its operand, in more bits.
static bool isWidening(Operation *op) {
  return op && isSignedCast(op) &&
         (isa<arith::ExtSIOp>(op) || op->getResult(0).getType().isIndex());
}

/// The value, or 0. What is a number of few bits stays one, by which it is
/// compared.
static Value boundBelow(OpBuilder &builder, Location loc, Value value) {
  if (Operation *cast = value.getDefiningOp(); isWidening(cast)) {
    IRMapping bounded;
    bounded.map(cast->getOperand(0),
                boundBelow(builder, loc, cast->getOperand(0)));
    return builder.clone(*cast, bounded)->getResult(0);
  }
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(value.getType(), 0));
  return arith::MaxSIOp::create(builder, loc, value, zero);
}

void tilewright::tile::boundViewExtents(KernelOp kernel,
                                        const llvm::StringSet<> &negative) {
  NumberRanges ranges;
  kernel.walk([&](ViewOp view) {
    OpBuilder builder(view);
    for (OpOperand &extent : view.getShapeMutable()) {
      if (!isMadeOfSizes(extent.get(), negative, ranges))
        extent.set(boundBelow(builder, view.getLoc(), extent.get()));
    }
  });
}
