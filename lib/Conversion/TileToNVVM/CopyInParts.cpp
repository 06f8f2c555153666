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
#include "llvm/ADT/StringExtras.h"

namespace tilewright {
#define GEN_PASS_DEF_COPYINPARTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Loads that are under way at once.
static constexpr size_t kLoadsOfPart = 32;

/// Whether PTX text, which may be the user's, has an instruction that begins
/// with one of these, wherever in a line.
static bool hasInstruction(StringRef text, ArrayRef<StringRef> beginnings) {
  auto isIn = [&](StringRef beginning) {
    for (size_t at = text.find(beginning); at != StringRef::npos;
         at = text.find(beginning, at + 1))
      if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
        return true;
    return false;
  };
  return llvm::any_of(beginnings, isIn);
}

static bool mayWriteGlobal(StringRef text) {
  return text.contains(".global.shared::cta") ||
         hasInstruction(text, {"st.", "red.", "atom.", "multimem.", "call"});
}

static bool isGlobalLoad(Operation &op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return !load.getVolatile_() &&
           load.getAddr().getType().getAddressSpace() == kGlobalSpace;
  auto asmOp = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!asmOp || asmOp->getNumResults() != 1)
    return false;
  StringRef text = asmOp.getAsmString();
  return hasInstruction(text, {"ld.global."}) && !mayWriteGlobal(text) &&
         !hasInstruction(text, {"bar.", "barrier.", "fence.", "membar."});
}

/// Whether a kernel may store to global memory by it, at once or later.
static bool mayWriteGlobal(Operation *op) {
  if (isPure(op) || isGlobalLoad(*op) || isSharedWrite(*op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return mayWriteGlobal(text.getAsmString());
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getAddr().getType().getAddressSpace() != kSharedSpace;
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::CallOp>(op);
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
  /// The loads that a stored value is made of, which are in no place yet.
  void placeLoads(Value value);

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

void Transfer::placeLoads(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !waiting.contains(op))
    return;
  if (isGlobalLoad(*op))
    return placeBefore(end, op, waiting);
  for (Value operand : op->getOperands())
    placeLoads(operand);
}

void Transfer::apply() {
  end = ops.back()->getNextNode();
  waiting.insert(ops.begin(), ops.end());
  for (size_t begin = 0; begin < stores.size(); begin += kLoadsOfPart) {
    ArrayRef<Operation *> part =
        ArrayRef(stores).drop_front(begin).take_front(kLoadsOfPart);
    for (Operation *store : part)
      placeLoads(store->getOperand(0));
    if (begin == 0)
      for (Operation *meeting : meetings)
        placeBefore(end, meeting, waiting);
    for (Operation *store : part)
      placeBefore(end, store, waiting);
  }
  for (Operation *op : ops)
    placeBefore(end, op, waiting);
}

namespace {
struct CopyInParts : tilewright::impl::CopyInPartsBase<CopyInParts> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (!loop->hasAttr(kFewRegistersAttr))
        return;
      Block &body = loop.getLoopRegions().front()->front();
      bool writes = body.walk([](Operation *op) {
                          return mayWriteGlobal(op) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
                        })
                        .wasInterrupted();
      if (!writes)
        changeRuns<Transfer>(body);
    });
  }
};
} // namespace
