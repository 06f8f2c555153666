//===- BehindProducts.cpp - What only some blocks do behind a loop --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products/BehindProducts.h"

#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

using namespace mlir;
using namespace tilewright::tile;

bool tilewright::tile::storesBeforeEnd(Operation *loop) {
  auto stores = [](Operation *op) {
    return llvm::any_of(getMemoryAccesses(op), [](const auto &access) {
      return access.isWrite && access.space == MemorySpace::Global;
    });
  };
  for (Operation *op = loop; op; op = op->getPrevNode())
    if (anyOpIn(*op, stores))
      return true;
  return false;
}

SmallVector<Operation *> tilewright::tile::getOpsBehind(Operation *loop) {
  Operation *end = loop->getBlock()->getTerminator();
  SmallVector<Operation *> behind;
  for (Operation *op = loop->getNextNode(); op != end; op = op->getNextNode())
    behind.push_back(op);
  return behind;
}
