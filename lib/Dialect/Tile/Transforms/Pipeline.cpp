//===- Pipeline.cpp - Loads that run ahead of arithmetic --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPIPELINE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// A load that can run ahead: it only goes into a shared tile of the same
/// iteration.
struct StagedLoad {
  LoadViewOp load;
  LocalStoreOp store;
  AllocSharedOp tile;
  int64_t vectorWidth;
  /// Ops of the loop's body that compute the coordinates from the induction
  /// variable.
  SmallVector<Operation *> coordinates;
};

std::optional<StagedLoad> matchStagedLoad(scf::ForOp loop, LoadViewOp load,
                                          const AxisInfoAnalysis &axes) {
  auto coordinates = getCoordinatesAhead(load);
  if (!coordinates)
    return std::nullopt;
  auto store = dyn_cast<LocalStoreOp>(*load->user_begin());
  auto tile = store ? store.getDest().getDefiningOp<AllocSharedOp>() : nullptr;
  if (!tile || tile->getBlock() != loop.getBody() ||
      store->getBlock() != loop.getBody() || tile.getOffset() ||
      tile.getType().getLayout())
    return std::nullopt;
  bool isOnlyLoaded = llvm::all_of(tile->getUsers(), [&](Operation *user) {
    return user == store ||
           (isa<LocalLoadOp>(user) && user->getBlock() == loop.getBody() &&
            store->isBeforeInBlock(user));
  });
  if (!isOnlyLoaded)
    return std::nullopt;
  StagedLoad staged{load, store, tile, getVectorWidth(load, axes).elements,
                    std::move(*coordinates)};
  int64_t bytes =
      staged.vectorWidth * getElementBytes(load.getTileType().getElementType());
  if (bytes < kMinCopyBytes)
    return std::nullopt;
  return staged;
}

/// Rewrites one loop.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, ArrayRef<StagedLoad> loads, int numStages)
      : loop(loop), loads(loads), numStages(numStages), builder(loop),
        loc(loop.getLoc()) {}

  void run() {
    for (const StagedLoad &staged : loads)
      stages.push_back(allocateStages(staged));
    for (int stage = 0; stage < numStages - 1; ++stage)
      startCopies(advance(loop.getLowerBound(), stage),
                  arith::ConstantIndexOp::create(builder, loc, stage));
    scf::ForOp newLoop = addCounters();
    builder.setInsertionPointToStart(newLoop.getBody());
    Value read = toIndex(newLoop.getRegionIterArgs().end()[-2]);
    Value write = toIndex(newLoop.getRegionIterArgs().end()[-1]);
    AsyncWaitOp::create(builder, loc, numStages - 2);
    startCopies(advance(newLoop.getInductionVar(), numStages - 1), write);
    for (auto [staged, tile] : llvm::zip_equal(loads, stages))
      readStage(staged, tile, read);
    // Only groups without copies can be left; the bytes are free after this.
    builder.setInsertionPointAfter(newLoop);
    AsyncWaitOp::create(builder, loc, 0);
  }

private:
  /// Counters of stages are 32 bits wide: an index would take two registers.
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }

  Value toIndex(Value counter) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        counter);
  }

  AllocSharedOp allocateStages(const StagedLoad &staged) {
    SharedType one = AllocSharedOp(staged.tile).getType();
    SmallVector<int64_t> shape = {numStages};
    llvm::append_range(shape, one.getShape());
    auto type = SharedType::get(one.getContext(), shape, one.getElementType(),
                                SharedLayoutAttr());
    return AllocSharedOp::create(builder, AllocSharedOp(staged.tile).getLoc(),
                                 type, IntegerAttr(),
                                 AllocSharedOp(staged.tile).getLayoutAttr());
  }

  /// The induction variable `count` iterations after `from`.
  Value advance(Value from, int64_t count) {
    Value step = loop.getStep();
    Value steps = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(step.getType(), count));
    Value distance = arith::MulIOp::create(builder, loc, step, steps);
    return arith::AddIOp::create(builder, loc, from, distance);
  }

  /// The copies for the iteration of this induction variable, if there is one,
  /// as a group.
  void startCopies(Value induction, Value stage) {
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
    Value inRange = arith::CmpIOp::create(builder, loc, less, induction,
                                          loop.getUpperBound());
    for (auto [staged, tile] : llvm::zip_equal(loads, stages)) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), induction);
      for (Operation *op : staged.coordinates)
        builder.clone(*op, mapping);
      LoadViewOp load = staged.load;
      SmallVector<Value> offsets;
      for (Value offset : load.getOffsets())
        offsets.push_back(mapping.lookupOrDefault(offset));
      CopyAsyncOp::create(builder, load.getLoc(),
                          mapping.lookupOrDefault(load.getView()), offsets,
                          inRange, getStage(tile, stage),
                          getRegisterLayout(load.getTileType()),
                          builder.getI64IntegerAttr(staged.vectorWidth));
    }
    AsyncCommitOp::create(builder, loc);
  }

  Value getStage(AllocSharedOp tile, Value stage) {
    SharedType type = tile.getType();
    auto one = SharedType::get(type.getContext(), type.getShape().drop_front(),
                               type.getElementType(), SharedLayoutAttr());
    return SubviewOp::create(builder, tile.getLoc(), one, tile, stage);
  }

  /// The loop with two more values: the stage to read and the stage to fill,
  /// which is the one that the iteration before has read.
  scf::ForOp addCounters() {
    SmallVector<Value> counters = {constant(0), constant(numStages - 1)};
    IRRewriter rewriter(builder);
    auto newLoop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, counters, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          Value read = arguments.front();
          return SmallVector<Value>{increment(read), read};
        }));
    loop = newLoop;
    return newLoop;
  }

  Value increment(Value counter) {
    Value next = arith::AddIOp::create(builder, loc, counter, constant(1));
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         next, constant(numStages));
    return arith::SelectOp::create(builder, loc, isLast, constant(0), next);
  }

  /// What read the tile of this iteration reads its stage.
  void readStage(const StagedLoad &staged, AllocSharedOp tile, Value read) {
    AllocSharedOp old = staged.tile;
    LocalStoreOp store = staged.store;
    builder.setInsertionPoint(store);
    Value stage = getStage(tile, read);
    LoadViewOp load = staged.load;
    store.erase();
    load.erase();
    old.getResult().replaceAllUsesWith(stage);
    old.erase();
  }

  scf::ForOp loop;
  ArrayRef<StagedLoad> loads;
  int numStages;
  OpBuilder builder;
  Location loc;
  SmallVector<AllocSharedOp> stages;
};

struct Pipeline : tilewright::tile::impl::TilePipelineBase<Pipeline> {
  using TilePipelineBase::TilePipelineBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int stages =
        numStages != 0 ? numStages.getValue() : kernel.getNumStagesOrDefault();
    if (!KernelOp::isLegalNumStages(stages)) {
      kernel.emitError("the stages of a pipeline are 1 to ")
          << KernelOp::kMaxNumStages << ", not " << stages;
      return signalPassFailure();
    }
    if (stages == 1)
      return;
    AxisInfoAnalysis axes(kernel);
    SmallVector<std::pair<scf::ForOp, SmallVector<StagedLoad>>> loops;
    kernel.walk([&](scf::ForOp loop) {
      SmallVector<StagedLoad> loads;
      for (auto load : loop.getBody()->getOps<LoadViewOp>())
        if (auto staged = matchStagedLoad(loop, load, axes))
          loads.push_back(std::move(*staged));
      if (!loads.empty())
        loops.emplace_back(loop, std::move(loads));
    });
    for (auto &[loop, loads] : loops)
      LoopPipeliner(loop, loads, stages).run();
  }
};

} // namespace
