//===- ReducedParts.cpp - Reductions in two steps -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/ReducedParts.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright::tile;

Value tilewright::tile::reduceLike(OpBuilder &builder, ReduceOp like,
                                   Value source) {
  IRMapping map;
  map.map(like.getSources()[0], source);
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + like.getAxis());
  Operation *made = builder.clone(*like, map);
  made->getResult(0).setType(
      shape.empty()
          ? type.getElementType()
          : Type(RankedTensorType::get(shape, type.getElementType())));
  return made->getResult(0);
}

bool tilewright::tile::canReduceParts(ReduceOp reduce, int64_t parts) {
  int64_t extent = reduce.getTileType().getDimSize(0);
  return parts < extent && extent % parts == 0;
}

Value tilewright::tile::reduceFarParts(ReduceOp reduce, int64_t parts) {
  assert(reduce.getAxis() == 0 && "far parts are along the first dimension");
  Value source = reduce.getSources()[0];
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] /= parts;
  shape.insert(shape.begin(), parts);
  OpBuilder builder(reduce);
  return reduceLike(
      builder, reduce,
      ReshapeOp::create(builder, reduce.getLoc(), type.clone(shape), source));
}
