//===- ProgramLoop.cpp - A loop over programs -----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
class ProgramLoop {
public:
  explicit ProgramLoop(KernelOp kernel)
      : kernel(kernel), loc(kernel.getLoc()),
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
        extents[axis] = NumProgramsOp::create(builder, loc, axis);
    Value plane = count(extents[0], extents[1]);
    Value first = BlockIdOp::create(builder, loc);
    auto loop =
        scf::ForOp::create(builder, loc, first, count(plane, extents[2]),
                           NumBlocksOp::create(builder, loc));
    markProgramLoop(loop);
    for (Operation *op : ops)
      op->moveBefore(loop.getBody()->getTerminator());
    builder.setInsertionPointToStart(loop.getBody());
    number(loop.getInductionVar(), plane);
    kernel.setPersistent(true);
    moveOut(loop);
    return loop;
  }

private:
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivUIOp::create(builder, loc, a, b);
  }
  Value remainder(Value a, Value b) {
    return arith::RemUIOp::create(builder, loc, a, b);
  }

  /// Of the programs along two axes. Those that differ along an axis that no
  /// program asks for do the same: one of them does it.
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
      id.replaceAllUsesWith(numbers[id.getAxis()]);
      id.erase();
    }
  }

  /// Down groups of rows, column after column.
  std::pair<Value, Value> walkInGroups(Value inPlane) {
    Value height = arith::ConstantIndexOp::create(builder, loc, kGroupHeight);
    Value size = multiply(height, extents[1]);
    Value first = multiply(divide(inPlane, size), height);
    Value left = arith::SubIOp::create(builder, loc, extents[0], first);
    Value rows = arith::MinUIOp::create(builder, loc, left, height);
    Value inGroup = remainder(inPlane, size);
    return {
        arith::AddIOp::create(builder, loc, first, remainder(inGroup, rows)),
        divide(inGroup, rows)};
  }

  /// What all programs compute alike is computed once, but for tiles, which
  /// would keep their registers all the time.
  static void moveOut(scf::ForOp loop) {
    moveLoopInvariantCode(
        {&loop.getRegion()},
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [](Operation *op, Region *) {
          bool hasTile =
              llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
          return isPure(op) &&
                 (!hasTile || op->hasTrait<OpTrait::ConstantLike>());
        },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  }

  /// Rows of a group: on an H200 no slower than 8 (docs/decisions/0025).
  static constexpr int64_t kGroupHeight = 16;

  KernelOp kernel;
  Location loc;
  OpBuilder builder;
  SmallVector<ProgramIdOp> ids;
  std::array<bool, 3> isNumbered = {};
  /// Of the axes along which programs are numbered.
  std::array<Value, 3> extents;
};
} // namespace

void tilewright::tile::markProgramLoop(scf::ForOp loop) {
  Builder builder(loop.getContext());
  loop->setAttr(TileDialect::kProgramsAttr, builder.getUnitAttr());
  // What a program loads once is no loop's to load ahead.
  loop->setAttr(TileDialect::kNumStagesAttr, builder.getI32IntegerAttr(1));
}

scf::ForOp tilewright::tile::makeProgramLoop(KernelOp kernel) {
  return ProgramLoop(kernel).make();
}
