//===- InsertBarriers.cpp - Order of shared accesses ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEINSERTBARRIERS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// The touches since the last barrier on some way to here.
using Pending = SmallVector<MemoryTouch>;

/// A barrier orders all but copies that are under way.
static void passBarrier(Pending &pending) {
  llvm::erase_if(pending,
                 [](const MemoryTouch &touch) { return !touch.groupsSince; });
}

/// Applies `change` to each touch, and drops those that become equal.
static void update(Pending &pending, function_ref<void(MemoryTouch &)> change) {
  Pending changed;
  for (MemoryTouch touch : pending) {
    change(touch);
    if (!llvm::is_contained(changed, touch))
      changed.push_back(touch);
  }
  pending = std::move(changed);
}

/// Returns whether `into` grew.
static bool merge(Pending &into, const Pending &from) {
  size_t before = into.size();
  for (const MemoryTouch &touch : from)
    if (!llvm::is_contained(into, touch))
      into.push_back(touch);
  return into.size() != before;
}

/// What the body of `loop` computes names other elements in its next iteration.
static void passIteration(Pending &pending, Operation *loop) {
  update(pending, [&](MemoryTouch &touch) {
    if (llvm::any_of(touch.place, [&](Value value) {
          return loop->isAncestor(value.getParentRegion()->getParentOp());
        }))
      touch.place.clear();
  });
}

struct InsertBarriers
    : tilewright::tile::impl::TileInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    WalkResult unplaced = getOperation().walk([](Operation *op) {
      return succeeded(checkPlaced(op)) ? WalkResult::advance()
                                        : WalkResult::interrupt();
    });
    if (unplaced.wasInterrupted() || failed(checkSharedTiles(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](AsyncWaitOp wait) {
      mostGroups = std::max<int64_t>(mostGroups, wait.getPending() + 1);
    });
    Pending pending;
    visit(getOperation().getBody(), pending);
    if (!isLegal)
      return signalPassFailure();
    // Products of warpgroups read what a barrier hands on past the way that
    // threads write; which barrier did is not looked at.
    bool hasProducts =
        getOperation()
            .walk([](WarpgroupDotOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasProducts)
      getOperation().walk(
          [](BarrierOp barrier) { barrier.setAsyncProxy(true); });
  }

private:
  bool isLegal = true;
  /// As many groups after a copy as the laxest wait asks for; counting ends
  /// there.
  int64_t mostGroups = 1;

  /// Closes a group.
  void passCommit(Pending &pending) const {
    update(pending, [&](MemoryTouch &touch) {
      if (touch.groupsSince)
        touch.groupsSince = std::min(*touch.groupsSince + 1, mostGroups);
    });
  }

  /// The copies that a wait covers become writes like others.
  static void passWait(Pending &pending, int64_t groupsLeft) {
    update(pending, [&](MemoryTouch &touch) {
      if (touch.groupsSince && *touch.groupsSince > groupsLeft)
        touch.groupsSince.reset();
    });
  }

  /// What the passes before this one must have decided.
  static LogicalResult checkPlaced(Operation *op) {
    auto tile = dyn_cast<AllocSharedOp>(op);
    if (tile && (!tile.getOffset() || !tile.getType().getLayout()))
      return op->emitOpError(
          "needs its layout and its bytes before barriers can "
          "be placed: run tile-assign-shared-layouts and "
          "tile-allocate-shared");
    if (isa<ChannelOp>(op))
      return op->emitOpError(
          "orders copies in a way that barriers know nothing "
          "of: run tile-lower-channels");
    auto access = dyn_cast<SharedAccessOpInterface>(op);
    if (access && !getRegisterLayout(access.getTileType()))
      return op->emitOpError("needs a register layout before barriers can be "
                             "placed: run tile-assign-register-layouts");
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        return op->emitOpError("has a region of several blocks: barriers are "
                               "placed in structured control flow only");
    return success();
  }

  /// Walks a region once from `pending`, placing barriers; leaves in `pending`
  /// what is pending at its end.
  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op, pending);
  }

  void access(Operation *op, ArrayRef<MemoryTouch> touches, Pending &pending) {
    auto anyPair = [&](bool (MemoryTouch::*relates)(const MemoryTouch &)
                           const) {
      return llvm::any_of(touches, [&](const MemoryTouch &touch) {
        return llvm::any_of(pending, [&](const MemoryTouch &earlier) {
          return (earlier.*relates)(touch);
        });
      });
    };
    if (anyPair(&MemoryTouch::isOverwrittenUnderWay)) {
      op->emitOpError(
          "uses the bytes of another tile into which a copy is under "
          "way: wait for it first (tile.async_wait 0)");
      isLegal = false;
    }
    if (anyPair(&MemoryTouch::needsBarrierBefore)) {
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc());
      passBarrier(pending);
    }
    for (const MemoryTouch &touch : touches)
      if (!llvm::is_contained(pending, touch))
        pending.push_back(touch);
  }

  void visit(Operation *op, Pending &pending) {
    if (isa<BarrierOp>(op))
      return passBarrier(pending);
    if (isa<AsyncCommitOp>(op))
      return passCommit(pending);
    if (auto wait = dyn_cast<AsyncWaitOp>(op))
      return passWait(pending, wait.getPending());
    SmallVector<MemoryTouch, 2> touches = getTouches(op);
    if (!touches.empty())
      return access(op, touches, pending);
    if (op->getNumRegions() == 0)
      return;
    if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op)) {
      // One region runs; an empty one hands on what it gets.
      Pending exits;
      for (Region &region : op->getRegions()) {
        Pending exit = pending;
        visit(region, exit);
        merge(exits, exit);
      }
      pending = exits;
      return;
    }
    // A region may run after itself, after another one, or not at all: walk
    // until what is pending at its beginning is all that can be. Barriers
    // placed on the way stay right: more can be pending, never less.
    Pending entry = pending;
    bool changed = true;
    while (changed) {
      changed = false;
      for (Region &region : op->getRegions()) {
        Pending exit = entry;
        visit(region, exit);
        passIteration(exit, op);
        changed |= merge(entry, exit);
      }
    }
    pending = entry;
  }
};
} // namespace
