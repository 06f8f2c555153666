//===- LoadAlone.cpp - Registers for elements that are loaded alone -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/KeptTiles.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILELOADALONE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Beside fewer than these ptxas has registers for addresses anyway.
static constexpr int64_t kManyRegisters = 48;
/// Registers of a thread for addresses and masks.
static constexpr int64_t kAddressRegisters = 16;

/// Whether the elements are only moved or chosen, and stored: a thread holds
/// nothing else of them.
static bool areOnlyMoved(Value loaded) {
  llvm::SetVector<Value> values;
  values.insert(loaded);
  for (size_t index = 0; index < values.size(); ++index)
    for (Operation *user : values[index].getUsers()) {
      if (user->getNumResults() != 0 && !user->hasTrait<MovesElements>() &&
          !isa<SelectLikeOpInterface>(user))
        return false;
      values.insert_range(user->getResults());
    }
  return true;
}

/// How many registers a thread loads by instructions of one element; 0 where it
/// computes of them.
static int64_t countLoadedAlone(KernelOp kernel) {
  int64_t registers = 0;
  WalkResult walked = kernel.walk([&](GlobalAccessOpInterface load) {
    if (!isPlainLoad(load) || load.getVectorWidth() != 1 ||
        load->hasAttr(kByWordsAttr))
      return WalkResult::advance();
    if (!areOnlyMoved(load->getResult(0)))
      return WalkResult::interrupt();
    RankedTensorType tile = load.getTileType();
    RegisterLayoutAttr layout = getRegisterLayout(tile);
    if (!layout)
      return WalkResult::interrupt();
    registers += layout.getNumRegisters() *
                 llvm::divideCeil(getElementBytes(tile.getElementType()),
                                  kRegisterBytes);
    return WalkResult::advance();
  });
  return walked.wasInterrupted() ? 0 : registers;
}

namespace {
struct LoadAlone : tilewright::tile::impl::TileLoadAloneBase<LoadAlone> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (getAskedBlocks(kernel) || holdsMore(kernel))
      return;
    int64_t loaded = countLoadedAlone(kernel);
    if (loaded < kManyRegisters)
      return;
    int64_t blocks = countBlocksOf(kernel, loaded + kAddressRegisters);
    if (blocks > 0)
      askForBlocks(kernel, blocks);
  }

  /// Whether threads may hold more than what is loaded: what loops carry, sums
  /// of products, parts of reductions.
  static bool holdsMore(KernelOp kernel) {
    return anyOpIn<LoopLikeOpInterface, ProductOpInterface, CombineOpInterface>(
        kernel);
  }
};
} // namespace
