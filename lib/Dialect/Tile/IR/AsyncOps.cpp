//===- AsyncOps.cpp - Copies that run ahead -----------------------*-C++-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

SmallVector<MemoryAccess, 2> CopyAsyncOp::getMemoryAccesses() {
  MemoryAccess read;
  read.space = MemorySpace::Global;
  read.isRead = true;
  read.base = getView();
  read.indices = llvm::to_vector<3>(getOffsets());
  read.end = AccessEnd::WithGroup;
  MemoryAccess write;
  write.space = MemorySpace::Shared;
  write.isWrite = true;
  write.base = getDest();
  write.registers = getRegisters();
  write.end = AccessEnd::WithGroup;
  return {read, write};
}

LogicalResult CopyAsyncOp::verify() {
  ViewType view = getView().getType();
  SharedType dest = getDest().getType();
  size_t rank = view.getShape().size();
  if (getOffsets().size() != rank || dest.getShape().size() != rank)
    return emitOpError("view, coordinates and shared tile have one rank: the "
                       "view has ")
           << rank << ", the coordinates " << getOffsets().size()
           << ", the shared tile " << dest.getShape().size();
  if (view.getElementType() != dest.getElementType())
    return emitOpError("copies elements of one type, not ")
           << view.getElementType() << " to " << dest.getElementType();
  if (getRegisters().getShape() != dest.getShape())
    return emitOpError("the layout of the copying threads is that of another "
                       "shape");
  if (std::optional<int64_t> width = getVectorWidth()) {
    int64_t bytes = getElementBytes(view.getElementType());
    if (!llvm::is_contained({4 / bytes, 8 / bytes, 16 / bytes}, *width) ||
        *width == 0)
      return emitOpError("an asynchronous copy moves 4, 8 or 16 bytes a "
                         "thread, not ")
             << *width << " elements of " << bytes;
  }
  return success();
}
