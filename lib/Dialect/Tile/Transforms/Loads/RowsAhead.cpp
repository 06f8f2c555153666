//===- RowsAhead.cpp - Loads that a program could do early ----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loads/RowsAhead.h"

#include "Loads/KeptTiles.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/PassedOps.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"

using namespace mlir;
using namespace tilewright::tile;

/// Loads of the block that nothing keeps from its begin, with what only
/// computes their operands.
static SmallVector<RowLoad> findFreeLoads(Block &block) {
  SmallVector<RowLoad> found;
  // What the program itself has written it reads in its order.
  PassedOps passed;
  for (Operation &op : block) {
    bool isFree = isPlainLoad(&op) &&
                  !passed.keepBehind(getRoot(getMemoryAccesses(&op)[0].base));
    passed.add(&op);
    RowLoad load = {&op, {}};
    if (isFree && succeeded(addSlice(&op, load.slice)) &&
        llvm::all_of(load.slice, isComputation))
      found.push_back(std::move(load));
  }
  return found;
}

/// Whether the load, or what computes its operands, takes such a value.
static bool takes(const RowLoad &load, function_ref<bool(Value)> isOne) {
  auto takesOne = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), isOne);
  };
  return takesOne(load.op) || llvm::any_of(load.slice, takesOne);
}

/// The loads of rows in a block. In a loop, what it carries is known an
/// iteration too late.
static SmallVector<RowLoad> findRowLoads(Block &block,
                                         ArrayRef<Value> numbers) {
  auto isNumber = [&](Value value) {
    return llvm::is_contained(numbers, value);
  };
  auto isCarried = [&](Value value) {
    return isa<LoopLikeOpInterface>(block.getParentOp()) &&
           llvm::is_contained(block.getArguments(), value) && !isNumber(value);
  };
  SmallVector<RowLoad> found = findFreeLoads(block);
  llvm::erase_if(found, [&](const RowLoad &load) {
    return !takes(load, isNumber) || takes(load, isCarried);
  });
  return found;
}

SmallVector<RowLoad> tilewright::tile::findSharedLoads(Block &block) {
  SmallVector<RowLoad> found = findFreeLoads(block);
  llvm::erase_if(found, [&](const RowLoad &load) {
    return !isa<RankedTensorType>(load.op->getResult(0).getType()) ||
           takes(load,
                 [&](Value value) {
                   return llvm::is_contained(block.getArguments(), value);
                 }) ||
           keepsBehind(block.getParentOp(),
                       getRoot(getMemoryAccesses(load.op)[0].base));
  });
  return found;
}

int64_t tilewright::tile::getLoadedBytes(Operation *load) {
  auto tile = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  return tile ? getByteSize(tile) : 0;
}

SmallVector<RowLoad> tilewright::tile::chooseRowLoads(KernelOp kernel,
                                                      Block &block,
                                                      ArrayRef<Value> numbers) {
  int64_t threads = kernel.getNumThreads();
  int64_t registers = getTargetOrDefault(kernel).registersPerThread(
      threads / kernel.getClusterBlocksOrOne());
  // A row as f32, too.
  int64_t room = kRegisterBytes * ((registers - kOtherRegisters) * threads -
                                   countElementsOfRow(kernel));
  SmallVector<RowLoad> chosen;
  for (RowLoad &load : findRowLoads(block, numbers)) {
    int64_t bytes = getLoadedBytes(load.op);
    if (bytes > room)
      continue;
    room -= bytes;
    chosen.push_back(std::move(load));
  }
  if (llvm::all_of(chosen, [](const RowLoad &load) {
        return getLoadedBytes(load.op) == 0;
      }))
    chosen.clear();
  return chosen;
}
