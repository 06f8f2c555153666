//===- InsertBarriers.cpp - Order of shared accesses ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEINSERTBARRIERS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// Shared bytes that an access touches, and by which threads.
struct Touch {
  int64_t begin, end;
  bool isWrite;
  /// Which elements each thread touches: two accesses to one tile in one
  /// layout stay within each thread, unless several threads hold an element.
  Value sharedTile;
  RegisterLayoutAttr registers;
  /// Of an asynchronous copy that may be under way: how many groups were closed
  /// since it began, its own among them. No barrier orders it.
  std::optional<int64_t> groupsSince = std::nullopt;

  bool operator==(const Touch &other) const {
    return begin == other.begin && end == other.end &&
           isWrite == other.isWrite && sharedTile == other.sharedTile &&
           registers == other.registers && groupsSince == other.groupsSince;
  }

  bool needsBarrierBefore(const Touch &later) const {
    if (groupsSince || (!isWrite && !later.isWrite))
      return false;
    if (end <= later.begin || later.end <= begin)
      return false;
    bool staysInThreads = sharedTile == later.sharedTile &&
                          registers == later.registers &&
                          registers.getLayout().isInjective();
    return !staysInThreads;
  }
};

/// The touches since the last barrier on some way to here.
using Pending = SmallVector<Touch>;

/// A barrier orders all but copies that are under way.
static void passBarrier(Pending &pending) {
  llvm::erase_if(pending,
                 [](const Touch &touch) { return !touch.groupsSince; });
}

/// Applies `change` to each touch, and drops those that become equal.
static void update(Pending &pending, function_ref<void(Touch &)> change) {
  Pending changed;
  for (Touch touch : pending) {
    change(touch);
    if (!llvm::is_contained(changed, touch))
      changed.push_back(touch);
  }
  pending = std::move(changed);
}

/// Returns whether `into` grew.
static bool merge(Pending &into, const Pending &from) {
  size_t before = into.size();
  for (const Touch &touch : from)
    if (!llvm::is_contained(into, touch))
      into.push_back(touch);
  return into.size() != before;
}

/// The bytes of one stage, or of all where the stage is not a constant.
static Touch describe(SharedAccessOpInterface access) {
  AllocSharedOp tile = getAllocation(access.getSharedTile());
  int64_t begin = *tile.getOffset();
  int64_t end = begin + tile.getType().getSizeInBytes();
  Value shared = access.getSharedTile();
  if (auto subview = shared.getDefiningOp<SubviewOp>()) {
    APInt stage;
    if (matchPattern(subview.getStage(), m_ConstantInt(&stage))) {
      begin += stage.getSExtValue() * tile.getType().getStageBytes();
      end = begin + tile.getType().getStageBytes();
    }
  }
  return {begin, end, access.isStore(), shared,
          getRegisterLayout(access.getTileType())};
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
  }

private:
  /// As many groups after a copy as the laxest wait asks for; counting ends
  /// there.
  int64_t mostGroups = 1;

  /// Closes a group.
  void passCommit(Pending &pending) const {
    update(pending, [&](Touch &touch) {
      if (touch.groupsSince)
        touch.groupsSince = std::min(*touch.groupsSince + 1, mostGroups);
    });
  }

  /// The copies that a wait covers become writes like others.
  static void passWait(Pending &pending, int64_t groupsLeft) {
    update(pending, [&](Touch &touch) {
      if (touch.groupsSince && *touch.groupsSince > groupsLeft)
        touch.groupsSince.reset();
    });
  }

  /// What the passes before this one must have decided.
  static LogicalResult checkPlaced(Operation *op) {
    auto tile = dyn_cast<AllocSharedOp>(op);
    if (tile && (!tile.getOffset() || !tile.getType().getLayout()))
      return op->emitError("needs its layout and its bytes before barriers can "
                           "be placed: run tile-assign-shared-layouts and "
                           "tile-allocate-shared");
    auto access = dyn_cast<SharedAccessOpInterface>(op);
    if (access && !getRegisterLayout(access.getTileType()))
      return op->emitError("needs a register layout before barriers can be "
                           "placed: run tile-assign-register-layouts");
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        return op->emitError("has a region of several blocks: barriers are "
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

  void visit(Operation *op, Pending &pending) {
    if (isa<BarrierOp>(op))
      return passBarrier(pending);
    if (isa<AsyncCommitOp>(op))
      return passCommit(pending);
    if (auto wait = dyn_cast<AsyncWaitOp>(op))
      return passWait(pending, wait.getPending());
    if (auto access = dyn_cast<SharedAccessOpInterface>(op)) {
      Touch touch = describe(access);
      if (llvm::any_of(pending, [&](const Touch &earlier) {
            return earlier.needsBarrierBefore(touch);
          })) {
        OpBuilder builder(op);
        BarrierOp::create(builder, op->getLoc());
        passBarrier(pending);
      }
      if (isa<CopyAsyncOp>(op))
        touch.groupsSince = 0;
      if (!llvm::is_contained(pending, touch))
        pending.push_back(touch);
      return;
    }
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
        changed |= merge(entry, exit);
      }
    }
    pending = entry;
  }
};
} // namespace
