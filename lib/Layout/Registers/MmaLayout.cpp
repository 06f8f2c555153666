//===- MmaLayout.cpp - Register layouts of mma.sync -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/MmaLayout.h"

#include "WarpGrid.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

using Bases = std::vector<LinearLayout::Point>;

/// Bits of a thread's registers that one accumulator fragment takes.
static constexpr unsigned fragmentRegisterBits = 2;

namespace {
/// Hands out the bits of one dimension, from the lowest up.
class Bits {
public:
  Bits(unsigned dim, int64_t next = 1) : dim(dim), next(next) {}

  /// The bits below `end` that are left.
  void takeUpTo(int64_t end, Bases &to) {
    while (next < end)
      take(to);
  }
  void take(Bases &to) {
    LinearLayout::Point point = {0, 0};
    point[dim] = static_cast<int32_t>(next);
    to.push_back(point);
    next *= 2;
  }

private:
  unsigned dim;
  int64_t next;
};
} // namespace

static WarpGrid chooseMmaGrid(ArrayRef<int64_t> shape, unsigned numWarps,
                              ArrayRef<int64_t> gridShape) {
  WarpPart least{16, 8};
  if (!gridShape.empty()) {
    WarpGrid grid = chooseWarpGrid(gridShape, numWarps, least);
    if (grid.rows * least.leastRows <= shape[0] &&
        grid.columns * least.leastColumns <= shape[1])
      return grid;
  }
  return chooseWarpGrid(shape, numWarps, least);
}

LinearLayout tilewright::mmaAccumulatorLayout(ArrayRef<int64_t> shape,
                                              unsigned numWarps, MmaRuns runs,
                                              ArrayRef<int64_t> gridShape) {
  if (runs.transposed) {
    MmaRuns swapped{runs.columns, runs.rows, /*transposed=*/false};
    SmallVector<int64_t, 2> swappedGrid(llvm::reverse(gridShape));
    return mmaAccumulatorLayout({shape[1], shape[0]}, numWarps, swapped,
                                swappedGrid)
        .transpose({1, 0});
  }
  WarpGrid grid = chooseMmaGrid(shape, numWarps, gridShape);
  int64_t partRows = shape[0] / grid.rows;
  int64_t partColumns = shape[1] / grid.columns;
  runs.rows = std::min(runs.rows, partRows / 16);
  runs.columns = std::min(runs.columns, partColumns / 8);

  Bits rows(0), columns(1);
  Bases fragment, blocks, lanes, warps;
  columns.takeUpTo(runs.columns, blocks);
  // Where there are runs, neighbouring lanes hold neighbouring ones, so that a
  // row of the result is stored whole.
  if (runs.columns == 1)
    columns.take(fragment);
  columns.take(lanes);
  columns.take(lanes);
  if (runs.columns != 1)
    columns.take(fragment);
  columns.takeUpTo(partColumns, blocks);
  // The instruction wants the registers of A's two rows side by side: they are
  // where one read puts them if the rows are the first two of a run.
  if (runs.rows != 1)
    rows.take(fragment);
  rows.takeUpTo(runs.rows, blocks);
  for (int bit = 0; bit < 3; ++bit)
    rows.take(lanes);
  if (runs.rows == 1)
    rows.take(fragment);
  rows.takeUpTo(partRows, blocks);
  columns.takeUpTo(shape[1], warps);
  rows.takeUpTo(shape[0], warps);
  for (int64_t copies = 1; copies < grid.copies; copies *= 2)
    warps.push_back({0, 0});

  Bases registers = std::move(fragment);
  append_range(registers, blocks);
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", std::move(lanes)},
                                        {"warp", std::move(warps)}},
                                       shape));
}

/// Whether the two rows that a fragment of the instruction's A has of a thread
/// lie side by side.
static bool areRowsNeighbors(const LinearLayout &accumulator) {
  const LinearLayout::Point &rows = accumulator.bases("register")[1];
  return std::max(rows[0], rows[1]) == 1;
}

LinearLayout tilewright::mmaOperandLayout(unsigned operand, int64_t k,
                                          unsigned elementBytes,
                                          const LinearLayout &accumulator) {
  MmaShape mma = MmaShape::get(elementBytes);
  // The accumulator's bits along the dimension that this operand shares with
  // it; other bits are zero.
  LinearLayout own = accumulator.collapseDim(1 - operand);
  ArrayRef<LinearLayout::Point> ownRegisters = own.bases("register");
  ArrayRef<LinearLayout::Point> ownLanes = own.bases("lane");

  Bits steps(1 - operand);
  Bases registers, lanes, upperHalf;
  steps.takeUpTo(mma.perWord, registers);
  // ldmatrix serves narrower ones.
  if (elementBytes == 8 && areRowsNeighbors(accumulator))
    steps.take(upperHalf);
  steps.take(lanes);
  steps.take(lanes);
  if (upperHalf.empty())
    steps.takeUpTo(std::min(k, mma.k), upperHalf);
  bool isA = (operand == 0) != isTransposedMmaAccumulator(accumulator);
  if (isA) {
    registers.push_back(ownRegisters[1]);
    append_range(lanes, ownLanes.drop_front(2));
  } else {
    lanes.push_back(ownRegisters[0]);
    append_range(lanes, ownLanes.take_front(2));
  }
  append_range(registers, upperHalf);
  steps.takeUpTo(k, registers);
  copy_if(ownRegisters.drop_front(fragmentRegisterBits),
          std::back_inserter(registers), [&](const LinearLayout::Point &basis) {
            return basis[operand] != 0;
          });

  SmallVector<int64_t, 2> shape(accumulator.shape());
  shape[1 - operand] = k;
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", std::move(lanes)},
                                        {"warp", own.bases("warp").vec()}},
                                       shape));
}

bool tilewright::isTransposedMmaAccumulator(const LinearLayout &layout) {
  ArrayRef<LinearLayout::Point> registers = layout.bases("register");
  return !registers.empty() && registers.front()[0] != 0;
}

bool tilewright::isMmaAccumulatorLayout(const LinearLayout &layout) {
  ArrayRef<LinearLayout::Point> registers = layout.bases("register");
  ArrayRef<LinearLayout::Point> lanes = layout.bases("lane");
  if (layout.rank() != 2 || registers.size() < fragmentRegisterBits ||
      lanes.size() != 5)
    return false;
  if (isTransposedMmaAccumulator(layout))
    return registers.front()[1] == 0 &&
           isMmaAccumulatorLayout(layout.transpose({1, 0}));
  auto isRow = [](const LinearLayout::Point &basis) {
    return basis[0] != 0 && basis[1] == 0;
  };
  auto isColumn = [](const LinearLayout::Point &basis) {
    return basis[0] == 0 && basis[1] != 0;
  };
  auto isRowOrColumn = [&](const LinearLayout::Point &basis) {
    return isRow(basis) || isColumn(basis);
  };
  auto isAnyOrCopy = [&](const LinearLayout::Point &basis) {
    return basis[0] == 0 || basis[1] == 0;
  };
  return isColumn(registers[0]) && isRow(registers[1]) &&
         all_of(registers.drop_front(fragmentRegisterBits), isRowOrColumn) &&
         all_of(lanes.take_front(2), isColumn) &&
         all_of(lanes.drop_front(2), isRow) &&
         all_of(layout.bases("warp"), isAnyOrCopy);
}
