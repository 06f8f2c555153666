//===- LoadTogether.cpp - Loads of a branch, one behind the other ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADTOGETHER
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// What may stand before or behind a load, whatever either does.
static bool isMovable(Operation *op) {
  return isComputation(op) && !op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether all that it does to memory is to write to shared memory.
static bool onlyWritesShared(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return op->getNumRegions() == 0 && tellsMemoryAccesses(op) &&
         !accesses.empty() &&
         llvm::all_of(accesses, [](const MemoryAccess &access) {
           return access.space == MemorySpace::Shared && !access.isRead &&
                  access.end == AccessEnd::WithOp;
         });
}

namespace {
/// Loads that nothing but computation stands between, or what is written to
/// shared memory.
class Run {
public:
  void add(Operation *op) {
    if (isPlainLoad(op))
      loads.push_back(op);
  }

  /// Moves each load, and what it needs, right behind the one before it.
  /// Returns whether there is one.
  bool close() {
    bool moved = false;
    for (auto [before, load] :
         llvm::zip(loads, ArrayRef(loads).drop_front(!loads.empty())))
      moved |= moveBehind(before, load);
    loads.clear();
    return moved;
  }

private:
  static bool moveBehind(Operation *before, Operation *load) {
    llvm::SetVector<Operation *> needed;
    if (!collect(load, before, needed))
      return false;
    for (Operation *op : needed) {
      op->moveAfter(before);
      before = op;
    }
    return true;
  }

  /// What is needed of the ops between both, in order. Fails where it is
  /// computed of what is loaded there: that load is waited for anyway.
  static bool collect(Operation *load, Operation *before,
                      llvm::SetVector<Operation *> &needed) {
    llvm::SmallPtrSet<Operation *, 8> wanted{load};
    SmallVector<Operation *> found;
    for (Operation *op = load; op != before; op = op->getPrevNode()) {
      if (!wanted.contains(op))
        continue;
      if (op != load && !isMovable(op))
        return false;
      found.push_back(op);
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source == before)
          return false;
        if (source)
          wanted.insert(source);
      }
    }
    needed.insert(found.rbegin(), found.rend());
    return true;
  }

  SmallVector<Operation *> loads;
};

/// Whether it waits for other programs, in a loop until one of them is done.
static bool waitsForOthers(KernelOp kernel) {
  return anyOpIn(kernel, [&](LoopLikeOpInterface loop) {
    std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
    return (!counters || counters->empty()) && anyOpIn(*loop, talksByMemory);
  });
}

struct LoadTogether
    : tilewright::tile::impl::TileLoadTogetherBase<LoadTogether> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bool moved = false;
    kernel.walk([&](RegionBranchOpInterface branch) {
      // Loops of products write what they load to shared memory, if it is not
      // copied there.
      if (branch.hasLoop() && !hasOwnProducts(branch))
        return;
      for (Region &region : branch->getRegions())
        for (Block &block : region)
          moved |= loadTogether(block);
    });
    // Others wait for who holds a lock, more blocks on a multiprocessor too:
    // registers are for loads, which ptxas knows where a number is asked for.
    if (moved && waitsForOthers(kernel) && !getAskedBlocks(kernel))
      askForBlocks(kernel, 1);
  }

  static bool loadTogether(Block &block) {
    bool moved = false;
    Run run;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isPlainLoad(&op) || isMovable(&op) || onlyWritesShared(&op) ||
          isa<AllocSharedOp>(op))
        run.add(&op);
      else
        moved |= run.close();
    }
    moved |= run.close();
    return moved;
  }
};
} // namespace
