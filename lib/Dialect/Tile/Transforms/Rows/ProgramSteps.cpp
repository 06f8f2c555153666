//===- ProgramSteps.cpp - What the next program's numbers are -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/ProgramSteps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/IntegerCasts.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

using Step = ProgramSteps::Step;
using Round = ProgramSteps::Round;

std::optional<Step> ProgramSteps::get(OpFoldResult value) {
  return isa<Attribute>(value) ? Step() : get(cast<Value>(value));
}

std::optional<Step> ProgramSteps::get(Value value) {
  Operation *op = value.getDefiningOp();
  // Arguments of the kernel; others stand in regions.
  if (!op)
    return isa<KernelOp>(value.getParentBlock()->getParentOp())
               ? std::optional(Step())
               : std::nullopt;
  auto [known, isNew] = steps.try_emplace(value);
  if (!isNew)
    return known->second;
  std::optional<Step> step = compute(op);
  return steps[value] = step;
}

std::optional<Step> ProgramSteps::compute(Operation *op) {
  if (auto id = dyn_cast<ProgramIdOp>(op))
    return Step(id.getAxis() == axis ? 1 : 0);
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return std::nullopt;
  if (llvm::all_of(op->getOperands(),
                   [&](Value operand) { return isSame(operand); }))
    return Step();
  if (isa<arith::AddIOp>(op))
    return add(get(op->getOperand(0)), get(op->getOperand(1)), /*sign=*/1);
  if (isa<arith::SubIOp>(op))
    return add(get(op->getOperand(0)), get(op->getOperand(1)), /*sign=*/-1);
  if (isa<arith::MulIOp>(op))
    return multiply(op->getOperand(0), op->getOperand(1));
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return divide(op, /*step=*/0);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return divide(op, /*step=*/1);
  if (isSignedCast(op))
    return extend(op->getOperand(0));
  if (auto pointer = dyn_cast<AddPtrOp>(op)) {
    // What is behind it may be a narrower number.
    return add(get(pointer.getPtr()), extend(pointer.getOffset()), /*sign=*/1);
  }
  return std::nullopt;
}

std::optional<Step> ProgramSteps::add(std::optional<Step> left,
                                      std::optional<Step> right, int64_t sign) {
  if (!left || !right)
    return std::nullopt;
  if (right->count == 0)
    return left;
  right->count *= sign;
  return left->count == 0 ? right : std::nullopt;
}

std::optional<Step> ProgramSteps::multiply(Value a, Value b) {
  if (isSame(a))
    std::swap(a, b);
  std::optional<Step> step = get(a);
  if (!step || !isSame(b))
    return std::nullopt;
  if (std::optional<int64_t> factor = getConstantIntValue(b)) {
    step->count *= *factor;
    return step;
  }
  if (step->times)
    return std::nullopt;
  step->times = stripCasts(b);
  return step;
}

/// Gives `step` for a quotient or a remainder of a number that is not below 0.
std::optional<Step> ProgramSteps::divide(Operation *op, int64_t step) {
  Value number = op->getOperand(0), divisor = op->getOperand(1);
  return isCount(number) && isSame(divisor) ? std::optional(Step(step))
                                            : std::nullopt;
}

std::optional<Step> ProgramSteps::extend(Value narrow) {
  std::optional<Step> step = get(narrow);
  bool isWide = narrow.getType().isIndex() || narrow.getType().isInteger(64);
  bool goesOn =
      isWide || step == Step() || narrow == fitting || isCount(narrow);
  return goesOn ? step : std::nullopt;
}

bool ProgramSteps::isCount(Value value) {
  if (get(value) != Step(1))
    return false;
  value = stripCasts(value);
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<ProgramIdOp>(op) || (isa<arith::RemSIOp, arith::RemUIOp>(op) &&
                                   isCount(op->getOperand(0))));
}

void ProgramSteps::assumeNextFits(Value number) {
  fitting = number;
  steps.clear();
}

SmallVector<Round> ProgramSteps::findRounds(ArrayRef<Operation *> ops) {
  SetVector<Operation *> sources;
  for (Operation *op : ops)
    (void)getBackwardSlice(op, &sources);
  SmallVector<Round> rounds;
  for (Operation *op : sources) {
    bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op);
    if (!isUnsigned && !isa<arith::DivSIOp, arith::RemSIOp>(op))
      continue;
    Round round{op->getOperand(0), op->getOperand(1), isUnsigned};
    if (isCount(round.number) && !llvm::is_contained(rounds, round))
      rounds.push_back(round);
  }
  return rounds;
}
