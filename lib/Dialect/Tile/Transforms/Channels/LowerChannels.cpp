//===- LowerChannels.cpp - Hand-overs as groups of copies -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/SlotCounters.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOWERCHANNELS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Hand-overs in branches
//===----------------------------------------------------------------------===//

/// Whether the branch fills slots by copies and does nothing else.
static bool onlyFills(scf::IfOp branch) {
  if (branch.getNumResults() != 0 || branch.elseBlock() ||
      branch.thenBlock()->getOps<AcquireOp>().empty())
    return false;
  return llvm::all_of(
      branch.thenBlock()->without_terminator(), [](Operation &op) {
        return isa<AcquireOp, CommitOp, CopyAsyncOp>(op) || isComputation(&op);
      });
}

/// Closes the groups of a branch in any case, and masks its copies.
static void flattenBranch(scf::IfOp branch) {
  Value condition = branch.getCondition();
  for (auto copy : branch.thenBlock()->getOps<CopyAsyncOp>()) {
    OpBuilder builder(copy);
    Value mask = condition;
    if (copy.getMask())
      mask = arith::AndIOp::create(builder, copy.getLoc(), condition,
                                   copy.getMask());
    copy.getMaskMutable().assign(mask);
  }
  for (Operation &op :
       llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  branch.erase();
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// The first op of the block that is one of these, or stands around one.
static Operation *getFirst(Block *block,
                           iterator_range<Value::user_iterator> ops) {
  Operation *first = nullptr;
  for (Operation *op : ops) {
    Operation *inBlock = block->findAncestorOpInBlock(*op);
    if (!first || inBlock->isBeforeInBlock(first))
      first = inBlock;
  }
  return first;
}

namespace {
class ChannelLowering {
public:
  explicit ChannelLowering(ChannelOp channel)
      : channel(channel), slots(channel.getType().getNumStages()) {}

  LogicalResult run() {
    FailureOr<DenseMap<Operation *, int64_t>> groupsSince =
        countGroupsSince(channel);
    if (failed(groupsSince))
      return failure();
    SmallVector<HandOverOpInterface> handOvers = getHandOvers(channel);
    if (failed(waitForAll(handOvers)))
      return failure();
    for (HandOverOpInterface handOver : handOvers)
      lower(handOver, groupsSince->lookup(handOver));
    channel.erase();
    slots.dropCounts();
    return success();
  }

private:
  /// Only groups without copies can be left; the bytes are free after this.
  LogicalResult waitForAll(ArrayRef<HandOverOpInterface> handOvers) {
    Block *block = channel->getBlock();
    Operation *last = nullptr;
    for (HandOverOpInterface handOver : handOvers) {
      Operation *op = block->findAncestorOpInBlock(*handOver);
      if (!op)
        return handOver->emitOpError("stands in another block than its "
                                     "channel: groups of copies are counted in "
                                     "structured control flow only");
      if (!last || last->isBeforeInBlock(op))
        last = op;
    }
    if (last) {
      OpBuilder builder(block, std::next(last->getIterator()));
      AsyncWaitOp::create(builder, channel.getLoc(), 0);
    }
    return success();
  }

  void lower(HandOverOpInterface op, int64_t pending) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (isa<CommitOp>(op))
      AsyncCommitOp::create(builder, loc);
    if (isa<WaitOp>(op))
      AsyncWaitOp::create(builder, loc, pending);
    for (auto [tile, whole] : llvm::zip(op->getResults(), channel.getTiles()))
      if (!tile.use_empty())
        tile.replaceAllUsesWith(makeSubview(op, tile, whole));
    eraseWithCount(op);
  }

  /// A view of the slot, at its first use: an address takes registers. Nothing
  /// may stand between products that are joined.
  Value makeSubview(HandOverOpInterface op, Value tile, Value whole) {
    Operation *use = getFirst(op->getBlock(), tile.getUsers());
    auto product = dyn_cast<SharedProductOpInterface>(use);
    while (product && (product = product.getProductBefore()))
      use = product;
    OpBuilder builder(use);
    Value slot = slots.getIndex(builder, op->getLoc(), op.getCount());
    return SubviewOp::create(builder, whole.getLoc(), tile.getType(), whole,
                             slot);
  }

  ChannelOp channel;
  SlotCounters slots;
};

struct LowerChannels
    : tilewright::tile::impl::TileLowerChannelsBase<LowerChannels> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> fills;
    SmallVector<ChannelOp> channels;
    getOperation().walk([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op); branch && onlyFills(branch))
        fills.push_back(branch);
      if (auto channel = dyn_cast<ChannelOp>(op);
          channel && !channel.getMbarriers())
        channels.push_back(channel);
    });
    llvm::for_each(fills, flattenBranch);
    for (ChannelOp channel : channels)
      if (failed(ChannelLowering(channel).run()))
        return signalPassFailure();
  }
};
} // namespace
