//===- FmaLayout.cpp - Register layouts of products by FMA ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/FmaLayout.h"

#include "WarpGrid.h"
#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

/// The grid of a warp's lanes.
static constexpr int64_t laneRows = 4, laneColumns = 8;
/// Rows and columns that a thread holds side by side: 16 bytes of f32.
static constexpr int64_t runLength = 4;

LinearLayout tilewright::fmaAccumulatorLayout(ArrayRef<int64_t> shape,
                                              unsigned numWarps, bool readsA,
                                              bool readsB) {
  // What counts is what a thread reads, of which a row is twice a column.
  constexpr int64_t rowCost = laneColumns / laneRows;
  WarpGrid grid = chooseWarpGrid(shape, numWarps,
                                 {laneRows, laneColumns, readsA ? rowCost : 0,
                                  /*columnCost=*/readsB});
  int64_t threadRows = shape[0] / (grid.rows * laneRows);
  int64_t threadColumns = shape[1] / (grid.columns * laneColumns);
  int64_t runRows = std::min(threadRows, runLength);
  int64_t runColumns = std::min(threadColumns, runLength);

  SmallVector<LayoutFactor> factors;
  auto add = [&](StringRef input, int64_t rows, int64_t columns) {
    if (rows * columns > 1)
      factors.push_back({input.str(), {rows, columns}, 1});
  };
  add("register", runRows, runColumns);
  for (bool isColumn : {true, false, true, false, true})
    add("lane", isColumn ? 1 : 2, isColumn ? 2 : 1);
  add("register", threadRows / runRows, threadColumns / runColumns);
  add("warp", grid.rows, grid.columns);
  if (grid.copies > 1)
    factors.push_back({"warp", {}, grid.copies});
  return cantFail(layoutFromFactors(factors, 2));
}

LinearLayout tilewright::fmaOperandLayout(unsigned operand, int64_t k,
                                          const LinearLayout &accumulator) {
  LinearLayout own = accumulator.collapseDim(1 - operand);
  std::vector<LinearLayout::Point> registers;
  copy_if(
      own.bases("register"), std::back_inserter(registers),
      [&](const LinearLayout::Point &basis) { return basis[operand] != 0; });
  for (int64_t step = 1; step < k; step *= 2) {
    LinearLayout::Point point = {0, 0};
    point[1 - operand] = static_cast<int32_t>(step);
    registers.push_back(point);
  }
  SmallVector<int64_t, 2> shape(accumulator.shape());
  shape[1 - operand] = k;
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", own.bases("lane").vec()},
                                        {"warp", own.bases("warp").vec()}},
                                       shape));
}

bool tilewright::isFmaAccumulatorLayout(const LinearLayout &layout) {
  return layout.rank() == 2 &&
         all_of(layout.inputs(), [](const LinearLayout::Input &input) {
           return all_of(input.bases, [](const LinearLayout::Point &basis) {
             return basis[0] == 0 || basis[1] == 0;
           });
         });
}
