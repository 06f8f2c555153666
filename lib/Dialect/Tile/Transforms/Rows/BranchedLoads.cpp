//===- BranchedLoads.cpp - Loads that a branch makes or leaves ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/BranchedLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether something in a branch keeps one of its loads behind it.
static bool keepsLoad(scf::IfOp branch, GlobalAccessOpInterface load) {
  return keepsBehind(
      branch, getRoot(findMemoryAccess(load, MemorySpace::Global)->base));
}

void tilewright::tile::loadWithoutBranch(
    scf::IfOp branch, function_ref<bool(GlobalAccessOpInterface)> isWanted) {
  if (branch.getElseRegion().empty())
    return;
  IRRewriter rewriter(branch);
  Block *body = branch.thenBlock();
  for (auto [result, loaded, other] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                       branch.elseYield().getOperands())) {
    auto load = loaded.getDefiningOp<GlobalAccessOpInterface>();
    SetVector<Operation *> slice;
    if (!load || load->getBlock() != body || !loaded.hasOneUse() ||
        !isPlainLoad(load) || !isWanted(load) || !isZero(other) ||
        keepsLoad(branch, load) || failed(addSlice(load, slice)) ||
        !llvm::all_of(slice, isComputation))
      continue;
    auto view = findMemoryAccess(load, MemorySpace::Global)
                    ->base.getDefiningOp<ViewOp>();
    if (!view || view.getShape().empty())
      continue;
    IRMapping mapping;
    rewriter.setInsertionPoint(branch);
    slice.insert(view);
    for (Operation *op : slice)
      rewriter.clone(*op, mapping);
    auto guarded = cast<ViewOp>(mapping.lookup(view.getOperation()));
    rewriter.setInsertionPoint(guarded);
    MutableOperandRange extents = guarded.getShapeMutable();
    OpOperand &extent = extents[extents.size() - 1];
    Value none = arith::ConstantIndexOp::create(rewriter, branch.getLoc(), 0);
    extent.set(arith::SelectOp::create(
        rewriter, branch.getLoc(), branch.getCondition(), extent.get(), none));
    rewriter.setInsertionPoint(branch);
    rewriter.replaceAllUsesWith(result,
                                rewriter.clone(*load, mapping)->getResult(0));
  }
  if (isOpTriviallyDead(branch))
    rewriter.eraseOp(branch);
}
