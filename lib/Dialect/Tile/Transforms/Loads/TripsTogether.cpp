//===- TripsTogether.cpp - Several trips of a loop in one -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loads/TripsTogether.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/CloneTrip.h"

using namespace mlir;
using namespace tilewright::tile;

/// Counters of fewer bits might not hold the steps of several trips.
static constexpr unsigned kCounterBits = 32, kStepBits = 24;

static std::optional<int64_t> getStep(scf::ForOp loop) {
  APInt step;
  if (loop.getUnsignedCmp() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      step.getBitWidth() < kCounterBits || !step.isStrictlyPositive() ||
      step.getActiveBits() > kStepBits)
    return std::nullopt;
  return step.getSExtValue();
}

bool tilewright::tile::mayGoTogether(scf::ForOp loop) {
  if (!getStep(loop))
    return false;
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    return op.getNumRegions() == 0 && (isPure(&op) || isPlainLoad(&op));
  });
}

/// The ops of a block that loads need, in order, and these.
static SmallVector<Operation *> findLoads(Block &block) {
  llvm::SmallPtrSet<Operation *, 32> needed;
  SmallVector<Operation *> first;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!isPlainLoad(&op) && !needed.contains(&op))
      continue;
    first.push_back(&op);
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp())
        needed.insert(source);
  }
  std::reverse(first.begin(), first.end());
  return first;
}

/// Where the last of so many trips begins behind the end of a loop, so that
/// these do not start; no number wraps around.
static Value findEnd(OpBuilder &builder, scf::ForOp loop, int64_t distance) {
  Location loc = loop.getLoc();
  Type type = loop.getUpperBound().getType();
  unsigned width = isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     IntegerAttr::get(type, value));
  };
  APInt behind(width, distance);
  Value last = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                     constant(behind));
  Value wraps = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, loop.getUpperBound(),
      constant(APInt::getSignedMinValue(width) + behind));
  return arith::SelectOp::create(builder, loc, wraps, loop.getLowerBound(),
                                 last);
}

static void moveLoadsFirst(Block &block) {
  Operation *place = &block.front();
  for (Operation *op : findLoads(block)) {
    if (op == place)
      place = op->getNextNode();
    else
      op->moveBefore(place);
  }
}

void tilewright::tile::goTogether(scf::ForOp loop, int64_t trips) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  int64_t step = *getStep(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        IntegerAttr::get(loop.getInductionVar().getType(), value));
  };
  Value end = findEnd(builder, loop, (trips - 1) * step);
  // Where the trips begin that are left over.
  SmallVector<Value> carried(loop.getInitArgs());
  carried.push_back(loop.getLowerBound());
  auto together = scf::ForOp::create(builder, loc, loop.getLowerBound(), end,
                                     constant(trips * step), carried);
  together->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  builder.setInsertionPointToStart(together.getBody());
  Value first = together.getInductionVar();
  SmallVector<Value> results(together.getRegionIterArgs().drop_back());
  for (int64_t trip = 0; trip < trips; ++trip) {
    Value counter = first;
    if (trip > 0)
      counter =
          arith::AddIOp::create(builder, loc, first, constant(trip * step));
    results = cloneTrip(builder, loop, counter, results);
  }
  results.push_back(
      arith::AddIOp::create(builder, loc, first, constant(trips * step)));
  scf::YieldOp::create(builder, loc, results);
  moveLoadsFirst(*together.getBody());

  loop.setLowerBound(together.getResults().back());
  loop.getInitArgsMutable().assign(together.getResults().drop_back());
}
