//===- AtomicOps.cpp - Atomic accesses ------------------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The access itself, and where it orders others, one to all that there is.
template <typename AtomicOp>
static SmallVector<MemoryAccess, 2> describeAccesses(AtomicOp op) {
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
  return describeAccesses(*this);
}

SmallVector<MemoryAccess, 2> AtomicCASOp::getMemoryAccesses() {
  return describeAccesses(*this);
}

static Type getElement(Value pointers) {
  return cast<PtrType>(getElementTypeOrSelf(pointers)).getElementType();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static const AtomicForm *findForm(const GpuTarget &target, StringRef operation,
                                  Type type, bool movesBits,
                                  unsigned elements) {
  std::string name;
  llvm::raw_string_ostream os(name);
  if (movesBits)
    os << "i" << type.getIntOrFloatBitWidth();
  else
    os << type;
  return findAtomicForm(target, operation, name, elements);
}

const AtomicForm *AtomicRMWOp::getForm(const GpuTarget &target,
                                       unsigned elements) {
  return findForm(target, stringifyAtomicKind(getKind()), getElement(getPtr()),
                  /*movesBits=*/getKind() == AtomicKind::Xchg, elements);
}

const AtomicForm *AtomicCASOp::getForm(const GpuTarget &target,
                                       unsigned elements) {
  return findForm(target, "cas", getElement(getPtr()), /*movesBits=*/true,
                  elements);
}

/// What is no instruction is done one by one.
template <typename AtomicOp>
static int64_t countElementsAtOnce(AtomicOp op, const GpuTarget &target) {
  unsigned elements = 1;
  while (op.getForm(target, 2 * elements))
    elements *= 2;
  return elements;
}

int64_t AtomicRMWOp::getMaxElements(const GpuTarget &target) {
  return countElementsAtOnce(*this, target);
}

int64_t AtomicCASOp::getMaxElements(const GpuTarget &target) {
  return countElementsAtOnce(*this, target);
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

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

template <typename AtomicOp> static LogicalResult verifyPlaces(AtomicOp op) {
  bool isTile = ::isTile(op.getResult());
  if (op.getUnshared() && isTile &&
      !getRegisterLayout(op.getResult().getType()))
    return op.emitOpError("unshared needs a layout, which says who holds what");
  return verifyPointerWidth(op, op.getVectorWidth());
}

LogicalResult AtomicRMWOp::verify() {
  Type type = getElement(getPtr());
  if (!hasElement(getKind(), type))
    return emitOpError("there is no atomic ")
           << stringifyAtomicKind(getKind()) << " of " << type << ": "
           << (type.getIntOrFloatBitWidth() < 16
                   ? "elements have 16 bits or more"
                   : "it is of integers");
  return verifyPlaces(*this);
}

LogicalResult AtomicCASOp::verify() {
  Type type = getElement(getPtr());
  if (type.getIntOrFloatBitWidth() < 16)
    return emitOpError("there is no atomic exchange of ")
           << type << ": elements have 16 bits or more";
  return verifyPlaces(*this);
}
