//===- AssignSharedLayouts.cpp - Where elements stand in shared memory  -*- C++
//-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/SharedLayoutChoice.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEASSIGNSHAREDLAYOUTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Gives the type of a shared tile, and of its subviews, the layout.
static void setLayout(Value sharedTile, SharedLayoutAttr layout) {
  auto type = cast<SharedType>(sharedTile.getType());
  sharedTile.setType(type.withLayout(layout));
  for (Operation *user : sharedTile.getUsers())
    if (auto subview = dyn_cast<SubviewOp>(user))
      setLayout(subview.getResult(), layout);
}

namespace {
struct AssignSharedLayouts
    : tilewright::tile::impl::TileAssignSharedLayoutsBase<AssignSharedLayouts> {
  using TileAssignSharedLayoutsBase::TileAssignSharedLayoutsBase;

  void runOnOperation() override {
    llvm::Expected<SharedLayoutPolicy> policy =
        SharedLayoutPolicy::parse(layout);
    if (!policy) {
      getOperation().emitError(llvm::toString(policy.takeError()));
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](AllocSharedOp tile) {
      bool isFinal = static_cast<bool>(tile.getType().getLayout());
      return isFinal || succeeded(assign(tile, *policy))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult assign(AllocSharedOp tile, SharedLayoutPolicy policy) {
    if (std::optional<StringRef> pinned = tile.getLayout())
      policy = llvm::cantFail(SharedLayoutPolicy::parse(*pinned)); // Verified.

    SmallVector<SharedAccessOpInterface> ops = getAccesses(tile);
    SmallVector<SharedAccess> accesses;
    ArrayRef<int64_t> shape = tile.getType().getShape();
    for (SharedAccessOpInterface op : ops) {
      if (!getRegisterLayout(op.getTileType()))
        return op.emitError("needs a register layout before a shared layout "
                            "can be chosen: run tile-assign-register-layouts");
      accesses.push_back(describeSharedAccess(op, getTripCount(op)));
      shape = op.getTileType().getShape(); // Without stages.
    }
    unsigned bytes = getElementBytes(tile.getType().getElementType());
    llvm::Expected<SharedLayoutChoice> choice =
        chooseSharedLayout(shape, bytes, accesses, policy);
    if (!choice)
      return tile.emitError(llvm::toString(choice.takeError()));
    setLayout(tile,
              SharedLayoutAttr::get(&getContext(),
                                    choice->candidates[choice->winner].layout));
    tile->setAttr(kLayoutReasonAttr,
                  StringAttr::get(&getContext(), choice->reason));
    tile.emitRemark() << choice->reason;
    return success();
  }
};
} // namespace
