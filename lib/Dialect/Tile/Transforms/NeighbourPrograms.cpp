//===- NeighbourPrograms.cpp - Whose block is the next one ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeighbourPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

using Step = ProgramSteps::Step;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

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
    return divide(op, /*isRemainder=*/false);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return divide(op, /*isRemainder=*/true);
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
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

/// Of a number that is none below 0, and 1 more.
std::optional<Step> ProgramSteps::divide(Operation *op, bool isRemainder) {
  Value number = op->getOperand(0), divisor = op->getOperand(1);
  if (!isCount(number) || !isSame(divisor))
    return std::nullopt;
  Round round{number, divisor, isa<arith::DivUIOp, arith::RemUIOp>(op)};
  if (!llvm::is_contained(rounds, round))
    rounds.push_back(round);
  return Step(isRemainder ? 1 : 0);
}

std::optional<Step> ProgramSteps::extend(Value narrow) {
  std::optional<Step> step = get(narrow);
  bool isWide = narrow.getType().isIndex() || narrow.getType().isInteger(64);
  bool goesOn = isWide || step == Step() || narrow == front || isCount(narrow);
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

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

static SmallVector<OpFoldResult> getMixedShape(ViewOp view) {
  return getMixedValues(view.getType().getShape(), view.getShape(),
                        view.getContext());
}

/// Whether the kernel does nothing but to load and to store.
static bool doesNothingElse(KernelOp kernel, Operation *load,
                            Operation *store) {
  return llvm::all_of(kernel.getBody().getOps(), [&](Operation &op) {
    return &op == load || &op == store ||
           op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op);
  });
}

std::optional<NeighbourPrograms>
NeighbourPrograms::find(GlobalAccessOpInterface load,
                        GlobalAccessOpInterface store,
                        ArrayRef<int64_t> order) {
  auto kernel = dyn_cast<KernelOp>(store->getParentOp());
  // Each program does what stands in the kernel itself.
  if (!kernel || load->getParentOp() != kernel || kernel.getPersistent() ||
      kernel.getBlockPrograms() || kernel.getClusterBlocksOrOne() != 1 ||
      !doesNothingElse(kernel, load, store))
    return std::nullopt;
  constexpr unsigned numAxes = 3;
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    NeighbourPrograms programs(axis);
    if (programs.matches(load, store, order))
      return programs;
  }
  return std::nullopt;
}

/// Finds what says where along a row the block is: its coordinate, or, where
/// the view begins with the block, what its extent is computed by.
bool NeighbourPrograms::findFront(ViewOp view, Value offset, unsigned dim) {
  end = getMixedShape(view)[dim];
  isRest = isZero(offset);
  if (!isRest) {
    front = stripCasts(offset);
    return true;
  }
  // As much as is left, or nothing.
  auto size = dyn_cast<Value>(end);
  auto choice = size ? size.getDefiningOp<arith::SelectOp>() : nullptr;
  if (!choice || !isZero(choice.getFalseValue()))
    return false;
  auto is = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  Value rest = choice.getTrueValue();
  if (auto cast = rest.getDefiningOp<arith::IndexCastUIOp>())
    rest = cast.getIn();
  auto left = stripCasts(rest).getDefiningOp<arith::SubIOp>();
  if (!is || !left || is.getPredicate() != arith::CmpIPredicate::slt ||
      is.getLhs() != left.getRhs() || is.getRhs() != left.getLhs() ||
      !steps.isSame(left.getLhs()))
    return false;
  front = left.getRhs();
  return true;
}

bool NeighbourPrograms::matches(GlobalAccessOpInterface load,
                                GlobalAccessOpInterface store,
                                ArrayRef<int64_t> order) {
  this->load = load;
  MemoryAccess from = *findMemoryAccess(load, MemorySpace::Global);
  MemoryAccess to = *findMemoryAccess(store, MemorySpace::Global);
  auto read = from.base.getDefiningOp<ViewOp>();
  auto written = to.base.getDefiningOp<ViewOp>();
  if (!read || !written)
    return false;
  unsigned dim = *written.getType().getContiguousDim();
  auto ofRead = static_cast<unsigned>(order[dim]);
  extent = store.getTileType().getDimSize(dim);
  if (!findFront(written, to.indices[dim], dim) ||
      steps.get(front) != Step(extent))
    return false;
  steps.front = front;
  // Where the block is, but for along the row, and what is next to what.
  auto isSame = [&](OpFoldResult value) { return steps.isSame(value); };
  auto isRestSame = [&](ViewOp view, ArrayRef<Value> offsets, unsigned along) {
    SmallVector<OpFoldResult> shape = getMixedShape(view);
    for (auto [each, offset] : llvm::enumerate(offsets))
      if (each != along && (!isSame(shape[each]) || !isSame(offset)))
        return false;
    return llvm::all_of(view.getMixedStrides(), isSame);
  };
  if (!isRestSame(read, from.indices, ofRead) ||
      !isRestSame(written, to.indices, dim))
    return false;
  if (!isRest)
    return isSame(end) && isSame(read.getBase()) && isSame(written.getBase()) &&
           areRoundsInFront();
  OpFoldResult stride = read.getMixedStrides()[ofRead];
  std::optional<int64_t> known = getConstantIntValue(stride);
  Step behind = known ? Step(extent * *known)
                      : Step(extent, stripCasts(cast<Value>(stride)));
  return steps.get(read.getBase()) == behind &&
         steps.get(written.getBase()) == Step(extent) && areRoundsInFront();
}

/// What only the store needs may be computed behind the load.
bool NeighbourPrograms::areRoundsInFront() {
  auto isInFront = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->isBeforeInBlock(load);
  };
  return llvm::all_of(steps.rounds, [&](const ProgramSteps::Round &round) {
    return isInFront(round.number) && isInFront(round.divisor);
  });
}

std::pair<Value, Value> NeighbourPrograms::compare(OpBuilder &builder) {
  Location loc = load->getLoc();
  Value continues, continued;
  auto is = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  };
  auto also = [&](Value &all, Value next) {
    all = all ? builder.createOrFold<arith::AndIOp>(loc, all, next) : next;
  };
  auto number = [&](Value like, int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(like.getType(), value));
  };
  // There is another program, whose numbers go on from the one's. That the
  // front is behind others does not say so: fronts need not begin at 0.
  Value id = ProgramIdOp::create(builder, loc, axis);
  Value last = builder.createOrFold<arith::SubIOp>(
      loc, NumProgramsOp::create(builder, loc, axis), number(id, 1));
  also(continued, is(arith::CmpIPredicate::slt, id, last));
  also(continues, is(arith::CmpIPredicate::sgt, id, number(id, 0)));
  for (auto [count, divisor, isUnsigned] : steps.rounds) {
    Value rest =
        isUnsigned ? builder.createOrFold<arith::RemUIOp>(loc, count, divisor)
                   : builder.createOrFold<arith::RemSIOp>(loc, count, divisor);
    also(continues, is(arith::CmpIPredicate::sgt, rest, number(rest, 0)));
    also(continues, is(arith::CmpIPredicate::slt, rest, divisor));
    Value next =
        builder.createOrFold<arith::AddIOp>(loc, rest, number(rest, 1));
    also(continued, is(arith::CmpIPredicate::slt, next, divisor));
  }
  // Both blocks are inside of the view, and the front of the next one is what
  // this one's type holds.
  also(continues, is(arith::CmpIPredicate::sge, front, number(front, extent)));
  also(continued, is(arith::CmpIPredicate::sge, front, number(front, 0)));
  Value limit = getValueOrCreateConstantIndexOp(builder, loc, end);
  Value place = number(limit, 0);
  if (!isRest) {
    place = front;
    if (!front.getType().isIndex())
      place = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         front);
    unsigned bits = front.getType().isIndex()
                        ? IndexType::kInternalStorageBitWidth
                        : front.getType().getIntOrFloatBitWidth();
    int64_t most = llvm::maxIntN(bits) - extent;
    also(continued, is(arith::CmpIPredicate::sle, front, number(front, most)));
  }
  also(continues, is(arith::CmpIPredicate::slt, place, limit));
  also(continued, is(arith::CmpIPredicate::slt,
                     builder.createOrFold<arith::AddIOp>(loc, place,
                                                         number(place, extent)),
                     limit));
  return {continues, continued};
}
