//===- TripCount.cpp - How often an op runs ---------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;

/// No loop counts as longer.
static constexpr int64_t kMostTrips = 1 << 20;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

using Conditions = llvm::SmallSetVector<Value, 8>;

/// Adds what is true where `condition` is: itself, and its parts.
static void addCondition(Conditions &conditions, Value condition) {
  if (!condition || !conditions.insert(condition))
    return;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    for (Value part : both->getOperands())
      addCondition(conditions, part);
  // One for all elements.
  if (auto same = condition.getDefiningOp<SplatOp>())
    addCondition(conditions, same.getSource());
}

/// A number that is none where a condition is false: an extent, or a count.
static void addConditionOfNumber(Conditions &conditions, Value number) {
  auto choice = number.getDefiningOp<arith::SelectOp>();
  if (choice && matchPattern(choice.getFalseValue(), m_Zero())) {
    addCondition(conditions, choice.getCondition());
    addConditionOfNumber(conditions, choice.getTrueValue());
  }
}

/// What is true where an op runs and touches memory, as far as it is told by
/// branches, masks, and extents or counts of nothing.
static Conditions findConditions(Operation *op) {
  Conditions conditions;
  auto accesses = getMemoryAccesses(op);
  for (const MemoryAccess &access : accesses) {
    addCondition(conditions, access.mask);
    if (Operation *view = access.base ? access.base.getDefiningOp() : nullptr)
      for (Value extent : view->getOperands())
        addConditionOfNumber(conditions, extent);
  }
  for (Value operand : op->getOperands()) {
    addConditionOfNumber(conditions, operand);
    // No memory has elements of one bit: it is the mask of a whole copy.
    if (operand.getType().isInteger(1) && !accesses.empty())
      addCondition(conditions, operand);
  }
  for (; op->getParentOp(); op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
      if (op->getParentRegion() == &branch.getThenRegion())
        addCondition(conditions, branch.getCondition());
  return conditions;
}

//===----------------------------------------------------------------------===//
// Trips ahead
//===----------------------------------------------------------------------===//

/// How many trips lie between the current one and that of `number`, which is
/// the counter and so many steps.
static std::optional<int64_t> countTripsTo(LoopLikeOpInterface loop,
                                           Value number) {
  std::optional<Value> counter = loop.getSingleInductionVar();
  std::optional<OpFoldResult> step = loop.getSingleStep();
  auto sum = number.getDefiningOp<arith::AddIOp>();
  if (!counter || !step || !sum)
    return std::nullopt;
  Value offset = sum.getLhs() == *counter ? sum.getRhs() : sum.getLhs();
  if (offset == *counter || !llvm::is_contained(sum->getOperands(), *counter))
    return std::nullopt;
  if (isEqualConstantIntOrValue(offset, *step))
    return 1;
  std::optional<int64_t> distance = getConstantIntValue(offset);
  std::optional<int64_t> length = getConstantIntValue(*step);
  if (!distance || !length || *distance <= 0 || *length <= 0)
    return std::nullopt;
  return llvm::divideCeil(*distance, *length);
}

/// How many of the last trips find the condition false, which asks whether
/// there is a trip so many further on.
static int64_t getLastTrips(LoopLikeOpInterface loop, Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<OpFoldResult> bound = loop.getSingleUpperBound();
  if (!compare || !bound)
    return 0;
  Value number = compare.getLhs(), limit = compare.getRhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    std::swap(number, limit);
    break;
  default:
    return 0;
  }
  if (!isEqualConstantIntOrValue(limit, *bound))
    return 0;
  return countTripsTo(loop, number).value_or(0);
}

/// How many trips of the loop find the op with nothing to do, since it works
/// ahead.
static int64_t countIdleTrips(LoopLikeOpInterface loop,
                              const Conditions &conditions) {
  int64_t idle = 0;
  for (Value condition : conditions)
    idle = std::max(idle, getLastTrips(loop, condition));
  return idle;
}

bool tilewright::tile::isRare(Operation *op) {
  for (; op->getParentOp(); op = op->getParentOp())
    if (op->getParentOp()->hasAttr(kRareAttr) &&
        op->getParentRegion()->getRegionNumber() == 0)
      return true;
  return false;
}

TripCount tilewright::tile::getTripCount(Operation *op) {
  TripCount trips;
  auto multiply = [](int64_t &count, int64_t by) {
    count = std::min(count * std::min(by, kMostTrips), kMostTrips);
  };
  Conditions conditions = findConditions(op);
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    int64_t length = 1;
    // All is told of a program.
    if (!isOverPrograms(loop)) {
      std::optional<APInt> known = loop.getStaticTripCount();
      trips.isKnown &= known.has_value();
      length = known ? std::max<int64_t>(known->getLimitedValue(kMostTrips), 1)
                     : kUnknownTrips;
    }
    multiply(trips.ofLoops, length);
    multiply(trips.count,
             std::max<int64_t>(length - countIdleTrips(loop, conditions), 0));
  }
  return trips;
}
