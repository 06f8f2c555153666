//===- SplitReductions.cpp - Reductions, a warp at a time -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Layout/Registers/AxisReduction.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPLITREDUCTIONS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
/// The steps of one reduction, as ops in front of it.
class ReductionSplitter {
public:
  ReductionSplitter(ReduceOp reduce, const AxisReduction &steps)
      : builder(reduce), reduce(reduce), steps(steps) {}

  void run() {
    SmallVector<Value> partial = reduceIn(reduce.getSources(), steps.perWarp(),
                                          /*perWarp=*/true);
    unsigned bytes = 1;
    for (Value value : partial)
      bytes = std::max<unsigned>(bytes,
                                 getElementBytes(getElementTypeOrSelf(value)));
    bool moveAnyway = llvm::all_of(reduce->getUsers(), isServedByAnyLayout);
    if (!steps.isBetterSpread(bytes, moveAnyway)) {
      reduce.getSourcesMutable().assign(
          convert(partial, steps.gathered(bytes)));
      return;
    }
    LinearLayout spread = steps.spread(bytes);
    SmallVector<Value> results =
        reduceIn(convert(partial, spread),
                 AxisReduction::create(spread, reduce.getAxis())->result(),
                 /*perWarp=*/false);
    for (auto [old, result] : llvm::zip_equal(reduce.getResults(), results))
      replace(old, result);
    reduce.erase();
  }

private:
  static bool isServedByAnyLayout(Operation *user) {
    return isa<ConvertLayoutOp>(user) || takesAnyLayout(user);
  }

  /// The reduction of these tiles, with results in the layout.
  SmallVector<Value> reduceIn(ValueRange sources, const LinearLayout &layout,
                              bool perWarp) {
    auto made =
        ReduceOp::create(builder, reduce.getLoc(), getTilesOf(sources, layout),
                         sources, reduce.getAxis(), perWarp);
    IRMapping mapping;
    reduce.getCombiner().cloneInto(&made.getCombiner(), mapping);
    return llvm::to_vector(ValueRange(made.getResults()));
  }

  SmallVector<Value> convert(ValueRange tiles, const LinearLayout &layout) {
    return convertTiles(builder, reduce.getLoc(), tiles, layout);
  }

  /// Puts `result` in the place of `old`: as it is where any layout will do, in
  /// that which a conversion asks for, or in that of `old`.
  void replace(Value old, Value result) {
    old.replaceUsesWithIf(result, [](OpOperand &use) {
      return isServedByAnyLayout(use.getOwner());
    });
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto conversion = dyn_cast<ConvertLayoutOp>(user);
      if (!conversion || conversion.getType() != result.getType())
        continue;
      conversion.replaceAllUsesWith(result);
      conversion.erase();
    }
    if (!old.use_empty())
      old.replaceAllUsesWith(convert(result, steps.result()).front());
  }

  OpBuilder builder;
  ReduceOp reduce;
  const AxisReduction &steps;
};

struct SplitReductions
    : tilewright::tile::impl::TileSplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp reduce) {
      if (getRegisterLayout(reduce.getTileType()) && !reduce.getPerWarp())
        reductions.push_back(reduce);
    });
    for (ReduceOp reduce : reductions) {
      // The verifier has made sure that there are steps.
      auto steps = AxisReduction::create(
          getRegisterLayout(reduce.getTileType()).getLayout(),
          reduce.getAxis());
      if (steps->spansWarps())
        ReductionSplitter(reduce, *steps).run();
    }
  }
};
} // namespace
