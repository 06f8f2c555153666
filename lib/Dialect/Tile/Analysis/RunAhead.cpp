//===- RunAhead.cpp - Loads that need not wait for their loop -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

using namespace mlir;
using namespace tilewright::tile;

/// Collects, in order, the ops of the loop that `value` is computed by. Fails
/// if one of them has effects, or hangs on what earlier iterations computed.
static LogicalResult collectSlice(scf::ForOp loop, Value value,
                                  SmallVectorImpl<Operation *> &slice) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return success(argument.getOwner() != loop.getBody() ||
                   argument == loop.getInductionVar());
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || llvm::is_contained(slice, op))
    return success();
  if (op->getBlock() != loop.getBody() || !isPure(op) ||
      op->getNumRegions() != 0)
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectSlice(loop, operand, slice)))
      return failure();
  slice.push_back(op);
  return success();
}

/// Whether a load through `root` of a later iteration could read what this one
/// writes.
static bool mayWrite(scf::ForOp loop, Value root) {
  auto writes = [&](const MemoryAccess &access) {
    return access.space == MemorySpace::Global && access.isWrite &&
           mayOverlap(getRoot(access.base), root);
  };
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    return !tellsMemoryAccesses(op) ||
                   llvm::any_of(getMemoryAccesses(op), writes)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

std::optional<SmallVector<Operation *>>
tilewright::tile::getCoordinatesAhead(GlobalAccessOpInterface load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  std::optional<MemoryAccess> access =
      findMemoryAccess(load, MemorySpace::Global);
  if (!loop || !load.isCopyable() || !load->hasOneUse() || !access ||
      mayWrite(loop, getRoot(access->base)))
    return std::nullopt;
  SmallVector<Operation *> coordinates;
  for (Value operand : load->getOperands())
    if (failed(collectSlice(loop, operand, coordinates)))
      return std::nullopt;
  return coordinates;
}
