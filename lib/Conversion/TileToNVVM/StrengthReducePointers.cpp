//===- StrengthReducePointers.cpp - Pointers that loops carry -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_STRENGTHREDUCEPOINTERS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

/// What a value of a loop's body is in the iterations.
enum class Course { Invariant, Affine, Other };

/// Sorts the values of a body: which are the same in all iterations, and which
/// are an invariant plus the induction variable times another. Offsets are
/// taken modulo 2^64, as address arithmetic is, so it does not matter whether a
/// sum on the way would wrap.
class Courses {
public:
  Courses(LoopLikeOpInterface loop, Block &body)
      : loop(loop), counter(*loop.getSingleInductionVar()) {
    for (Operation &op : body.without_terminator())
      if (op.getNumResults() == 1)
        courses[op.getResult(0)] = classify(&op);
  }

  Course of(Value value) {
    if (value == counter)
      return Course::Affine;
    if (auto found = courses.find(value); found != courses.end())
      return found->second;
    return loop.isDefinedOutsideOfLoop(value) ? Course::Invariant
                                              : Course::Other;
  }

private:
  Course classify(Operation *op) {
    if (!isPure(op) || op->getNumRegions() != 0)
      return Course::Other;
    unsigned numInvariant = 0;
    for (Value operand : op->getOperands()) {
      Course course = of(operand);
      if (course == Course::Other)
        return Course::Other;
      numInvariant += course == Course::Invariant;
    }
    if (numInvariant == op->getNumOperands())
      return Course::Invariant;
    auto cast = dyn_cast<arith::IndexCastOp>(op);
    bool isAffine = isa<arith::AddIOp, arith::SubIOp>(op) ||
                    (isa<arith::MulIOp>(op) && numInvariant == 1) ||
                    (cast && cast.getType().isInteger(64));
    return isAffine ? Course::Affine : Course::Other;
  }

  LoopLikeOpInterface loop;
  Value counter;
  DenseMap<Value, Course> courses;
};

/// A pointer that is `start` in the first iteration and `step` elements further
/// in each of the next.
struct Recurrence {
  LLVM::GEPOp pointer;
  Value start;
  Value step;
};

/// Rewrites the pointers of one loop's body.
class LoopRewriter {
public:
  /// `body`: its only block.
  LoopRewriter(LoopLikeOpInterface loop, Block &body)
      : loop(loop), body(body), counter(*loop.getSingleInductionVar()),
        courses(loop, body), builder(loop), loc(loop.getLoc()) {}

  void run() {
    SmallVector<LLVM::GEPOp> pointers = llvm::filter_to_vector(
        body.getOps<LLVM::GEPOp>(),
        [&](LLVM::GEPOp pointer) { return isRecurrent(pointer); });
    if (pointers.empty())
      return;
    computeBefore(pointers);
    bool runsAhead = !body.getOps<NVVM::CpAsyncWaitGroupOp>().empty();
    for (LLVM::GEPOp pointer : pointers) {
      Recurrence recurrence = makeRecurrence(pointer);
      // A constant step saves an addition only. It is worth a register where
      // all waits for the copies to start, not where it holds back loads.
      if (runsAhead || !matchPattern(recurrence.step, m_Constant()))
        recurrences.push_back(recurrence);
    }
    if (!recurrences.empty())
      carry();
  }

private:
  bool isRecurrent(LLVM::GEPOp pointer) {
    if (!counter.getType().isIndex() || pointer.getIndices().size() != 1 ||
        pointer.getDynamicIndices().size() != 1)
      return false;
    Value offset = pointer.getDynamicIndices().front();
    return offset.getType().isInteger(64) &&
           courses.of(pointer.getBase()) == Course::Invariant &&
           courses.of(offset) == Course::Affine;
  }

  /// What the pointers are computed from, in front of the loop: invariants move
  /// there, of affine values the start and the slope are computed.
  void computeBefore(ArrayRef<LLVM::GEPOp> pointers) {
    DenseSet<Value> needed;
    for (LLVM::GEPOp pointer : pointers)
      needed.insert_range(pointer->getOperands());
    auto isNeeded = [&](Operation &op) {
      return op.getNumResults() == 1 && needed.contains(op.getResult(0));
    };
    for (Operation &op : llvm::reverse(body))
      if (isNeeded(op))
        needed.insert_range(op.getOperands());
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!isNeeded(op))
        continue;
      if (courses.of(op.getResult(0)) == Course::Invariant)
        op.moveBefore(loop);
      else
        computeAffine(&op);
    }
  }

  void computeAffine(Operation *op) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, getStart(operand));
    starts[op->getResult(0)] = builder.clone(*op, mapping)->getResult(0);
    slopes[op->getResult(0)] = computeSlope(op);
  }

  /// What an affine value grows by where the induction variable grows by one.
  Value computeSlope(Operation *op) {
    Type type = op->getResult(0).getType();
    Value lhs = getSlope(op->getOperand(0));
    if (isa<arith::IndexCastOp>(op))
      return builder.createOrFold<arith::IndexCastOp>(loc, type, lhs);
    Value rhs = getSlope(op->getOperand(1));
    if (isa<arith::MulIOp>(op))
      return builder.createOrFold<arith::MulIOp>(
          loc, lhs ? lhs : op->getOperand(0), rhs ? rhs : op->getOperand(1));
    if (!rhs)
      return lhs;
    if (isa<arith::SubIOp>(op))
      return builder.createOrFold<arith::SubIOp>(
          loc, lhs ? lhs : constant(type, 0), rhs);
    return lhs ? builder.createOrFold<arith::AddIOp>(loc, lhs, rhs) : rhs;
  }

  /// In the first iteration.
  Value getStart(Value value) {
    if (value == counter)
      return getValueOrCreateConstantIndexOp(builder, loc,
                                             *loop.getSingleLowerBound());
    Value start = starts.lookup(value);
    return start ? start : value;
  }

  /// None for an invariant.
  Value getSlope(Value value) {
    if (value == counter)
      return constant(value.getType(), 1);
    return slopes.lookup(value);
  }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  Recurrence makeRecurrence(LLVM::GEPOp pointer) {
    Value offset = pointer.getDynamicIndices().front();
    Value width = builder.createOrFold<arith::IndexCastOp>(
        loc, offset.getType(),
        getValueOrCreateConstantIndexOp(builder, loc, *loop.getSingleStep()));
    return {pointer, advance(pointer, pointer.getBase(), getStart(offset)),
            builder.createOrFold<arith::MulIOp>(loc, getSlope(offset), width)};
  }

  Value advance(LLVM::GEPOp pointer, Value base, Value elements) {
    return LLVM::GEPOp::create(builder, pointer.getLoc(), pointer.getType(),
                               pointer.getElemType(), base,
                               ArrayRef<LLVM::GEPArg>{elements});
  }

  void carry() {
    IRRewriter rewriter(builder);
    auto starts = llvm::map_to_vector(
        recurrences, [](const Recurrence &each) { return each.start; });
    LoopLikeOpInterface newLoop = *loop.replaceWithAdditionalYields(
        rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          return advanceAll(inner, arguments);
        });
    auto carried = newLoop.getRegionIterArgs().take_back(recurrences.size());
    for (auto [each, argument] : llvm::zip_equal(recurrences, carried))
      rewriter.replaceOp(each.pointer, argument);
  }

  /// The pointers of the next iteration. ptxas leaves the addition where it is:
  /// that of a constant is best at the end of a body, that of two registers
  /// before its products (docs/decisions/0003-gemm.md).
  SmallVector<Value> advanceAll(OpBuilder &atEnd,
                                ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> next;
    for (auto [each, argument] : llvm::zip_equal(recurrences, arguments)) {
      if (matchPattern(each.step, m_Constant()))
        builder.setInsertionPoint(atEnd.getInsertionBlock(),
                                  atEnd.getInsertionPoint());
      else
        builder.setInsertionPointToStart(argument.getOwner());
      next.push_back(advance(each.pointer, argument, each.step));
    }
    return next;
  }

  LoopLikeOpInterface loop;
  Block &body;
  Value counter;
  Courses courses;
  OpBuilder builder;
  Location loc;
  DenseMap<Value, Value> starts, slopes;
  SmallVector<Recurrence> recurrences;
};

struct StrengthReducePointers
    : tilewright::impl::StrengthReducePointersBase<StrengthReducePointers> {
  void runOnOperation() override {
    SmallVector<LoopLikeOpInterface> loops;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (loop.getSingleInductionVar())
        loops.push_back(loop);
    });
    for (LoopLikeOpInterface loop : loops)
      LoopRewriter(loop, loop.getLoopRegions().front()->front()).run();
  }
};

} // namespace
