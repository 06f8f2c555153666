//===- WalkLoop.cpp - Blocks that walk along an axis of the grid ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/WalkLoop.h"

#include "Loads/ProgramLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
class WalkLoop {
public:
  WalkLoop(KernelOp kernel, unsigned axis)
      : kernel(kernel), axis(axis), loc(kernel.getLoc()),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  Value make(int64_t mostPrograms) {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    kernel.walk([&](ProgramIdOp id) { ids.push_back(id); });
    Value programs = NumProgramsOp::create(builder, loc, axis);
    Value strips = constant(1);
    for (unsigned each = 0; each < numAxes; ++each)
      if (each != axis && isNumbered(each)) {
        extents[each] = NumProgramsOp::create(builder, loc, each);
        strips = make<arith::MulIOp>(strips, extents[each]);
      }
    Value block = BlockIdOp::create(builder, loc);
    Value blocks = NumBlocksOp::create(builder, loc);
    auto rounds = scf::ForOp::create(builder, loc, constant(0), strips, blocks);
    markProgramLoop(rounds);
    builder.setInsertionPointToStart(rounds.getBody());
    Value first = rounds.getInductionVar();
    Value left = make<arith::SubIOp>(strips, first);
    Part part = choosePart(block, blocks, make<arith::MinUIOp>(blocks, left));
    Value from = part.of(*this, programs, part.number);
    Value to =
        part.of(*this, programs, make<arith::AddIOp>(part.number, constant(1)));
    Value one = constant(1);
    Value all = make<arith::MaxUIOp>(make<arith::SubIOp>(to, from), one);
    Value length = select(
        compare(arith::CmpIPredicate::ule, programs, constant(mostPrograms)),
        all, one);
    auto walk = scf::ForOp::create(builder, loc, from, to, length);
    markProgramLoop(walk);
    for (Operation *op : ops)
      op->moveBefore(walk.getBody()->getTerminator());
    builder.setInsertionPointToStart(walk.getBody());
    Value rest = make<arith::SubIOp>(to, walk.getInductionVar());
    Value count = make<arith::MinUIOp>(length, rest);
    number(make<arith::AddIOp>(first, part.strip), walk.getInductionVar());
    kernel.setPersistent(true);
    moveOutOfPrograms(walk);
    moveOutOfPrograms(rounds);
    return count;
  }

private:
  static constexpr unsigned numAxes = 3;

  /// The one with this number, of so many parts of a strip.
  struct Part {
    Value strip, number, parts;

    /// The first program of a part.
    Value of(WalkLoop &loop, Value programs, Value number) const {
      return loop.make<arith::DivUIOp>(
          loop.make<arith::MulIOp>(programs, number), parts);
    }
  };

  /// What a block has of so many strips, of which there are no more than
  /// blocks.
  Part choosePart(Value block, Value blocks, Value strips) {
    Value one = constant(1), two = constant(2);
    Value each = make<arith::DivUIOp>(blocks, strips);
    Value ofAll = make<arith::MulIOp>(each, strips);
    Value helpers = make<arith::SubIOp>(blocks, ofAll);
    Value isHelper = compare(arith::CmpIPredicate::uge, block, ofAll);
    // Of the helpers, those with even numbers go to the first strips.
    Value number = make<arith::SubIOp>(block, ofAll);
    Value fromEnd = make<arith::DivUIOp>(number, two);
    Value last = make<arith::SubIOp>(strips, one);
    Value isEven = compare(arith::CmpIPredicate::eq,
                           make<arith::RemUIOp>(number, two), constant(0));
    Value helped = select(isEven, fromEnd, make<arith::SubIOp>(last, fromEnd));
    Value strip = select(isHelper, helped, make<arith::RemUIOp>(block, strips));
    Value part = select(isHelper, each, make<arith::DivUIOp>(block, strips));
    // Whether one of the helpers goes to the strip.
    Value behind = make<arith::SubIOp>(last, strip);
    Value isFirst = compare(arith::CmpIPredicate::ule, strip, behind);
    Value turn =
        select(isFirst, make<arith::MulIOp>(strip, two),
               make<arith::AddIOp>(make<arith::MulIOp>(behind, two), one));
    Value more = select(compare(arith::CmpIPredicate::ult, turn, helpers), one,
                        constant(0));
    return {strip, part, make<arith::AddIOp>(each, more)};
  }

  /// Gives the ops of a program its numbers along the axes.
  void number(Value strip, Value program) {
    std::array<Value, numAxes> numbers;
    numbers[axis] = program;
    for (unsigned each = 0; each < numAxes; ++each)
      if (extents[each]) {
        bool isLast = llvm::none_of(ArrayRef(extents).drop_front(each + 1),
                                    [](Value extent) { return extent; });
        numbers[each] =
            isLast ? strip : make<arith::RemUIOp>(strip, extents[each]);
        strip = isLast ? strip : make<arith::DivUIOp>(strip, extents[each]);
      }
    for (ProgramIdOp id : ids) {
      id.replaceAllUsesWith(numbers[id.getAxis()]);
      id.erase();
    }
  }

  bool isNumbered(unsigned which) {
    return llvm::any_of(ids,
                        [&](ProgramIdOp id) { return id.getAxis() == which; });
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }

  KernelOp kernel;
  unsigned axis;
  Location loc;
  OpBuilder builder;
  SmallVector<ProgramIdOp> ids;
  /// Of the other axes along which programs are numbered.
  std::array<Value, numAxes> extents;
};
} // namespace

Value tilewright::tile::makeWalkLoop(KernelOp kernel, unsigned axis,
                                     int64_t mostPrograms) {
  return WalkLoop(kernel, axis).make(mostPrograms);
}
