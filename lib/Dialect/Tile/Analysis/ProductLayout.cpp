//===- ProductLayout.cpp - Who computes which part of a product -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Layout/FmaLayout.h"
#include "tilewright/Layout/MmaLayout.h"

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
  if (auto trans = dyn_cast<TransOp>(op)) {
    std::optional<unsigned> dim = getMemoryOrder(trans.getSource(), axes);
    if (!dim)
      return std::nullopt;
    return llvm::find(trans.getPermutation(), *dim) -
           trans.getPermutation().begin();
  }
  if (!op->hasTrait<OpTrait::Elementwise>() && !isa<ConvertLayoutOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      if (std::optional<unsigned> dim = getMemoryOrder(operand, axes))
        return dim;
  return std::nullopt;
}

/// How many adjacent rows (of operand 0) or columns (of operand 1) a thread
/// should have: as many as one read gives where the operand is contiguous along
/// them and ldmatrix cannot turn it. Reads along K do not care, so columns are
/// then those that one store of the result takes.
static int64_t getRun(DotOp dot, unsigned operand,
                      const AxisInfoAnalysis &axes) {
  Value tile = dot.getOperand(operand);
  int64_t bytes = getElementBytes(getElementTypeOrSelf(tile.getType()));
  if (bytes == 2)
    return 1;
  if (getMemoryOrder(tile, axes).value_or(1 - operand) == operand)
    return kMaxVectorBytes / bytes;
  return operand == 0
             ? 1
             : kMaxVectorBytes /
                   getElementBytes(getElementTypeOrSelf(dot.getType()));
}

RegisterLayoutAttr
tilewright::tile::chooseAccumulatorLayout(DotOp dot, int numWarps,
                                          const AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(dot.getType());
  if (!dot.usesTensorCores())
    return RegisterLayoutAttr::get(
        dot.getContext(), fmaAccumulatorLayout(type.getShape(), numWarps));
  MmaRuns runs{getRun(dot, 0, axes), getRun(dot, 1, axes)};
  return RegisterLayoutAttr::get(
      dot.getContext(), mmaAccumulatorLayout(type.getShape(), numWarps, runs));
}
