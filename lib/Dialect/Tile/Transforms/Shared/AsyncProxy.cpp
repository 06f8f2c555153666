//===- AsyncProxy.cpp - Barriers that hand on to the async proxy ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shared/AsyncProxy.h"

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "llvm/ADT/PointerIntPair.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether the async proxy takes part in what the op does, or may behind it:
/// who is handed something over may copy at once.
static bool isAsync(Operation *op) {
  return isa<HandOverOpInterface>(op) ||
         llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
           return access.proxy == MemoryProxy::Async;
         });
}

/// The barrier of more than a warp, if the op is one.
static BarrierOp findBarrier(Operation &op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && !barrier.getEachWarp() ? barrier : BarrierOp();
}

/// What walks of regions came to, by whether something was so where they began.
using Walked = llvm::DenseMap<llvm::PointerIntPair<Region *, 1, bool>, bool>;

/// Whether something is so on one side of an op, by whether it is on the other,
/// and what a walk of each region makes of that. Each region may run behind
/// each, or none. None is walked again from the same: loops and branches are
/// deep.
static bool walkRegions(Operation &op, bool is, Walked &walked,
                        function_ref<bool(Region &, bool)> walk) {
  for (bool before = is, isNew = true; isNew; before = is) {
    for (Region &nested : op.getRegions()) {
      Walked::key_type key(&nested, before);
      if (!walked.contains(key))
        walked[key] = walk(nested, before);
      is |= walked.lookup(key);
    }
    isNew = is != before;
  }
  return is;
}

using Barriers = llvm::DenseSet<Operation *>;

/// Collects the last barriers in front of the async proxy. Walks a region from
/// its end, behind which that comes before another barrier, or does not;
/// returns whether it does behind its begin.
static bool findLast(Region &region, bool isAhead, Barriers &last,
                     Walked &walked) {
  if (region.empty())
    return isAhead;
  for (Operation &op : llvm::reverse(region.front())) {
    if (BarrierOp barrier = findBarrier(op)) {
      if (isAhead)
        last.insert(barrier);
      // What other warpgroups have written, they fence in front of a barrier of
      // all.
      isAhead &= barrier.getEachWarpgroup();
      continue;
    }
    isAhead = walkRegions(op, isAhead, walked, [&](Region &nested, bool is) {
      return findLast(nested, is, last, walked);
    });
    isAhead |= isAsync(&op);
  }
  return isAhead;
}

/// Whether threads have written shared memory once the op is done. Copies that
/// are under way have once they are waited for.
static bool hasWritten(Operation *op) {
  if (auto order = dyn_cast<MemoryOrderOpInterface>(op))
    return order.getMemoryOrder().kind == MemoryOrder::Kind::WaitForGroups;
  return llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
    return access.space == MemorySpace::Shared && access.isWrite &&
           access.proxy != MemoryProxy::Async &&
           access.end != AccessEnd::WithGroup;
  });
}

/// Walks a region that begins with something written that no fence has handed
/// on, or without; returns whether it ends so.
static bool mark(Region &region, bool isWritten, const Barriers &last,
                 Walked &walked) {
  for (Operation &op : region.getOps()) {
    if (BarrierOp barrier = findBarrier(op)) {
      if (isWritten && last.contains(barrier)) {
        barrier.setAsyncProxy(true);
        isWritten = false;
      }
      continue;
    }
    isWritten |= hasWritten(&op);
    isWritten =
        walkRegions(op, isWritten, walked, [&](Region &nested, bool is) {
          return mark(nested, is, last, walked);
        });
  }
  return isWritten;
}

void tilewright::tile::markAsyncProxy(KernelOp kernel) {
  Barriers last;
  Walked ahead, written;
  findLast(kernel.getBody(), /*isAhead=*/false, last, ahead);
  mark(kernel.getBody(), /*isWritten=*/false, last, written);
}
