//===- AssignSharedLayouts.cpp - Layouts of shared tiles --------*- C++ -*-===//
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
    if (failed(checkSharedTiles(getOperation())))
      return signalPassFailure();
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
  /// Returns whether there were any.
  static bool dropMatrixLoads(ArrayRef<SharedAccessOpInterface> ops) {
    bool dropped = false;
    for (SharedAccessOpInterface op : ops) {
      auto load = dyn_cast<LocalLoadOp>(op.getOperation());
      if (!load || !load.getMatrix())
        continue;
      load.setMatrix(false);
      dropped = true;
    }
    return dropped;
  }

  LogicalResult assign(AllocSharedOp tile, SharedLayoutPolicy policy) {
    if (std::optional<StringRef> pinned = tile.getLayout())
      policy = llvm::cantFail(SharedLayoutPolicy::parse(*pinned)); // Verified.

    SmallVector<SharedAccessOpInterface> ops = getAccesses(tile);
    SmallVector<SharedAccess> accesses;
    for (SharedAccessOpInterface op : ops) {
      if (!getRegisterLayout(op.getTileType()))
        return op.emitError("needs a register layout before a shared layout "
                            "can be chosen: run tile-assign-register-layouts");
      accesses.push_back(describeSharedAccess(op, getTripCount(op).count));
    }
    FailureOr<ArrayRef<int64_t>> shape = getStageShape(tile);
    if (failed(shape))
      return failure();
    unsigned bytes = getElementBytes(tile.getType().getElementType());
    llvm::Expected<SharedLayoutChoice> choice =
        chooseSharedLayout(*shape, bytes, accesses, policy);
    if (!choice) {
      llvm::consumeError(choice.takeError());
      // Matrix loads ask much of a layout: rather ordinary loads than none.
      if (dropMatrixLoads(ops))
        return assign(tile, policy);
      return emitNoChoice(tile, *shape, ops, accesses, policy);
    }
    setLayout(tile,
              SharedLayoutAttr::get(&getContext(),
                                    choice->candidates[choice->winner].layout));
    tile->setAttr(kLayoutReasonAttr,
                  StringAttr::get(&getContext(), choice->reason));
    tile.emitRemark() << choice->reason;
    return success();
  }

  /// The shape of what a layout is for: one stage, where the tile is only used
  /// by stages, or the whole tile.
  static FailureOr<ArrayRef<int64_t>> getStageShape(AllocSharedOp tile) {
    ArrayRef<int64_t> shape = tile.getType().getShape();
    bool hasStages = llvm::any_of(tile->getUsers(), llvm::IsaPred<SubviewOp>);
    if (hasStages)
      for (Operation *user : tile->getUsers())
        if (!isa<SubviewOp>(user))
          return user->emitError("accesses all stages of a tile of which "
                                 "others take one: it has one layout, so use "
                                 "tile.subview everywhere or nowhere");
    // A tile that nothing uses has stages if it cannot be a tile otherwise.
    if (hasStages || !llvm::isPowerOf2_64(shape.front()))
      return shape.drop_front();
    return shape;
  }

  /// Says which access, the first in program order, leaves no layout for the
  /// tile; or that there is none even without accesses.
  static LogicalResult emitNoChoice(AllocSharedOp tile, ArrayRef<int64_t> shape,
                                    ArrayRef<SharedAccessOpInterface> ops,
                                    ArrayRef<SharedAccess> accesses,
                                    const SharedLayoutPolicy &policy) {
    unsigned bytes = getElementBytes(tile.getType().getElementType());
    for (size_t count = 0; count <= accesses.size(); ++count) {
      llvm::Expected<SharedLayoutChoice> choice =
          chooseSharedLayout(shape, bytes, accesses.take_front(count), policy);
      if (choice)
        continue;
      std::string why = llvm::toString(choice.takeError());
      if (count == 0)
        return tile.emitError(why);
      InFlightDiagnostic error =
          SharedAccessOpInterface(ops[count - 1])->emitError(why);
      error.attachNote(tile.getLoc()) << "the shared tile";
      return error;
    }
    llvm_unreachable("all accesses together leave no choice");
  }
};
} // namespace
