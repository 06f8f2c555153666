//===- MoveRuns.cpp - Short rows that follow one another in memory --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/Analysis/ShortRows.h"
#include "tilewright/Dialect/Tile/IR/NumberRanges.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEMOVERUNS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {
struct MoveRuns : tilewright::tile::impl::TileMoveRunsBase<MoveRuns> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getBlockPrograms())
      return;
    RunsOfKernel runs(kernel);
    SmallVector<GlobalAccessOpInterface> accesses;
    kernel.walk([&](GlobalAccessOpInterface access) {
      if (std::optional<int64_t> vector = access.getVectorWidth();
          vector && runs.getLanes(access, *vector))
        accesses.push_back(access);
    });
    for (GlobalAccessOpInterface access : accesses)
      rewrite(access, *findShortRows(access));
  }

private:
  void rewrite(GlobalAccessOpInterface access, const ShortRows &rows) {
    int64_t numWarps = getOperation().getNumWarpsOrDefault();
    auto pointers = cast<RankedTensorType>(rows.pointers.getType());
    std::optional<RunsOfWarps> runs = RunsOfWarps::find(pointers, numWarps);
    if (!runs || !isa<LoadOp, StoreOp>(*access))
      return;
    ImplicitLocOpBuilder builder(access.getLoc(), access);
    Value scratch = AllocSharedOp::create(
        builder, runs->getScratchType(pointers), IntegerAttr(), StringAttr());
    Value count = rows.count, begin = rows.pointers;
    if (rows.start) {
      // What of the rows is here, of which none may be left.
      Value first = builder.createOrFold<arith::MinSIOp>(rows.start, count);
      count = arith::SubIOp::create(builder, count, first);
      auto starts =
          cast<RankedTensorType>(pointers.clone(rows.start.getType()));
      begin = AddPtrOp::create(builder, pointers, begin,
                               SplatOp::create(builder, starts, rows.start));
    }
    if (!count.getType().isIndex())
      count =
          arith::IndexCastOp::create(builder, builder.getIndexType(), count);
    int64_t known = NumberRanges().get(rows.count).smax().getSExtValue();
    int64_t most = std::clamp<int64_t>(known, 1, runs->columns);
    if (auto store = dyn_cast<StoreOp>(*access)) {
      StoreRunOp::create(builder, store.getValue(), begin, rows.active,
                         rows.inside, count, scratch, most);
    } else {
      auto load = cast<LoadOp>(*access);
      Type type = load.getResult().getType();
      Value other = load.getOther();
      if (!other)
        other = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
      load.replaceAllUsesWith(
          Value(LoadRunOp::create(builder, type, begin, rows.active,
                                  rows.inside, other, count, scratch, most)));
    }
    access->erase();
  }
};
} // namespace
