//===- LeaveOutRows.cpp - Rows of boxes that are not there ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/TripCount.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELEAVEOUTROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// The slots of a channel that one loop fills, and what stands before it.
class FilledSlots {
public:
  explicit FilledSlots(ChannelOp channel) : channel(channel) {}

  /// Whether each program fills slots by nothing else, in the order of their
  /// numbers, and there are copies of rows that may be left out.
  bool find() {
    SmallVector<AcquireOp> acquires;
    for (Operation *user : channel->getUsers())
      if (auto acquire = dyn_cast<AcquireOp>(user))
        acquires.push_back(acquire);
    for (AcquireOp acquire : acquires)
      noteLoop(acquire);
    if (!inLoop || !findHandOver())
      return false;
    for (AcquireOp acquire : acquires)
      if (acquire != inLoop)
        before.push_back(acquire);
    Value number = Count::of(first).base;
    if (llvm::any_of(before, [&](AcquireOp acquire) {
          return Count::of(acquire.getCount()).base != number;
        }))
      return false;
    llvm::copy_if(getBulkCopies(inLoop), std::back_inserter(copies),
                  [&](CopyTmaOp copy) { return mayLeaveOut(copy); });
    return !copies.empty();
  }

  /// Makes the hand-over twice, since most programs have all rows.
  void leaveOutRows() {
    OpBuilder builder(loop);
    SmallVector<Value> rows;
    for (CopyTmaOp copy : copies)
      rows.push_back(countRowsThere(builder, copy));
    Value lacksRows = findWhether(builder, rows);
    Value from = findTrip(builder);
    builder.setInsertionPoint(handOver.back());
    Location loc = inLoop.getLoc();
    Value isLater =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              *loop.getSingleInductionVar(), from);
    auto branch = scf::IfOp::create(
        builder, loc, arith::AndIOp::create(builder, loc, lacksRows, isLater),
        /*withElseRegion=*/true);
    branch->setAttr(kRareAttr, builder.getUnitAttr());
    IRMapping some;
    OpBuilder inBranch = branch.getThenBodyBuilder();
    for (Operation *op : handOver) {
      inBranch.clone(*op, some);
      op->moveBefore(branch.elseBlock()->getTerminator());
    }
    for (auto [copy, there] : llvm::zip_equal(copies, rows)) {
      auto ofSome = cast<CopyTmaOp>(some.lookup(copy.getOperation()));
      ofSome.getRowsMutable().assign(there);
      ofSome.getLastMutable().assign(getLastMap(copy.getTensorMap()));
    }
  }

private:
  /// If it is in a loop of the role that copies, counting by hand-overs.
  void noteLoop(AcquireOp acquire) {
    Value base = Count::of(acquire.getCount()).base;
    if (!base || !getCountBehindLoop(base) ||
        !acquire->getParentOfType<RolesOp>())
      return;
    auto argument = cast<BlockArgument>(base);
    auto around = cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    if (!around.getSingleInductionVar() || !around.getSingleLowerBound() ||
        !around.getSingleStep())
      return;
    inLoop = acquire;
    loop = around;
    first = loop.getTiedLoopInit(argument)->get();
  }

  /// Whether the hand-over is nothing but bulk copies.
  bool findHandOver() {
    for (Operation *op = inLoop; op; op = op->getNextNode()) {
      if (isMemoryEffectFree(op))
        continue;
      handOver.push_back(op);
      if (auto commit = dyn_cast<CommitOp>(op))
        return commit.getChannel() == inLoop.getChannel();
      auto copy = dyn_cast<CopyTmaOp>(op);
      if (op != inLoop && (!copy || copy.getDest().getDefiningOp() != inLoop))
        return false;
    }
    return false;
  }

  bool mayLeaveOut(CopyTmaOp copy) {
    if (copy.getMoved() || copy.getOffsets().size() != 2)
      return false;
    unsigned dim = copy.getDimAcross();
    if (!copy.mayCopySomeRows() ||
        !loop.isDefinedOutsideOfLoop(copy.getMap()) ||
        !loop.isDefinedOutsideOfLoop(copy.getOffsets()[dim]))
      return false;
    unsigned number = cast<OpResult>(copy.getDest()).getResultNumber();
    return llvm::all_of(before, [&](AcquireOp acquire) {
      return llvm::any_of(getBulkCopies(acquire), [&](CopyTmaOp other) {
        return other.getDest() == acquire.getTiles()[number] &&
               other.getMap() == copy.getMap() &&
               other.getOffsets()[dim] == copy.getOffsets()[dim];
      });
    });
  }

  /// Whether one of the copies has fewer rows than its tile.
  Value findWhether(OpBuilder &builder, ArrayRef<Value> rows) {
    Location loc = loop.getLoc();
    Value result;
    for (auto [copy, there] : llvm::zip_equal(copies, rows)) {
      Value lacks = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ne, there,
          arith::ConstantIntOp::create(builder, loc, copy.countTileRows(), 32));
      result =
          result ? arith::OrIOp::create(builder, loc, result, lacks) : lacks;
    }
    return result;
  }

  /// The counter of the first trip before which the program has filled each
  /// slot.
  Value findTrip(OpBuilder &builder) {
    Location loc = loop.getLoc();
    int64_t ahead = Count::of(inLoop.getCount()).offset;
    int64_t trips =
        std::max<int64_t>(channel.getType().getNumStages() - ahead, 0);
    Value lower = getValueOrCreateConstantIndexOp(builder, loc,
                                                  *loop.getSingleLowerBound()),
          step = getValueOrCreateConstantIndexOp(builder, loc,
                                                 *loop.getSingleStep());
    Value distance = arith::MulIOp::create(
        builder, loc, step,
        arith::ConstantIndexOp::create(builder, loc, trips));
    return arith::AddIOp::create(builder, loc, lower, distance);
  }

  /// All rows of the tile, but for those of the view's last block, and those
  /// behind it.
  static Value countRowsThere(OpBuilder &builder, CopyTmaOp copy) {
    Location loc = copy.getLoc();
    unsigned dim = copy.getDimAcross();
    auto constant = [&](int64_t number) {
      return arith::ConstantIndexOp::create(builder, loc, number);
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(builder, loc, predicate, a, b);
    };
    auto view = copy.getTensorMap().getView().getDefiningOp<ViewOp>();
    Value extent = getValueOrCreateConstantIndexOp(builder, loc,
                                                   view.getMixedShape()[dim]);
    Value all = constant(copy.countTileRows());
    Value ofLast = arith::RemUIOp::create(builder, loc, extent, all);
    Value behind =
        arith::SubIOp::create(builder, loc, extent, copy.getOffsets()[dim]);
    Value rows = arith::SelectOp::create(
        builder, loc, compare(arith::CmpIPredicate::eq, behind, ofLast), ofLast,
        all);
    rows = arith::SelectOp::create(
        builder, loc, compare(arith::CmpIPredicate::sle, behind, constant(0)),
        constant(0), rows);
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), rows);
  }

  TensorMapOp getLastMap(TensorMapOp map) {
    TensorMapOp &made = lastMaps[map];
    if (!made) {
      OpBuilder builder(map);
      builder.setInsertionPointAfter(map);
      made = cast<TensorMapOp>(builder.clone(*map));
      made.setLast(true);
    }
    return made;
  }

  ChannelOp channel;
  LoopLikeOpInterface loop;
  AcquireOp inLoop;
  /// What fills a slot in the loop, from `inLoop` to the commit.
  SmallVector<Operation *> handOver;
  SmallVector<AcquireOp> before;
  SmallVector<CopyTmaOp> copies;
  /// The number with which the program begins.
  Value first;
  llvm::MapVector<TensorMapOp, TensorMapOp> lastMaps;
};

struct LeaveOutRows
    : tilewright::tile::impl::TileLeaveOutRowsBase<LeaveOutRows> {
  void runOnOperation() override {
    // Others have rows that begin with sectors, and lose by one map more
    // (docs/decisions/0115-rows-that-are-not-there.md).
    if (countClusterPrograms(getOperation()) < 2)
      return;
    for (ChannelOp channel : getChannelsWithMbarriers(getOperation()))
      if (FilledSlots slots(channel);
          channel.getType().getNumStages() > 1 && slots.find())
        slots.leaveOutRows();
  }
};
} // namespace
