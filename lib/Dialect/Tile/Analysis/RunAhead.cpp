//===- RunAhead.cpp - Loads that need not wait for their loop -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"

#include "tilewright/Dialect/Tile/Analysis/PassedOps.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Assertions.h"
#include "tilewright/Dialect/Tile/IR/Slices.h"
#include "tilewright/Layout/Algebra/CountOf.h"

using namespace mlir;
using namespace tilewright::tile;

/// Collects, in order, the ops of the loop that `value` is computed by. Fails
/// if it may not take one of them, or one hangs on what earlier iterations
/// computed.
static LogicalResult collectSlice(LoopLikeOpInterface loop, Block *body,
                                  Value value,
                                  function_ref<bool(Operation *)> mayTake,
                                  SmallVectorImpl<Operation *> &slice) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return success(argument.getOwner() != body ||
                   argument == loop.getSingleInductionVar());
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || llvm::is_contained(slice, op))
    return success();
  if (op->getBlock() != body || !mayTake(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectSlice(loop, body, operand, mayTake, slice)))
      return failure();
  slice.push_back(op);
  return success();
}

bool tilewright::tile::isPlainLoad(Operation *op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         accesses.size() == 1 && accesses[0].space == MemorySpace::Global &&
         !accesses[0].isWrite && !accesses[0].talksToOthers() &&
         accesses[0].end == AccessEnd::WithOp;
}

/// Whether something in the regions of the op may write what `mayMeet` holds
/// for: it gets the root of what is written, null where that is not known.
static bool mayWrite(Operation *op, function_ref<bool(Value)> mayMeet) {
  auto writes = [&](const MemoryAccess &access) {
    return access.space == MemorySpace::Global && access.isWrite &&
           mayMeet(getRoot(access.base));
  };
  return anyOpIn(*op, [&](Operation *inner) {
    return !tellsMemoryAccesses(inner) ||
           llvm::any_of(getMemoryAccesses(inner), writes);
  });
}

bool tilewright::tile::mayWriteThrough(Operation *op, Value root) {
  return mayWrite(op, [&](Value other) { return mayOverlap(root, other); });
}

bool tilewright::tile::mayWriteGlobalMemory(Operation *op) {
  return mayWrite(op, [](Value) { return true; });
}

bool tilewright::tile::talksByMemory(Operation *op) {
  return llvm::any_of(getMemoryAccesses(op),
                      std::mem_fn(&MemoryAccess::talksToOthers));
}

bool tilewright::tile::hearsOfOthers(Operation *op) {
  return talksByMemory(op) && !op->use_empty();
}

/// Whether the op, or one in it, keeps all loads behind it.
static bool keepsAllBehind(Operation *op) {
  return anyOpIn(*op, [](Operation *inner) {
    return talksByMemory(inner) || mayEndLaunch(inner);
  });
}

bool tilewright::tile::keepsBehind(Operation *op, Value root) {
  return mayWriteThrough(op, root) || keepsAllBehind(op);
}

void PassedOps::add(Operation *op) {
  bool isUnknown = mayWrite(op, [&](Value root) {
    written.insert(root);
    return false;
  });
  if (isUnknown)
    written.insert(nullptr);
  keepsAll |= keepsAllBehind(op);
}

bool PassedOps::mayWriteThrough(Value root) const {
  return llvm::any_of(written,
                      [&](Value other) { return mayOverlap(root, other); });
}

bool PassedOps::keepBehind(Value root) const {
  return keepsAll || mayWriteThrough(root);
}

/// Whether the op loads a number from a place that hangs on the iteration
/// alone, where the loop writes nothing, and waits for nobody who might.
static bool isNumberAhead(LoopLikeOpInterface loop, Operation *op) {
  if (!isPlainLoad(op) || !op->getResult(0).getType().isIntOrIndexOrFloat() ||
      keepsBehind(loop, getRoot(getMemoryAccesses(op)[0].base)))
    return false;
  SmallVector<Operation *> slice;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return succeeded(
        collectSlice(loop, op->getBlock(), operand, isComputation, slice));
  });
}

int tilewright::tile::getNumStages(Operation *loop) {
  auto kernel = dyn_cast<KernelOp>(loop);
  if (!kernel)
    kernel = loop->getParentOfType<KernelOp>();
  auto own = loop->getAttrOfType<IntegerAttr>(TileDialect::kNumStagesAttr);
  int stages =
      own ? static_cast<int>(own.getInt()) : kernel.getNumStagesOrDefault();
  return std::min(stages, getMostStages(kernel).value_or(stages));
}

std::optional<int> tilewright::tile::getMostStages(KernelOp kernel) {
  auto most = kernel->getAttrOfType<IntegerAttr>(kMostStagesAttr);
  return most ? std::optional<int>(static_cast<int>(most.getInt()))
              : std::nullopt;
}

std::string tilewright::tile::describeFewerStages(KernelOp kernel) {
  auto reason = kernel->getAttrOfType<StringAttr>(kStagesReasonAttr);
  std::optional<int> most = getMostStages(kernel);
  if (!reason || !most)
    return "";
  return "loops have at most " + countOf(*most, "stage") + ": " + reason.str();
}

std::optional<SmallVector<Operation *>>
tilewright::tile::getCoordinatesAhead(GlobalAccessOpInterface load,
                                      std::string *why) {
  auto coordinates = findCoordinatesAhead(load, why);
  if (!coordinates || load->hasOneUse())
    return coordinates;
  if (why)
    *why = "what it loads is used more than once";
  return std::nullopt;
}

std::optional<SmallVector<Operation *>>
tilewright::tile::findCoordinatesAhead(GlobalAccessOpInterface load,
                                       std::string *why) {
  auto decline = [&](const char *reason) {
    if (why)
      *why = reason;
    return std::nullopt;
  };
  auto loop = dyn_cast<LoopLikeOpInterface>(load->getParentOp());
  std::optional<MemoryAccess> access =
      findMemoryAccess(load, MemorySpace::Global);
  if (!loop || !loop.getSingleInductionVar() || !access)
    return decline(
        "it stands in no loop that counts its rounds, or in a branch "
        "of one");
  if (load->hasAttr(kStaysAttr))
    return decline(
        "there is no room for it in shared memory; use smaller tiles "
        "or fewer stages");
  if (!load.isCopyable())
    return decline("no copy gives elements outside, or that a mask leaves out, "
                   "another value than 0");
  if (mayWriteThrough(loop, getRoot(access->base)))
    return decline("the loop may write what a later round loads");
  if (anyOpIn(*loop, hearsOfOthers))
    return decline("what a later round loads may be there only when the loop "
                   "has heard so of others");
  if (anyOpIn(*loop, mayEndLaunch))
    return decline("what a later round loads may be there only where an "
                   "assertion of the loop holds");
  SmallVector<Operation *> coordinates;
  for (Value operand : load->getOperands())
    if (failed(collectSlice(
            loop, load->getBlock(), operand,
            [&](Operation *op) {
              return isComputation(op) || isNumberAhead(loop, op);
            },
            coordinates)))
      return decline("where it loads from hangs on what the loop computes, not "
                     "on the number of the round alone");
  return coordinates;
}
