//===- LayoutWishes.cpp - The register layouts that accesses want ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutWishes.h"

#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Layout/BankModel.h"
#include "tilewright/Layout/GlobalAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

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
  return RegisterLayoutAttr::get(
      tile.getContext(),
      coalescedLayout(tile.getShape(), getElementBytes(tile.getElementType()),
                      dim, std::min(vector, perThread), numWarps));
}
