//===- MemoryAccess.cpp - What ops do to memory ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

using namespace mlir;
using namespace tilewright::tile;

SmallVector<MemoryAccess, 2>
tilewright::tile::getMemoryAccesses(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  return access ? access.getMemoryAccesses() : SmallVector<MemoryAccess, 2>();
}

std::optional<MemoryAccess>
tilewright::tile::findMemoryAccess(Operation *op, MemorySpace space) {
  for (const MemoryAccess &access : getMemoryAccesses(op))
    if (access.space == space)
      return access;
  return std::nullopt;
}

/// Whether one of the accesses is what the effect is.
static bool covers(ArrayRef<MemoryAccess> accesses,
                   const MemoryEffects::EffectInstance &effect) {
  return llvm::any_of(accesses, [&](const MemoryAccess &access) {
    bool isGlobal = access.space == MemorySpace::Global;
    if (effect.getResource() !=
        (isGlobal ? static_cast<SideEffects::Resource *>(GlobalMemory::get())
                  : SharedMemory::get()))
      return false;
    return isa<MemoryEffects::Read>(effect.getEffect()) ? access.isRead
                                                        : access.isWrite;
  });
}

bool tilewright::tile::tellsMemoryAccesses(Operation *op) {
  if (isa<MemoryOrderOpInterface>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &one) {
    return !isa<MemoryEffects::Read, MemoryEffects::Write>(one.getEffect()) ||
           covers(accesses, one);
  });
}

bool tilewright::tile::isBarrier(Operation *op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  return order && order.getMemoryOrder().kind == MemoryOrder::Kind::Barrier;
}

bool tilewright::tile::takesAnyLayout(Operation *op) {
  auto access = dyn_cast<GlobalAccessOpInterface>(op);
  return access && access.isStore() &&
         llvm::count_if(op->getOperandTypes(),
                        llvm::IsaPred<RankedTensorType>) == 1;
}

Value tilewright::tile::getRoot(Value reference) {
  while (Operation *op = reference.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      reference = view.getViewSource();
    else if (op->hasTrait<MovesElements>())
      reference = op->getOperand(0);
    else
      return nullptr;
  }
  bool isArgument = isa<KernelOp>(reference.getParentBlock()->getParentOp());
  return isArgument ? reference : nullptr;
}

static bool isDisjoint(Value root) {
  auto argument = cast<BlockArgument>(root);
  return cast<KernelOp>(argument.getOwner()->getParentOp())
      .isArgDisjoint(argument.getArgNumber());
}

bool tilewright::tile::mayOverlap(Value root, Value other) {
  if (!root || !other || root == other)
    return true;
  return !isDisjoint(root) && !isDisjoint(other);
}
