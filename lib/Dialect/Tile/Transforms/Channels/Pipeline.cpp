//===- Pipeline.cpp - Loads that run ahead of arithmetic --------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Channels/LoopSchedule.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

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
        numStages(schedule.numStages), builder(loop), loc(loop.getLoc()) {
    for (const StagedLoad &staged : loads)
      for (Operation *op : staged.coordinates)
        if (isPlainLoad(op))
          numbers.insert(op);
  }

  void run() {
    createChannel();
    int ahead = numStages - 1;
    SmallVector<SmallVector<Value>> first;
    for (int iteration = 0; iteration <= ahead; ++iteration)
      first.push_back(
          loadNumbers(advance(loop.getLowerBound(), iteration), getZeros()));
    for (int iteration = 0; iteration < ahead; ++iteration)
      fill(advance(loop.getLowerBound(), iteration), constant(iteration),
           first[iteration]);
    carry(first[ahead]);
    ValueRange carried = ValueRange(loop.getRegionIterArgs());
    ValueRange next = carried.take_back(numbers.size());
    Value count = carried.drop_back(numbers.size()).back();
    builder.setInsertionPointToStart(loop.getBody());
    if (ahead == 0)
      fill(loop.getInductionVar(), count, next);
    auto wait = WaitOp::create(builder, loc, getSlotTypes(), channel, count);
    if (ahead != 0) {
      Value countAhead =
          arith::AddIOp::create(builder, loc, count, constant(ahead));
      fill(advance(loop.getInductionVar(), ahead), countAhead, next);
    }
    carryOn(loadNumbers(advance(loop.getInductionVar(), ahead + 1), next));
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

  /// Whether there is an iteration of this induction variable.
  Value isInRange(Value induction) {
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(builder, loc, less, induction,
                                 loop.getUpperBound());
  }

  /// What places are computed of, for the iteration of this induction variable.
  void cloneCoordinates(OpBuilder &at, IRMapping &mapping) {
    for (const StagedLoad &staged : loads)
      for (Operation *op : staged.coordinates)
        if (!mapping.contains(op) && !mapping.contains(op->getResult(0)))
          at.clone(*op, mapping);
  }

  SmallVector<Value> getZeros() {
    return llvm::map_to_vector(numbers, [&](Operation *number) -> Value {
      Type type = number->getResult(0).getType();
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    });
  }

  /// The numbers that the iteration of this induction variable loads and goes
  /// by, if there is one.
  SmallVector<Value> loadNumbers(Value induction, ValueRange otherwise) {
    if (numbers.empty())
      return {};
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), induction);
    auto exists = scf::IfOp::create(
        builder, loc, isInRange(induction),
        [&](OpBuilder &inner, Location) {
          cloneCoordinates(inner, mapping);
          scf::YieldOp::create(
              inner, loc, llvm::map_to_vector(numbers, [&](Operation *number) {
                return mapping.lookup(number->getResult(0));
              }));
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, otherwise);
        });
    return exists.getResults();
  }

  /// Fills the slot for the iteration of this induction variable, if there is
  /// one, which goes by these numbers.
  void fill(Value induction, Value count, ValueRange numbersOfIt) {
    Value inRange = isInRange(induction);
    // Where to load may be computed for an iteration that there is not.
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), induction);
    for (auto [number, value] : llvm::zip_equal(numbers, numbersOfIt))
      mapping.map(number->getResult(0), value);
    cloneCoordinates(builder, mapping);
    auto exists = scf::IfOp::create(builder, loc, inRange, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(exists.thenBlock());
    auto slot = AcquireOp::create(builder, loc, getSlotTypes(), channel, count);
    for (auto [staged, tile] : llvm::zip_equal(loads, slot.getTiles()))
      startCopy(builder, staged.load, mapping, tile, staged.shape);
    CommitOp::create(builder, loc, channel, count);
  }

  /// Lets the loop count its iterations, and behind that carry the numbers, as
  /// they are so far.
  void carry(ArrayRef<Value> numbersOfIt) {
    SmallVector<Value> first = {constant(0)};
    llvm::append_range(first, numbersOfIt);
    IRRewriter rewriter(builder);
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          builder.setInsertionPoint(inner.getInsertionBlock(),
                                    inner.getInsertionPoint());
          SmallVector<Value> next(arguments);
          next[0] = arith::AddIOp::create(builder, loc, next[0], constant(1));
          return next;
        }));
  }

  /// The next iteration has these numbers.
  void carryOn(ArrayRef<Value> next) {
    MutableArrayRef<OpOperand> yielded = *loop.getYieldedValuesMutable();
    for (auto [operand, value] :
         llvm::zip_equal(yielded.take_back(next.size()), next))
      operand.set(value);
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
  /// Loads in the loop that the places of others hang on.
  SetVector<Operation *> numbers;
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
