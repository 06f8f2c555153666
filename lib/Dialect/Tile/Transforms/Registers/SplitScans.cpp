//===- SplitScans.cpp - Scans, a warp at a time ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Layout/Conversion/ConversionChoice.h"
#include "tilewright/Layout/Registers/AxisScan.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPLITSCANS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// A second way through shared memory is waited for, too, which cycles of a
/// multiprocessor that does nothing else do not tell.
constexpr double kSecondWay = 3;

/// Where the totals are scanned in the fewest cycles.
static LinearLayout chooseHome(ScanOp scan, const AxisScan &steps) {
  unsigned bytes = 1;
  for (Type type : scan.getSources().getTypes())
    bytes =
        std::max<unsigned>(bytes, getElementBytes(getElementTypeOrSelf(type)));
  int64_t warps = scan->getParentOfType<KernelOp>().getNumWarpsOrDefault();
  LinearLayout own = steps.partTotals();
  auto countCycles = [&](const LinearLayout &home) {
    double cycles = countConversionCycles(own, home, bytes) +
                    AxisScan::create(home, scan.getAxis())->countCycles(warps) +
                    countConversionCycles(home, own, bytes);
    return chooseConversion(home, own, bytes).way == ConversionWay::SharedMemory
               ? kSecondWay * cycles
               : cycles;
  };
  std::vector<LinearLayout> homes = steps.homesOfTotals(bytes);
  SmallVector<double> cycles =
      llvm::to_vector(llvm::map_range(homes, countCycles));
  return homes[llvm::min_element(cycles) - cycles.begin()];
}

namespace {
/// The steps of one scan, as ops in front of it.
class ScanSplitter {
public:
  ScanSplitter(ScanOp scan, const AxisScan &steps)
      : builder(scan), scan(scan), steps(steps) {}

  void run() {
    ValueRange sources = scan.getSources();
    SmallVector<Type> types = llvm::to_vector(sources.getTypes());
    llvm::append_range(types, getTilesOf(sources, steps.partTotals()));
    ValueRange results =
        create(types, sources, /*perWarp=*/true, /*exclusive=*/false);

    SmallVector<Value> totals =
        convert(results.drop_front(sources.size()), chooseHome(scan, steps));
    SmallVector<Value> before =
        convert(create(llvm::to_vector(ValueRange(totals).getTypes()), totals,
                       /*perWarp=*/false, /*exclusive=*/true),
                steps.partTotals());
    auto carry = CarryOp::create(builder, scan.getLoc(), sources.getTypes(),
                                 results.take_front(sources.size()), before,
                                 scan.getAxis(), scan.getReverse());
    carry.getCombiner().takeBody(scan.getCombiner());
    scan.replaceAllUsesWith(carry.getResults());
    scan.erase();
  }

private:
  ValueRange create(TypeRange types, ValueRange sources, bool perWarp,
                    bool exclusive) {
    auto made =
        ScanOp::create(builder, scan.getLoc(), types, sources, scan.getAxis(),
                       scan.getReverse(), perWarp, exclusive);
    IRMapping mapping;
    scan.getCombiner().cloneInto(&made.getCombiner(), mapping);
    return made.getResults();
  }

  SmallVector<Value> convert(ValueRange tiles, const LinearLayout &layout) {
    return convertTiles(builder, scan.getLoc(), tiles, layout);
  }

  OpBuilder builder;
  ScanOp scan;
  const AxisScan &steps;
};

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
        ScanSplitter(scan, *steps).run();
    }
  }
};
} // namespace
