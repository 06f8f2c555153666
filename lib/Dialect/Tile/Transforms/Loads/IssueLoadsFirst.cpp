//===- IssueLoadsFirst.cpp - Loads that wait for loads --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Loads/RowsAhead.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEISSUELOADSFIRST
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether the op keeps a load of the array behind it.
static bool keepsBehind(Operation *op, Value array) {
  return anyOpIn(*op, [&](Operation *nested) {
    if (!tellsMemoryAccesses(nested))
      return true;
    return llvm::any_of(
        getMemoryAccesses(nested), [&](const MemoryAccess &access) {
          return access.space == MemorySpace::Global &&
                 (access.talksToOthers() ||
                  (access.isWrite && mayOverlap(getRoot(access.base), array)));
        });
  });
}

namespace {
class EarlyLoads {
public:
  EarlyLoads(KernelOp kernel, Block &block)
      : block(block), numThreads(kernel.getNumThreads()) {}

  void issueFirst() {
    last = findLastRow();
    if (!last)
      return;
    SmallVector<Operation *> loads;
    for (Operation &op : llvm::make_range(std::next(last->getIterator()),
                                          block.getOperations().end()))
      if (isPlainLoad(&op) && isSmall(&op))
        loads.push_back(&op);
    for (Operation *load : loads)
      if (mayComeFirst(load))
        move(load);
  }

private:
  /// What loads last of rows before anything is combined, or null.
  Operation *findLastRow() {
    Operation *last = nullptr;
    for (Operation &op : block) {
      if (anyOpIn<CombineOpInterface>(op))
        break;
      if (anyOpIn(op, [&](Operation *nested) {
            return isPlainLoad(nested) && !isSmall(nested);
          }))
        last = &op;
    }
    return last;
  }

  /// An element a thread, whose register is kept until it is used.
  bool isSmall(Operation *load) const {
    auto tile = dyn_cast<RankedTensorType>(load->getResult(0).getType());
    return !tile || tile.getNumElements() <= numThreads;
  }

  /// Whether it waits for a load, and for nothing else but what is computed
  /// element by element.
  bool mayComeFirst(Operation *load) {
    slice.clear();
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == &block; };
    if (failed(getBackwardSlice(load, &slice, options)) ||
        llvm::none_of(slice, isPlainLoad))
      return false;
    Value array = getRoot(getMemoryAccesses(load)[0].base);
    auto behind =
        llvm::make_range(std::next(last->getIterator()), load->getIterator());
    return llvm::all_of(slice,
                        [&](Operation *op) {
                          return op == last || op->isBeforeInBlock(last) ||
                                 (isPure(op) && op->getNumRegions() == 0);
                        }) &&
           llvm::none_of(
               behind, [&](Operation &op) { return keepsBehind(&op, array); });
  }

  void move(Operation *load) {
    slice.insert(load);
    for (Operation *op : slice)
      if (last->isBeforeInBlock(op)) {
        op->moveAfter(last);
        last = op;
      }
    for (Operation *op : slice)
      if (isPlainLoad(op) && isSmall(op))
        op->setAttr(kInOrderAttr, UnitAttr::get(op->getContext()));
  }

  Block &block;
  int64_t numThreads;
  Operation *last = nullptr;
  SetVector<Operation *> slice;
};

struct IssueLoadsFirst
    : tilewright::tile::impl::TileIssueLoadsFirstBase<IssueLoadsFirst> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (combinesRows(kernel))
      EarlyLoads(kernel, kernel.getBody().front()).issueFirst();
  }
};
} // namespace
