//===- PrintOp.cpp - tile.print -------------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright::tile;

LogicalResult PrintOp::verify() {
  Type element =
      getValue() ? getElementTypeOrSelf(getValue().getType()) : Type();
  if (getIsUnsigned() && (!element || !element.isIntOrIndex()))
    return emitOpError("'unsigned' says how integers are shown, and there are "
                       "none");
  if (getHex() && (!element || isa<FloatType>(element)))
    return emitOpError("'hex' shows the bits of integers and pointers, and "
                       "there are none");
  return success();
}
