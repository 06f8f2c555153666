//===- LoadInFirstThread.cpp - What only the first thread needs -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Registers/ScalarAccess.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADINFIRSTTHREAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// The loads of what is stored through one pointer.
static SetVector<Operation *> findLoadsOfStored(KernelOp kernel) {
  SmallVector<Value> stored;
  SmallVector<std::pair<Operation *, Value>> loads;
  kernel.walk([&](Operation *op) {
    std::optional<MemoryAccess> access = findScalarAccess(op);
    if (!access || access->isRead == access->isWrite)
      return;
    if (access->isWrite)
      stored.push_back(getRoot(access->base));
    else if (isa<OnceOpInterface>(op))
      loads.emplace_back(op, getRoot(access->base));
  });
  SetVector<Operation *> found;
  for (auto [load, root] : loads)
    if (llvm::any_of(stored, [root = root](Value other) {
          return mayOverlap(other, root);
        }))
      found.insert(load);
  return found;
}

namespace {
/// The scalars that other threads than the first one need.
class NeedsOfOthers {
public:
  /// `alone`: the loads that the first thread alone may come to make.
  NeedsOfOthers(KernelOp kernel, const SetVector<Operation *> &alone)
      : alone(alone) {
    kernel.getBody().walk([&](Operation *op) { begin(op); });
    while (!open.empty())
      follow(open.pop_back_val());
  }

  bool contains(Value value) const { return needed.contains(value); }

private:
  void need(Value value) {
    if (!isTile(value) && needed.insert(value).second)
      open.push_back(value);
  }

  static bool isScalar(Operation *op) {
    return llvm::none_of(op->getOperands(), isTile) &&
           llvm::none_of(op->getResults(), isTile);
  }

  /// Whether the first thread alone makes an access, or may come to. What all
  /// threads load they find by its pointer.
  bool isOfFirst(Operation *op) const {
    std::optional<MemoryAccess> access = findScalarAccess(op);
    auto once = dyn_cast<OnceOpInterface>(op);
    return access && isScalar(op) &&
           (access->isOfFirstThread || alone.contains(op) ||
            (once && once.isOnce()));
  }

  /// What all threads do needs all that it takes.
  void begin(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return beginRegions(branch);
    if (isa<RegionBranchOpInterface>(op->getParentOp()) &&
        isa<RegionBranchTerminatorOpInterface>(op))
      return; // With the op that it ends a region of.
    bool isComputed =
        isScalar(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op);
    if (!isOfFirst(op) && !isComputed)
      llvm::for_each(op->getOperands(), [&](Value value) { need(value); });
  }

  /// Begins the regions of a loop or a branch, of which what is not handed on
  /// says where to go.
  void beginRegions(RegionBranchOpInterface op) {
    RegionBranchSuccessorMapping inputsOf;
    op.getSuccessorOperandInputMapping(inputsOf);
    auto visit = [&](OpOperand &operand) {
      auto found = inputsOf.find(&operand);
      if (found == inputsOf.end())
        return need(operand.get());
      for (Value input : found->second)
        feeders[input].push_back(operand.get());
    };
    for (OpOperand &operand : op->getOpOperands())
      visit(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (OpOperand &operand : block.getTerminator()->getOpOperands())
          visit(operand);
  }

  void follow(Value value) {
    for (Value feeder : feeders.lookup(value))
      need(feeder);
    Operation *op = value.getDefiningOp();
    auto once = dyn_cast_or_null<OnceOpInterface>(op);
    // The first thread hands on what it finds once.
    if (!op || isa<RegionBranchOpInterface>(op) || (once && once.isOnce()))
      return;
    llvm::for_each(op->getOperands(), [&](Value operand) { need(operand); });
  }

  const SetVector<Operation *> &alone;
  DenseSet<Value> needed;
  SmallVector<Value> open;
  /// What the arguments of regions, and the results of region ops, may be.
  DenseMap<Value, SmallVector<Value>> feeders;
};

struct LoadInFirstThread
    : tilewright::tile::impl::TileLoadInFirstThreadBase<LoadInFirstThread> {
  void runOnOperation() override {
    // The first threads of several blocks have no order.
    if (getOperation().getClusterBlocksOrOne() != 1)
      return;
    SetVector<Operation *> loads = findLoadsOfStored(getOperation());
    if (loads.empty())
      return;
    NeedsOfOthers needs(getOperation(), loads);
    for (Operation *load : loads)
      if (!needs.contains(load->getResult(0)))
        cast<OnceOpInterface>(load).setUnshared(true);
  }
};
} // namespace
