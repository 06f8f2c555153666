//===- ProductLayout.cpp - Who computes which part of a product -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/Registers/BatchLayout.h"
#include "tilewright/Layout/Registers/FmaLayout.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

std::optional<unsigned>
tilewright::tile::getMemoryOrder(Value tile, const AxisInfoAnalysis &axes) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto access = dyn_cast<GlobalAccessOpInterface>(op))
    return getAddressVector(access, axes).dim;
  if (auto dimensions = dyn_cast<DimensionMapOpInterface>(op)) {
    auto permutation = dimensions.findPermutation();
    std::optional<unsigned> dim =
        permutation ? getMemoryOrder(op->getOperand(0), axes) : std::nullopt;
    if (!dim)
      return std::nullopt;
    return llvm::find(*permutation, *dim) - permutation->begin();
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      if (std::optional<unsigned> dim = getMemoryOrder(operand, axes))
        return dim;
  return std::nullopt;
}

bool tilewright::tile::isStoredAcrossK(DotOp dot, unsigned operand,
                                       const AxisInfoAnalysis &axes) {
  Value tile = dot.getOperand(operand);
  unsigned outer = cast<RankedTensorType>(tile.getType()).getRank() - 2;
  return getMemoryOrder(tile, axes) == outer + operand;
}

/// Whether all that a tile becomes, under other names, are operands of products
/// by FMA that are stored along K.
static bool isFmaOperandAlongK(Value tile, const AxisInfoAnalysis &axes) {
  return !tile.use_empty() && llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto dot = dyn_cast<DotOp>(user))
      return dot.getEngineOrDefault() == Engine::Fma &&
             use.getOperandNumber() < 2 &&
             !isStoredAcrossK(dot, use.getOperandNumber(), axes);
    auto dimensions = dyn_cast<DimensionMapOpInterface>(user);
    return dimensions && dimensions.findPermutation() &&
           isFmaOperandAlongK(user->getResult(0), axes);
  });
}

bool tilewright::tile::isBoundByRegisters(Operation *op) {
  constexpr unsigned lanesOfSchedulers = 4 * lanesPerWarp;
  return getTargetOrDefault(op).f32PerClock >= lanesOfSchedulers;
}

bool tilewright::tile::isTurned(GlobalAccessOpInterface load,
                                const AxisInfoAnalysis &axes) {
  return isBoundByRegisters(load) && !load.isStore() &&
         load->getNumResults() == 1 &&
         load->getParentOfType<LoopLikeOpInterface>() &&
         isFmaOperandAlongK(load->getResult(0), axes);
}

/// How fragments of mma.sync are laid out over a tile. What is contiguous along
/// rows (of operand 0) or columns (of operand 1) and cannot be turned by
/// ldmatrix is read in runs of them.
static MmaRuns chooseRuns(DotOp dot, const AxisInfoAnalysis &axes) {
  int64_t bytes = getElementBytes(getElementTypeOrSelf(dot.getA().getType()));
  MmaRuns runs;
  if (bytes == 2)
    return runs;
  auto isAcross = [&](unsigned operand) {
    return isStoredAcrossK(dot, operand, axes);
  };
  bool isA = isAcross(0), isB = isAcross(1);
  if (isA)
    runs.rows = kMaxVectorBytes / bytes;
  // Reads along K do not care; then let one store take the columns.
  runs.columns =
      kMaxVectorBytes /
      (isB ? bytes : getElementBytes(getElementTypeOrSelf(dot.getType())));
  if (bytes == 1) // Steps along K have to be put together anyway.
    return runs;
  // Two rows are what a fragment of the instruction's A has of words. Longer
  // runs would have to be moved to their fragments.
  bool fillsRows = dot.getN() >= MmaShape().m;
  runs.transposed = isB && !isA && fillsRows;
  if (runs.transposed)
    runs.columns = 2;
  else if (isA)
    runs.rows = 2;
  if (isA && isB)
    runs.columns = 1;
  return runs;
}

/// Calls `found` with the products of the block whose results this tile is
/// computed of, an element of each by itself.
static void visitProducts(Value tile, Block *block,
                          function_ref<void(DotOp)> found) {
  DenseSet<Operation *> seen;
  SmallVector<Operation *> waiting = {tile.getDefiningOp()};
  while (!waiting.empty()) {
    Operation *op = waiting.pop_back_val();
    if (!op || op->getBlock() != block || !seen.insert(op).second)
      continue;
    if (auto dot = dyn_cast<DotOp>(op))
      found(dot);
    else if (op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : op->getOperands())
        waiting.push_back(operand.getDefiningOp());
  }
}

bool tilewright::tile::isMadeOfProduct(DotOp dot) {
  bool isFound = false;
  visitProducts(dot.getA(), dot->getBlock(), [&](DotOp) { isFound = true; });
  return isFound;
}

/// Whether the product's left operand is computed of the result of another one,
/// or its result becomes the left operand of another one, beside it.
static bool isChained(DotOp dot) {
  bool isFound = false;
  for (auto other : dot->getBlock()->getOps<DotOp>())
    visitProducts(other.getA(), dot->getBlock(),
                  [&](DotOp from) { isFound |= other == dot || from == dot; });
  return isFound;
}

/// Over the rows of all products that read the same right operand, and the
/// columns of all that read the same left one: where warps stand in one grid,
/// each reads the operand once for all of them.
static SmallVector<int64_t> getGridShape(DotOp dot, int numWarps) {
  // Each warp has whole rows: it makes the left operand of the next product of
  // what it has of the one before.
  if (isChained(dot) && dot.getM() >= MmaShape().m * numWarps)
    return {dot.getM(), MmaShape().n};
  SmallVector<int64_t> shape = {dot.getM(), dot.getN()};
  for (unsigned operand : {0, 1})
    for (OpOperand &use : dot->getOperand(operand).getUses())
      if (auto other = dyn_cast<DotOp>(use.getOwner());
          other && use.getOperandNumber() == operand &&
          other.getEngineOrDefault() == dot.getEngineOrDefault())
        shape[1 - operand] = std::max(
            shape[1 - operand], operand == 0 ? other.getN() : other.getM());
  return shape;
}

/// Whether the tile is computed of numbers alone, in any layout.
static bool isMadeOfNothing(Value tile) {
  llvm::SetVector<Value> needed;
  needed.insert(tile);
  for (size_t index = 0; index < needed.size(); ++index) {
    auto maker = dyn_cast_or_null<RegisterLayoutOpInterface>(
        needed[index].getDefiningOp());
    if (!maker || !maker.isCheap())
      return false;
    needed.insert_range(llvm::make_filter_range(maker->getOperands(), isTile));
  }
  return true;
}

/// Threads may have all of an operand that is not read, but for what they can
/// hold.
static LinearLayout chooseFmaLayout(DotOp dot, ArrayRef<int64_t> shape,
                                    unsigned numWarps) {
  bool readsA = !isMadeOfNothing(dot.getA());
  bool readsB = !isMadeOfNothing(dot.getB());
  if (readsA != readsB) {
    LinearLayout sums = fmaAccumulatorLayout(shape, numWarps, readsA, readsB);
    LinearLayout made = fmaOperandLayout(readsA, dot.getK(), sums);
    if (made.inputSize("register") <= kMaxElementsPerThread)
      return sums;
  }
  return fmaAccumulatorLayout(shape, numWarps);
}

RegisterLayoutAttr
tilewright::tile::chooseAccumulatorLayout(DotOp dot, int numWarps,
                                          const AxisInfoAnalysis &axes) {
  int64_t shape[] = {dot.getM(), dot.getN()};
  auto choose = [&](unsigned numWarps) {
    switch (dot.getEngineOrDefault()) {
    case Engine::Fma:
      return chooseFmaLayout(dot, shape, numWarps);
    case Engine::MmaSync:
      return mmaAccumulatorLayout(shape, numWarps, chooseRuns(dot, axes),
                                  getGridShape(dot, numWarps));
    case Engine::Wgmma:
      return warpgroupAccumulatorLayout(shape, numWarps);
    }
    llvm_unreachable("all engines have a layout above");
  };
  bool isOne = dot.getType().getRank() == 2;
  return RegisterLayoutAttr::get(
      dot.getContext(),
      isOne ? choose(numWarps)
            : batchAccumulatorLayout(dot.getBatch(), numWarps, choose));
}
