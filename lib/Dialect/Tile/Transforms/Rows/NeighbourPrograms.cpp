//===- NeighbourPrograms.cpp - Whose block is the next one ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/NeighbourPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/RowLoops.h"

using namespace mlir;
using namespace tilewright::tile;

using Step = ProgramSteps::Step;
using Round = ProgramSteps::Round;

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
                        GlobalAccessOpInterface store, ArrayRef<int64_t> order,
                        std::optional<unsigned> dim) {
  auto kernel = dyn_cast<KernelOp>(store->getParentOp());
  // Each program does what stands in the kernel itself.
  if (!kernel || load->getParentOp() != kernel || kernel.getPersistent() ||
      kernel.getBlockPrograms() || kernel.getClusterBlocksOrOne() != 1 ||
      !doesNothingElse(kernel, load, store))
    return std::nullopt;
  constexpr unsigned numAxes = 3;
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    NeighbourPrograms programs(axis);
    if (programs.matches(load, store, order, dim))
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
                                ArrayRef<int64_t> order,
                                std::optional<unsigned> ofStored) {
  this->load = load;
  MemoryAccess from = *findMemoryAccess(load, MemorySpace::Global);
  MemoryAccess to = *findMemoryAccess(store, MemorySpace::Global);
  auto read = from.base.getDefiningOp<ViewOp>();
  auto written = to.base.getDefiningOp<ViewOp>();
  if (!read || !written)
    return false;
  unsigned dim = ofStored.value_or(*written.getType().getContiguousDim());
  auto ofRead = static_cast<unsigned>(order[dim]);
  extent = store.getTileType().getDimSize(dim);
  if (!findFront(written, to.indices[dim], dim) ||
      steps.get(front) != Step(extent))
    return false;
  // `isContinued` asks for it.
  steps.assumeNextFits(front);
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
  rounds = steps.findRounds({load, store});
  if (!areRoundsInFront())
    return false;
  if (!isRest)
    return isSame(end) && isSame(read.getBase()) && isSame(written.getBase());
  return steps.get(read.getBase()) == getStep(read, ofRead) &&
         steps.get(written.getBase()) == getStep(written, dim);
}

/// The step from a block to the next one, where that begins with it.
Step NeighbourPrograms::getStep(ViewOp view, unsigned along) const {
  OpFoldResult stride = view.getMixedStrides()[along];
  if (std::optional<int64_t> known = getConstantIntValue(stride))
    return Step(extent * *known);
  return Step(extent, stripCasts(cast<Value>(stride)));
}

bool NeighbourPrograms::areNumbered() const {
  if (!rounds.empty())
    return false;
  auto isNumber = [&](Value number) {
    auto id = stripCasts(number).getDefiningOp<ProgramIdOp>();
    return id && id.getAxis() == axis;
  };
  auto product = front.getDefiningOp<arith::MulIOp>();
  if (!product)
    return extent == 1 && isNumber(front);
  auto isOf = [&](Value number, Value factor) {
    return isNumber(number) && getConstantIntValue(factor) == extent;
  };
  return isOf(product.getLhs(), product.getRhs()) ||
         isOf(product.getRhs(), product.getLhs());
}

Value NeighbourPrograms::countLeft(OpBuilder &builder) const {
  Location loc = load->getLoc();
  Value programs = arith::SubIOp::create(
      builder, loc, NumProgramsOp::create(builder, loc, axis),
      ProgramIdOp::create(builder, loc, axis));
  return arith::MulIOp::create(
      builder, loc, programs,
      arith::ConstantIndexOp::create(builder, loc, extent));
}

bool NeighbourPrograms::areRoundsInFront() const {
  auto isInFront = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || op->isBeforeInBlock(load);
  };
  return llvm::all_of(rounds, [&](const Round &round) {
    return isInFront(round.number) && isInFront(round.divisor);
  });
}

namespace {
/// An i1 that is true where all comparisons hold.
struct Conjunction {
  OpBuilder &builder;
  Location loc;
  Value all = nullptr;

  void add(arith::CmpIPredicate predicate, Value a, Value b) {
    Value next = builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
    all = all ? builder.createOrFold<arith::AndIOp>(loc, all, next) : next;
  }
  void add(arith::CmpIPredicate predicate, Value a, int64_t b) {
    add(predicate, a, getNumber(a, b));
  }
  /// What a value and a number are together.
  Value sum(Value a, int64_t b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, getNumber(a, b));
  }

private:
  Value getNumber(Value like, int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(like.getType(), value));
  }
};
} // namespace

static Value getRemainder(OpBuilder &builder, Location loc,
                          const Round &round) {
  auto [number, divisor, isUnsigned] = round;
  return isUnsigned
             ? builder.createOrFold<arith::RemUIOp>(loc, number, divisor)
             : builder.createOrFold<arith::RemSIOp>(loc, number, divisor);
}

/// Where the block begins, up to the `end`.
Value NeighbourPrograms::getPlace(OpBuilder &builder) const {
  Location loc = load->getLoc();
  if (isRest)
    return arith::ConstantIndexOp::create(builder, loc, 0);
  return getValueOrCreateCastToIndexLike(builder, loc, builder.getIndexType(),
                                         front);
}

// Both conditions ask for another program, whose numbers go on. That the front
// is behind others does not say so: fronts need not begin at 0.

Value NeighbourPrograms::continues(OpBuilder &builder) const {
  Location loc = load->getLoc();
  Conjunction all{builder, loc};
  Value id = ProgramIdOp::create(builder, loc, axis);
  all.add(arith::CmpIPredicate::sgt, id, 0);
  for (const Round &round : rounds) {
    Value rest = getRemainder(builder, loc, round);
    all.add(arith::CmpIPredicate::sgt, rest, 0);
    all.add(arith::CmpIPredicate::slt, rest, round.divisor);
  }
  // Both blocks begin inside of the view.
  all.add(arith::CmpIPredicate::sge, front, extent);
  all.add(arith::CmpIPredicate::slt, getPlace(builder),
          getValueOrCreateConstantIndexOp(builder, loc, end));
  return all.all;
}

Value NeighbourPrograms::isContinued(OpBuilder &builder) const {
  Location loc = load->getLoc();
  Conjunction all{builder, loc};
  Value id = ProgramIdOp::create(builder, loc, axis);
  Value programs = NumProgramsOp::create(builder, loc, axis);
  all.add(arith::CmpIPredicate::slt, id, all.sum(programs, -1));
  for (const Round &round : rounds) {
    Value rest = getRemainder(builder, loc, round);
    all.add(arith::CmpIPredicate::slt, all.sum(rest, 1), round.divisor);
  }
  // Both blocks begin inside of the view, and the next front is what this one's
  // type holds.
  all.add(arith::CmpIPredicate::sge, front, 0);
  if (!isRest) {
    unsigned bits = front.getType().isIndex()
                        ? IndexType::kInternalStorageBitWidth
                        : front.getType().getIntOrFloatBitWidth();
    all.add(arith::CmpIPredicate::sle, front, llvm::maxIntN(bits) - extent);
  }
  all.add(arith::CmpIPredicate::slt, all.sum(getPlace(builder), extent),
          getValueOrCreateConstantIndexOp(builder, loc, end));
  return all.all;
}

std::pair<Value, Value> NeighbourPrograms::compare(OpBuilder &builder) const {
  Value before = continues(builder);
  return {before, isContinued(builder)};
}
