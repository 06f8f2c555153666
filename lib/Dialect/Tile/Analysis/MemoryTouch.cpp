//===- MemoryTouch.cpp - What an access touches ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"

using namespace mlir;
using namespace tilewright::tile;

bool MemoryTouch::operator==(const MemoryTouch &other) const {
  return isGlobal == other.isGlobal && isWrite == other.isWrite &&
         bytes == other.bytes && root == other.root && place == other.place &&
         extents == other.extents && registers == other.registers &&
         allocation == other.allocation && isStage == other.isStage &&
         end == other.end && groupsSince == other.groupsSince;
}

// Along one dimension that is enough: %n and %n + 128, 128 elements from there.
bool MemoryTouch::isApartFrom(const MemoryTouch &later) const {
  if (!isWrite || !later.isWrite || extents.empty() || later.extents.empty() ||
      place.front() != later.place.front())
    return false;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    Count begin = Count::of(place[dim + 1]);
    Count other = Count::of(later.place[dim + 1]);
    if (begin.base == other.base &&
        (begin.offset + extents[dim] <= other.offset ||
         other.offset + later.extents[dim] <= begin.offset))
      return true;
  }
  return false;
}

bool MemoryTouch::conflictsWith(const MemoryTouch &later) const {
  if (isGlobal != later.isGlobal || (!isWrite && !later.isWrite))
    return false;
  if (isGlobal)
    return mayOverlap(root, later.root) && !isApartFrom(later);
  return bytes.overlaps(later.bytes);
}

bool MemoryTouch::needsBarrierBefore(const MemoryTouch &later) const {
  if (groupsSince || !conflictsWith(later))
    return false;
  bool staysInThreads = !place.empty() && place == later.place && registers &&
                        registers == later.registers &&
                        registers.getLayout().isInjective();
  return !staysInThreads;
}

bool MemoryTouch::isOverwrittenUnderWay(const MemoryTouch &later) const {
  bool areStages = isStage && later.isStage && later.groupsSince;
  bool isOrderedByChannel = allocation == later.allocation &&
                            (end == AccessEnd::WithGroup || areStages);
  return groupsSince && conflictsWith(later) &&
         (isGlobal || !isOrderedByChannel);
}

static MemoryTouch describeGlobal(const MemoryAccess &access) {
  MemoryTouch touch;
  touch.isGlobal = true;
  touch.root = getRoot(access.base);
  return touch;
}

/// The bytes of one stage, or of all where the stage is not a constant.
static MemoryTouch describeShared(const MemoryAccess &access) {
  AllocSharedOp tile = getAllocation(access.base);
  MemoryTouch touch;
  touch.bytes =
      SharedBytes::of(tile.getType(), static_cast<int64_t>(*tile.getOffset()));
  touch.allocation = tile;
  Value stage;
  if (auto parts = access.base.getDefiningOp<SharedPartOpInterface>())
    stage = parts.getStageOf(cast<OpResult>(access.base));
  touch.isStage = static_cast<bool>(stage);
  APInt number;
  if (stage && matchPattern(stage, m_ConstantInt(&number)))
    touch.bytes = touch.bytes.getStage(number.getSExtValue());
  return touch;
}

SmallVector<MemoryTouch, 2> tilewright::tile::getTouches(Operation *op) {
  SmallVector<MemoryTouch, 2> touches;
  for (const MemoryAccess &access : getMemoryAccesses(op)) {
    if (access.end == AccessEnd::WithHandOver)
      continue;
    MemoryTouch touch = access.space == MemorySpace::Global
                            ? describeGlobal(access)
                            : describeShared(access);
    touch.isWrite = access.isWrite;
    if (access.base)
      touch.place = {access.base};
    llvm::append_range(touch.place, access.indices);
    touch.extents = access.extents;
    // Of pointers that are equal, a mask may leave one to store through: what
    // others have loaded is named by another mask.
    if (access.mask)
      touch.place.push_back(access.mask);
    touch.registers = cast_or_null<RegisterLayoutAttr>(access.registers);
    touch.end = access.end;
    if (access.end == AccessEnd::WithGroup)
      touch.groupsSince = 0;
    if (access.end == AccessEnd::WithProduct ||
        access.end == AccessEnd::WithStore)
      touch.groupsSince = 1;
    touches.push_back(touch);
  }
  return touches;
}

static LogicalResult checkMemoryAccess(Operation *op) {
  if (!tellsMemoryAccesses(op))
    return op->emitOpError("may touch memory and does not say what it touches: "
                           "no barrier can order it "
                           "(MemoryAccessOpInterface)");
  Operation *parent = op->getParentOp();
  if (isa<MemoryAccessOpInterface, MemoryOrderOpInterface>(op) &&
      !isa<KernelOp, RolesOp, RegionBranchOpInterface>(parent))
    return op->emitOpError("touches memory inside of '")
           << parent->getName()
           << "', which does not say when its regions run: no barrier can "
              "order it (RegionBranchOpInterface)";
  return success();
}

LogicalResult tilewright::tile::checkMemoryAccesses(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk(
      [](Operation *op) -> WalkResult { return checkMemoryAccess(op); });
  return failure(result.wasInterrupted());
}
