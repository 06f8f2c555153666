//===- SplitReductions.cpp - Reductions, a warp at a time -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/AxisReduction.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPLITREDUCTIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static void split(ReduceOp reduce, const AxisReduction &steps) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  auto tileOf = [&](Type tile, const LinearLayout &layout) {
    return RankedTensorType::get(
        layout.shape(), getElementTypeOrSelf(tile),
        RegisterLayoutAttr::get(builder.getContext(), layout));
  };
  SmallVector<Type> types = llvm::map_to_vector(
      reduce.getSources().getTypes(),
      [&](Type type) -> Type { return tileOf(type, steps.perWarp()); });
  auto perWarp = ReduceOp::create(builder, loc, types, reduce.getSources(),
                                  reduce.getAxis(), /*per_warp=*/true);
  IRMapping mapping;
  reduce.getCombiner().cloneInto(&perWarp.getCombiner(), mapping);
  SmallVector<Value> gathered =
      llvm::map_to_vector(perWarp.getResults(), [&](Value partial) -> Value {
        return ConvertLayoutOp::create(
            builder, loc, tileOf(partial.getType(), steps.gathered()), partial);
      });
  reduce.getSourcesMutable().assign(gathered);
}

namespace {
struct SplitReductions
    : tilewright::tile::impl::TileSplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    getOperation().walk([](ReduceOp reduce) {
      RegisterLayoutAttr layout = getRegisterLayout(reduce.getTileType());
      if (!layout || reduce.getPerWarp())
        return;
      // The verifier has made sure that there are steps.
      auto steps = AxisReduction::create(layout.getLayout(), reduce.getAxis());
      if (steps->spansWarps())
        split(reduce, *steps);
    });
  }
};
} // namespace
