//===- SortOps.cpp - What sorts are made of -------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/OrderVector.h"

#include "tilewright/Layout/Registers/SortLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

LogicalResult AnyOrderOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getShape() != result.getShape())
    return emitOpError("has the elements of ")
           << source << ", and not as many as " << result;
  RegisterLayoutAttr from = getRegisterLayout(source);
  RegisterLayoutAttr to = getRegisterLayout(result);
  if (!from && !to)
    return success();
  if (!from || !to)
    return emitOpError("source and result both have a layout, or none has");
  std::optional<LinearLayout> spread =
      spreadPlaces(to.getLayout(), getOrderVector(*this));
  if (!spread)
    return emitOpError("gives places of rows other names: each bit of a thread "
                       "is to say one bit of them, or none, not as in ")
           << to;
  if (from.getLayout() != *spread)
    return emitOpError("takes its source in ")
           << RegisterLayoutAttr::get(getContext(), *spread) << ", not in "
           << from;
  return success();
}
