//===- MemoryAccess.cpp - What ops do to memory ---------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

#include "TileOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright::tile;

SmallVector<MemoryAccess, 2>
tilewright::tile::getMemoryAccesses(Operation *op) {
  auto access = dyn_cast<MemoryAccessOpInterface>(op);
  return access ? access.getMemoryAccesses() : SmallVector<MemoryAccess, 2>();
}

MemoryAccess tilewright::tile::makeRead(MemorySpace space, Value base) {
  MemoryAccess access;
  access.space = space;
  access.isRead = true;
  access.base = base;
  return access;
}

MemoryAccess tilewright::tile::makeWrite(MemorySpace space, Value base) {
  MemoryAccess access = makeRead(space, base);
  std::swap(access.isRead, access.isWrite);
  return access;
}

std::optional<MemoryAccess>
tilewright::tile::findMemoryAccess(Operation *op, MemorySpace space) {
  for (const MemoryAccess &access : getMemoryAccesses(op))
    if (access.space == space)
      return access;
  return std::nullopt;
}

/// Whether the effect may be one on memory: not one that the op only has to
/// stay where it is.
static bool isOnMemory(const MemoryEffects::EffectInstance &effect) {
  return isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
         effect.getResource() != Execution::get();
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
  // A kernel does what is in it, too; but it is never without effects.
  if (isa<KernelOp, MemoryOrderOpInterface>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &one) {
    return !isOnMemory(one) || covers(accesses, one);
  });
}

bool tilewright::tile::isBarrier(Operation *op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  if (!order)
    return false;
  MemoryOrder::Kind kind = order.getMemoryOrder().kind;
  return kind == MemoryOrder::Kind::Barrier ||
         kind == MemoryOrder::Kind::WarpgroupBarrier ||
         kind == MemoryOrder::Kind::WarpBarrier;
}

bool tilewright::tile::waitsForStoredTiles(Operation *op) {
  auto order = dyn_cast<MemoryOrderOpInterface>(op);
  if (!order)
    return false;
  MemoryOrder::Kind kind = order.getMemoryOrder().kind;
  return kind == MemoryOrder::Kind::WaitForReads ||
         kind == MemoryOrder::Kind::WaitForStores;
}

bool tilewright::tile::endsWith(Operation *op, AccessEnd end) {
  return llvm::any_of(getMemoryAccesses(op), [&](const MemoryAccess &access) {
    return access.end == end;
  });
}

bool tilewright::tile::takesAnyLayout(Operation *op) {
  auto access = dyn_cast<GlobalAccessOpInterface>(op);
  return access && access.isStore() &&
         llvm::count_if(op->getOperandTypes(),
                        llvm::IsaPred<RankedTensorType>) == 1;
}

/// What pointers or a view are, or are made of, one step back: any of these.
/// Empty where that is not known.
static SmallVector<Value> getSources(Value reference) {
  Operation *op = reference.getDefiningOp();
  if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    return {view.getViewSource()};
  if (op && op->hasTrait<MovesElements>())
    return {op->getOperand(0)};
  if (auto select = dyn_cast_or_null<SelectLikeOpInterface>(op))
    return {select.getTrueValue(), select.getFalseValue()};
  auto branch = dyn_cast<RegionBranchOpInterface>(
      op ? op : reference.getParentBlock()->getParentOp());
  if (!branch)
    return {};
  RegionBranchInverseSuccessorMapping feeders;
  branch.getSuccessorInputOperandMapping(feeders);
  return llvm::map_to_vector(feeders.lookup(reference),
                             [](OpOperand *feeder) { return feeder->get(); });
}

Value tilewright::tile::getRoot(Value reference) {
  if (!reference)
    return nullptr;
  llvm::SetVector<Value> seen;
  seen.insert(reference);
  Value root;
  for (size_t index = 0; index < seen.size(); ++index) {
    Value value = seen[index];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isa<KernelOp>(argument.getOwner()->getParentOp())) {
      if (root && root != value)
        return nullptr;
      root = value;
      continue;
    }
    SmallVector<Value> sources = getSources(value);
    if (sources.empty())
      return nullptr;
    seen.insert_range(sources);
  }
  return root;
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
