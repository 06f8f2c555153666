//===- FillAtReads.cpp - What masks leave out, filled in late -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/IR/MadeAgain.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEFILLATREADS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// Computes tiles that are made of scalars and constants alone, as offsets are,
/// once more in other layouts.
class FillMaker {
public:
  bool canMake(Value tile) {
    auto [known, isNew] = able.try_emplace(tile, false);
    if (!isNew)
      return known->second;
    auto op = dyn_cast_or_null<RegisterLayoutOpInterface>(tile.getDefiningOp());
    bool isAble = op && op.isCheap() &&
                  llvm::all_of(op->getOperands(), [&](Value operand) {
                    return !isTile(operand) || canMake(operand);
                  });
    return able[tile] = isAble;
  }

  Value make(OpBuilder &builder, Value tile, RegisterLayoutAttr layout) {
    if (getRegisterLayout(tile.getType()) == layout)
      return tile;
    if (Value again = made.lookup({tile, layout}))
      return again;
    Value again = makeAgain(
        builder, cast<RegisterLayoutOpInterface>(tile.getDefiningOp()), layout,
        [&](Value operand, RegisterLayoutAttr needed) {
          return make(builder, operand, needed);
        });
    return made[{tile, layout}] = again;
  }

private:
  DenseMap<Value, bool> able;
  DenseMap<std::pair<Value, Attribute>, Value> made;
};
} // namespace

/// Loads zeros, converts, and fills in the number after that.
static void fillAtRead(LoadOp load, ConvertLayoutOp convert, FillMaker &maker) {
  OpBuilder builder(convert);
  RegisterLayoutAttr layout = getRegisterLayout(convert.getType());
  Value mask = maker.make(builder, load.getMask(), layout);
  Value other = maker.make(builder, load.getOther(), layout);
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
      // In front of this conversion alone.
      FillMaker maker;
      if (load && load->hasOneUse() && isa<scf::ForOp>(load->getParentOp()) &&
          load.getOther() && !isZero(load.getOther()) &&
          maker.canMake(load.getMask()) && maker.canMake(load.getOther()))
        fillAtRead(load, convert, maker);
    });
  }
};
} // namespace
