//===- RunInFirstThread.cpp - Programs without tiles ----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Registers/ScalarAccess.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Batching.h"
#include "tilewright/Dialect/Tile/IR/FirstThread.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILERUNINFIRSTTHREAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether nobody but the first thread is missed where an op runs: PTX of the
/// user's, which touches no memory, may ask others.
static bool isOfOneThread(Operation *op) {
  if (hasTiles(op))
    return false;
  if (isa<RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  return findScalarAccess(op) ||
         (isMemoryEffectFree(op) && !isa<OnceOpInterface>(op));
}

namespace {
struct RunInFirstThread
    : tilewright::tile::impl::TileRunInFirstThreadBase<RunInFirstThread> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bool isShared =
        kernel.getClusterBlocksOrOne() != 1 || countBlockPrograms(kernel) != 1;
    if (isShared || anyOpIn(kernel.getBody(),
                            [](Operation *op) { return !isOfOneThread(op); }))
      return;
    kernel->setAttr(kFirstThreadAttr, UnitAttr::get(&getContext()));
    kernel.walk([](OnceOpInterface op) { op.setUnshared(true); });
  }
};
} // namespace
