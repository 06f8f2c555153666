//===- CopyInParts.cpp - Few words on their way to shared memory ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/TileToNVVM/Passes.h"

#include "Registers/FewestKept.h"
#include "Registers/InParts.h"
#include "Registers/ProductBodies.h"
#include "Registers/Spans.h"
#include "Threads/Patterns.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {
#define GEN_PASS_DEF_COPYINPARTS
#include "tilewright/Conversion/TileToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tonvvm;

/// Loads that are under way at once in a loop.
static constexpr size_t kLoadsOfPart = 24;
/// What a thread needs beside the words that it loads, and for each address.
static constexpr int64_t kBesideLoads = 16, kWordsOfAddress = 2;
/// Behind loops two parts are under way.
static constexpr size_t kLoadsOfPartBehindLoops = 16;

static bool isSharedAddress(Value value) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(value.getType());
  return type && type.getAddressSpace() == kSharedSpace;
}

/// Whether a kernel may store to global memory by it, at once or later. An op
/// that does not say what it writes can write what it has an address of.
static bool mayWriteGlobal(Operation *op) {
  if (isGlobalLoad(*op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return textMayWriteGlobal(text.getAsmString());
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    return llvm::any_of(instances, [](const auto &each) {
      return isa<MemoryEffects::Write>(each.getEffect()) &&
             !(each.getValue() && isSharedAddress(each.getValue()));
    });
  }
  return isa<CallOpInterface>(op) ||
         llvm::any_of(op->getOperands(), [](Value operand) {
           return isa<LLVM::LLVMPointerType>(operand.getType()) &&
                  !isSharedAddress(operand);
         });
}

static bool hasGlobalWrites(Operation *around) {
  return tile::anyOpIn(*around, mayWriteGlobal);
}

/// Whether a thread has so many registers beside what the loop carries.
static bool hasRoomFor(int64_t words, LoopLikeOpInterface loop) {
  words += kBesideLoads;
  for (Value value : loop.getRegionIterArgs())
    words += countWords(value);
  return words <=
         countRegistersPerThread(loop->getParentOfType<LLVM::LLVMFuncOp>());
}

/// Whether there is room for all that an iteration loads. Then ptxas has all of
/// it under way, over all parts. With fewer registers that hangs on the order,
/// and on all that the function does: in another one each part waits for the
/// one before.
static bool hasRoomForLoads(LoopLikeOpInterface loop) {
  int64_t words = 0;
  for (Operation &op : loop.getLoopRegions().front()->front())
    if (isGlobalLoad(op))
      words += countWords(op.getResult(0));
  return hasRoomFor(words, loop);
}

/// Whether there is room for the first part, and where each word of it comes
/// from.
static bool hasRoomForAddresses(LoopLikeOpInterface loop) {
  return hasRoomFor(kLoadsOfPart * (1 + kWordsOfAddress), loop);
}

namespace {
/// Ops of a block, one behind the other, that load from global memory, wait for
/// one another, and store to shared memory what was loaded.
class Transfer {
public:
  /// Takes the next op. False: it is no part of what was taken so far.
  bool take(Operation &op);

protected:
  void begin();
  ArrayRef<Operation *> placeLoadsOfPart(size_t least);
  void placeStores(ArrayRef<Operation *> part);
  void end();

  SmallVector<Operation *> ops, loads, meetings, stores;
  Operation *behind = nullptr;
  /// The stores whose loads are in no place yet.
  ArrayRef<Operation *> left;

private:
  size_t placeLoads(Value value);
  void orderStores();

  llvm::DenseSet<Operation *> waiting;
  /// Ops of which all loads are in their places: each is looked at once.
  llvm::DenseSet<Operation *> looked;
};

class TransferInLoop : public Transfer {
public:
  bool isWorthwhile() const {
    return loads.size() > kLoadsOfPart && !stores.empty();
  }
  void apply();
};

/// One behind a loop, whose results take the registers that it needs.
class TransferBehindLoop : public Transfer {
public:
  bool isWorthwhile() const;
  void apply();

private:
  int64_t countWordsInFront() const;
  bool keepsLoops() const;
  bool isOfWholeWarps() const;
  bool mayLoadBehindMeetings() const;
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

/// Accesses take constant offsets with them.
static Value skipConstantOffsets(Value value) {
  auto isConstant = [](Value index) {
    return matchPattern(index, m_Constant());
  };
  auto pointer = value.getDefiningOp<LLVM::GEPOp>();
  return pointer && llvm::all_of(pointer.getDynamicIndices(), isConstant)
             ? skipConstantOffsets(pointer.getBase())
             : value;
}

/// Where the first load among `ops` that a value is made of loads from, but for
/// a constant offset. `seen`: ops that are made of no load, looked at once.
static Value findSource(Value value, const llvm::DenseSet<Operation *> &ops,
                        llvm::DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !ops.contains(op) || !seen.insert(op).second)
    return {};
  for (Value operand : op->getOperands()) {
    if (!isGlobalLoad(*op)) {
      if (Value source = findSource(operand, ops, seen))
        return source;
    } else if (isa<LLVM::LLVMPointerType>(operand.getType())) {
      return skipConstantOffsets(operand);
    }
  }
  return {};
}

/// Puts stores of the same address one behind the other: no part keeps it for
/// the next one. Stores of one place would have one address, too; then they
/// stay as they are.
void Transfer::orderStores() {
  auto loop = dyn_cast<LoopLikeOpInterface>(ops.front()->getParentOp());
  if (loop && (hasRoomForAddresses(loop) || !hasRoomForLoads(loop)))
    return;
  llvm::DenseSet<Value> places;
  llvm::MapVector<Value, SmallVector<Operation *>> bySource;
  for (Operation *store : stores) {
    if (!places.insert(cast<LLVM::StoreOp>(store).getAddr()).second)
      return;
    llvm::DenseSet<Operation *> seen;
    bySource[findSource(store->getOperand(0), waiting, seen)].push_back(store);
  }
  stores.clear();
  for (auto &[source, of] : bySource)
    llvm::append_range(stores, of);
}

void Transfer::begin() {
  behind = ops.back()->getNextNode();
  waiting.insert(ops.begin(), ops.end());
  orderStores();
  left = stores;
}

void Transfer::end() {
  for (Operation *op : ops)
    placeBefore(behind, op, waiting);
}

/// Places the loads that a stored value is made of. Returns how many were in no
/// place yet.
size_t Transfer::placeLoads(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !waiting.contains(op) || !looked.insert(op).second)
    return 0;
  if (isGlobalLoad(*op)) {
    placeBefore(behind, op, waiting);
    return 1;
  }
  size_t placed = 0;
  for (Value operand : op->getOperands())
    placed += placeLoads(operand);
  return placed;
}

/// Places the loads of the next part, so many of them at least. Returns its
/// stores.
ArrayRef<Operation *> Transfer::placeLoadsOfPart(size_t least) {
  size_t placed = 0, numStores = 0;
  while (numStores < left.size() && placed < least)
    placed += placeLoads(left[numStores++]->getOperand(0));
  ArrayRef<Operation *> part = left.take_front(numStores);
  left = left.drop_front(numStores);
  return part;
}

void Transfer::placeStores(ArrayRef<Operation *> part) {
  for (Operation *meeting : meetings)
    placeBefore(behind, meeting, waiting);
  for (Operation *store : part)
    placeBefore(behind, store, waiting);
}

void TransferInLoop::apply() {
  begin();
  while (!left.empty())
    placeStores(placeLoadsOfPart(kLoadsOfPart));
  end();
}

/// Words that are there in front of it and needed later, but for addresses and
/// masks, which can be computed anew.
int64_t TransferBehindLoop::countWordsInFront() const {
  Operation *first = ops.front();
  Block *block = first->getBlock();
  auto isEarlier = [&](Operation *user) {
    Operation *use = block->findAncestorOpInBlock(*user);
    return use && use->isBeforeInBlock(first);
  };
  int64_t words = 0;
  for (Operation &op : llvm::make_range(block->begin(), first->getIterator()))
    if (!isCheap(&op))
      for (Value result : op.getResults())
        if (!llvm::all_of(result.getUsers(), isEarlier))
          words += countWords(result);
  return words;
}

/// Whether ptxas loads in the same order in the loops in front, whatever is
/// done here.
bool TransferBehindLoop::keepsLoops() const {
  return llvm::all_of(llvm::make_range(ops.front()->getBlock()->begin(),
                                       ops.front()->getIterator()),
                      [](Operation &op) {
                        auto loop = dyn_cast<LoopLikeOpInterface>(op);
                        return !loop || hasRoomForLoads(loop);
                      });
}

/// Whether all lanes of a warp are here: where there is a barrier.
bool TransferBehindLoop::isOfWholeWarps() const {
  return llvm::any_of(*ops.front()->getBlock(), isLoweredBarrier);
}

/// Where loads move behind a barrier, nobody writes what they load: at the next
/// one all of them are done.
bool TransferBehindLoop::mayLoadBehindMeetings() const {
  Operation *next = ops.back()->getNextNode();
  while (next && !isLoweredBarrier(*next) && !hasGlobalWrites(next))
    next = next->getNextNode();
  return meetings.empty() || (next && isLoweredBarrier(*next));
}

bool TransferBehindLoop::isWorthwhile() const {
  if (loads.size() <= 2 * kLoadsOfPartBehindLoops || stores.empty())
    return false;
  auto function = ops.front()->getParentOfType<LLVM::LLVMFuncOp>();
  if (!function)
    return false;
  int64_t words = countWordsInFront();
  for (Operation *load : loads)
    words += countWords(load->getResult(0));
  return words > countRegistersPerThread(function) && keepsLoops() &&
         isOfWholeWarps() && mayLoadBehindMeetings();
}

/// The loads of a part are under way while those of the part before it are
/// stored. ptxas would load all of them first: it moves no load over a barrier
/// of the warp.
void TransferBehindLoop::apply() {
  begin();
  OpBuilder builder(behind);
  Location loc = ops.back()->getLoc();
  Value all = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), -1);
  ArrayRef<Operation *> part = placeLoadsOfPart(kLoadsOfPartBehindLoops);
  while (!left.empty()) {
    ArrayRef<Operation *> next = placeLoadsOfPart(kLoadsOfPartBehindLoops);
    placeStores(part);
    NVVM::SyncWarpOp::create(builder, loc, all);
    part = next;
  }
  placeStores(part);
  end();
}

namespace {
struct CopyInParts : tilewright::impl::CopyInPartsBase<CopyInParts> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (loop->hasAttr(kFewRegistersAttr) && !hasGlobalWrites(loop))
        changeRuns<TransferInLoop>(loop.getLoopRegions().front()->front());
    });
    getOperation()->walk([](Block *block) {
      if (llvm::any_of(*block, llvm::IsaPred<LoopLikeOpInterface>))
        changeRuns<TransferBehindLoop>(*block);
    });
  }
};
} // namespace
