//===- LowerMbarriers.cpp - Hand-overs as waits and arrivals --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/BulkChannels.h"
#include "Channels/ReleaseUnderProducts.h"
#include "Channels/SlotCounters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/Teams.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOWERMBARRIERS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
class MbarrierLowering {
public:
  explicit MbarrierLowering(ChannelOp channel)
      : channel(channel), stages(channel.getType().getNumStages()),
        places(2 * stages) {}

  void run() {
    for (HandOverOpInterface handOver : getHandOvers(channel))
      lower(handOver);
    initialize();
    channel.erase();
    places.dropCounts();
  }

private:
  /// A slot, and the parity of the phase in which a hand-over fills it.
  struct Place {
    Value slot, parity;
  };

  /// Twice as many places as slots: the upper half has odd parity.
  Place getPlace(OpBuilder &builder, Location loc, Value count) {
    Value place = places.getIndex(builder, loc, count);
    Value half = arith::ConstantIndexOp::create(builder, loc, stages);
    Value isOdd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        place, half);
    Value rest = arith::SubIOp::create(builder, loc, place, half);
    Value slot = arith::SelectOp::create(builder, loc, isOdd, rest, place);
    return {slot, isOdd};
  }

  Value makeSubview(OpBuilder &builder, Value whole, Value slot) {
    return SubviewOp::create(builder, whole.getLoc(),
                             cast<SharedType>(whole.getType()).getStageType(),
                             whole, slot);
  }

  /// Bytes of all copies into a slot: boxes are copied whole.
  int64_t getSlotBytes() {
    int64_t bytes = 0;
    for (unsigned index = 0; index < channel.getTiles().size(); ++index)
      bytes += getByteSize(channel.getSlotType(index));
    return bytes;
  }

  void lower(HandOverOpInterface op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (!isa<CommitOp>(op)) {
      Place place = getPlace(builder, loc, op.getCount());
      Value barrier = makeSubview(builder, channel.getMbarriers(), place.slot);
      if (auto acquire = dyn_cast<AcquireOp>(*op))
        beginFilling(builder, acquire, barrier, place.parity);
      if (isa<WaitOp>(op))
        MbarrierWaitOp::create(builder, loc, barrier, SlotBarrier::Full,
                               place.parity);
      if (isa<ReleaseOp>(op))
        release(builder, loc, barrier, op.getCount());
      for (auto [tile, whole] : llvm::zip(op->getResults(), channel.getTiles()))
        tile.replaceAllUsesWith(makeSubview(builder, whole, place.slot));
    }
    eraseWithCount(op);
  }

  /// Waits for the readers of the slot before, of whom there are none in the
  /// first round: an mbarrier that is new has left odd phases behind it. Where
  /// no role copies, one thread of those that compute does all of this.
  void beginFilling(OpBuilder &builder, AcquireOp acquire, Value barrier,
                    Value parity) {
    Location loc = acquire.getLoc();
    Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value before = arith::XOrIOp::create(builder, loc, parity, isTrue);
    SmallVector<Operation *> filling = {
        MbarrierWaitOp::create(builder, loc, barrier, SlotBarrier::Empty,
                               before),
        MbarrierArriveOp::create(builder, loc, barrier, SlotBarrier::Full,
                                 /*condition=*/nullptr,
                                 countBytesLeftOut(builder, acquire),
                                 builder.getI64IntegerAttr(getSlotBytes()),
                                 /*each_warp=*/false, /*of_cluster=*/false)};
    for (CopyTmaOp copy : getBulkCopies(acquire)) {
      copy.getBarrierMutable().assign(barrier);
      filling.push_back(copy);
    }
    if (!acquire->getParentOfType<RolesOp>())
      leaveToOneThread(filling);
  }

  /// Bytes of rows that are not copied; null where all are.
  static Value countBytesLeftOut(OpBuilder &builder, AcquireOp acquire) {
    Location loc = acquire.getLoc();
    auto constant = [&](int64_t number) {
      return arith::ConstantIntOp::create(builder, loc, number, 32);
    };
    Value bytes;
    for (CopyTmaOp copy : getBulkCopies(acquire)) {
      if (!copy.getRows())
        continue;
      SharedType tile = copy.getDest().getType();
      int64_t all = copy.countTileRows();
      int64_t each =
          tile.getNumElements() / all * getElementBytes(tile.getElementType());
      Value rows =
          arith::SubIOp::create(builder, loc, constant(all), copy.getRows());
      Value more = arith::MulIOp::create(builder, loc, rows, constant(each));
      bytes = bytes ? arith::AddIOp::create(builder, loc, bytes, more) : more;
    }
    return bytes;
  }

  static void leaveToOneThread(ArrayRef<Operation *> ops) {
    OpBuilder builder(ops.back());
    auto oneThread = OneThreadOp::create(builder, ops.back()->getLoc());
    Block &body = oneThread.getBody().emplaceBlock();
    for (Operation *op : ops)
      op->moveBefore(&body, body.end());
  }

  /// Number -1 releases nothing; teams have no release of it.
  void release(OpBuilder &builder, Location loc, Value barrier, Value count) {
    Count number = Count::of(count);
    if (!number.base && number.offset < 0)
      return;
    Value exists;
    bool hasTeams = getNumTeams(channel->getParentOfType<KernelOp>()) > 1;
    if (number.base && number.offset < 0 && !hasTeams) {
      Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                     count, zero);
    }
    MbarrierArriveOp::create(builder, loc, barrier, SlotBarrier::Empty, exists,
                             /*less=*/nullptr, IntegerAttr(),
                             /*each_warp=*/true, channel.getOfCluster());
  }

  void initialize() {
    OpBuilder builder(channel);
    auto kernel = channel->getParentOfType<KernelOp>();
    auto readers = static_cast<int32_t>(kernel.getNumWarpsOrDefault());
    if (channel.getOfCluster())
      readers *= static_cast<int32_t>(countClusterPrograms(kernel));
    MbarrierInitOp::create(builder, channel.getLoc(), channel.getMbarriers(),
                           readers);
  }

  ChannelOp channel;
  int64_t stages;
  SlotCounters places;
};

struct LowerMbarriers
    : tilewright::tile::impl::TileLowerMbarriersBase<LowerMbarriers> {
  void runOnOperation() override {
    SmallVector<ChannelOp> channels = getChannelsWithMbarriers(getOperation());
    if (channels.empty())
      return;
    bool toCluster =
        llvm::any_of(channels, std::mem_fn(&ChannelOp::getOfCluster));
    for (auto [channel, next] : llvm::zip(channels, llvm::drop_begin(channels)))
      if (handsOverBetween(channel, next))
        showToAll(channel, toCluster);
    showToAll(channels.back(), toCluster);
    if (toCluster)
      waitForOthers();
    for (ChannelOp channel : channels)
      MbarrierLowering(channel).run();
    releaseUnderProducts(getOperation());
    sinkScalars();
  }

private:
  /// Whether all threads are to know of a channel before the next one is there.
  static bool handsOverBetween(ChannelOp channel, ChannelOp next) {
    if (channel->getBlock() != next->getBlock())
      return true;
    return llvm::any_of(
        llvm::make_range(channel->getIterator(), next->getIterator()),
        [](Operation &op) { return anyOpIn<HandOverOpInterface>(op); });
  }

  /// Other blocks arrive at this one's mbarriers until all are done. Who only
  /// copies is done when all has been copied.
  void waitForOthers() {
    OpBuilder builder(getOperation().getBody().front().getTerminator());
    getOperation().walk([&](RolesOp roles) {
      builder.setInsertionPointToEnd(&roles.getMain().front());
    });
    ClusterBarrierOp::create(builder, getOperation().getLoc());
  }

  /// The mbarriers of this channel, and those before it.
  static void showToAll(ChannelOp channel, bool toCluster) {
    OpBuilder builder(channel);
    builder.setInsertionPointAfter(channel);
    if (toCluster)
      return void(ClusterBarrierOp::create(builder, channel.getLoc()));
    BarrierOp::create(builder, channel.getLoc(), /*async_proxy=*/false,
                      IntegerAttr(), /*each_warpgroup=*/false);
  }

  /// What only one thread needs, the others need not compute.
  void sinkScalars() {
    SmallVector<Region *> regions;
    getOperation().walk(
        [&](OneThreadOp op) { regions.push_back(&op.getBody()); });
    DominanceInfo dominance(getOperation());
    controlFlowSink(
        regions, dominance,
        [](Operation *op, Region *) {
          // Launches pass maps in the order of the program.
          return isMemoryEffectFree(op) &&
                 !llvm::is_contained(op->getResultTypes(),
                                     TensorMapType::get(op->getContext()));
        },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  }
};
} // namespace
