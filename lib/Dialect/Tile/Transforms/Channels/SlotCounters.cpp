//===- SlotCounters.cpp - Which slot a hand-over has ------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/SlotCounters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// What a loop carries
//===----------------------------------------------------------------------===//

/// The loop that carries this value, or null.
static scf::ForOp getCarryingLoop(BlockArgument value) {
  auto loop = dyn_cast<scf::ForOp>(value.getOwner()->getParentOp());
  return loop && value != loop.getInductionVar() ? loop : nullptr;
}

/// Makes a loop of the same body with these initial values. The body has the
/// arguments for them already.
static scf::ForOp rebuild(scf::ForOp loop, ValueRange inits) {
  OpBuilder builder(loop);
  auto rebuilt = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  rebuilt->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rebuilt.getRegion().takeBody(loop.getRegion());
  return rebuilt;
}

/// Lets the loop carry another value; its argument has been added.
static void addInit(scf::ForOp loop, Value init) {
  auto inits = llvm::to_vector(loop.getInitArgs());
  inits.push_back(init);
  scf::ForOp rebuilt = rebuild(loop, inits);
  loop.replaceAllUsesWith(rebuilt.getResults().drop_back());
  loop.erase();
}

using Counts = llvm::SetVector<BlockArgument>;

/// Whether nothing comes of a value but these counts.
static bool onlyCounts(Value value, const Counts &counts) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
      return carried && counts.contains(carried);
    }
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user))
      return counts.contains(loop.getRegionIterArg(use.getOperandNumber()));
    return isa<arith::AddIOp>(user) && onlyCounts(user->getResult(0), counts);
  });
}

static void eraseIfDead(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  llvm::SetVector<Operation *> operands;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      operands.insert(source);
  op->erase();
  llvm::for_each(operands, eraseIfDead);
}

/// Lets the loop of a count, which nothing comes of, carry one value less.
static void drop(BlockArgument count) {
  scf::ForOp loop = getCarryingLoop(count);
  OpOperand *yielded = loop.getTiedLoopYieldedValue(count);
  unsigned index = yielded->getOperandNumber();
  Value init = loop.getInitArgs()[index];
  Operation *next = yielded->get().getDefiningOp();
  yielded->getOwner()->eraseOperand(index);
  loop.getResult(index).replaceAllUsesWith(init);
  count.replaceAllUsesWith(init);
  loop.getBody()->eraseArgument(count.getArgNumber());
  auto inits = llvm::to_vector(loop.getInitArgs());
  auto results = llvm::to_vector_of<Value>(loop.getResults());
  inits.erase(inits.begin() + index);
  results.erase(results.begin() + index);
  scf::ForOp rebuilt = rebuild(loop, inits);
  for (auto [old, result] : llvm::zip_equal(results, rebuilt.getResults()))
    old.replaceAllUsesWith(result);
  loop.erase();
  // What it was computed from ends at the initial value now.
  if (Operation *last = next ? next : init.getDefiningOp())
    eraseIfDead(last);
}

//===----------------------------------------------------------------------===//
// SlotCounters
//===----------------------------------------------------------------------===//

void tilewright::tile::eraseWithCount(HandOverOpInterface op) {
  Operation *count = op.getCount().getDefiningOp();
  op->erase();
  if (count && isOpTriviallyDead(count))
    count->erase();
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value SlotCounters::getIndex(OpBuilder &builder, Location loc, Value value) {
  Count count = Count::of(value);
  if (!count.base)
    return arith::ConstantIndexOp::create(builder, loc, toSlot(count.offset));
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      get(builder, loc, count));
}

Value SlotCounters::get(OpBuilder &builder, Location loc, Count count) {
  int64_t distance = toSlot(count.offset);
  if (!count.base)
    return constant(builder, loc, distance);
  // Who fills the slot that was read last needs no counter of its own.
  if (distance == numStages - 1 && distance != 0)
    if (Value previous = getOfPrevious(count.base))
      return previous;
  return step(builder, loc, getOfBase(count.base), distance);
}

Value SlotCounters::add(OpBuilder &builder, Location loc, Value slot,
                        Value distance) {
  Value next = arith::AddIOp::create(builder, loc, slot, distance);
  Value stages = constant(builder, loc, numStages);
  Value isOver = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       next, stages);
  Value rest = arith::SubIOp::create(builder, loc, next, stages);
  return arith::SelectOp::create(builder, loc, isOver, rest, next);
}

Value SlotCounters::step(OpBuilder &builder, Location loc, Value slot,
                         int64_t distance) {
  if (distance == 0)
    return slot;
  if (distance != 1)
    return add(builder, loc, slot, constant(builder, loc, distance));
  Value next = arith::AddIOp::create(builder, loc, slot,
                                     constant(builder, loc, distance));
  Value stages = constant(builder, loc, numStages);
  Value isOver = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       next, stages);
  return arith::SelectOp::create(builder, loc, isOver,
                                 constant(builder, loc, 0), next);
}

/// Lets the loop of a count carry a slot beside it: that of the count plus
/// `ahead` at first, and what `next` computes at the end of each iteration.
Value SlotCounters::carry(
    BlockArgument count, int64_t ahead, DenseMap<Value, Value> &known,
    function_ref<Value(OpBuilder &, Location, Value)> next) {
  scf::ForOp loop = getCarryingLoop(count);
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value init = loop.getTiedLoopInit(count)->get();
  Value start = get(builder, loc, Count::of(init).plus(ahead));
  BlockArgument slot = loop.getBody()->addArgument(start.getType(), loc);
  known[count] = slot;
  Operation *yield = loop.getBody()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), slot); // For now.
  addInit(loop, start);
  builder.setInsertionPoint(yield);
  Value atEnd = next(builder, loc, slot);
  getCarryingLoop(slot).getTiedLoopYieldedValue(slot)->set(atEnd);
  return slot;
}

Value SlotCounters::getOfBase(Value base) {
  if (Value known = slots.lookup(base))
    return known;
  if (auto result = dyn_cast<OpResult>(base))
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      auto slot =
          cast<BlockArgument>(getOfBase(loop.getTiedLoopRegionIterArg(result)));
      return getCarryingLoop(slot).getTiedLoopResult(slot);
    }
  auto argument = dyn_cast<BlockArgument>(base);
  if (scf::ForOp loop = argument ? getCarryingLoop(argument) : nullptr) {
    // A loop around, which goes on with what this one ends with, wants it to
    // have its slot.
    if (Value first = Count::of(loop.getTiedLoopInit(argument)->get()).base)
      getOfBase(first);
    if (Value known = slots.lookup(base))
      return known;
    loop = getCarryingLoop(argument);
    counts.insert(argument);
    Count end = Count::of(loop.getTiedLoopYieldedValue(argument)->get());
    return carry(
        argument, 0, slots, [&](OpBuilder &builder, Location loc, Value slot) {
          return end.base == base ? step(builder, loc, slot, toSlot(end.offset))
                                  : get(builder, loc, end);
        });
  }
  OpBuilder builder(base.getContext());
  builder.setInsertionPointAfterValue(base);
  if (auto sum = base.getDefiningOp<arith::AddIOp>()) {
    Value slot = get(builder, base.getLoc(), Count::of(sum.getLhs()));
    Value distance = get(builder, base.getLoc(), Count::of(sum.getRhs()));
    return slots[base] = add(builder, base.getLoc(), slot, distance);
  }
  return slots[base] = arith::RemUIOp::create(
             builder, base.getLoc(), base,
             constant(builder, base.getLoc(), numStages));
}

/// The slot of the count before `base`, where a loop carries `base` and goes on
/// by one; or null.
Value SlotCounters::getOfPrevious(Value base) {
  if (Value known = previousSlots.lookup(base))
    return known;
  auto argument = dyn_cast<BlockArgument>(base);
  scf::ForOp loop = argument ? getCarryingLoop(argument) : nullptr;
  if (!loop || Count::of(loop.getTiedLoopYieldedValue(argument)->get()) !=
                   Count{base, 1})
    return nullptr;
  Value slot = getOfBase(base);
  return carry(argument, -1, previousSlots,
               [&](OpBuilder &, Location, Value) { return slot; });
}

void SlotCounters::dropCounts() {
  Counts unused = counts;
  auto isUsed = [&](BlockArgument count) {
    return !onlyCounts(count, unused) ||
           !onlyCounts(getCarryingLoop(count).getTiedLoopResult(count), unused);
  };
  while (unused.remove_if(isUsed)) {
  }
  llvm::for_each(unused, drop);
}
