//===- WholeBranch.cpp - A branch for blocks that cross no end ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/WholeBranch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright::tile;

Operation *tilewright::tile::moveScalarsToFront(Block &body) {
  Operation *front = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    bool isScalar = isMemoryEffectFree(&op) && !hasTiles(&op) &&
                    op.getNumRegions() == 0 &&
                    !op.hasTrait<OpTrait::IsTerminator>();
    if (!front && !isScalar)
      front = &op;
    else if (front && isScalar &&
             llvm::all_of(op.getOperands(), [&](Value operand) {
               Operation *maker = operand.getDefiningOp();
               return !maker || maker->getBlock() != &body ||
                      maker->isBeforeInBlock(front);
             }))
      op.moveBefore(front);
  }
  return front;
}

Block &tilewright::tile::branchOnWhole(
    ImplicitLocOpBuilder &builder, Value isWhole,
    function_ref<void(OpBuilder &, Operation &, IRMapping &)> cloneWhole) {
  Operation *end = builder.getInsertionBlock()->getTerminator();
  // What a loop over programs carries.
  SmallVector<Value> results(end->getOperands());
  auto branch = scf::IfOp::create(builder, ValueRange(results).getTypes(),
                                  isWhole, /*withElseRegion=*/true);
  IRMapping mapping;
  OpBuilder whole = OpBuilder::atBlockBegin(branch.thenBlock());
  Block &other = *branch.elseBlock();
  if (!results.empty())
    whole.setInsertionPoint(
        scf::YieldOp::create(whole, builder.getLoc(), results));
  else
    whole.setInsertionPoint(branch.thenYield());
  for (Operation *op = branch->getNextNode(); op != end; op = op->getNextNode())
    cloneWhole(whole, *op, mapping);
  while (branch->getNextNode() != end) {
    Operation *next = branch->getNextNode();
    if (results.empty())
      next->moveBefore(branch.elseYield());
    else
      next->moveBefore(&other, other.end());
  }
  if (!results.empty()) {
    for (OpOperand &result : branch.thenYield()->getOpOperands())
      result.set(mapping.lookupOrDefault(result.get()));
    OpBuilder behind = OpBuilder::atBlockEnd(&other);
    scf::YieldOp::create(behind, builder.getLoc(), results);
    end->setOperands(branch.getResults());
  }
  return *branch.thenBlock();
}

ViewOp tilewright::tile::makeWholeView(OpBuilder &builder, ViewOp view,
                                       unsigned dim, int64_t extent) {
  ViewType type = view.getType();
  SmallVector<OpFoldResult> shape = view.getMixedShape();
  shape[dim] = builder.getIndexAttr(extent);
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(shape, dynamic, extents);
  return ViewOp::create(builder, view.getLoc(),
                        ViewType::get(type.getContext(), extents,
                                      type.getElementType(), type.getStrides()),
                        view.getBase(), dynamic, view.getStrides(),
                        builder.getDenseI64ArrayAttr(extents),
                        view.getStaticStridesAttr());
}
