//===- ReuseLoads.cpp - Reads from memory once ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/Conjunctions.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/KeptTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/PassedOps.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEREUSELOADS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// What is loaded
//===----------------------------------------------------------------------===//

namespace {
/// A load whose tile is still what stands in memory.
struct Loaded {
  Operation *op;
  /// The root of what it loads (getRoot()).
  Value array;
};
} // namespace

/// The array of an op that does nothing but to load a tile from it, once; null
/// is any.
static std::optional<Value> matchLoad(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa<GlobalAccessOpInterface>(op) || accesses.size() != 1 ||
      accesses[0].space != MemorySpace::Global || accesses[0].isWrite ||
      accesses[0].isVolatile || accesses[0].end != AccessEnd::WithOp)
    return std::nullopt;
  return getRoot(accesses[0].base);
}

static bool mayBeKept(Operation *op) {
  return mayBeKept(
      op->getParentOfType<KernelOp>(),
      getByteSize(cast<GlobalAccessOpInterface>(op).getTileType()));
}

/// Whether elements of `part` are true only where those of `whole` are.
static bool isPartOf(Value part, Value whole) {
  auto isWhole = [&](Value each) { return each == whole; };
  return llvm::is_contained(takeApart(part, isWhole), whole);
}

//===----------------------------------------------------------------------===//
// Using it again
//===----------------------------------------------------------------------===//

/// The tile of `later`, of what `earlier` has loaded, or null.
static Value reuse(Operation *earlier, Operation *later) {
  if (OperationEquivalence::isEquivalentTo(
          earlier, later, OperationEquivalence::IgnoreLocations))
    return earlier->getResult(0);
  auto from = dyn_cast<LoadOp>(earlier), to = dyn_cast<LoadOp>(later);
  if (!from || !to || from.getPtr() != to.getPtr())
    return nullptr;
  if (from.getMask() &&
      (!to.getMask() || !isPartOf(to.getMask(), from.getMask())))
    return nullptr;
  if (!to.getMask())
    return earlier->getResult(0);
  OpBuilder builder(later);
  Value other = to.getOther();
  if (!other)
    other = arith::ConstantOp::create(builder, to.getLoc(),
                                      builder.getZeroAttr(to.getType()));
  return arith::SelectOp::create(builder, to.getLoc(), to.getMask(),
                                 from.getResult(), other);
}

/// Whether programs may learn from the op how far others are, or it orders what
/// threads do: what stands in memory may be something else behind it.
static bool mayMeetOthers(Operation *op) {
  return !tellsMemoryAccesses(op) || isa<MemoryOrderOpInterface>(op) ||
         talksByMemory(op);
}

/// Forgets what the op, or one in it, may write.
static void forgetWritten(SmallVectorImpl<Loaded> &loaded, Operation *op) {
  op->walk([&](Operation *nested) {
    if (mayMeetOthers(nested))
      loaded.clear();
  });
  PassedOps passed;
  passed.add(op);
  llvm::erase_if(loaded, [&](const Loaded &load) {
    return passed.mayWriteThrough(load.array);
  });
}

/// `loaded`: what may be used again in the block, from front to back.
static void reuseInBlock(Block &block, SmallVector<Loaded> loaded) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() > 0) {
      // Of a branch the other side has not run, and of a loop the trip before
      // may have written.
      SmallVector<Loaded> before = loaded;
      forgetWritten(loaded, &op);
      bool isLoop = isa<LoopLikeOpInterface>(&op);
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          reuseInBlock(nested, isLoop ? loaded : before);
      continue;
    }
    std::optional<Value> array = matchLoad(&op);
    if (!array) {
      forgetWritten(loaded, &op);
      continue;
    }
    Value known;
    for (const Loaded &load : loaded)
      if (!known)
        known = reuse(load.op, &op);
    if (known) {
      op.getResult(0).replaceAllUsesWith(known);
      op.erase();
      continue;
    }
    if (mayBeKept(&op))
      loaded.push_back({&op, *array});
  }
}

namespace {
struct ReuseLoads : tilewright::tile::impl::TileReuseLoadsBase<ReuseLoads> {
  void runOnOperation() override {
    Region &body = getOperation().getBody();
    if (body.hasOneBlock())
      reuseInBlock(body.front(), {});
  }
};
} // namespace
