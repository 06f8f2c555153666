//===- ReduceOp.cpp - tile.reduce -----------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/CombineRegion.h"

#include "mlir/IR/TypeUtilities.h"
#include "tilewright/Layout/Registers/AxisReduction.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What a source's result is, but for its layout.
static Type getResultType(ReduceOp reduce, Type elementType,
                          RegisterLayoutAttr sourceLayout) {
  SmallVector<int64_t> shape(reduce.getTileType().getShape());
  std::optional<AxisReduction> steps;
  if (sourceLayout)
    steps = AxisReduction::create(sourceLayout.getLayout(), reduce.getAxis());
  auto layout = [&](const LinearLayout &layout) {
    return RegisterLayoutAttr::get(reduce.getContext(), layout);
  };
  if (reduce.getPerWarp() && steps) {
    LinearLayout perWarp = steps->perWarp();
    return RankedTensorType::get(perWarp.shape(), elementType, layout(perWarp));
  }
  if (shape.size() == 1)
    return elementType;
  shape.erase(shape.begin() + reduce.getAxis());
  return RankedTensorType::get(shape, elementType,
                               steps ? Attribute(layout(steps->result()))
                                     : Attribute());
}

LogicalResult ReduceOp::verify() {
  if (getSources().empty())
    return emitOpError("has nothing to reduce");
  RankedTensorType tile = getTileType();
  for (Type type : getSources().getTypes()) {
    auto other = cast<RankedTensorType>(type);
    if (other.getShape() != tile.getShape() ||
        other.getEncoding() != tile.getEncoding())
      return emitOpError("tiles that are reduced together have one shape and "
                         "one layout");
    if (isa<PtrType>(other.getElementType()))
      return emitOpError("does not reduce pointers: reduce what is added to "
                         "them");
  }
  if (getAxis() >= tile.getRank())
    return emitOpError("axis ")
           << getAxis() << " is outside of tiles of rank " << tile.getRank();
  RegisterLayoutAttr layout = getRegisterLayout(tile);
  if (layout && !AxisReduction::create(layout.getLayout(), getAxis()))
    return emitOpError("some bits of the layout move along the axis and across "
                       "it, or repeat elements along it");
  if (getPerWarp() && !layout)
    return emitOpError("per_warp needs a layout, which says what a warp has");
  if (getNumResults() != getSources().size())
    return emitOpError("has one result for each tile, not ")
           << getNumResults() << " for " << getSources().size();
  for (auto [source, result] :
       llvm::zip_equal(getSources().getTypes(), getResultTypes())) {
    Type expected = getResultType(*this, getElementTypeOrSelf(source), layout);
    if (result != expected)
      return emitOpError("the result of ")
             << source << " is " << expected << ", not " << result;
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  SmallVector<Type> elements =
      llvm::map_to_vector(getSources().getTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  return CombineRegion(*this).verify(elements);
}
