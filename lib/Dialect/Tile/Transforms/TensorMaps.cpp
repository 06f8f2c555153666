//===- TensorMaps.cpp - Maps for what bulk copies move --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

TensorMapOp tilewright::tile::getTensorMap(Value view,
                                           const TensorBoxes &boxes) {
  for (Operation *user : view.getUsers())
    if (auto map = dyn_cast<TensorMapOp>(user);
        map && map.getBox() == ArrayRef<int64_t>(boxes.extents) &&
        static_cast<int64_t>(map.getRowBytes()) == boxes.rowBytes)
      return map;
  OpBuilder builder(view.getContext());
  builder.setInsertionPointAfterValue(view);
  return TensorMapOp::create(builder, view.getLoc(),
                             TensorMapType::get(builder.getContext()), view,
                             boxes.extents, boxes.rowBytes);
}
