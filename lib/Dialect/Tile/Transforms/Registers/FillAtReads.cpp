//===- FillAtReads.cpp - What masks leave out, filled in late -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEFILLATREADS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether a tile is made of scalars and constants alone, as offsets are.
static bool canMakeAgain(Value tile) {
  auto op = dyn_cast_or_null<RegisterLayoutOpInterface>(tile.getDefiningOp());
  return op && op.isCheap() &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return !isTile(operand) || canMakeAgain(operand);
         });
}

/// The tile in another layout, computed once more.
static Value makeAgain(OpBuilder &builder, Value tile,
                       RegisterLayoutAttr layout) {
  if (getRegisterLayout(tile.getType()) == layout)
    return tile;
  auto op = cast<RegisterLayoutOpInterface>(tile.getDefiningOp());
  SmallVector<Value> operands(op->getOperands());
  for (auto [index, operand] : llvm::enumerate(operands))
    if (isTile(operand))
      operand =
          makeAgain(builder, operand, op.inferOperandLayout(index, layout));
  auto copy = cast<RegisterLayoutOpInterface>(builder.clone(*op));
  copy->setOperands(operands);
  copy.setLayout(layout);
  return copy->getResult(0);
}

/// Loads zeros, converts, and fills in the number after that.
static void fillAtRead(LoadOp load, ConvertLayoutOp convert) {
  OpBuilder builder(convert);
  RegisterLayoutAttr layout = getRegisterLayout(convert.getType());
  Value mask = makeAgain(builder, load.getMask(), layout);
  Value other = makeAgain(builder, load.getOther(), layout);
  load.getOtherMutable().clear();
  builder.setInsertionPointAfter(convert);
  auto filled = arith::SelectOp::create(builder, load.getLoc(), mask,
                                        convert.getResult(), other);
  convert.getResult().replaceAllUsesExcept(filled.getResult(), filled);
}

namespace {
struct FillAtReads : tilewright::tile::impl::TileFillAtReadsBase<FillAtReads> {
  void runOnOperation() override {
    getOperation().walk([](ConvertLayoutOp convert) {
      auto load = convert.getSource().getDefiningOp<LoadOp>();
      if (load && load->hasOneUse() && isa<scf::ForOp>(load->getParentOp()) &&
          load.getOther() && !isZero(load.getOther()) &&
          canMakeAgain(load.getMask()) && canMakeAgain(load.getOther()))
        fillAtRead(load, convert);
    });
  }
};
} // namespace
