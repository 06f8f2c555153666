//===- PointerOps.cpp - Pointers and what is behind them ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

LogicalResult AddPtrOp::verify() {
  auto pointers = dyn_cast<RankedTensorType>(getPtr().getType());
  auto offsets = dyn_cast<RankedTensorType>(getOffset().getType());
  if (!pointers != !offsets)
    return emitOpError("pointer and offset are both scalars or both tiles; "
                       "tile.splat makes a tile of a scalar");
  if (pointers && (pointers.getShape() != offsets.getShape() ||
                   pointers.getEncoding() != offsets.getEncoding()))
    return emitOpError("pointers and offsets have one shape and one layout");
  return success();
}

/// Source and result are both scalars, or tiles of one shape and layout.
static LogicalResult verifyAddresses(Operation *op) {
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool agree = source && result
                   ? source.getShape() == result.getShape() &&
                         source.getEncoding() == result.getEncoding()
                   : !source && !result;
  if (agree)
    return success();
  return op->emitOpError("source and result are both scalars, or tiles of one "
                         "shape and one layout");
}

LogicalResult PtrCastOp::verify() { return verifyAddresses(*this); }
LogicalResult PtrToIntOp::verify() { return verifyAddresses(*this); }
LogicalResult IntToPtrOp::verify() { return verifyAddresses(*this); }

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? OpFoldResult(getSource())
                                            : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static MemoryAccess describePointers(Operation *op, Value pointers,
                                     Value mask) {
  MemoryAccess access;
  access.space = MemorySpace::Global;
  access.base = pointers;
  access.mask = mask;
  if (!op->hasAttr(kByWordsAttr))
    access.registers = getRegisterLayout(pointers.getType());
  return access;
}

SmallVector<MemoryAccess, 2> LoadOp::getMemoryAccesses() {
  MemoryAccess access = describePointers(*this, getPtr(), getMask());
  access.isRead = true;
  access.isVolatile = getIsVolatile();
  access.isOfFirstThread = getUnshared();
  return {access};
}

SmallVector<MemoryAccess, 2> StoreOp::getMemoryAccesses() {
  MemoryAccess access = describePointers(*this, getPtr(), getMask());
  access.isWrite = true;
  access.isVolatile = getIsVolatile();
  access.isOfFirstThread = !hasTiles(*this);
  return {access};
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  // Two of them are not one.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), Execution::get());
}

LogicalResult tile::verifyPointerWidth(Operation *op,
                                       std::optional<int64_t> width) {
  if (width && !hasTiles(op))
    return op->emitOpError("vector_width is of tiles: what is behind one "
                           "pointer is one element");
  return verifyVectorWidth(op, width, maxGlobalBytesPerLane);
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("else says what is read where a mask is false: it needs "
                       "a mask");
  if (getUnshared() && hasTiles(*this))
    return emitOpError("unshared is of a load through one pointer: each thread "
                       "has loaded what it holds of others");
  return verifyPointerWidth(*this, getVectorWidth());
}

LogicalResult StoreOp::verify() {
  return verifyPointerWidth(*this, getVectorWidth());
}
