//===- InsertBarriers.cpp - Order of accesses by threads ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Shared/AsyncProxy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include <algorithm>

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEINSERTBARRIERS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// The touches since the last barrier on some way to here.
using Pending = SmallVector<MemoryTouch>;

/// A barrier orders all but copies that are under way. Behind one of each warp
/// or warpgroup, others may still touch what they do.
static void passBarrier(Pending &pending, BarrierScope scope) {
  if (scope == BarrierScope::Program)
    llvm::erase_if(pending,
                   [](const MemoryTouch &touch) { return !touch.groupsSince; });
  for (MemoryTouch &touch : pending)
    if (!touch.groupsSince)
      touch.orderedIn = std::max(touch.orderedIn, scope);
}

static void createBarrier(Operation *before, BarrierScope scope) {
  OpBuilder builder(before);
  BarrierOp::create(builder, before->getLoc(), /*async_proxy=*/false,
                    IntegerAttr(), scope == BarrierScope::Warpgroup,
                    scope == BarrierScope::Warp);
}

/// Applies `change` to each touch, and drops those that become equal: none as
/// long as none has changed.
static void update(Pending &pending, function_ref<void(MemoryTouch &)> change) {
  Pending updated;
  bool isSame = true;
  for (const MemoryTouch &old : pending) {
    MemoryTouch touch = old;
    change(touch);
    isSame = isSame && touch == old;
    if (isSame || !llvm::is_contained(updated, touch))
      updated.push_back(std::move(touch));
  }
  pending = std::move(updated);
}

/// Returns whether `into` grew. Both mostly begin with what was pending before
/// a branch, which may be much: that is not looked for.
static bool merge(Pending &into, const Pending &from) {
  size_t before = into.size();
  auto [known, news] =
      std::mismatch(into.begin(), into.end(), from.begin(), from.end());
  bool hasRest = known != into.end();
  for (const MemoryTouch &touch : llvm::make_range(news, from.end()))
    if (!hasRest || !llvm::is_contained(into, touch))
      into.push_back(touch);
  return into.size() != before;
}

/// Programs that one block runs one after the other have no order in global
/// memory, as those of several blocks have none.
static void passIteration(Pending &pending, Operation *loop) {
  if (isOverPrograms(loop))
    llvm::erase_if(pending,
                   [](const MemoryTouch &touch) { return touch.isGlobal; });
  update(pending, [&](MemoryTouch &touch) { touch.passIteration(loop); });
}

/// The widest barrier in front of each op that needs one.
using Barriers = SmallVector<std::pair<Operation *, BarrierScope>, 0>;

/// What a loop comes to, by what is pending in front of it and the barriers
/// that are known to be needed in it. Loops in loops are asked for the same
/// again and again: for each iteration of those around them that brings
/// something new, with a barrier in front of these and without.
struct LoopVisit {
  struct State {
    Pending pending;
    /// In the loop, and in front of it.
    Barriers barriers;
    bool operator==(const State &other) const {
      return barriers == other.barriers && pending == other.pending;
    }
  };
  State before, behind;
};

struct InsertBarriers
    : tilewright::tile::impl::TileInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    WalkResult unplaced = getOperation().walk([](Operation *op) {
      return succeeded(checkPlaced(op)) ? WalkResult::advance()
                                        : WalkResult::interrupt();
    });
    if (unplaced.wasInterrupted() || failed(checkSharedTiles(getOperation())) ||
        failed(checkMemoryAccesses(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](MemoryOrderOpInterface op) {
      mostGroups = std::max(mostGroups, op.getMemoryOrder().pending + 1);
    });
    barriers.clear();
    visits.clear();
    Pending pending;
    visit(getOperation().getBody(), pending);
    if (!isLegal)
      return signalPassFailure();
    for (auto [op, scope] : getBarriers(getOperation()))
      createBarrier(op, scope);
    markAsyncProxy(getOperation());
  }

private:
  bool isLegal = true;
  /// They become ops once all are known.
  DenseMap<Operation *, BarrierScope> barriers;
  DenseMap<Operation *, SmallVector<LoopVisit, 0>> visits;
  /// As many groups after a copy as the laxest wait asks for; counting ends
  /// there.
  int64_t mostGroups = 1;

  /// Closes a group of copies, or of products.
  void passCommit(Pending &pending, AccessEnd end) const {
    update(pending, [&](MemoryTouch &touch) {
      if (touch.end == end && touch.groupsSince)
        touch.groupsSince = std::min(*touch.groupsSince + 1, mostGroups);
    });
  }

  /// What a wait covers becomes an access like others.
  static void passWait(Pending &pending, AccessEnd end, int64_t groupsLeft) {
    update(pending, [&](MemoryTouch &touch) {
      if (touch.end == end && touch.groupsSince &&
          *touch.groupsSince > groupsLeft)
        touch.groupsSince.reset();
    });
  }

  /// Tiles that are stored were read; whether they are written is not known.
  static void passReads(Pending &pending) {
    update(pending, [](MemoryTouch &touch) {
      if (touch.end == AccessEnd::WithStore && !touch.isGlobal)
        touch.groupsSince.reset();
    });
  }

  /// Whether filler and reader wait for one another, and for nobody else.
  static bool isByMbarriers(HandOverOpInterface op) {
    auto channel = op.getChannel().getDefiningOp<ChannelOp>();
    return channel && channel.getMbarriers();
  }

  /// What the passes before this one must have decided.
  static LogicalResult checkPlaced(Operation *op) {
    auto tile = dyn_cast<AllocSharedOp>(op);
    if (tile && (!tile.getOffset() || !tile.getType().getLayout()))
      return op->emitOpError(
          "needs its layout and its bytes before barriers can "
          "be placed: run tile-assign-shared-layouts and "
          "tile-allocate-shared");
    auto handOver = dyn_cast<HandOverOpInterface>(op);
    if (handOver && !isByMbarriers(handOver))
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

  void place(Operation *before, BarrierScope scope) {
    BarrierScope &widest = barriers[before];
    widest = std::max(widest, scope);
  }

  /// Those in front of `op` and in it.
  Barriers getBarriers(Operation *op) const {
    Barriers within;
    op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
      if (BarrierScope scope = barriers.lookup(nested);
          scope != BarrierScope::None)
        within.emplace_back(nested, scope);
    });
    return within;
  }

  /// Puts these in place of those that are in front of `op` and in it.
  void setBarriers(Operation *op, const Barriers &within) {
    op->walk([&](Operation *nested) { barriers.erase(nested); });
    barriers.insert(within.begin(), within.end());
  }

  /// Walks a region once from `pending`, placing barriers; leaves in `pending`
  /// what is pending at its end.
  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op, pending);
  }

  void access(Operation *op, ArrayRef<MemoryTouch> touches, Pending &pending) {
    bool isOverwritten = false;
    BarrierScope scope = BarrierScope::None;
    for (const MemoryTouch &touch : touches)
      for (const MemoryTouch &earlier : pending) {
        isOverwritten |= earlier.isOverwrittenUnderWay(touch);
        scope = std::max(scope, earlier.getBarrierBefore(touch));
      }
    if (isOverwritten) {
      bool isGlobal = !findMemoryAccess(op, MemorySpace::Shared);
      op->emitOpError(
          isGlobal ? "uses global memory that a copy under way "
                     "may still touch"
                   : "uses bytes that a copy or a product under way may still "
                     "touch")
          << ": wait for it first (tile.async_wait 0, tile.dot_wait 0, "
             "tile.store_tma_wait)";
      isLegal = false;
    }
    if (scope != BarrierScope::None) {
      if (std::optional<ApartRange> range =
              findApartRange(op, touches, pending)) {
        placeOutside(*range, op);
      } else {
        place(op, scope);
        passBarrier(pending, scope);
      }
    }
    if (llvm::any_of(touches, [](const MemoryTouch &touch) {
          return touch.end == AccessEnd::WithProduct;
        }))
      passCommit(pending, AccessEnd::WithProduct);
    for (const MemoryTouch &touch : touches)
      if (!llvm::is_contained(pending, touch))
        pending.push_back(touch);
  }

  /// For which values of one number of the launch no pair of touches needs a
  /// barrier that needs one for others.
  static std::optional<ApartRange> findApartRange(Operation *op,
                                                  ArrayRef<MemoryTouch> touches,
                                                  const Pending &pending) {
    std::optional<ApartRange> all;
    // Elsewhere ops are visited more than once.
    if (!isa<KernelOp>(op->getParentOp()))
      return all;
    for (const MemoryTouch &earlier : pending)
      for (const MemoryTouch &touch : touches) {
        if (!earlier.needsBarrierBefore(touch))
          continue;
        std::optional<ApartRange> range = earlier.findApartRange(touch);
        if (!range || (all && all->number != range->number))
          return std::nullopt;
        if (!all)
          all = range;
        all->least = std::max(all->least, range->least);
        all->most = std::min(all->most, range->most);
      }
    return all && all->least <= all->most ? all : std::nullopt;
  }

  /// A barrier for the values that are not in the range. What is pending stays
  /// so: others may not have met here.
  static void placeOutside(const ApartRange &range, Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Type type = range.number.getType();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(type, value));
    };
    Value above = arith::SubIOp::create(builder, loc, range.number,
                                        constant(range.least));
    Value isOutside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, above,
                              constant(range.most - range.least));
    auto branch = scf::IfOp::create(builder, loc, isOutside,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    BarrierOp::create(builder, loc, /*async_proxy=*/false, IntegerAttr());
  }

  void order(const MemoryOrder &order, Pending &pending) const {
    switch (order.kind) {
    case MemoryOrder::Kind::Barrier:
      return passBarrier(pending, BarrierScope::Program);
    case MemoryOrder::Kind::WarpgroupBarrier:
      return passBarrier(pending, BarrierScope::Warpgroup);
    case MemoryOrder::Kind::WarpBarrier:
      return passBarrier(pending, BarrierScope::Warp);
    case MemoryOrder::Kind::CloseGroup:
      return passCommit(pending, AccessEnd::WithGroup);
    case MemoryOrder::Kind::WaitForGroups:
      return passWait(pending, AccessEnd::WithGroup, order.pending);
    case MemoryOrder::Kind::WaitForProducts:
      return passWait(pending, AccessEnd::WithProduct, order.pending);
    case MemoryOrder::Kind::WaitForStores:
      return passWait(pending, AccessEnd::WithStore, /*groupsLeft=*/0);
    case MemoryOrder::Kind::WaitForReads:
      return passReads(pending);
    case MemoryOrder::Kind::HandOver:
      return; // By mbarriers, which order the slot alone.
    }
  }

  /// Who gets the only slot of a channel with mbarriers gets it when all
  /// threads have released it: whatever they did to it is over.
  static void passHandOver(SharedPartOpInterface op, Pending &pending) {
    for (OpResult part : op->getResults()) {
      AllocSharedOp tile = getAllocation(part);
      if (tile.getType().getNumStages() == 1)
        llvm::erase_if(pending, [&](const MemoryTouch &touch) {
          return touch.allocation == tile && !touch.groupsSince;
        });
    }
  }

  void visit(Operation *op, Pending &pending) {
    if (auto placed = barriers.find(op); placed != barriers.end())
      passBarrier(pending, placed->second);
    if (auto orderOp = dyn_cast<MemoryOrderOpInterface>(op)) {
      if (auto slot = dyn_cast<SharedPartOpInterface>(op))
        passHandOver(slot, pending);
      return order(orderOp.getMemoryOrder(), pending);
    }
    SmallVector<MemoryTouch, 2> touches = getTouches(op);
    if (!touches.empty())
      return access(op, touches, pending);
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      branch.hasLoop() ? visitLoop(branch, pending)
                       : visitRegions(branch, pending);
    // Those who only copy meet the others at hand-overs.
    if (auto roles = dyn_cast<RolesOp>(op))
      visit(roles.getMain(), pending);
  }

  void visitLoop(RegionBranchOpInterface loop, Pending &pending) {
    LoopVisit visit;
    visit.before = {pending, getBarriers(loop)};
    for (const LoopVisit &known : visits[loop])
      if (known.before == visit.before) {
        pending = known.behind.pending;
        return setBarriers(loop, known.behind.barriers);
      }
    placeIn(loop, pending);
    visit.behind = {pending, getBarriers(loop)};
    visits[loop].push_back(std::move(visit));
  }

  /// Visits a loop; returns the ops in front of which this has placed barriers.
  Barriers placeNews(RegionBranchOpInterface loop, Pending &pending) {
    Barriers before = getBarriers(loop);
    visitRegions(loop, pending);
    Barriers news = getBarriers(loop);
    llvm::erase_if(news, [&](const auto &barrier) {
      return llvm::is_contained(before, barrier);
    });
    return news;
  }

  /// One barrier in front of a loop is better than one in each of its
  /// iterations, where that is there for what was before the loop alone.
  void placeIn(RegionBranchOpInterface loop, Pending &pending) {
    Barriers before = getBarriers(loop);
    Pending within = pending, behind = pending;
    Barriers placed = placeNews(loop, within);
    BarrierScope widest = BarrierScope::None;
    for (auto [op, scope] : placed)
      widest = std::max(widest, scope);
    passBarrier(behind, widest);
    bool mayStandInFront = !placed.empty() && behind != pending && isLegal;
    pending = std::move(within);
    if (!mayStandInFront)
      return;
    Barriers inLoop = getBarriers(loop);
    setBarriers(loop, before);
    if (placeNews(loop, behind).size() < placed.size()) {
      place(loop, widest);
      pending = std::move(behind);
    } else {
      setBarriers(loop, inLoop);
    }
  }

  /// A region may run after itself, after another one, or not at all: walks
  /// until what is pending at the beginning of each is all that can be.
  /// Barriers placed on the way stay right: more can be pending, never less.
  void visitRegions(RegionBranchOpInterface op, Pending &pending) {
    DenseMap<Region *, Pending> entries;
    SmallVector<Region *> changed;
    Pending end;
    auto goOn = [&](RegionBranchPoint from, const Pending &touches) {
      SmallVector<RegionSuccessor> successors;
      op.getSuccessorRegions(from, successors);
      for (RegionSuccessor successor : successors) {
        Region *region = successor.getSuccessor();
        bool isNew = region && !entries.contains(region);
        bool grew = merge(region ? entries[region] : end, touches);
        if (region && (isNew || grew) && !llvm::is_contained(changed, region))
          changed.push_back(region);
      }
    };
    goOn(RegionBranchPoint::parent(), pending);
    while (!changed.empty()) {
      Region *region = changed.pop_back_val();
      Pending touches = entries[region];
      visit(*region, touches);
      if (op.hasLoop())
        passIteration(touches, op);
      goOn(cast<RegionBranchTerminatorOpInterface>(
               region->front().getTerminator()),
           touches);
    }
    pending = end;
    update(pending, [&](MemoryTouch &touch) { touch.leave(op); });
  }
};
} // namespace
