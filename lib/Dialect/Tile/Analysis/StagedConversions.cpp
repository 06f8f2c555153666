//===- StagedConversions.cpp - Conversions by shared memory ---------------===//
//----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/StagedConversions.h"

#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

using namespace mlir;
using namespace tilewright::tile;

Type tilewright::tile::getStoredType(Type elementType) {
  if (isMemoryElementType(elementType) || isa<PtrType>(elementType))
    return elementType;
  return IntegerType::get(elementType.getContext(),
                          8 * getElementBytes(elementType));
}

int64_t tilewright::tile::getStagedBytes(ConvertLayoutOp convert) {
  auto type = cast<RankedTensorType>(convert.getType());
  return type.getNumElements() *
         getElementBytes(getStoredType(type.getElementType()));
}

Operation *tilewright::tile::findTransposition(ConvertLayoutOp convert) {
  auto op = convert.getSource().getDefiningOp<DimensionMapOpInterface>();
  return op && isa<RegisterLayoutOpInterface>(op.getOperation()) &&
                 op.findPermutation()
             ? op.getOperation()
             : nullptr;
}

GlobalAccessOpInterface
tilewright::tile::getLoadAhead(ConvertLayoutOp convert) {
  Operation *trans =
      feedsProducts(convert) ? findTransposition(convert) : nullptr;
  Value loaded = trans ? trans->getOperand(0) : convert.getSource();
  auto load = loaded.getDefiningOp<GlobalAccessOpInterface>();
  return load && getCoordinatesAhead(load) ? load : nullptr;
}
