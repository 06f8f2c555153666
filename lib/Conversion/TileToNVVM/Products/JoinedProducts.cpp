//===- JoinedProducts.cpp - Products made by one instruction --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// The groups of the `products` last ones before the wait. Of others than in
/// its block nothing is known: better to wait for them.
static int64_t countGroups(DotWaitOp wait, int64_t products) {
  int64_t groups = 0;
  for (Operation *op = wait->getPrevNode(); op && products > 0;
       op = op->getPrevNode())
    if (endsWith(op, AccessEnd::WithProduct)) {
      --products;
      groups += !cast<SharedProductOpInterface>(op).getProductBefore();
    }
  return groups;
}

void tonvvm::gatherJoinedProducts(KernelOp kernel, LoweringContext &context) {
  bool hasJoined = false;
  WarpgroupDotOp first;
  kernel.walk([&](WarpgroupDotOp dot) {
    hasJoined |= dot.getJoined();
    if (dot.getJoined())
      first.getBesideMutable().append(dot.getC());
    else
      first = dot;
  });
  kernel.walk([&](DotWaitOp wait) {
    auto products = static_cast<int64_t>(wait.getPending());
    context.groupsLeft[wait] =
        hasJoined ? countGroups(wait, products) : products;
  });
}

LogicalResult tonvvm::checkJoined(SharedProductOpInterface product) {
  SharedProductOpInterface before = product.getProductBefore();
  if (!before)
    return success();
  AllocSharedOp tile = getAllocation(product.getOperandTile(1));
  AllocSharedOp front = getAllocation(before.getOperandTile(1));
  auto bytes = [](AllocSharedOp of) {
    return SharedBytes::of(of.getType(),
                           static_cast<int64_t>(of.getOffset().value_or(0)));
  };
  if (bytes(tile).begin == bytes(front).begin + bytes(front).stage &&
      (bytes(tile).every == bytes(front).every ||
       tile.getType().getNumStages() == 1))
    return success();
  InFlightDiagnostic error = product->emitOpError(
      "is joined to the product before, whose right tile does not stand in "
      "front of its own in each stage");
  error.attachNote(tile.getLoc()) << "its tile";
  error.attachNote(front.getLoc()) << "that of the product before";
  return error;
}
