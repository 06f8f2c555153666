//===- MmaLayout.cpp - Register layouts of mma.sync -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/MmaLayout.h"

#include "tilewright/Layout/LayoutFactors.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

/// Bits of a thread's registers and lanes that one accumulator fragment takes.
static constexpr unsigned fragmentRegisterBits = 2;

/// How many warps stand below one another: the grid whose parts of the tile are
/// closest to square, rather wide than high, since B's fragments are half of
/// A's.
static int64_t chooseWarpRows(int64_t m, int64_t n, int64_t numWarps) {
  int64_t best = 1, bestCost = INT64_MAX;
  for (int64_t rows = 1; rows <= numWarps; rows *= 2) {
    int64_t columns = numWarps / rows;
    // What each warp reads of A and B for one step along K.
    int64_t cost =
        std::max<int64_t>(m / rows, 16) + std::max<int64_t>(n / columns, 8);
    // Warps without a part of their own are worse than any shape.
    int64_t idle = std::max<int64_t>(1, rows * 16 / m) *
                   std::max<int64_t>(1, columns * 8 / n);
    cost *= idle;
    if (cost <= bestCost) {
      best = rows;
      bestCost = cost;
    }
  }
  return best;
}

LinearLayout tilewright::mmaAccumulatorLayout(ArrayRef<int64_t> shape,
                                              unsigned numWarps) {
  int64_t m = shape[0], n = shape[1];
  int64_t warpRows = chooseWarpRows(m, n, numWarps);
  int64_t usedRows = std::min(warpRows, m / 16);
  int64_t usedColumns = std::min<int64_t>(numWarps / warpRows, n / 8);
  int64_t copies = numWarps / (usedRows * usedColumns);
  SmallVector<LayoutFactor> factors;
  auto add = [&](StringRef input, int64_t rows, int64_t columns) {
    if (rows * columns > 1)
      factors.push_back({input.str(), {rows, columns}, 1});
  };
  add("register", 1, 2);
  add("lane", 8, 4);
  add("register", 2, 1);
  add("register", 1, n / (8 * usedColumns));
  add("register", m / (16 * usedRows), 1);
  add("warp", 1, usedColumns);
  add("warp", usedRows, 1);
  if (copies > 1)
    factors.push_back({"warp", {}, copies});
  return cantFail(layoutFromFactors(factors, 2));
}

/// Copies the bases of an input, as far as they move along `dim` of the
/// accumulator, to the same dimension of an operand.
static void appendProjected(std::vector<LinearLayout::Point> &to,
                            ArrayRef<LinearLayout::Point> from, unsigned dim,
                            bool keepZeros) {
  for (const LinearLayout::Point &basis : from) {
    if (basis[dim] == 0 && !keepZeros)
      continue;
    LinearLayout::Point point = {0, 0};
    point[dim] = basis[dim];
    to.push_back(point);
  }
}

LinearLayout tilewright::mmaOperandLayout(unsigned operand, int64_t k,
                                          unsigned elementBytes,
                                          const LinearLayout &accumulator) {
  MmaShape mma = MmaShape::get(elementBytes);
  SmallVector<LayoutFactor> fragment;
  auto add = [&](StringRef input, int64_t rows, int64_t columns) {
    if (rows * columns > 1)
      fragment.push_back({input.str(), {rows, columns}, 1});
  };
  if (operand == 0) {
    add("register", 1, mma.perWord);
    add("lane", 8, 4);
    add("register", 2, 1);
    add("register", 1, 2);
    add("register", 1, k / mma.k);
  } else {
    add("register", mma.perWord, 1);
    add("lane", 4, 1);
    add("lane", 1, 8);
    add("register", 2, 1);
    add("register", k / mma.k, 1);
  }
  LinearLayout one = cantFail(layoutFromFactors(fragment, 2));
  auto bases = [&](StringRef input) { return one.bases(input).vec(); };
  std::vector<LinearLayout::Point> registers = bases("register");
  std::vector<LinearLayout::Point> warps;
  // The accumulator's dimension that this operand shares with it.
  unsigned dim = operand;
  appendProjected(
      registers, accumulator.bases("register").drop_front(fragmentRegisterBits),
      dim, /*keepZeros=*/false);
  appendProjected(warps, accumulator.bases("warp"), dim, /*keepZeros=*/true);
  SmallVector<int64_t> shape = {accumulator.shape()[0], accumulator.shape()[1]};
  shape[1 - operand] = k;
  return cantFail(LinearLayout::create({{"register", std::move(registers)},
                                        {"lane", bases("lane")},
                                        {"warp", std::move(warps)}},
                                       shape));
}

bool tilewright::isMmaAccumulatorLayout(const LinearLayout &layout) {
  if (layout.rank() != 2 || layout.shape()[0] < 16 || layout.shape()[1] < 8)
    return false;
  LinearLayout fragment = mmaAccumulatorLayout({16, 8}, 1);
  ArrayRef<LinearLayout::Point> registers = layout.bases("register");
  auto isBlock = [](const LinearLayout::Point &basis) {
    return (basis[0] == 0) != (basis[1] == 0) &&
           (basis[0] == 0 || basis[0] >= 16) &&
           (basis[1] == 0 || basis[1] >= 8);
  };
  auto isBlockOrCopy = [&](const LinearLayout::Point &basis) {
    return isBlock(basis) || (basis[0] == 0 && basis[1] == 0);
  };
  return registers.size() >= fragmentRegisterBits &&
         registers.take_front(fragmentRegisterBits) ==
             fragment.bases("register") &&
         layout.bases("lane") == fragment.bases("lane") &&
         all_of(registers.drop_front(fragmentRegisterBits), isBlock) &&
         all_of(layout.bases("warp"), isBlockOrCopy);
}
