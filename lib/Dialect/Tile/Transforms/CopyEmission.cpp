//===- CopyEmission.cpp - How what runs ahead is copied ---------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyEmission.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

std::optional<int64_t>
tilewright::tile::getCopyWidth(LoadViewOp load, const AxisInfoAnalysis &axes) {
  int64_t elements = getVectorWidth(load, axes).elements;
  int64_t bytes =
      elements * getElementBytes(load.getTileType().getElementType());
  return bytes < kMinCopyBytes ? std::nullopt : std::optional(elements);
}

void tilewright::tile::startCopy(OpBuilder &builder, LoadViewOp load,
                                 const IRMapping &mapping, Value dest,
                                 int64_t vectorWidth) {
  auto offsets = llvm::map_to_vector(load.getOffsets(), [&](Value offset) {
    return mapping.lookupOrDefault(offset);
  });
  CopyAsyncOp::create(
      builder, load.getLoc(), mapping.lookupOrDefault(load.getView()), offsets,
      /*mask=*/nullptr, dest, getRegisterLayout(load.getTileType()),
      builder.getI64IntegerAttr(vectorWidth));
}
