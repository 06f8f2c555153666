//===- JoinEdgesAtUse.cpp - Edges of rows that loops carry ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Rows/RowEdges.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

namespace tilewright {
#define GEN_PASS_DEF_JOINEDGESATUSE
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

static bool joinsEdges(Operation *op) {
  return op->hasAttr(tonvvm::kJoinsEdgesAttr);
}

/// Whether the op may be carried out an iteration later, or not at all: a vote
/// of all lanes only computes.
static bool mayBeLate(Operation *op) {
  return joinsEdges(op) || isa<NVVM::VoteSyncOp>(op) || tile::isComputation(op);
}

namespace {
/// What a branch of a loop's body, or of what stands before it, computes of
/// what it has loaded.
class LateValues {
public:
  LateValues(scf::IfOp branch, scf::ForOp loop) : branch(branch), loop(loop) {}

  /// Whether edges are joined for the value, which the branch hands out, and
  /// all that takes can be done in the next iteration.
  bool add(Value value) { return visit(value) && joins; }

  /// What is loaded, in the order of the loads. Two branches may need it in
  /// another order each: of the row before a loop more is known.
  SmallVector<Value> getLoaded() const {
    SmallVector<Value> inOrder = loaded;
    llvm::sort(inOrder, [](Value a, Value b) {
      tonvvm::LoadedWord ofA = tonvvm::findLoad(a), ofB = tonvvm::findLoad(b);
      return ofA.op == ofB.op ? ofA.index < ofB.index
                              : ofA.op->isBeforeInBlock(ofB.op);
    });
    return inOrder;
  }
  /// The ops in order.
  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }
  /// The number of the next iteration, where an op takes it.
  ArrayRef<Value> getNumbers() const { return numbers; }

private:
  bool visit(Value value) {
    if (!seen.insert(value).second)
      return true;
    Operation *op = value.getDefiningOp();
    bool isHere = value.getParentBlock() == branch.thenBlock();
    if (!isHere && loop.isDefinedOutsideOfLoop(value))
      return true;
    if (!op)
      return false;
    if (tonvvm::LoadedWord word = tonvvm::findLoad(value);
        isHere && word.op && word.op->getBlock() == value.getParentBlock()) {
      loaded.push_back(value);
      return true;
    }
    if (isNextNumber(op)) {
      numbers.push_back(value);
      return true;
    }
    joins |= joinsEdges(op);
    if (!mayBeLate(op))
      return false;
    SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    if (!llvm::all_of(operands, [&](Value operand) { return visit(operand); }))
      return false;
    ops.insert(op);
    return true;
  }

  bool isNextNumber(Operation *op) {
    auto add = dyn_cast<arith::AddIOp>(op);
    return add && add.getLhs() == loop.getInductionVar() &&
           add.getRhs() == loop.getStep();
  }

  scf::IfOp branch;
  scf::ForOp loop;
  bool joins = false;
  DenseSet<Value> seen;
  SmallVector<Value> loaded, numbers;
  SetVector<Operation *> ops;
};

/// A row that a loop carries, which a branch has loaded, the first time one
/// before the loop.
struct CarriedRow {
  scf::IfOp first, next;
  /// Which of the values that the loop carries, and of the results of the
  /// branches, need edges.
  SmallVector<unsigned> carried, ofFirst, ofNext;
};
} // namespace

/// Whether what the loop carries is used behind the branch alone, where its
/// edges can be joined.
static bool isUsedBehind(BlockArgument carried, scf::IfOp branch) {
  return llvm::all_of(carried.getUsers(), [&](Operation *user) {
    return branch->isBeforeInBlock(
        branch->getBlock()->findAncestorOpInBlock(*user));
  });
}

/// The rows of which values are results of the same branches.
static SmallVector<CarriedRow> findRows(scf::ForOp loop) {
  SmallVector<CarriedRow> rows;
  auto *yield = loop.getBody()->getTerminator();
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index) {
    auto first = dyn_cast<OpResult>(loop.getInitArgs()[index]),
         next = dyn_cast<OpResult>(yield->getOperand(index));
    auto before = first ? dyn_cast<scf::IfOp>(first.getOwner()) : scf::IfOp();
    auto inBody = next ? dyn_cast<scf::IfOp>(next.getOwner()) : scf::IfOp();
    if (!before || !inBody || inBody->getBlock() != loop.getBody() ||
        !loop.getResult(index).use_empty() || !first.hasOneUse() ||
        !next.hasOneUse() ||
        !isUsedBehind(loop.getRegionIterArg(index), inBody))
      continue;
    Value value = inBody.thenYield().getOperand(next.getResultNumber());
    if (!LateValues(inBody, loop).add(value))
      continue;
    auto known = llvm::find_if(rows, [&](const CarriedRow &row) {
      return row.first == before && row.next == inBody;
    });
    if (known == rows.end())
      known = rows.insert(rows.end(), {before, inBody, {}, {}, {}});
    known->carried.push_back(index);
    known->ofFirst.push_back(first.getResultNumber());
    known->ofNext.push_back(next.getResultNumber());
  }
  return rows;
}

/// Lets the branch hand out more: these, or zeros.
static scf::IfOp handOut(RewriterBase &rewriter, scf::IfOp branch,
                         ArrayRef<Value> values) {
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
    rewriter.setInsertionPoint(yield);
    for (Value value : values)
      yield->insertOperands(yield->getNumOperands(),
                            yield == branch.thenYield()
                                ? value
                                : arith::ConstantOp::create(
                                      rewriter, yield.getLoc(),
                                      rewriter.getZeroAttr(value.getType())));
  }
  rewriter.setInsertionPoint(branch);
  auto more = scf::IfOp::create(
      rewriter, branch.getLoc(), branch.thenYield().getOperandTypes(),
      branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  more.getThenRegion().takeBody(branch.getThenRegion());
  more.getElseRegion().takeBody(branch.getElseRegion());
  rewriter.replaceOp(branch,
                     more.getResults().take_front(branch.getNumResults()));
  return more;
}

/// What nobody takes any more is not computed.
static void leaveOut(RewriterBase &rewriter, scf::IfOp branch,
                     ArrayRef<unsigned> results) {
  scf::YieldOp yield = branch.thenYield();
  rewriter.setInsertionPoint(yield);
  for (unsigned index : results)
    yield.setOperand(
        index, arith::ConstantOp::create(
                   rewriter, yield.getLoc(),
                   rewriter.getZeroAttr(yield.getOperand(index).getType())));
  SmallVector<Operation *> ops;
  for (Operation &op : branch.thenBlock()->without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && mayBeLate(op))
      rewriter.eraseOp(op);
}

static bool haveZeros(ValueRange values) {
  return llvm::all_of(values, [](Value value) {
    return value.getType().isIntOrIndexOrFloat();
  });
}

/// Lets the loop carry more.
static scf::ForOp carry(RewriterBase &rewriter, scf::ForOp loop,
                        ValueRange begins, ValueRange nexts) {
  auto addYields = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return llvm::to_vector(nexts);
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, begins, /*replaceInitOperandUsesInLoop=*/false, addYields);
  return cast<scf::ForOp>(replaced->getOperation());
}

/// Has the loop carry zeros in place of what is made of what it loads.
static void carryNothing(RewriterBase &rewriter, scf::ForOp loop,
                         unsigned index, Value inLoop) {
  BlockArgument carried = loop.getRegionIterArg(index);
  rewriter.replaceAllUsesWith(carried, inLoop);
  rewriter.setInsertionPoint(loop);
  loop.getInitArgsMutable()[index].set(arith::ConstantOp::create(
      rewriter, loop.getLoc(), rewriter.getZeroAttr(carried.getType())));
  loop.getBody()->getTerminator()->setOperand(index, carried);
}

/// What the branch gives as these results, where it is taken.
static SmallVector<Value> getThenValues(scf::IfOp branch,
                                        ArrayRef<unsigned> results) {
  return llvm::map_to_vector(results, [&](unsigned index) -> Value {
    return branch.thenYield().getOperand(index);
  });
}

/// Carries what is loaded, and joins it in the iteration that uses it.
static bool joinAtUse(scf::ForOp loop, CarriedRow row) {
  LateValues early(row.first, loop), late(row.next, loop);
  SmallVector<Value> values = getThenValues(row.next, row.ofNext);
  if (!llvm::all_of(getThenValues(row.first, row.ofFirst),
                    [&](Value value) { return early.add(value); }) ||
      !llvm::all_of(values, [&](Value value) { return late.add(value); }))
    return false;
  SmallVector<Value> loadedFirst = early.getLoaded(),
                     loadedNext = late.getLoaded();
  if (!llvm::equal(TypeRange(ValueRange(loadedFirst)),
                   TypeRange(ValueRange(loadedNext))) ||
      !haveZeros(loadedNext))
    return false;
  IRRewriter rewriter(loop.getContext());
  size_t count = loadedNext.size();
  scf::IfOp first = handOut(rewriter, row.first, loadedFirst);
  scf::IfOp next = handOut(rewriter, row.next, loadedNext);
  scf::ForOp carrying =
      carry(rewriter, loop, first->getResults().take_back(count),
            next->getResults().take_back(count));
  rewriter.setInsertionPointAfter(next);
  IRMapping mapping;
  for (Value number : late.getNumbers())
    mapping.map(number, carrying.getInductionVar());
  mapping.map(loadedNext, carrying.getRegionIterArgs().take_back(count));
  for (Operation *op : late.getOps())
    rewriter.clone(*op, mapping);
  for (auto [index, value] : llvm::zip_equal(row.carried, values))
    carryNothing(rewriter, carrying, index, mapping.lookup(value));
  leaveOut(rewriter, first, row.ofFirst);
  leaveOut(rewriter, next, row.ofNext);
  return true;
}

namespace {
struct JoinEdgesAtUse : tilewright::impl::JoinEdgesAtUseBase<JoinEdgesAtUse> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // A loop of another kind may look at what its branch has not loaded.
    getOperation()->walk([&](scf::ForOp loop) {
      if (loop->removeAttr(tile::kLoadsAheadAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (SmallVector<CarriedRow> rows = findRows(loop); rows.size() == 1)
        joinAtUse(loop, rows.front());
  }
};
} // namespace
