//===- LayoutWishes.cpp - The register layouts that accesses want ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/LayoutWishes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Each row that a thread has elements of costs an address and a mask, in each
/// iteration of a loop, and shuffles where it is reduced.
static bool paysForRows(KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    bool inLoop = isa<GlobalAccessOpInterface>(op) &&
                  op->getParentOfType<LoopLikeOpInterface>();
    return inLoop || isa<ReduceOp>(op) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LayoutWishes::LayoutWishes(KernelOp kernel, int64_t maxBytes)
    : axes(kernel), numWarps(kernel.getNumWarpsOrDefault()), maxBytes(maxBytes),
      wantsFewRows(paysForRows(kernel)) {}

RegisterLayoutAttr LayoutWishes::get(GlobalAccessOpInterface access) const {
  AddressVector vector = getAddressVector(access, axes, maxBytes);
  return coalesced(access.getTileType(), vector.dim, vector.width.elements);
}

RegisterLayoutAttr LayoutWishes::get(DotOp dot) const {
  return chooseAccumulatorLayout(dot, numWarps, axes);
}

RegisterLayoutAttr LayoutWishes::getDefault(RankedTensorType tile) const {
  int64_t bytes = getElementBytes(tile.getElementType());
  return coalesced(tile, std::max<int64_t>(tile.getRank() - 1, 0),
                   std::max<int64_t>(1, kMaxVectorBytes / bytes));
}

bool LayoutWishes::serves(GlobalAccessOpInterface store,
                          RegisterLayoutAttr layout) const {
  AddressVector vector = getAddressVector(store, axes, maxBytes);
  auto lines = [&](RegisterLayoutAttr candidate) {
    return costOfGlobalAccess(
               candidate.getLayout(),
               getElementBytes(store.getTileType().getElementType()),
               vector.dim, vector.width.elements)
        .lines;
  };
  return lines(layout) <= 2 * lines(get(store));
}

RegisterLayoutAttr LayoutWishes::coalesced(RankedTensorType tile, unsigned dim,
                                           int64_t vector) const {
  // Rather narrower vectors than threads without elements.
  int64_t perThread = std::max<int64_t>(
      1, tile.getNumElements() / (int64_t(lanesPerWarp) * numWarps));
  vector = std::min(vector, perThread);
  return RegisterLayoutAttr::get(
      tile.getContext(),
      wantsFewRows ? coalescedLines(tile.getShape(),
                                    getElementBytes(tile.getElementType()), dim,
                                    vector, numWarps)
                   : coalescedRows(tile.getShape(), dim, vector, numWarps));
}
