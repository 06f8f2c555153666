//===- AtomicOps.cpp - Atomic accesses ------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The access itself, and where it orders others, one to all that there is.
template <typename AtomicOp>
static SmallVector<MemoryAccess, 2> describe(AtomicOp op) {
  MemoryAccess access;
  access.space = MemorySpace::Global;
  access.isRead = access.isWrite = true;
  SmallVector<MemoryAccess, 2> accesses = {access};
  if (op.acquires() || op.releases())
    accesses.push_back(access);
  accesses.front().base = op.getPtr();
  accesses.front().mask = op.getMask();
  accesses.front().registers = getRegisterLayout(op.getPtr().getType());
  return accesses;
}

SmallVector<MemoryAccess, 2> AtomicRMWOp::getMemoryAccesses() {
  return describe(*this);
}

SmallVector<MemoryAccess, 2> AtomicCASOp::getMemoryAccesses() {
  return describe(*this);
}

static Type getElement(Value pointers) {
  return cast<PtrType>(getElementTypeOrSelf(pointers)).getElementType();
}

static bool hasElement(AtomicKind kind, Type type) {
  if (type.getIntOrFloatBitWidth() < 16)
    return false;
  switch (kind) {
  case AtomicKind::Xchg:
  case AtomicKind::Add:
  case AtomicKind::Max:
  case AtomicKind::Min:
    return true;
  default:
    return type.isInteger();
  }
}

template <typename AtomicOp> static LogicalResult verifyUnshared(AtomicOp op) {
  bool isTile = ::isTile(op.getResult());
  if (!op.getUnshared() || !isTile ||
      getRegisterLayout(op.getResult().getType()))
    return success();
  return op.emitOpError("unshared needs a layout, which says who holds what");
}

LogicalResult AtomicRMWOp::verify() {
  Type type = getElement(getPtr());
  if (!hasElement(getKind(), type))
    return emitOpError("there is no atomic ")
           << stringifyAtomicKind(getKind()) << " of " << type << ": "
           << (type.getIntOrFloatBitWidth() < 16
                   ? "elements have 16 bits or more"
                   : "it is of integers");
  return verifyUnshared(*this);
}

LogicalResult AtomicCASOp::verify() {
  Type type = getElement(getPtr());
  if (type.getIntOrFloatBitWidth() < 16)
    return emitOpError("there is no atomic exchange of ")
           << type << ": elements have 16 bits or more";
  return verifyUnshared(*this);
}
