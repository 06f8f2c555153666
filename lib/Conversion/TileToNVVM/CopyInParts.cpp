//===- CopyInParts.cpp - Few words on their way to shared memory ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "InParts.h"
#include "Patterns.h"
#include "ProductBodies.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_COPYINPARTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Loads that are under way at once.
static constexpr size_t kLoadsOfPart = 24;

/// Whether a kernel may store to global memory by it, at once or later.
static bool mayWriteGlobal(Operation *op) {
  if (isPure(op) || isGlobalLoad(*op) || isSharedWrite(*op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return textMayWriteGlobal(text.getAsmString());
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getAddr().getType().getAddressSpace() != kSharedSpace;
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::CallOp>(op);
}

static bool hasGlobalWrites(Operation *around) {
  return around
      ->walk([](Operation *op) {
        return mayWriteGlobal(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Ops of a block, one behind the other, that load from global memory, wait for
/// one another, and store to shared memory what was loaded.
class Transfer {
public:
  /// Takes the next op. False: it is no part of what was taken so far.
  bool take(Operation &op);
  bool isWorthwhile() const {
    return loads.size() > kLoadsOfPart && !stores.empty();
  }
  void apply();

private:
  /// Places the loads that a stored value is made of. Returns how many were in
  /// no place yet.
  size_t placeLoads(Value value);
  void placePart(ArrayRef<Operation *> &left);

  SmallVector<Operation *> ops, loads, meetings, stores;
  llvm::DenseSet<Operation *> waiting;
  Operation *end = nullptr;
};
} // namespace

bool Transfer::take(Operation &op) {
  if (isGlobalLoad(op)) {
    if (!stores.empty())
      return false;
    loads.push_back(&op);
  } else if (isSharedWrite(op)) {
    stores.push_back(&op);
  } else if (isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::FenceProxyOp>(op)) {
    if (!stores.empty())
      return false;
    meetings.push_back(&op);
  } else if (!isPure(&op) || op.getNumRegions() != 0 ||
             op.hasTrait<OpTrait::IsTerminator>()) {
    return false;
  }
  ops.push_back(&op);
  return true;
}

size_t Transfer::placeLoads(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !waiting.contains(op))
    return 0;
  if (isGlobalLoad(*op)) {
    placeBefore(end, op, waiting);
    return 1;
  }
  size_t placed = 0;
  for (Value operand : op->getOperands())
    placed += placeLoads(operand);
  return placed;
}

/// The loads of the next part, and behind them its stores, which are taken from
/// the front of `left`.
void Transfer::placePart(ArrayRef<Operation *> &left) {
  size_t placed = 0, numStores = 0;
  while (numStores < left.size() && placed < kLoadsOfPart)
    placed += placeLoads(left[numStores++]->getOperand(0));
  for (Operation *meeting : meetings)
    placeBefore(end, meeting, waiting);
  for (Operation *store : left.take_front(numStores))
    placeBefore(end, store, waiting);
  left = left.drop_front(numStores);
}

void Transfer::apply() {
  end = ops.back()->getNextNode();
  waiting.insert(ops.begin(), ops.end());
  ArrayRef<Operation *> left = stores;
  while (!left.empty())
    placePart(left);
  for (Operation *op : ops)
    placeBefore(end, op, waiting);
}

namespace {
struct CopyInParts : tilewright::impl::CopyInPartsBase<CopyInParts> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (loop->hasAttr(kFewRegistersAttr) && !hasGlobalWrites(loop))
        changeRuns<Transfer>(loop.getLoopRegions().front()->front());
    });
  }
};
} // namespace
