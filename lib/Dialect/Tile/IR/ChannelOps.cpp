//===- ChannelOps.cpp - Order between filler and reader ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// ChannelOp
//===----------------------------------------------------------------------===//

SharedType ChannelOp::getSlotType(unsigned tile) {
  return cast<SharedType>(getTiles()[tile].getType()).getStageType();
}

SmallVector<Value> ChannelOp::getPartsOf(OpOperand &tile) {
  SmallVector<Value> parts;
  if (tile.get() == getMbarriers())
    return parts;
  for (Operation *user : (*this)->getUsers())
    if (isa<SharedPartOpInterface>(user))
      parts.push_back(user->getResult(tile.getOperandNumber()));
  return parts;
}

static LogicalResult verifyMbarriers(ChannelOp channel) {
  Value mbarriers = channel.getMbarriers();
  int64_t stages = channel.getType().getNumStages();
  if (!mbarriers)
    return success();
  auto type = cast<SharedType>(mbarriers.getType());
  if (mbarriers.getDefiningOp<AllocSharedOp>() && mbarriers.hasOneUse() &&
      areSlotBarriers(type, stages))
    return success();
  return channel.emitOpError("has a pair of mbarriers for each slot, a "
                             "tile.alloc_shared of ")
         << stages << "x2xi64 with a layout which nothing else uses";
}

LogicalResult ChannelOp::verify() {
  if (getTiles().empty())
    return emitOpError("hands over at least one tile");
  int64_t stages = getType().getNumStages();
  for (Value tile : getTiles()) {
    auto type = cast<SharedType>(tile.getType());
    if (!tile.getDefiningOp<AllocSharedOp>() || !tile.hasOneUse())
      return emitOpError("owns its tiles: each is a tile.alloc_shared which "
                         "nothing else uses");
    bool isStaged = type.getShape().size() > 1 &&
                    (!type.getLayout() || type.getLayout().getShape() ==
                                              type.getShape().drop_front());
    if (!isStaged || type.getShape().front() != stages)
      return emitOpError("has ")
             << stages << " stages, which each tile has as its first "
             << "dimension; " << type << " has not";
  }
  if (failed(verifyMbarriers(*this)))
    return failure();
  for (Operation *user : (*this)->getUsers())
    if (!isa<HandOverOpInterface>(user))
      return user->emitOpError("takes a channel, which is no value to pass on");
  return success();
}

//===----------------------------------------------------------------------===//
// Hand-overs, op by op
//===----------------------------------------------------------------------===//

static bool isBeforeFirst(HandOverOpInterface op) {
  Count count = Count::of(op.getCount());
  return !count.base && count.offset < 0;
}

static LogicalResult verifyChannel(HandOverOpInterface op) {
  if (!op.getChannel().getDefiningOp<ChannelOp>())
    return op->emitOpError(
        "takes a channel that is not made by a tile.channel");
  if (isBeforeFirst(op) && !isa<ReleaseOp>(op))
    return op->emitOpError("is number ") << Count::of(op.getCount()).offset
                                         << "; hand-overs are counted from 0";
  return success();
}

/// Acquire or wait: what it gives is the slot.
static LogicalResult verifySlot(HandOverOpInterface op) {
  if (failed(verifyChannel(op)))
    return failure();
  auto channel = op.getChannel().getDefiningOp<ChannelOp>();
  size_t numTiles = channel.getTiles().size();
  if (op->getNumResults() != numTiles)
    return op->emitOpError("gives ")
           << op->getNumResults() << " tiles of a channel of " << numTiles;
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (type != channel.getSlotType(index))
      return op->emitOpError("one stage of tile ")
             << index << " is " << channel.getSlotType(index);
  return success();
}

static Value getWholeTile(HandOverOpInterface op, OpResult part) {
  auto channel = op.getChannel().getDefiningOp<ChannelOp>();
  return channel.getTiles()[part.getResultNumber()];
}

LogicalResult AcquireOp::verify() { return verifySlot(*this); }
LogicalResult WaitOp::verify() { return verifySlot(*this); }
LogicalResult CommitOp::verify() { return verifyChannel(*this); }
LogicalResult ReleaseOp::verify() { return verifyChannel(*this); }

Value AcquireOp::getWholeOf(OpResult part) { return getWholeTile(*this, part); }
Value WaitOp::getWholeOf(OpResult part) { return getWholeTile(*this, part); }

//===----------------------------------------------------------------------===//
// Both ends of a hand-over
//===----------------------------------------------------------------------===//

static bool isSameHandOver(HandOverOpInterface a, HandOverOpInterface b) {
  return a.getChannel() == b.getChannel() &&
         Count::of(a.getCount()) == Count::of(b.getCount());
}

static Operation *getNext(Operation *op) { return op->getNextNode(); }
static Operation *getPrevious(Operation *op) { return op->getPrevNode(); }

/// The first op of the kind `Partner`, going by `step`, of the same hand-over;
/// none where another of its own kind comes first.
template <typename Partner, typename Op>
static Partner findPartner(Op op, Operation *(*step)(Operation *)) {
  for (Operation *other = step(op); other; other = step(other)) {
    if (auto partner = dyn_cast<Partner>(other);
        partner && isSameHandOver(op, partner))
      return partner;
    if (auto again = dyn_cast<Op>(other); again && isSameHandOver(op, again))
      return nullptr;
  }
  return nullptr;
}

CommitOp AcquireOp::getCommit() {
  return findPartner<CommitOp>(*this, getNext);
}

/// What stands in the block of a release that is there, or in a branch there,
/// as where the first iteration has none to make; else null.
static Operation *findPlace(ReleaseOp release, Block *block) {
  Operation *place = block->findAncestorOpInBlock(*release);
  bool isThere =
      place == release || (place && place == release->getParentOp() &&
                           !isa<LoopLikeOpInterface>(place));
  return isThere ? place : nullptr;
}

/// The release of this hand-over of the channel that `op` belongs to, in the
/// block.
static ReleaseOp findRelease(HandOverOpInterface op, Count count,
                             Block *block) {
  for (Operation *user : op.getChannel().getUsers()) {
    auto release = dyn_cast<ReleaseOp>(user);
    if (release && findPlace(release, block) &&
        Count::of(release.getCount()) == count)
      return release;
  }
  return nullptr;
}

/// Where each iteration of a loop releases the slot of the one before: that
/// release.
static ReleaseOp findLateRelease(WaitOp wait) {
  return getCountBehindLoop(wait.getCount())
             ? findRelease(wait, Count::of(wait.getCount()).plus(-1),
                           wait->getBlock())
             : nullptr;
}

/// The number behind a loop around, where that carries `value` on as it is.
static Value getCarriedOn(Value value) {
  for (OpOperand &use : value.getUses()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner()->getParentOp());
    if (!loop || !use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    for (BlockArgument carried : loop.getRegionIterArgs())
      if (loop.getTiedLoopYieldedValue(carried) == &use)
        return loop.getTiedLoopResult(carried);
  }
  return nullptr;
}

/// ... and the one behind the loop, of the last iteration, or behind loops
/// around whose iterations go on counting.
static ReleaseOp findLastRelease(WaitOp wait) {
  for (Value behind = getCountBehindLoop(wait.getCount()); behind;
       behind = getCarriedOn(behind))
    if (ReleaseOp release = findRelease(wait, Count::of(behind).plus(-1),
                                        behind.getParentBlock()))
      return release;
  return nullptr;
}

ReleaseOp WaitOp::getRelease() {
  if (auto release = findPartner<ReleaseOp>(*this, getNext))
    return release;
  return findLateRelease(*this) ? findLastRelease(*this) : nullptr;
}

/// Whether the release is one of an iteration before.
static bool isLateRelease(ReleaseOp release) {
  return llvm::any_of(release.getChannel().getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<WaitOp>(user);
    ReleaseOp late = wait ? findLateRelease(wait) : nullptr;
    return late && (late == release || findLastRelease(wait) == release);
  });
}

Operation *AcquireOp::getEnd() { return getCommit(); }
Operation *WaitOp::getEnd() { return getRelease(); }

/// Whether the slot's tiles are used only before `end`: who fills them writes
/// them, and who has waited for them may read and write.
static LogicalResult verifyAccesses(Operation *begin, Operation *end) {
  if (!end->getBlock()->findAncestorOpInBlock(*begin))
    end = end->getParentOp(); // A branch behind it.
  bool isFiller = isa<AcquireOp>(begin);
  auto isLegal = [&](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) ||
           (!isFiller && isa<MemoryEffects::Read>(effect.getEffect()));
  };
  for (Value tile : begin->getResults())
    for (OpOperand &use : tile.getUses()) {
      Operation *user = use.getOwner();
      auto effects = dyn_cast<MemoryEffectOpInterface>(user);
      SmallVector<MemoryEffects::EffectInstance> onTile;
      if (effects)
        effects.getEffectsOnValue(tile, onTile);
      if (onTile.empty() || !llvm::all_of(onTile, isLegal))
        return user->emitOpError("uses a tile that is only ")
               << (isFiller ? "written: it is acquired to be filled"
                            : "read and written: it is waited for");
      Operation *inBlock = end->getBlock()->findAncestorOpInBlock(*user);
      if (!inBlock || !inBlock->isBeforeInBlock(end)) {
        InFlightDiagnostic error = user->emitOpError("touches a slot that is ")
                                   << (isFiller ? "committed" : "released")
                                   << " already";
        error.attachNote(end->getLoc()) << "here";
        return error;
      }
    }
  return success();
}

/// Whether no bulk store reads the slot any more when it is released.
static LogicalResult verifyStores(WaitOp wait, ReleaseOp release) {
  for (Value tile : wait.getTiles())
    for (Operation *user : tile.getUsers()) {
      if (!endsWith(user, AccessEnd::WithStore))
        continue;
      bool isOver =
          user->getBlock() == release->getBlock() &&
          std::any_of(std::next(user->getIterator()), release->getIterator(),
                      [](Operation &op) { return waitsForStoredTiles(&op); });
      if (isOver)
        continue;
      InFlightDiagnostic error = user->emitOpError(
          "may still read a slot that is released: wait for the store before "
          "(tile.store_tma_wait {read})");
      error.attachNote(release.getLoc()) << "here";
      return error;
    }
  return success();
}

/// What a wait for products leaves under way; nothing where the op is none.
static std::optional<int64_t> getProductsLeft(Operation *op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  if (order &&
      order.getMemoryOrder().kind == MemoryOrder::Kind::WaitForProducts)
    return order.getMemoryOrder().pending;
  return std::nullopt;
}

/// Whether a product that reads a slot is waited for before the release in its
/// block, which may be that of the next iteration.
static bool isOverBefore(Operation *product, ReleaseOp release, bool isLate) {
  int64_t productsSince = 0;
  auto isOverIn = [&](Block::iterator op, Block::iterator end) {
    for (; op != end; ++op) {
      std::optional<int64_t> left = getProductsLeft(&*op);
      if (left && *left <= productsSince)
        return true;
      productsSince += endsWith(&*op, AccessEnd::WithProduct);
    }
    return false;
  };
  Block *block = product->getBlock();
  Block::iterator next = std::next(product->getIterator());
  Block::iterator end = findPlace(release, block)->getIterator();
  if (!isLate)
    return isOverIn(next, end);
  return isOverIn(next, block->end()) || isOverIn(block->begin(), end);
}

/// Whether all products of a loop are waited for between it and the release
/// behind it.
static bool areOverBehindLoop(WaitOp wait, ReleaseOp last) {
  Operation *loop = wait->getParentOp();
  Operation *end = findPlace(last, loop->getBlock());
  for (Operation *op = loop->getNextNode(); op && op != end;
       op = op->getNextNode())
    if (getProductsLeft(op) == 0)
      return true;
  return false;
}

/// Whether no product under way reads the slot when it is released.
static LogicalResult verifyProducts(WaitOp wait) {
  auto release = findPartner<ReleaseOp>(wait, getNext);
  bool isLate = !release;
  if (isLate)
    release = findLateRelease(wait);
  for (Value tile : wait.getTiles())
    for (Operation *user : tile.getUsers()) {
      if (!endsWith(user, AccessEnd::WithProduct))
        continue;
      bool isOver = user->getBlock() == wait->getBlock() &&
                    isOverBefore(user, release, isLate);
      ReleaseOp last = isLate ? findLastRelease(wait) : nullptr;
      if (isOver && (!last || areOverBehindLoop(wait, last)))
        continue;
      if (isOver)
        release = last;
      InFlightDiagnostic error = user->emitOpError(
          "may still read a slot that is released: wait for the product before "
          "(tile.dot_wait)");
      error.attachNote(release.getLoc()) << "here";
      return error;
    }
  return success();
}

LogicalResult tilewright::tile::verifyHandOvers(KernelOp kernel) {
  auto verify = [](Operation *op) -> LogicalResult {
    if (auto acquire = dyn_cast<AcquireOp>(op)) {
      if (CommitOp commit = acquire.getCommit())
        return verifyAccesses(acquire, commit);
      return op->emitOpError("is followed by no tile.commit of the same "
                             "channel and count in its block");
    }
    if (auto wait = dyn_cast<WaitOp>(op)) {
      if (ReleaseOp release = wait.getRelease())
        return failure(failed(verifyAccesses(wait, release)) ||
                       failed(verifyProducts(wait)) ||
                       failed(verifyStores(wait, release)));
      return op->emitOpError("is followed by no tile.release of the same "
                             "channel and count in its block, nor in the next "
                             "iteration of its loop and behind it");
    }
    if (auto commit = dyn_cast<CommitOp>(op);
        commit && !findPartner<AcquireOp>(commit, getPrevious))
      return op->emitOpError("ends no tile.acquire of the same channel and "
                             "count in its block");
    if (auto release = dyn_cast<ReleaseOp>(op);
        release && !isBeforeFirst(release) && !isLateRelease(release) &&
        !findPartner<WaitOp>(release, getPrevious))
      return op->emitOpError("ends no tile.wait of the same channel and count "
                             "in its block, nor in the iteration before");
    return success();
  };
  WalkResult result = kernel.walk([&](HandOverOpInterface op) {
    return failed(verify(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
