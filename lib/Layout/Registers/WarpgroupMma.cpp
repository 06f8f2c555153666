//===- WarpgroupMma.cpp - Products of four warps (wgmma) ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Layout/Registers/WarpgroupMma.h"

#include "tilewright/Layout/Algebra/LayoutFactors.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright;

namespace {
/// How many warpgroups stand below each other and side by side, and how many
/// make the same.
struct Grid {
  int64_t rows, columns, copies;
};
} // namespace

static Grid makeGrid(ArrayRef<int64_t> shape, unsigned numWarps) {
  int64_t groups = numWarps / WarpgroupMma::warps;
  int64_t rows = std::min(shape[0] / WarpgroupMma::m, groups);
  int64_t columns = std::min(shape[1] / WarpgroupMma::leastN, groups / rows);
  return {rows, columns, groups / (rows * columns)};
}

bool tilewright::fitsWarpgroups(ArrayRef<int64_t> shape, unsigned numWarps) {
  return shape.size() == 2 && numWarps >= WarpgroupMma::warps &&
         isPowerOf2_32(numWarps) && shape[0] >= WarpgroupMma::m &&
         shape[1] >= WarpgroupMma::leastN;
}

bool tilewright::keepsWarpgroupsBusy(ArrayRef<int64_t> shape,
                                     unsigned numWarps) {
  return makeGrid(shape, numWarps).copies == 1;
}

LinearLayout tilewright::warpgroupAccumulatorLayout(ArrayRef<int64_t> shape,
                                                    unsigned numWarps) {
  assert(fitsWarpgroups(shape, numWarps) && "too small for the warpgroups");
  Grid grid = makeGrid(shape, numWarps);
  int64_t rows = shape[0] / grid.rows, columns = shape[1] / grid.columns;
  int64_t n = std::min(columns, WarpgroupMma::mostN);
  SmallVector<LayoutFactor> factors = {
      {"register", {1, 2}},
      {"lane", {8, 4}},
      {"register", {2, 1}},
      {"register", {1, n / WarpgroupMma::leastN}},
      {"warp", {WarpgroupMma::warps, 1}},
      {"register", {rows / WarpgroupMma::m, 1}},
      {"register", {1, columns / n}},
      {"warp", {grid.rows, grid.columns}}};
  if (grid.copies > 1)
    factors.push_back({"warp", {}, grid.copies});
  return cantFail(layoutFromFactors(factors, shape.size()));
}

bool tilewright::isWarpgroupAccumulatorLayout(const LinearLayout &layout) {
  unsigned numWarps = layout.hasInput("warp") ? layout.inputSize("warp") : 1;
  return fitsWarpgroups(layout.shape(), numWarps) &&
         layout == warpgroupAccumulatorLayout(layout.shape(), numWarps);
}

int64_t tilewright::getInstructionN(const LinearLayout &accumulator) {
  ArrayRef<int64_t> shape = accumulator.shape();
  Grid grid = makeGrid(shape, accumulator.inputSize("warp"));
  return std::min(shape[1] / grid.columns, WarpgroupMma::mostN);
}

bool tilewright::hasInstruction(int64_t n, unsigned elementBytes) {
  bool isMultiple = n % (elementBytes == 1 && n > 32 ? 16 : 8) == 0;
  return isMultiple && n >= WarpgroupMma::leastN && n <= WarpgroupMma::mostN;
}

Expected<WarpgroupOperand> WarpgroupOperand::create(const SharedLayout &layout,
                                                    unsigned elementBytes,
                                                    unsigned kDim) {
  ArrayRef<int64_t> shape = layout.shape();
  assert(shape.size() == 2 && kDim < 2 && "operands are matrices");
  for (const HardwareSwizzle &mode : HardwareSwizzle::all())
    for (unsigned rowDim : {kDim, 1 - kDim}) {
      Expected<SharedLayout> known =
          hardwareLayout(shape, elementBytes, rowDim, mode);
      if (!known) {
        consumeError(known.takeError());
        continue;
      }
      if (*known != layout)
        continue;
      WarpgroupOperand operand(layout, elementBytes, mode);
      operand.kDim = kDim;
      operand.transposed = rowDim != kDim;
      if (operand.transposed && elementBytes != 2)
        return createStringError("wgmma reads elements of " +
                                 Twine(elementBytes) +
                                 " bytes only by rows along K");
      if (shape[kDim] * elementBytes < WarpgroupMma::kBytes)
        return createStringError("wgmma takes " + Twine(WarpgroupMma::kBytes) +
                                 " bytes along K at a time");
      int64_t atom = HardwareSwizzle::periodRows * mode.rowBytes;
      int64_t panel = shape[1 - rowDim] * mode.rowBytes;
      operand.strideBytes = atom;
      operand.leadingBytes = panel;
      if (operand.transposed && mode.atomBits == 0)
        std::swap(operand.strideBytes, operand.leadingBytes);
      return operand;
    }
  return createStringError(
      "wgmma reads a tile in one of the layouts of the hardware (modes 128B, "
      "64B, 32B and none) only");
}

uint64_t WarpgroupOperand::getDescriptor() const {
  // In units of 16 bytes. Modes count from the widest, but for none.
  auto field = [](int64_t bytes, unsigned at) {
    return (uint64_t(bytes) >> 4 & maskTrailingOnes<uint64_t>(14)) << at;
  };
  uint64_t number = mode->atomBits == 0 ? 0 : 4 - mode->atomBits;
  return field(leadingBytes, 16) | field(strideBytes, 32) | number << 62;
}

std::optional<int64_t> WarpgroupOperand::getBytesOfColumns() const {
  int64_t columns = layout.shape()[1 - kDim];
  if (!transposed)
    return columns / HardwareSwizzle::periodRows * strideBytes;
  int64_t inRow = mode->rowBytes / elementBytes;
  if (mode->atomBits == 0 || columns < inRow)
    return std::nullopt;
  return columns / inRow * leadingBytes;
}

bool WarpgroupOperand::continues(const WarpgroupOperand &before) const {
  int64_t k = layout.shape()[kDim];
  if (mode != before.mode || transposed != before.transposed ||
      kDim != before.kDim || strideBytes != before.strideBytes ||
      before.layout.shape()[kDim] != k ||
      (transposed && leadingBytes != before.leadingBytes))
    return false;
  int64_t bytes = before.layout.sizeInElements() * elementBytes;
  std::optional<int64_t> columns = before.getBytesOfColumns();
  // What stands behind the columns of one step along K, does so at all steps.
  for (int64_t step = 0; columns && step < k;
       step += WarpgroupMma::kBytes / elementBytes) {
    SmallVector<int32_t, 2> point(2);
    point[kDim] = static_cast<int32_t>(step);
    if (before.getStartBytes(point) + *columns != bytes + getStartBytes(point))
      return false;
  }
  return columns.has_value();
}
