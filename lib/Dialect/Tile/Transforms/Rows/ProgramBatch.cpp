//===- ProgramBatch.cpp - Several programs as one -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/ProgramBatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
class ProgramBatch {
public:
  ProgramBatch(KernelOp kernel, unsigned axis, int64_t numPrograms,
               const ProgramDifferences &differences)
      : kernel(kernel), axis(axis), numPrograms(numPrograms),
        differences(differences),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  void make() {
    Location loc = kernel.getLoc();
    SmallVector<ProgramIdOp> ids;
    kernel.getBody().walk([&](ProgramIdOp id) {
      if (id.getAxis() == axis)
        ids.push_back(id);
    });
    Type index = builder.getIndexType();
    first = ProgramIdOp::create(builder, loc, axis);
    Value count = NumProgramsOp::create(builder, loc, axis);
    Value left = arith::SubIOp::create(builder, loc, count, first);
    Value places = makePlaces(loc, index);
    Value active = compare(arith::CmpIPredicate::slt, places, repeat(left));
    Value numbers = arith::AddIOp::create(builder, loc, repeat(first), places);
    for (ProgramIdOp id : ids) {
      batched[id] = numbers;
      dead.push_back(id);
    }
    batchBlock(kernel.getBody().front(), active);
    for (Operation *op : dead)
      op->dropAllReferences();
    for (Operation *op : dead)
      op->erase();
    std::array<int32_t, 3> programs = {1, 1, 1};
    programs[axis] = static_cast<int32_t>(numPrograms);
    kernel.setBlockPrograms(programs);
  }

private:
  Value repeat(Value value) {
    return repeatForPrograms(builder, value, numPrograms);
  }

  /// 0 for the first program of the block, 1 for the next.
  Value makePlaces(Location loc, Type type) {
    return IotaOp::create(builder, loc, getBatchedType(type, numPrograms), 0);
  }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, a.getLoc(), predicate, a, b);
  }

  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, b.getLoc(), a, b);
  }

  Value select(Value condition, Value a, Value b) {
    auto type = cast<RankedTensorType>(a.getType());
    return arith::SelectOp::create(
        builder, a.getLoc(),
        spreadOverTiles(builder, condition, type.getShape()), a, b);
  }

  /// The value of each program.
  Value get(Value value) {
    Value found = batched.lookup(value);
    return found ? found : repeat(value);
  }

  void batchBlock(Block &block, Value active) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      batchOp(&op, active);
  }

  void batchOp(Operation *op, Value active) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return batchLoop(loop, active);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return differences.diverges(op) ? mergeBranch(branch, active)
                                      : batchBranch(branch, active);
    auto batchable = dyn_cast<BatchOpInterface>(op);
    if (!batchable || !differences.differs(op))
      return;
    builder.setInsertionPoint(op);
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return get(operand); });
    note(op, batchable.batch(builder, operands, active));
  }

  void note(Operation *op, ValueRange results) {
    for (auto [old, made] : llvm::zip_equal(op->getResults(), results))
      batched[old] = made;
    dead.push_back(op);
  }

  /// Results that differ have a dimension more, the others are the same.
  void noteRegions(Operation *op, ValueRange results) {
    for (auto [old, made] : llvm::zip_equal(op->getResults(), results))
      replace(old, made);
    dead.push_back(op);
  }

  void replace(Value old, Value made) {
    if (differences.differs(old))
      batched[old] = made;
    else
      old.replaceAllUsesWith(made);
  }

  //===--------------------------------------------------------------------===//
  // Branches
  //===--------------------------------------------------------------------===//

  /// One that all programs take alike.
  void batchBranch(scf::IfOp branch, Value active) {
    SmallVector<Type> types =
        llvm::map_to_vector(branch.getResults(), [&](Value result) -> Type {
          return differences.differs(result)
                     ? getBatchedType(result.getType(), numPrograms)
                     : result.getType();
        });
    builder.setInsertionPoint(branch);
    auto made = scf::IfOp::create(builder, branch.getLoc(), types,
                                  branch.getCondition());
    made.getThenRegion().takeBody(branch.getThenRegion());
    made.getElseRegion().takeBody(branch.getElseRegion());
    for (Region *region : made.getRegions()) {
      if (region->empty())
        continue;
      batchBlock(region->front(), active);
      Operation *yield = region->front().getTerminator();
      builder.setInsertionPoint(yield);
      for (OpOperand &operand : yield->getOpOperands())
        if (differences.differs(branch.getResult(operand.getOperandNumber())))
          operand.set(get(operand.get()));
    }
    noteRegions(branch, made.getResults());
  }

  /// What a region does, in front of the branch that it is of.
  SmallVector<Value> inlineRegion(Region &region, Operation *branch,
                                  Value active) {
    if (region.empty())
      return {};
    Block &block = region.front();
    batchBlock(block, active);
    branch->getBlock()->getOperations().splice(
        branch->getIterator(), block.getOperations(), block.begin(),
        std::prev(block.end()));
    builder.setInsertionPoint(branch);
    return llvm::map_to_vector(block.getTerminator()->getOperands(),
                               [&](Value value) { return get(value); });
  }

  /// One that programs take or not: both ways, and what each of them wants.
  void mergeBranch(scf::IfOp branch, Value active) {
    builder.setInsertionPoint(branch);
    Value condition = get(branch.getCondition());
    Value isTrue = both(active, condition);
    Value no = repeat(arith::ConstantIntOp::create(builder, branch.getLoc(),
                                                   /*value=*/0, /*width=*/1));
    Value isFalse =
        both(active, compare(arith::CmpIPredicate::eq, condition, no));
    SmallVector<Value> ifTrue =
        inlineRegion(branch.getThenRegion(), branch, isTrue);
    SmallVector<Value> ifFalse =
        inlineRegion(branch.getElseRegion(), branch, isFalse);
    SmallVector<Value> results;
    for (auto [a, b] : llvm::zip(ifTrue, ifFalse))
      results.push_back(select(condition, a, b));
    note(branch, results);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// The number of the block's first program, in the type that `value`, the
  /// number of the program, has come to.
  Value castFirst(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa<ProgramIdOp>(op))
      return first;
    IRMapping mapping;
    mapping.map(op->getOperand(0), castFirst(op->getOperand(0)));
    return builder.clone(*op, mapping)->getResult(0);
  }

  void batchLoop(scf::ForOp loop, Value active) {
    bool diverges = differences.diverges(loop);
    builder.setInsertionPoint(loop);
    SmallVector<Value> starts;
    for (auto [argument, start] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      starts.push_back(differences.differs(argument) ? get(start) : start);
    Value lower =
        diverges ? castFirst(loop.getLowerBound()) : loop.getLowerBound();
    auto made =
        scf::ForOp::create(builder, loop.getLoc(), lower, loop.getUpperBound(),
                           loop.getStep(), starts,
                           /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block &body = *made.getBody();
    body.clear();
    body.getOperations().splice(body.begin(), loop.getBody()->getOperations());
    for (auto [old, argument] :
         llvm::zip_equal(loop.getRegionIterArgs(), made.getRegionIterArgs()))
      replace(old, argument);
    builder.setInsertionPointToStart(&body);
    if (diverges)
      active = number(loop, made, active);
    else
      loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
    batchBlock(body, active);
    feedBack(loop, made, diverges ? active : Value());
    noteRegions(loop, made.getResults());
  }

  /// Gives the counter of each program, and returns which of them are not yet
  /// through. The counter is that of the block's first program, from 0 on and
  /// below the end: what is left does not wrap.
  Value number(scf::ForOp loop, scf::ForOp made, Value active) {
    Location loc = loop.getLoc();
    Value counter = made.getInductionVar();
    Value places = makePlaces(loc, counter.getType());
    Value left =
        arith::SubIOp::create(builder, loc, made.getUpperBound(), counter);
    batched[loop.getInductionVar()] =
        arith::AddIOp::create(builder, loc, repeat(counter), places);
    return both(active,
                compare(arith::CmpIPredicate::slt, places, repeat(left)));
  }

  /// What the next trip begins with; of programs that are through, what it was.
  void feedBack(scf::ForOp loop, scf::ForOp made, Value active) {
    Operation *yield = made.getBody()->getTerminator();
    builder.setInsertionPoint(yield);
    for (auto [operand, old, argument] :
         llvm::zip_equal(yield->getOpOperands(), loop.getResults(),
                         made.getRegionIterArgs())) {
      if (!differences.differs(old))
        continue;
      Value next = get(operand.get());
      operand.set(active ? select(active, next, argument) : next);
    }
  }

  KernelOp kernel;
  unsigned axis;
  int64_t numPrograms;
  const ProgramDifferences &differences;
  OpBuilder builder;
  /// The number of the block's first program.
  Value first;
  /// What differs, for all programs.
  DenseMap<Value, Value> batched;
  SmallVector<Operation *> dead;
};
} // namespace

void tilewright::tile::batchPrograms(KernelOp kernel, unsigned axis,
                                     int64_t numPrograms,
                                     const ProgramDifferences &differences) {
  ProgramBatch(kernel, axis, numPrograms, differences).make();
}
