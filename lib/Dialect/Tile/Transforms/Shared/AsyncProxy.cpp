//===- AsyncProxy.cpp - Barriers that hand on to the async proxy ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shared/AsyncProxy.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// What the accesses of a kernel go by.
struct Proxies {
  bool anyAsync = false;
  /// Who goes that way does nothing but to read for products.
  bool onlyProducts = true;

  explicit Proxies(KernelOp kernel) {
    kernel.walk([&](MemoryAccessOpInterface op) {
      for (const MemoryAccess &access : op.getMemoryAccesses()) {
        if (access.proxy != MemoryProxy::Async)
          continue;
        anyAsync = true;
        onlyProducts &=
            !access.isWrite && (access.end == AccessEnd::WithOp ||
                                access.end == AccessEnd::WithProduct);
      }
    });
  }
};
} // namespace

/// Whether threads have written shared memory once the op is done. Copies that
/// are under way have once they are waited for.
static bool hasWritten(Operation *op) {
  if (auto order = dyn_cast<MemoryOrderOpInterface>(op))
    return order.getMemoryOrder().kind == MemoryOrder::Kind::WaitForGroups;
  auto accesses = dyn_cast<MemoryAccessOpInterface>(op);
  return accesses &&
         llvm::any_of(
             accesses.getMemoryAccesses(), [](const MemoryAccess &access) {
               return access.space == MemorySpace::Shared && access.isWrite &&
                      access.end != AccessEnd::WithGroup;
             });
}

/// Walks a region that begins with something written that no fence has handed
/// on, or without; returns whether it ends so.
static bool mark(Region &region, bool isWritten) {
  for (Operation &op : region.getOps()) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (barrier.getEachWarp()) // Others come to a barrier of more.
        continue;
      if (isWritten)
        barrier.setAsyncProxy(true);
      isWritten = false;
      continue;
    }
    isWritten |= hasWritten(&op);
    // Each region may run behind each, or none: what is written by one comes to
    // the others in a second round.
    for (int round = 0; round < 2; ++round) {
      bool before = isWritten;
      for (Region &nested : op.getRegions())
        isWritten |= mark(nested, before);
    }
  }
  return isWritten;
}

void tilewright::tile::markAsyncProxy(KernelOp kernel) {
  Proxies proxies(kernel);
  if (!proxies.anyAsync)
    return;
  if (proxies.onlyProducts)
    mark(kernel.getBody(), /*isWritten=*/false);
  else
    kernel.walk([](BarrierOp barrier) {
      barrier.setAsyncProxy(!barrier.getEachWarp());
    });
}
