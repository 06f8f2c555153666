//===- SinkScalars.cpp - Numbers computed while products run --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESINKSCALARS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether products that the loop issues may be under way behind it.
static bool leavesProductsUnderWay(LoopLikeOpInterface loop) {
  return llvm::any_of(loop.getLoopRegions(), [](Region *region) {
    return llvm::any_of(region->getOps(), [](Operation &op) {
      return endsWith(&op, AccessEnd::WithProduct);
    });
  });
}

static bool isScalar(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Whether the results are used behind the loop only.
static bool isForLater(Operation *op, Operation *loop) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *inBlock = loop->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && loop->isBeforeInBlock(inBlock);
  });
}

/// The other team does not wait for scalars.
static Operation *getPlaceBehind(Operation *loop) {
  return isa<TeamLeaveOp>(loop->getNextNode()) ? loop->getNextNode() : loop;
}

namespace {
struct SinkScalars : tilewright::tile::impl::TileSinkScalarsBase<SinkScalars> {
  void runOnOperation() override {
    SmallVector<LoopLikeOpInterface> loops;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      if (leavesProductsUnderWay(loop))
        loops.push_back(loop);
    });
    for (LoopLikeOpInterface loop : loops) {
      auto before = llvm::make_range(std::next(loop->getReverseIterator()),
                                     loop->getBlock()->rend());
      for (Operation &op : llvm::make_early_inc_range(before))
        if (isScalar(&op) && isForLater(&op, loop))
          op.moveAfter(getPlaceBehind(loop));
    }
  }
};
} // namespace
