//===- SplitScans.cpp - Scans, a warp at a time ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Layout/Registers/AxisScan.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPLITSCANS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

static void split(ScanOp scan, const AxisScan &steps) {
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  ValueRange sources = scan.getSources();
  SmallVector<Type> types = llvm::to_vector(sources.getTypes());
  llvm::append_range(types, getTilesOf(sources, steps.partTotals()));
  auto inWarps = ScanOp::create(builder, loc, types, sources, scan.getAxis(),
                                scan.getReverse(), /*per_warp=*/true);
  IRMapping mapping;
  scan.getCombiner().cloneInto(&inWarps.getCombiner(), mapping);

  ValueRange results = inWarps.getResults();
  SmallVector<Value> totals;
  for (auto [total, type] :
       llvm::zip_equal(results.drop_front(sources.size()),
                       getTilesOf(sources, steps.allTotals())))
    totals.push_back(ConvertLayoutOp::create(builder, loc, type, total));
  auto carry = CarryOp::create(builder, loc, sources.getTypes(),
                               results.take_front(sources.size()), totals,
                               scan.getAxis(), scan.getReverse());
  carry.getCombiner().takeBody(scan.getCombiner());
  scan.replaceAllUsesWith(carry.getResults());
  scan.erase();
}

namespace {
struct SplitScans : tilewright::tile::impl::TileSplitScansBase<SplitScans> {
  void runOnOperation() override {
    SmallVector<ScanOp> scans;
    getOperation().walk([&](ScanOp scan) {
      if (getRegisterLayout(scan.getTileType()) && !scan.getPerWarp())
        scans.push_back(scan);
    });
    for (ScanOp scan : scans) {
      // The verifier has made sure that there are steps.
      auto steps = AxisScan::create(
          getRegisterLayout(scan.getTileType()).getLayout(), scan.getAxis());
      if (steps->getNumParts() > 1)
        split(scan, *steps);
    }
  }
};
} // namespace
