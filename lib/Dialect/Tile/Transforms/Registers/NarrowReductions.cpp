//===- NarrowReductions.cpp - Maxima of elements that are narrow ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILENARROWREDUCTIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// What makes f16 or bf16 wider, or null.
static arith::ExtFOp findExtension(Value tile) {
  auto widening = tile.getDefiningOp<arith::ExtFOp>();
  if (!widening)
    return nullptr;
  Type narrow = getElementTypeOrSelf(widening.getIn());
  return narrow.isF16() || narrow.isBF16() ? widening : nullptr;
}

/// The reduction of the narrow tile by the same op.
static ReduceOp reduceNarrow(OpBuilder &builder, ReduceOp reduce, Value tile) {
  Type element = getElementTypeOrSelf(tile);
  Type type = reduce.getResult(0).getType();
  if (auto shaped = dyn_cast<ShapedType>(type))
    type = shaped.clone(element);
  else
    type = element;
  auto made = ReduceOp::create(builder, reduce.getLoc(), type, tile,
                               reduce.getAxis(), reduce.getPerWarp());
  IRMapping mapping;
  reduce.getCombiner().cloneInto(&made.getCombiner(), mapping);
  Block &body = made.getCombiner().front();
  for (BlockArgument argument : body.getArguments())
    argument.setType(element);
  // The choice; what stands in front of it is used by nothing.
  body.getTerminator()->getOperand(0).setType(element);
  return made;
}

namespace {
struct NarrowReductions
    : tilewright::tile::impl::TileNarrowReductionsBase<NarrowReductions> {
  void runOnOperation() override {
    getOperation().walk([](ReduceOp reduce) {
      if (!CombineRegion(reduce).getChoice())
        return;
      arith::ExtFOp widening = findExtension(reduce.getSources()[0]);
      if (!widening)
        return;
      OpBuilder builder(reduce);
      ReduceOp narrow = reduceNarrow(builder, reduce, widening.getIn());
      Value wide = arith::ExtFOp::create(builder, widening.getLoc(),
                                         reduce.getResult(0).getType(),
                                         narrow.getResult(0));
      reduce.getResult(0).replaceAllUsesWith(wide);
      reduce.erase();
      if (widening->use_empty())
        widening.erase();
    });
  }
};
} // namespace
