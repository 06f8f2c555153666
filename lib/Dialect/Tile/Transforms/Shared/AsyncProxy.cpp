//===- AsyncProxy.cpp - Barriers that hand on to the async proxy ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shared/AsyncProxy.h"

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

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

/// Whether something is so on one side of an op, by whether it is on the other,
/// and what a walk of each region makes of that. Each region may run behind
/// each, or none. They are only walked again where one of them changes what
/// comes to the others: branches are deep.
static bool walkRegions(Operation &op, bool is,
                        function_ref<bool(Region &, bool)> walk) {
  for (bool before = is, isNew = true; isNew; before = is) {
    for (Region &nested : op.getRegions())
      is |= walk(nested, before);
    isNew = is != before;
  }
  return is;
}

using Barriers = llvm::DenseSet<Operation *>;

/// Collects the last barriers in front of the async proxy. Walks a region from
/// its end, behind which that comes before another barrier, or does not;
/// returns whether it does behind its begin.
static bool findLast(Region &region, bool isAhead, Barriers &last) {
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
    isAhead = walkRegions(op, isAhead, [&](Region &nested, bool behind) {
      return findLast(nested, behind, last);
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
static bool mark(Region &region, bool isWritten, const Barriers &last) {
  for (Operation &op : region.getOps()) {
    if (BarrierOp barrier = findBarrier(op)) {
      if (isWritten && last.contains(barrier)) {
        barrier.setAsyncProxy(true);
        isWritten = false;
      }
      continue;
    }
    isWritten |= hasWritten(&op);
    isWritten = walkRegions(op, isWritten, [&](Region &nested, bool before) {
      return mark(nested, before, last);
    });
  }
  return isWritten;
}

void tilewright::tile::markAsyncProxy(KernelOp kernel) {
  Barriers last;
  findLast(kernel.getBody(), /*isAhead=*/false, last);
  mark(kernel.getBody(), /*isWritten=*/false, last);
}
