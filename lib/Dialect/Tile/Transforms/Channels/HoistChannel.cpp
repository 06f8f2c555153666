//===- HoistChannel.cpp - A channel that outlives a loop ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/HoistChannel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"

using namespace mlir;
using namespace tilewright::tile;

/// What counts the hand-overs of a channel inside of a loop.
static BlockArgument findCounter(ChannelOp channel) {
  BlockArgument counter;
  for (Operation *user : channel->getUsers())
    if (auto wait = dyn_cast<WaitOp>(user)) {
      auto count = dyn_cast<BlockArgument>(wait.getCount());
      if (!count || (counter && counter != count))
        return nullptr;
      counter = count;
    }
  return counter;
}

static scf::ForOp getLoop(BlockArgument counter) {
  auto loop = dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp());
  return loop && counter != loop.getInductionVar() ? loop : nullptr;
}

bool tilewright::tile::canHoist(ChannelOp channel) {
  BlockArgument counter = findCounter(channel);
  scf::ForOp loop = counter ? getLoop(counter) : nullptr;
  if (!loop || loop->getBlock() != channel->getBlock() ||
      Count::of(loop.getTiedLoopInit(counter)->get()) != Count{})
    return false;
  Value last = loop.getTiedLoopResult(counter);
  for (Operation *user : channel->getUsers()) {
    Value base = Count::of(cast<HandOverOpInterface>(user).getCount()).base;
    if (base && base != counter && base != last)
      return false;
  }
  for (Operation *parent = channel->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    if (!isa<scf::ForOp>(parent))
      return false;
  return true;
}

namespace {
/// Moves a channel out of one loop.
class Hoisting {
public:
  Hoisting(ChannelOp channel, BlockArgument counter)
      : channel(channel), inner(getLoop(counter)), counter(counter),
        outer(cast<scf::ForOp>(inner->getParentOp())),
        builder(channel.getContext()) {}

  /// Gives what counts them around the loop now.
  BlockArgument run() {
    carryCount();
    for (Operation *user : llvm::make_early_inc_range(channel->getUsers()))
      countOn(cast<HandOverOpInterface>(user));
    moveOut();
    return first;
  }

private:
  Value add(Location loc, Value value, int64_t constant) {
    return arith::AddIOp::create(
        builder, loc, value,
        arith::ConstantIntOp::create(builder, loc, constant, 32));
  }

  void carryCount() {
    builder.setInsertionPoint(outer);
    Value zero = arith::ConstantIntOp::create(builder, channel.getLoc(), 0, 32);
    IRRewriter rewriter(builder);
    outer = cast<scf::ForOp>(*outer.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return SmallVector<Value>{inner.getTiedLoopResult(counter)};
        }));
    first = outer.getRegionIterArgs().back();
    inner.getTiedLoopInit(counter)->set(first);
  }

  /// What counted from 0 does from the first one of the iteration.
  void countOn(HandOverOpInterface op) {
    Count count = Count::of(op.getCount());
    Value last = inner.getTiedLoopResult(counter);
    builder.setInsertionPoint(op);
    OpOperand &operand = op->getOpOperand(1);
    if (!count.base)
      operand.set(add(op.getLoc(), first, count.offset));
    // The next iteration releases what this one's last would.
    if (count.base == last && isa<ReleaseOp>(op)) {
      builder.setInsertionPointAfter(outer);
      operand.set(add(op.getLoc(), outer.getResults().back(), count.offset));
      op->moveAfter(operand.get().getDefiningOp());
    }
  }

  void moveOut() {
    for (Value tile : channel->getOperands())
      tile.getDefiningOp()->moveBefore(outer);
    channel->moveBefore(outer);
  }

  ChannelOp channel;
  scf::ForOp inner;
  BlockArgument counter;
  scf::ForOp outer;
  OpBuilder builder;
  BlockArgument first;
};
} // namespace

void tilewright::tile::hoist(ChannelOp channel) {
  BlockArgument counter = findCounter(channel);
  while (!isa<KernelOp>(channel->getParentOp()))
    counter = Hoisting(channel, counter).run();
}
