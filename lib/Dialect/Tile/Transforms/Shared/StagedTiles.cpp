//===- StagedTiles.cpp - What goes into shared memory once ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shared/StagedTiles.h"

#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether all that touches the shared tile reads it, but for one store.
static bool isWrittenOnce(AllocSharedOp tile, Operation *store) {
  return llvm::all_of(tile->getUsers(), [&](Operation *user) {
    return user == store ||
           (tellsMemoryAccesses(user) && !getMemoryAccesses(user).empty() &&
            llvm::none_of(
                getMemoryAccesses(user),
                [](const MemoryAccess &access) { return access.isWrite; }));
  });
}

void tilewright::tile::shareStagedTiles(KernelOp kernel) {
  using Staged = std::pair<Value, Type>;
  llvm::DenseMap<std::pair<Block *, Staged>, AllocSharedOp> first;
  SmallVector<LocalStoreOp> stores;
  kernel.walk([&](LocalStoreOp store) { stores.push_back(store); });
  for (LocalStoreOp store : stores) {
    auto tile = store.getDest().getDefiningOp<AllocSharedOp>();
    if (!tile || tile->getBlock() != store->getBlock() ||
        !isWrittenOnce(tile, store))
      continue;
    auto [found, isFirst] = first.try_emplace(
        {store->getBlock(), {store.getValue(), tile.getType()}}, tile);
    if (isFirst)
      continue;
    store.erase();
    tile.replaceAllUsesWith(found->second.getResult());
    tile.erase();
  }
}
