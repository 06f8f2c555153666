//===- LoadAlone.cpp - Registers for elements that are loaded alone -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "KeptTiles.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADALONE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Beside fewer than these ptxas has registers for addresses anyway.
static constexpr int64_t kManyRegisters = 48;
/// Of a thread, for addresses and masks.
static constexpr int64_t kAddressRegisters = 16;

/// How many registers a thread loads by instructions of one element.
static int64_t countLoadedAlone(KernelOp kernel) {
  int64_t registers = 0;
  kernel.walk([&](GlobalAccessOpInterface load) {
    if (!isPlainLoad(load) || load.getVectorWidth() != 1)
      return;
    RankedTensorType tile = load.getTileType();
    registers += getRegisterLayout(tile).getNumRegisters() *
                 llvm::divideCeil(getElementBytes(tile.getElementType()),
                                  kRegisterBytes);
  });
  return registers;
}

namespace {
struct LoadAlone : tilewright::tile::impl::TileLoadAloneBase<LoadAlone> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    StringRef asked = TileDialect::kBlocksPerSMAttr;
    if (kernel->hasAttr(asked) || hasLoop(kernel))
      return;
    int64_t loaded = countLoadedAlone(kernel);
    if (loaded < kManyRegisters)
      return;
    const GpuTarget &target = getTargetOrDefault(kernel);
    int64_t threads = kernel.getNumThreads();
    int64_t blocks = std::min<int64_t>(
        {target.registersPerSM / (threads * (loaded + kAddressRegisters)),
         target.maxThreadsPerSM / threads, target.maxBlocksPerSM});
    if (blocks > 0)
      kernel->setAttr(asked, Builder(&getContext()).getI32IntegerAttr(blocks));
  }

  static bool hasLoop(KernelOp kernel) {
    return kernel
        .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }
};
} // namespace
