//===- RegisterHomes.cpp - In which layout each tile is made --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/RegisterHomes.h"

#include "SourceLayouts.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// A fixpoint, since loops feed values back.
RegisterHomes::RegisterHomes(KernelOp kernel, const LayoutWishes &wishes)
    : LayoutContext(wishes), wishes(wishes) {
  collect(kernel);
  bool changed = true;
  while (changed) {
    changed = false;
    kernel.walk([&](Operation *op) { changed |= visit(op); });
    if (!changed) // Tiles that nothing told a layout: any will do.
      changed = settle(kernel);
  }
  // What makes nothing waits for all that there is to know.
  kernel.walk([&](RegisterLayoutOpInterface op) {
    if (op->getNumResults() == 0)
      setLayout(op, op.chooseLayout(*this));
  });
  moveLoads(kernel);
}

void RegisterHomes::collect(KernelOp kernel) {
  kernel.walk([&](RegionBranchOpInterface op) {
    for (CarriedTile &tile : getCarriedTiles(op)) {
      const CarriedTile *kept = &tiles.emplace_back(std::move(tile));
      carriedBy[op].push_back(kept);
      for (OpOperand *feeder : kept->feeders)
        fedBy[feeder] = kept;
      for (Value input : kept->inputs)
        carriedAs[input] = kept;
    }
  });
}

RegisterLayoutAttr RegisterHomes::getNeeded(OpOperand &operand) const {
  if (const CarriedTile *tile = fedBy.lookup(&operand))
    return getHome(*tile);
  auto op = cast<RegisterLayoutOpInterface>(operand.getOwner());
  return op.inferOperandLayout(operand.getOperandNumber(), getLayout(op));
}

bool RegisterHomes::visit(Operation *op) {
  bool changed = false;
  if (auto found = carriedBy.find(op); found != carriedBy.end())
    for (const CarriedTile *tile : found->second)
      for (OpOperand *feeder : tile->feeders)
        // What regions make knows best; cheap tiles have no home.
        changed |= setHome(*tile, getHome(feeder->get()));
  auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
  if (!inRegisters || op->getNumResults() == 0 || layouts.contains(op))
    return changed;
  // What its pointers are made of gets that home before the next visit.
  llvm::SmallPtrSet<Value, 16> seen;
  if (isa<GlobalAccessOpInterface>(op) &&
      takeEntryHome(op->getOperand(0), seen))
    return true;
  return setLayout(inRegisters, inRegisters.chooseLayout(*this)) || changed;
}

/// Gives a carried tile that one without a home is made of, by cheap ops, the
/// home of what it begins as.
bool RegisterHomes::takeEntryHome(Value tile,
                                  llvm::SmallPtrSetImpl<Value> &seen) {
  if (!isTile(tile) || getHome(tile) || !seen.insert(tile).second)
    return false;
  auto take = [&](Value from) { return takeEntryHome(from, seen); };
  if (const CarriedTile *carried = carriedAs.lookup(tile)) {
    for (OpOperand *feeder : carried->feeders)
      if (setHome(*carried, getHome(feeder->get())))
        return true;
    return llvm::any_of(carried->feeders,
                        [&](OpOperand *feeder) { return take(feeder->get()); });
  }
  auto op = dyn_cast_or_null<RegisterLayoutOpInterface>(tile.getDefiningOp());
  return op && op.isCheap() && llvm::any_of(op->getOperands(), take);
}

bool RegisterHomes::setLayout(RegisterLayoutOpInterface op,
                              RegisterLayoutAttr layout) {
  if (!layout)
    return false;
  layouts[op] = layout;
  for (OpResult result : op->getResults())
    if (isTile(result))
      homes[result] = op.inferResultLayout(result.getResultNumber(), layout);
  return true;
}

bool RegisterHomes::setHome(const CarriedTile &tile, RegisterLayoutAttr home) {
  if (!home || getHome(tile))
    return false;
  for (Value input : tile.inputs)
    homes[input] = home;
  return true;
}

/// Gives one tile or op a layout, from where it goes on to others.
bool RegisterHomes::settle(KernelOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto found = carriedBy.find(op); found != carriedBy.end())
      for (const CarriedTile *tile : found->second)
        if (!getHome(*tile) && setHome(*tile, getWishOfUsers(*tile)))
          return WalkResult::interrupt();
    auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
    if (!inRegisters || op->getNumResults() == 0 || layouts.contains(op) ||
        inRegisters.isCheap())
      return WalkResult::advance();
    setLayout(inRegisters, chooseByTiles(inRegisters));
    return WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// Chooses by what one of its tiles is made of, which then stands there; or as
/// if the first one were anywhere.
RegisterLayoutAttr RegisterHomes::chooseByTiles(RegisterLayoutOpInterface op) {
  auto tiles = llvm::make_filter_range(op->getOperands(), isTile);
  for (Value tile : tiles) {
    for (SourceStep step : findStepsFromSource(tile, *this))
      setLayout(step.op, step.layout);
    if (getHome(tile))
      if (RegisterLayoutAttr layout = op.chooseLayout(*this))
        return layout;
  }
  Value first = *tiles.begin();
  auto type = cast<RankedTensorType>(first.getType());
  auto combine = dyn_cast<CombineOpInterface>(op.getOperation());
  RegisterLayoutAttr any = combine && !combine.combinesInAnyOrder()
                               ? wishes.getForScan(type, combine.getAxis())
                               : wishes.getDefault(type);
  RegisterLayoutAttr layout = chooseLayoutWith(op, first, any, *this);
  return layout ? layout : any;
}

namespace {
/// A tile that another one leads to: by a cheap op, or under another name.
struct Reached {
  Value tile;
  OpOperand *by;
  size_t from;
};
} // namespace

/// What the first op that a tile leads to would like, in terms of that tile: an
/// access to memory, or what has a layout by other tiles.
RegisterLayoutAttr
RegisterHomes::getWishOfUsers(const CarriedTile &tile) const {
  SmallVector<Reached> reached;
  DenseSet<Value> seen;
  auto reach = [&](Value value, OpOperand *by, size_t from) {
    if (seen.insert(value).second)
      reached.push_back({value, by, from});
  };
  for (Value input : tile.inputs)
    reach(input, nullptr, 0);
  for (size_t index = 0; index < reached.size(); ++index)
    for (OpOperand &use : reached[index].tile.getUses()) {
      if (const CarriedTile *fed = fedBy.lookup(&use))
        for (Value input : fed->inputs)
          reach(input, nullptr, index);
      auto user = dyn_cast<RegisterLayoutOpInterface>(use.getOwner());
      auto access = dyn_cast<GlobalAccessOpInterface>(use.getOwner());
      RegisterLayoutAttr layout = user ? getLayout(user) : RegisterLayoutAttr();
      if (!layout && user && access)
        layout = wishes.get(access);
      if (!layout) {
        if (user && user.isCheap())
          reach(user->getResult(0), &use, index);
        continue;
      }
      layout = user.inferOperandLayout(use.getOperandNumber(), layout);
      // Back to where it began.
      for (size_t at = index; at >= tile.inputs.size(); at = reached[at].from)
        if (OpOperand *by = reached[at].by)
          layout = cast<RegisterLayoutOpInterface>(by->getOwner())
                       .inferOperandLayout(by->getOperandNumber(), layout);
      return layout;
    }
  return wishes.getDefault(
      cast<RankedTensorType>(tile.inputs.front().getType()));
}

/// Whether a cheap op stands where this tile does, for want of another that has
/// a home: what else it takes stands where it does for the same tile.
bool RegisterHomes::follows(Operation *op, Value tile) {
  auto inRegisters = dyn_cast<RegisterLayoutOpInterface>(op);
  return inRegisters && inRegisters.isCheap() && isTile(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand == tile || !getHome(operand) ||
                  getSource(operand) == getSource(tile);
         });
}

/// The tile that cheap ops stand where they do for, from which one follows
/// another to this one.
Value RegisterHomes::getSource(Value tile) {
  if (Value found = sources.lookup(tile))
    return found;
  Value source = findSource(tile);
  return sources[tile] = source;
}

Value RegisterHomes::findSource(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return tile;
  for (Value operand : op->getOperands())
    if (getHome(operand))
      return follows(op, operand) ? getSource(operand) : tile;
  return tile;
}

/// The one layout in which a tile is needed; none where there are several.
RegisterLayoutAttr RegisterHomes::getOnlyNeed(Value tile) {
  auto found = needs.find(tile);
  if (found != needs.end())
    return found->second;
  RegisterLayoutAttr need = findOnlyNeed(tile);
  return needs[tile] = need;
}

RegisterLayoutAttr RegisterHomes::findOnlyNeed(Value tile) {
  RegisterLayoutAttr only;
  for (OpOperand &use : tile.getUses()) {
    bool isHandedOn = follows(use.getOwner(), tile);
    RegisterLayoutAttr need =
        isHandedOn ? getOnlyNeed(use.getOwner()->getResult(0)) : getNeeded(use);
    if (need && isHandedOn)
      need = cast<RegisterLayoutOpInterface>(use.getOwner())
                 .inferOperandLayout(use.getOperandNumber(), need);
    if (!need || (only && need != only))
      return nullptr;
    only = need;
  }
  return only;
}

void RegisterHomes::moveLoads(KernelOp kernel) {
  kernel.walk([&](GlobalAccessOpInterface load) {
    auto op = cast<RegisterLayoutOpInterface>(load.getOperation());
    // In loops, what goes through shared memory is copied there ahead of time,
    // but for programs that should not wait for one another.
    // What pointers are made of would have to go to other threads first.
    bool mayRunAhead = !kernel.getBlockPrograms() &&
                       op->getParentOfType<LoopLikeOpInterface>();
    if (load.isStore() || mayRunAhead ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return isTile(operand) && getHome(operand);
        }))
      return;
    RegisterLayoutAttr need = getOnlyNeed(op->getResult(0));
    if (need && need != getLayout(op) && wishes.servesLoad(load, need))
      move(op, need);
  });
}

/// Gives an op another layout, and what follows it that which is needed.
void RegisterHomes::move(RegisterLayoutOpInterface op,
                         RegisterLayoutAttr layout) {
  Value tile = op->getResult(0);
  for (Operation *user : tile.getUsers())
    if (auto follower = dyn_cast<RegisterLayoutOpInterface>(user);
        follower && getLayout(follower) && follows(user, tile))
      if (RegisterLayoutAttr need = getOnlyNeed(user->getResult(0));
          need != getLayout(follower))
        move(follower, need);
  setLayout(op, layout);
}
