//===- TensorMaps.cpp - Maps for what bulk copies move --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"

#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

bool tilewright::tile::mayHaveTensorMap(GlobalAccessOpInterface access,
                                        const AxisInfoAnalysis &axes) {
  Value base = findMemoryAccess(access, MemorySpace::Global)->base;
  auto view = dyn_cast<ViewType>(base.getType());
  if (!view || !view.getContiguousDim() ||
      view.getShape().size() > TensorMapOp::kMaxRank)
    return false;
  int64_t bytes = getElementBytes(view.getElementType());
  SmallVector<int64_t> box(view.getShape().size(), 1);
  return getVectorWidth(access, axes).elements * bytes >= kMapBytes &&
         describeTensorMap(base, box, kMapBytes).has_value();
}

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
