//===- HoistLoads.cpp - Loads of what all programs of a block share -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/KeptTiles.h"
#include "Loads/ProgramLoop.h"
#include "Loads/RowsAhead.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEHOISTLOADS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Bytes of a block that its threads keep, at the most: registers and shared
/// memory hold so much beside a row.
static int64_t getRoom(KernelOp kernel) {
  return int64_t(getTargetOrDefault(kernel).maxSharedBytesPerBlock) / 4 * 3 *
         kernel.getClusterBlocksOrOne();
}

namespace {
struct HoistLoads : tilewright::tile::impl::TileHoistLoadsBase<HoistLoads> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (auto loop : findProgramLoops(kernel))
      hoist(loop, getRoom(kernel));
  }

private:
  static void hoist(LoopLikeOpInterface loop, int64_t room) {
    Block &body = loop.getLoopRegions().front()->front();
    for (RowLoad &load : findSharedLoads(body)) {
      int64_t bytes =
          getByteSize(cast<RankedTensorType>(load.op->getResult(0).getType()));
      if (bytes > room)
        continue;
      room -= bytes;
      load.slice.insert(load.op);
      for (Operation *op : load.slice)
        if (loop->isProperAncestor(op))
          op->moveBefore(loop);
    }
  }
};
} // namespace
