//===- StrengthReducePointers.cpp - Pointers that loops carry -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/BranchAddresses.h"
#include "Registers/OffsetPointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Conversion/InlinePtx.h"

namespace tilewright {
#define GEN_PASS_DEF_STRENGTHREDUCEPOINTERS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

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
                    (cast && isAddressWide(cast.getIn().getType()) &&
                     isAddressWide(cast.getType()));
    return isAffine ? Course::Affine : Course::Other;
  }

  static bool isAddressWide(Type type) {
    return type.isIndex() || type.isInteger(64);
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
        courses(loop, body), builder(loop), loc(loop.getLoc()),
        runsAhead(!body.getOps<NVVM::CpAsyncWaitGroupOp>().empty()),
        hasSpareRegisters(runsAhead &&
                          !body.getOps<NVVM::WgmmaWaitGroupSyncOp>().empty()) {}

  void run() {
    SmallVector<LLVM::GEPOp> pointers = findPointers();
    if (pointers.empty())
      return;
    computeBefore(pointers);
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
  SmallVector<LLVM::GEPOp> findPointers() {
    SmallVector<LLVM::GEPOp> pointers;
    for (auto pointer : body.getOps<LLVM::GEPOp>())
      if (isRecurrent(pointer) ||
          (hasSpareRegisters && !loop->hasAttr(tilewright::kFewRegistersAttr) &&
           isBesideOneOf(pointers, pointer)))
        pointers.push_back(pointer);
    return pointers;
  }

  /// Whether it is an invariant away from a pointer that the loop carries. What
  /// a constant is away, the instruction's offset reaches.
  bool isBesideOneOf(ArrayRef<LLVM::GEPOp> pointers, LLVM::GEPOp pointer) {
    auto base = pointer.getBase().getDefiningOp<LLVM::GEPOp>();
    if (!llvm::is_contained(pointers, base) || !hasOneOffset(pointer) ||
        base.getElemType() != pointer.getElemType())
      return false;
    Value offset = pointer.getDynamicIndices().front();
    return courses.of(offset) == Course::Invariant &&
           !matchPattern(offset, m_Constant());
  }

  bool isRecurrent(LLVM::GEPOp pointer) {
    if (!counter.getType().isIndex() || !hasOneOffset(pointer))
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
    for (LLVM::GEPOp pointer : pointers)
      needed.erase(pointer);
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

  /// The value in the first iteration.
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
    const auto *beside =
        llvm::find_if(recurrences, [&](const Recurrence &each) {
          return each.pointer == pointer.getBase().getDefiningOp();
        });
    if (beside != recurrences.end())
      return {pointer, advance(builder, pointer, beside->start, offset),
              beside->step};
    Value width = builder.createOrFold<arith::IndexCastOp>(
        loc, offset.getType(),
        getValueOrCreateConstantIndexOp(builder, loc, *loop.getSingleStep()));
    return {pointer,
            advance(builder, pointer, pointer.getBase(), getStart(offset)),
            builder.createOrFold<arith::MulIOp>(loc, getSlope(offset), width)};
  }

  void carry() {
    SmallVector<Group> groups = makeGroups();
    auto starts = llvm::map_to_vector(
        groups, [&](const Group &group) { return getCarried(group); });
    IRRewriter rewriter(builder);
    SmallVector<Value> next;
    LoopLikeOpInterface newLoop = *loop.replaceWithAdditionalYields(
        rewriter, starts, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &inner, Location, ArrayRef<BlockArgument> arguments) {
          return next = advanceAll(groups, inner, arguments);
        });
    auto carried = newLoop.getRegionIterArgs().take_back(groups.size());
    for (auto [group, argument, advanced] :
         llvm::zip_equal(groups, carried, next)) {
      Value now = hasSpareRegisters ? advanced : argument;
      builder.setInsertionPointAfterValue(now);
      if (isOffset(group))
        now = hide(now);
      for (const Recurrence &each : group)
        rewriter.replaceOp(each.pointer,
                           isOffset(group)
                               ? advance(builder, each.pointer, each.start, now)
                               : now);
    }
  }

  /// LLVM does not see through it, and so leaves the sums where they are: it
  /// would carry each of them.
  Value hide(Value offset) {
    return emitPurePtx(builder, loc, offset.getType(), offset,
                       "mov.b64 $0, $1;", "=l,l");
  }

  /// Pointers that move on by the same.
  using Group = SmallVector<Recurrence>;

  /// Of several, the loop carries how far all have moved: ptxas has the two
  /// halves of a carried pointer in registers apart, and moves them into a pair
  /// for each copy, where a sum is made in one
  /// (docs/decisions/0080-python-kernels-beside-triton.md).
  static bool isOffset(const Group &group) { return group.size() > 1; }

  /// Where registers are left for what the pointers began with, and no other
  /// warpgroup runs meanwhile; else each stands alone.
  SmallVector<Group> makeGroups() {
    SmallVector<Group> groups;
    bool joins = hasSpareRegisters &&
                 !loop->hasAttr(tilewright::kFewRegistersAttr) &&
                 loop->getParentOfType<FunctionOpInterface>()->hasAttr(
                     tilewright::kOneWarpgroupAttr);
    for (const Recurrence &each : recurrences) {
      auto *found = llvm::find_if(groups, [&](const Group &group) {
        return joins && moveTogether(group.front(), each);
      });
      if (found == groups.end())
        groups.push_back({each});
      else
        found->push_back(each);
    }
    return groups;
  }

  static bool moveTogether(const Recurrence &a, const Recurrence &b) {
    LLVM::GEPOp first = a.pointer, second = b.pointer;
    return first.getElemType() == second.getElemType() &&
           isEqual(a.step, b.step);
  }

  /// Whether two numbers that were computed in front of the loop are the same.
  static bool isEqual(Value a, Value b) {
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    return a == b ||
           (first && second && isPure(first) && first->getNumRegions() == 0 &&
            cast<OpResult>(a).getResultNumber() ==
                cast<OpResult>(b).getResultNumber() &&
            OperationEquivalence::isEquivalentTo(
                first, second,
                [](Value x, Value y) { return success(isEqual(x, y)); },
                /*markEquivalent=*/nullptr,
                OperationEquivalence::IgnoreLocations));
  }

  /// What comes into the first iteration. Where products leave registers, it is
  /// one step back and the pointers are advanced before the copies: an addition
  /// behind a copy waits until it has read its address, which is late where
  /// many copies queue, and the next products wait for the addition
  /// (docs/decisions/0009-wgmma.md).
  Value getCarried(const Group &group) {
    const Recurrence &first = group.front();
    if (!hasSpareRegisters)
      return first.start;
    Value back = builder.createOrFold<arith::SubIOp>(
        loc, constant(first.step.getType(), 0), first.step);
    return isOffset(group) ? back
                           : advance(builder, first.pointer, first.start, back);
  }

  /// What the next iteration has. ptxas leaves the addition where it is:
  /// beside `mma.sync` that of a constant is best at the end of a body, that of
  /// two registers before its products (docs/decisions/0003-gemm.md).
  SmallVector<Value> advanceAll(ArrayRef<Group> groups, OpBuilder &atEnd,
                                ArrayRef<BlockArgument> arguments) {
    SmallVector<Value> next;
    for (auto [group, argument] : llvm::zip_equal(groups, arguments)) {
      const Recurrence &first = group.front();
      if (!hasSpareRegisters && matchPattern(first.step, m_Constant()))
        builder.setInsertionPoint(atEnd.getInsertionBlock(),
                                  atEnd.getInsertionPoint());
      else
        builder.setInsertionPointToStart(argument.getOwner());
      next.push_back(
          isOffset(group)
              ? arith::AddIOp::create(builder, loc, argument, first.step)
                    .getResult()
              : advance(builder, first.pointer, argument, first.step));
    }
    return next;
  }

  LoopLikeOpInterface loop;
  Block &body;
  Value counter;
  Courses courses;
  OpBuilder builder;
  Location loc;
  /// The loop waits for copies that earlier iterations began.
  bool runsAhead;
  /// Its products read shared memory by themselves (wgmma): no fragments of
  /// operands take registers.
  bool hasSpareRegisters;
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
      tonvvm::takeAddressesOutOfBranches(loop);
    for (LoopLikeOpInterface loop : loops)
      LoopRewriter(loop, loop.getLoopRegions().front()->front()).run();
  }
};

} // namespace
