//===- SpareSlots.cpp - Copies under the product before -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shared/SpareSlots.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ChannelProgress.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"

using namespace mlir;
using namespace tilewright::tile;

/// What stands around the op in the block, if all of it fills slots of the
/// channel by copies of threads.
static Operation *getFill(AcquireOp acquire, Block *block) {
  Operation *fill = block->findAncestorOpInBlock(*acquire);
  if (!fill || fill == acquire || fill->getNumResults() != 0)
    return nullptr;
  bool doesMore = anyOpIn(*fill, [&](Operation *op) {
    return op != fill && !isPure(op) &&
           !isa<AcquireOp, CommitOp, CopyAsyncOp>(op) &&
           !op->hasTrait<OpTrait::IsTerminator>();
  });
  return doesMore ? nullptr : fill;
}

/// Whether the op waits for products, but not for the last ones, and gives
/// nothing.
static bool leavesProducts(Operation &op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  if (!order || op.getNumResults() != 0)
    return false;
  MemoryOrder waits = order.getMemoryOrder();
  return waits.kind == MemoryOrder::Kind::WaitForProducts && waits.pending > 0;
}

/// The body of the loop in which slots are waited for, if that is one.
static Block *getBody(ArrayRef<HandOverOpInterface> handOvers) {
  Block *body = nullptr;
  for (HandOverOpInterface handOver : handOvers) {
    if (!isa<WaitOp>(handOver))
      continue;
    if (body || !isa<LoopLikeOpInterface>(handOver->getParentOp()))
      return nullptr;
    body = handOver->getBlock();
  }
  return body;
}

/// What fills a slot in the block, if that is one op.
static Operation *getFill(ArrayRef<HandOverOpInterface> handOvers,
                          Block *block) {
  Operation *fill = nullptr;
  for (HandOverOpInterface handOver : handOvers) {
    auto acquire = dyn_cast<AcquireOp>(*handOver);
    if (!acquire || !block->findAncestorOpInBlock(*acquire))
      continue;
    if (fill)
      return nullptr;
    fill = getFill(acquire, block);
    if (!fill)
      return nullptr;
  }
  return fill;
}

/// Whether it is written where a tile of the channel lies: what is behind it
/// may be another one's.
static bool hasOffsets(ChannelOp channel) {
  return llvm::any_of(channel.getTiles(), [](Value tile) {
    return getAllocation(tile).getOffset().has_value();
  });
}

std::optional<SpareSlot> SpareSlot::find(ChannelOp channel) {
  if (channel.getMbarriers() || hasOffsets(channel) ||
      channel.getType().getNumStages() >= KernelOp::kMaxNumStages)
    return std::nullopt;
  SmallVector<HandOverOpInterface> handOvers = getHandOvers(channel);
  Block *body = getBody(handOvers);
  Operation *fill = body ? getFill(handOvers, body) : nullptr;
  // Right in front of it: the wait for a product, and the slot that it read.
  Operation *release = nullptr;
  for (Operation *op = fill ? fill->getPrevNode() : nullptr; op;
       op = op->getPrevNode()) {
    if (leavesProducts(*op) && release)
      return SpareSlot(channel, fill, op, release);
    auto end = dyn_cast<ReleaseOp>(op);
    if (end && !release && end.getChannel() == channel.getResult())
      release = op;
    else if (!isPure(op))
      return std::nullopt;
  }
  return std::nullopt;
}

void SpareSlot::give() {
  int64_t slots = channel.getType().getNumStages() + 1;
  for (Value tile : channel.getTiles()) {
    auto type = cast<SharedType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = slots;
    tile.setType(SharedType::get(type.getContext(), shape,
                                 type.getElementType(), type.getLayout(),
                                 type.getEvery()));
  }
  Value whole = channel.getResult();
  whole.setType(ChannelType::get(channel.getContext(), slots));
  wait->moveAfter(fill);
  release->moveAfter(wait);
}
