//===- CopyEmission.cpp - How what runs ahead is copied ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channels/CopyEmission.h"

#include "mlir/IR/IRMapping.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

std::optional<CopyShape>
tilewright::tile::getCopyShape(GlobalAccessOpInterface load,
                               const AxisInfoAnalysis &axes) {
  int64_t elements = getVectorWidth(load, axes).elements;
  int64_t bytes =
      elements * getElementBytes(load.getTileType().getElementType());
  if (bytes < kMinCopyBytes)
    return std::nullopt;
  return CopyShape{elements, getAddressVector(load, axes).dim};
}

void tilewright::tile::startCopy(OpBuilder &builder,
                                 GlobalAccessOpInterface load,
                                 const IRMapping &mapping, Value dest,
                                 const CopyShape &shape) {
  MemoryAccess access = *findMemoryAccess(load, MemorySpace::Global);
  auto offsets = llvm::map_to_vector(access.indices, [&](Value offset) {
    return mapping.lookupOrDefault(offset);
  });
  // The strides of a view say along which dimension.
  IntegerAttr axis = isa<ViewType>(access.base.getType())
                         ? IntegerAttr()
                         : builder.getI64IntegerAttr(shape.axis);
  auto copy = CopyAsyncOp::create(
      builder, load.getLoc(), mapping.lookupOrDefault(access.base), offsets,
      access.mask ? mapping.lookupOrDefault(access.mask) : Value(),
      /*mask=*/nullptr, dest, getRegisterLayout(load.getTileType()), axis,
      builder.getI64IntegerAttr(shape.vectorWidth));
  if (Attribute reason = load->getAttr(kNoBlockAttr))
    copy->setAttr(kNoBlockAttr, reason);
}
