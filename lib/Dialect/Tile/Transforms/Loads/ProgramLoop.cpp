//===- ProgramLoop.cpp - A loop over programs -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loads/ProgramLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
class ProgramLoop {
public:
  ProgramLoop(KernelOp kernel, int64_t phases, bool runsAll)
      : kernel(kernel), phases(phases), runsAll(runsAll), loc(kernel.getLoc()),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  scf::ForOp make() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    kernel.walk([&](ProgramIdOp id) {
      ids.push_back(id);
      isNumbered[id.getAxis()] = true;
    });
    for (unsigned axis = 0; axis < 3; ++axis)
      if (isNumbered[axis])
        extents[axis] = countFirsts(axis);
    Value plane = count(extents[0], extents[1]);
    Value programs = count(plane, extents[2]);
    if (runsAll)
      repeat(programs);
    auto loop =
        phases > 1 && programs
            ? makeLoopsOfPhases(programs)
            : scf::ForOp::create(builder, loc, BlockIdOp::create(builder, loc),
                                 programs, NumBlocksOp::create(builder, loc));
    markProgramLoop(loop);
    for (Operation *op : ops)
      op->moveBefore(loop.getBody()->getTerminator());
    builder.setInsertionPointToStart(loop.getBody());
    number(loop.getInductionVar(), plane);
    kernel.setPersistent(true);
    moveOutOfPrograms(loop);
    if (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()))
      moveOutOfPrograms(outer);
    return loop;
  }

private:
  /// Programs that differ along axes that no program asks for, in a loop around
  /// those of the others, if there are such.
  void repeat(Value &programs) {
    Value alike;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (!isNumbered[axis])
        alike = count(alike, countFirsts(axis));
    if (!programs) {
      programs = alike;
    } else if (alike) {
      auto outer =
          scf::ForOp::create(builder, loc, constant(0), alike, constant(1));
      markProgramLoop(outer);
      builder.setInsertionPointToStart(outer.getBody());
    }
  }

  /// Programs along an axis, or clusters of them.
  Value countFirsts(unsigned axis) {
    Value programs = NumProgramsOp::create(builder, loc, axis);
    int32_t ofCluster = getClusterPrograms(kernel)[axis];
    return ofCluster == 1 ? programs
                          : arith::CeilDivUIOp::create(builder, loc, programs,
                                                       constant(ofCluster));
  }

  /// All programs in the order of their phases, of which each block takes
  /// neighbours: no block has one more than another has, but for one.
  scf::ForOp makeLoopsOfPhases(Value programs) {
    Value one = constant(1), number = constant(phases);
    Value block = BlockIdOp::create(builder, loc);
    Value blocks = NumBlocksOp::create(builder, loc);
    Value from = divide(multiply(block, programs), blocks);
    Value to = divide(multiply(add(block, one), programs), blocks);
    Value end = add(getPhase(programs, subtract(to, one)), one);
    Value first = getPhase(programs, from);
    Value isEmpty =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, from, to);
    end = arith::SelectOp::create(builder, loc, isEmpty, first, end);
    auto outer = scf::ForOp::create(builder, loc, first, end, one);
    markProgramLoop(outer);
    builder.setInsertionPointToStart(outer.getBody());
    Value phase = outer.getInductionVar();
    Value begin = getBegin(programs, phase);
    // Of the programs of this phase, those of this block.
    auto getProgram = [&](Value place) {
      place =
          subtract(arith::MaxUIOp::create(builder, loc, place, begin), begin);
      return add(phase, multiply(place, number));
    };
    Value last = arith::MinUIOp::create(builder, loc, to,
                                        getBegin(programs, add(phase, one)));
    return scf::ForOp::create(builder, loc, getProgram(from), getProgram(last),
                              number);
  }

  /// The place of the first program of a phase in this order.
  Value getBegin(Value programs, Value phase) {
    Value number = constant(phases);
    Value more = arith::MinUIOp::create(builder, loc, phase,
                                        remainder(programs, number));
    return add(multiply(phase, divide(programs, number)), more);
  }

  /// The phase of the program at a place of this order.
  Value getPhase(Value programs, Value place) {
    Value number = constant(phases), one = constant(1);
    Value few = divide(programs, number), longer = remainder(programs, number);
    Value many = add(few, one), ofLonger = multiply(longer, many);
    Value behind = divide(subtract(place, ofLonger),
                          arith::MaxUIOp::create(builder, loc, few, one));
    Value isLonger = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, place, ofLonger);
    return arith::SelectOp::create(builder, loc, isLonger, divide(place, many),
                                   add(longer, behind));
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value subtract(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value remainder(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }

  /// The number of programs along two axes. Those that differ along an axis
  /// that no program asks for do the same: one of them does it.
  Value count(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return multiply(a, b);
  }

  /// Gives the program of the loop its numbers along the axes.
  void number(Value program, Value plane) {
    std::array<Value, 3> numbers;
    Value inPlane = program;
    numbers[2] = program;
    if (isNumbered[2] && plane) {
      inPlane = remainder(program, plane);
      numbers[2] = divide(program, plane);
    }
    if (isNumbered[0] && isNumbered[1])
      std::tie(numbers[0], numbers[1]) = walkInGroups(inPlane);
    else
      numbers[0] = numbers[1] = inPlane;
    for (ProgramIdOp id : ids) {
      Value number = numbers[id.getAxis()];
      if (int32_t ofCluster = getClusterPrograms(kernel)[id.getAxis()];
          ofCluster > 1)
        number = multiply(number, constant(ofCluster));
      id.replaceAllUsesWith(number);
      id.erase();
    }
  }

  /// Down groups of rows, column after column.
  std::pair<Value, Value> walkInGroups(Value inPlane) {
    Value height = getGroupHeight();
    Value size = multiply(height, extents[1]);
    Value first = multiply(divide(inPlane, size), height);
    Value left = arith::SubIOp::create(builder, loc, extents[0], first);
    Value rows = arith::MinUIOp::create(builder, loc, left, height);
    Value inGroup = remainder(inPlane, size);
    return {
        arith::AddIOp::create(builder, loc, first, remainder(inGroup, rows)),
        divide(inGroup, rows)};
  }

  /// Rows of a group: on an H200 16 are no slower than 8 (docs/decisions/0025),
  /// but where all programs of a plane run at once, few are faster, as more
  /// neighbours want the same (docs/decisions/0102).
  Value getGroupHeight() {
    constexpr int64_t many = 16, few = 4;
    Value programs = multiply(extents[0], extents[1]);
    Value runAtOnce =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, programs,
                              NumBlocksOp::create(builder, loc));
    return arith::SelectOp::create(builder, loc, runAtOnce, constant(few),
                                   constant(many));
  }

  KernelOp kernel;
  int64_t phases;
  bool runsAll;
  Location loc;
  OpBuilder builder;
  SmallVector<ProgramIdOp> ids;
  std::array<bool, 3> isNumbered = {};
  /// The extents of the axes along which programs are numbered.
  std::array<Value, 3> extents;
};
} // namespace

void tilewright::tile::markProgramLoop(scf::ForOp loop) {
  Builder builder(loop.getContext());
  loop->setAttr(TileDialect::kProgramsAttr, builder.getUnitAttr());
  // What a program loads once is no loop's to load ahead.
  loop->setAttr(TileDialect::kNumStagesAttr, builder.getI32IntegerAttr(1));
}

void tilewright::tile::moveOutOfPrograms(scf::ForOp loop) {
  moveLoopInvariantCode(
      {&loop.getRegion()},
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [](Operation *op, Region *) {
        bool hasTile =
            llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
        return isPure(op) &&
               (!hasTile || op->hasTrait<OpTrait::ConstantLike>());
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

scf::ForOp tilewright::tile::makeProgramLoop(KernelOp kernel, int64_t phases,
                                             bool runsAll) {
  return ProgramLoop(kernel, phases, runsAll).make();
}

SmallVector<scf::ForOp> tilewright::tile::findProgramLoops(KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (isOverPrograms(loop) &&
        llvm::none_of(loop.getOps<scf::ForOp>(),
                      [](scf::ForOp inner) { return isOverPrograms(inner); }))
      loops.push_back(loop);
  });
  return loops;
}
