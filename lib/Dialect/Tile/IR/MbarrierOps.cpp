//===- MbarrierOps.cpp - Barriers of slots in memory ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

/// The most pending arrivals, and the most bytes under way (PTX ISA,
/// "mbarrier").
static constexpr int64_t kMaxCount = (1 << 20) - 1;

MemoryAccess tilewright::tile::accessBarrier(Value barrier) {
  MemoryAccess access;
  access.space = MemorySpace::Shared;
  access.isRead = access.isWrite = true;
  access.base = barrier;
  return access;
}

static bool areBarriers(SharedType type, ArrayRef<int64_t> shape) {
  return type.getElementType().isSignlessInteger(64) && type.getLayout() &&
         type.getShape() == shape;
}

bool tilewright::tile::areSlotBarriers(SharedType type, int64_t numSlots) {
  return areBarriers(type, {numSlots, 2});
}

static LogicalResult verifyPair(Operation *op, SharedType type) {
  if (areBarriers(type, {2}))
    return success();
  return op->emitOpError("takes the pair of mbarriers of a slot, 2xi64 with "
                         "its layout, not ")
         << type;
}

SmallVector<MemoryAccess, 2> MbarrierInitOp::getMemoryAccesses() {
  return {accessBarrier(getBarriers())};
}
SmallVector<MemoryAccess, 2> MbarrierWaitOp::getMemoryAccesses() {
  return {accessBarrier(getBarrier())};
}
SmallVector<MemoryAccess, 2> MbarrierArriveOp::getMemoryAccesses() {
  return {accessBarrier(getBarrier())};
}

LogicalResult MbarrierInitOp::verify() {
  SharedType type = getBarriers().getType();
  if (!areSlotBarriers(type, type.getShape().front()))
    return emitOpError("takes a pair of mbarriers for each slot, such as "
                       "4x2xi64 with its layout, not ")
           << type;
  auto readers = static_cast<int64_t>(getReaders());
  if (readers < 1 || readers > kMaxCount)
    return emitOpError("readers are 1 to ") << kMaxCount << ", not " << readers;
  return success();
}

LogicalResult MbarrierWaitOp::verify() {
  return verifyPair(*this, getBarrier().getType());
}

LogicalResult MbarrierArriveOp::verify() {
  if (getLess() && (!getBytes() || getCondition()))
    return emitOpError("says how many bytes less only where it says how many, "
                       "and has no condition");
  if (std::optional<int64_t> bytes = getBytes())
    if (*bytes < 1 || *bytes > kMaxCount)
      return emitOpError("bytes are 1 to ") << kMaxCount << ", not " << *bytes;
  return verifyPair(*this, getBarrier().getType());
}
