//===- MemoryTouch.cpp - What an access touches ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"

#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

bool MemoryTouch::operator==(const MemoryTouch &other) const {
  return isGlobal == other.isGlobal && isWrite == other.isWrite &&
         begin == other.begin && end == other.end && root == other.root &&
         place == other.place && registers == other.registers &&
         allocation == other.allocation && groupsSince == other.groupsSince;
}

bool MemoryTouch::conflictsWith(const MemoryTouch &later) const {
  if (isGlobal != later.isGlobal || (!isWrite && !later.isWrite))
    return false;
  if (isGlobal)
    return !root || !later.root || root == later.root;
  return begin < later.end && later.begin < end;
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
  return groupsSince && conflictsWith(later) && allocation != later.allocation;
}

/// The pointer argument that pointers or a view are made from, or null.
static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value source =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([](ViewOp view) { return view.getBase(); })
            .Case([](AddPtrOp add) { return add.getPtr(); })
            .Case<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp,
                  ConvertLayoutOp>([](auto move) { return move.getSource(); })
            .Default([](Operation *) { return nullptr; });
    if (!source)
      return nullptr;
    value = source;
  }
  bool isArgument = isa<KernelOp>(value.getParentBlock()->getParentOp());
  return isArgument ? value : nullptr;
}

static MemoryTouch describeGlobal(bool isWrite, Value base, ValueRange offsets,
                                  RegisterLayoutAttr registers) {
  MemoryTouch touch;
  touch.isGlobal = true;
  touch.isWrite = isWrite;
  touch.root = getRoot(base);
  touch.place = {base};
  llvm::append_range(touch.place, offsets);
  touch.registers = registers;
  return touch;
}

/// The bytes of one stage, or of all where the stage is not a constant.
static MemoryTouch describeShared(bool isWrite, Value sharedTile,
                                  RegisterLayoutAttr registers) {
  AllocSharedOp tile = getAllocation(sharedTile);
  MemoryTouch touch;
  touch.isWrite = isWrite;
  touch.begin = *tile.getOffset();
  touch.end = touch.begin + tile.getType().getSizeInBytes();
  touch.place = {sharedTile};
  touch.registers = registers;
  touch.allocation = tile;
  auto subview = sharedTile.getDefiningOp<SubviewOp>();
  APInt stage;
  if (subview && matchPattern(subview.getStage(), m_ConstantInt(&stage))) {
    touch.begin += stage.getSExtValue() * tile.getType().getStageBytes();
    touch.end = touch.begin + tile.getType().getStageBytes();
  }
  return touch;
}

static MemoryTouch describeShared(SharedAccessOpInterface access) {
  auto load = dyn_cast<LocalLoadOp>(access.getOperation());
  return describeShared(access.isStore(), access.getSharedTile(),
                        load && load.getMatrix()
                            ? nullptr
                            : getRegisterLayout(access.getTileType()));
}

SmallVector<MemoryTouch, 2> tilewright::tile::getTouches(Operation *op) {
  using Touches = SmallVector<MemoryTouch, 2>;
  return llvm::TypeSwitch<Operation *, Touches>(op)
      .Case([](CopyAsyncOp copy) -> Touches {
        MemoryTouch read = describeGlobal(/*isWrite=*/false, copy.getView(),
                                          copy.getOffsets(), nullptr);
        MemoryTouch write = describeShared(copy);
        write.groupsSince = 0;
        return {read, write};
      })
      .Case<LocalLoadOp, LocalStoreOp>(
          [](auto access) -> Touches { return {describeShared(access)}; })
      .Case([](WarpgroupDotOp dot) -> Touches {
        return {describeShared(/*isWrite=*/false, dot.getA(), nullptr),
                describeShared(/*isWrite=*/false, dot.getB(), nullptr)};
      })
      .Case<LoadViewOp, StoreViewOp>([](auto access) -> Touches {
        return {describeGlobal(access.isStore(), access.getView(),
                               access.getOffsets(),
                               getRegisterLayout(access.getTileType()))};
      })
      .Case<LoadOp, StoreOp>([](auto access) -> Touches {
        return {describeGlobal(access.isStore(), access.getPtr(), {},
                               getRegisterLayout(access.getTileType()))};
      })
      .Default([](Operation *) -> Touches { return {}; });
}
