//===- Pipeline.cpp - Loads that run ahead of arithmetic --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/LoopSchedule.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPIPELINE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// Lets a channel hand the tiles of a loop from its loads to their readers.
class ChannelWriter {
public:
  explicit ChannelWriter(const LoopSchedule &schedule)
      : loop(schedule.loop), loads(schedule.loads),
        numStages(schedule.numStages), builder(loop), loc(loop.getLoc()) {}

  void run() {
    createChannel();
    int ahead = numStages - 1;
    for (int iteration = 0; iteration < ahead; ++iteration)
      fill(advance(loop.getLowerBound(), iteration), constant(iteration));
    Value count = addCount();
    builder.setInsertionPointToStart(loop.getBody());
    if (ahead == 0)
      fill(loop.getInductionVar(), count);
    auto wait = WaitOp::create(builder, loc, getSlotTypes(), channel, count);
    if (ahead != 0) {
      Value countAhead =
          arith::AddIOp::create(builder, loc, count, constant(ahead));
      fill(advance(loop.getInductionVar(), ahead), countAhead);
    }
    for (auto [staged, slot] : llvm::zip_equal(loads, wait.getTiles()))
      readSlot(staged, slot);
    // Products may come to read the slot where its tiles are loaded now.
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    ReleaseOp::create(builder, loc, channel, count);
  }

private:
  /// Hand-overs are counted in 32 bits: an index would take two registers.
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  void createChannel() {
    auto tiles = llvm::map_to_vector(loads, [&](const StagedLoad &staged) {
      return allocateStages(staged);
    });
    auto type = ChannelType::get(builder.getContext(), numStages);
    channel = ChannelOp::create(builder, loc, type, tiles);
  }

  Value allocateStages(const StagedLoad &staged) {
    AllocSharedOp old = staged.tile;
    SharedType one = old.getType();
    SmallVector<int64_t> shape = {numStages};
    llvm::append_range(shape, one.getShape());
    auto stages = AllocSharedOp::create(builder, old.getLoc(), shape,
                                        one.getElementType());
    stages.setLayoutAttr(old.getLayoutAttr());
    return stages;
  }

  SmallVector<Type> getSlotTypes() {
    return llvm::map_to_vector(loads, [](const StagedLoad &staged) -> Type {
      return AllocSharedOp(staged.tile).getType();
    });
  }

  /// The induction variable `count` iterations after `from`.
  Value advance(Value from, int64_t count) {
    Value step = loop.getStep();
    Value steps = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(step.getType(), count));
    Value distance = arith::MulIOp::create(builder, loc, step, steps);
    return arith::AddIOp::create(builder, loc, from, distance);
  }

  /// Fills the slot for the iteration of this induction variable, if there is
  /// one.
  void fill(Value induction, Value count) {
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
    Value inRange = arith::CmpIOp::create(builder, loc, less, induction,
                                          loop.getUpperBound());
    // Where to load may be computed for an iteration that there is not.
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), induction);
    for (const StagedLoad &staged : loads)
      for (Operation *op : staged.coordinates)
        if (!mapping.contains(op))
          builder.clone(*op, mapping);
    auto exists = scf::IfOp::create(builder, loc, inRange, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(exists.thenBlock());
    auto slot = AcquireOp::create(builder, loc, getSlotTypes(), channel, count);
    for (auto [staged, tile] : llvm::zip_equal(loads, slot.getTiles()))
      startCopy(builder, staged.load, mapping, tile, staged.shape);
    CommitOp::create(builder, loc, channel, count);
  }

  /// Lets the loop count its iterations.
  Value addCount() {
    IRRewriter rewriter(builder);
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, constant(0), /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          Value next = arith::AddIOp::create(builder, loc, arguments.front(),
                                             constant(1));
          return SmallVector<Value>{next};
        }));
    return loop.getRegionIterArgs().back();
  }

  /// What read the tile of this iteration reads its slot.
  static void readSlot(const StagedLoad &staged, Value slot) {
    AllocSharedOp old = staged.tile;
    LocalStoreOp store = staged.store;
    GlobalAccessOpInterface load = staged.load;
    store.erase();
    load.erase();
    old.getResult().replaceAllUsesWith(slot);
    old.erase();
  }

  scf::ForOp loop;
  ArrayRef<StagedLoad> loads;
  int numStages;
  OpBuilder builder;
  Location loc;
  ChannelOp channel;
};

struct Pipeline : tilewright::tile::impl::TilePipelineBase<Pipeline> {
  using TilePipelineBase::TilePipelineBase;

  void runOnOperation() override {
    for (const LoopSchedule &schedule : scheduleLoops(getOperation()))
      ChannelWriter(schedule).run();
  }
};

} // namespace
