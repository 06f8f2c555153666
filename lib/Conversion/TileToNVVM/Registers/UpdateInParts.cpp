//===- UpdateInParts.cpp - Few reads of a tile that is written over -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/InParts.h"
#include "Registers/ProductBodies.h"
#include "Registers/SharedPlace.h"
#include "Threads/AsyncCopy.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_UPDATEINPARTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// What a thread reads at once: enough of it to be under way while the first
/// words come.
static constexpr size_t kReadsOfPart = 32;

namespace {
/// Ops of a block, one behind the other, that read places of shared memory and
/// then write the same places anew.
class Update {
public:
  /// Takes the next op. False: it is no part of what was taken so far.
  bool take(Operation &op);
  bool isWorthwhile() { return reads.size() > kReadsOfPart && isPossible(); }
  void apply();

private:
  /// Whether no part reads what a part before it writes.
  bool isPossible();
  /// Whether much is computed of what is read, of each word's two elements a
  /// function and a sum: ptxas would compute many beside the others.
  bool computesFunctions() const {
    return static_cast<size_t>(llvm::count_if(ops, isFloatOp)) >=
           2 * (kLeastOpsOfElement + 1) * stores.size();
  }
  void place(Operation *op) { placeBefore(end, op, waiting); }

  SmallVector<Operation *> ops, waits;
  /// The read of each written place.
  DenseMap<Value, LLVM::LoadOp> reads;
  SmallVector<LLVM::StoreOp> stores;
  /// Ops that are not in their place yet.
  DenseSet<Operation *> waiting;
  Operation *end = nullptr;
};
} // namespace

bool Update::take(Operation &op) {
  if (isSharedRead(op)) {
    auto read = cast<LLVM::LoadOp>(op);
    if (!stores.empty() || !reads.try_emplace(read.getAddr(), read).second)
      return false;
  } else if (isSharedWrite(op)) {
    stores.push_back(cast<LLVM::StoreOp>(op));
  } else if (isWaitForStores(op)) {
    // Bulk copies only read shared memory: reads may stand on either side.
    if (!stores.empty())
      return false;
    waits.push_back(&op);
  } else if (!isPure(&op) || op.getNumRegions() != 0 ||
             op.hasTrait<OpTrait::IsTerminator>()) {
    return false;
  }
  ops.push_back(&op);
  return true;
}

bool Update::isPossible() {
  if (stores.size() != reads.size())
    return false;
  SmallVector<SharedPlace> places;
  DenseSet<Value> written;
  for (LLVM::StoreOp store : stores) {
    LLVM::LoadOp read = reads.lookup(store.getAddr());
    if (!read || read.getType() != store.getValue().getType() ||
        !written.insert(store.getAddr()).second)
      return false;
    places.emplace_back(store);
  }
  for (size_t part = kReadsOfPart; part < places.size(); part += kReadsOfPart)
    for (const SharedPlace &later : ArrayRef(places).drop_front(part))
      for (const SharedPlace &earlier :
           ArrayRef(places).slice(part - kReadsOfPart, kReadsOfPart))
        if (!later.isApartFrom(earlier))
          return false;
  return true;
}

void Update::apply() {
  end = ops.back()->getNextNode();
  OpBuilder builder(end);
  bool computes = computesFunctions();
  waiting.insert(ops.begin(), ops.end());
  for (Operation *wait : waits)
    place(wait);
  for (size_t begin = 0; begin < stores.size(); begin += kReadsOfPart) {
    ArrayRef<LLVM::StoreOp> part =
        ArrayRef(stores).drop_front(begin).take_front(kReadsOfPart);
    for (LLVM::StoreOp store : part)
      place(reads.lookup(store.getAddr()));
    for (size_t number = 0; number < part.size(); ++number) {
      place(part[number]);
      if (computes && (number + 1) % (kElementsOfPart / 2) == 0)
        emitCut(builder, end->getLoc());
    }
  }
  for (Operation *op : ops)
    place(op);
}

namespace {
struct UpdateInParts : tilewright::impl::UpdateInPartsBase<UpdateInParts> {
  using UpdateInPartsBase::UpdateInPartsBase;

  void runOnOperation() override {
    getOperation()->walk([](Block *block) { changeRuns<Update>(*block); });
  }
};
} // namespace
