//===- CopyRole.cpp - What warps that only copy would do ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Analysis/CopyRole.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/Assertions.h"

using namespace mlir;
using namespace tilewright::tile;

/// Whether the op begins or ends the filling of a slot, or fills it.
static bool isFill(Operation *op) {
  if (isa<AcquireOp, CommitOp>(op))
    return true;
  std::optional<MemoryAccess> write = findMemoryAccess(op, MemorySpace::Shared);
  return write && write->isWrite && write->base.getDefiningOp<AcquireOp>();
}

CopyRole::CopyRole(KernelOp kernel, ArrayRef<ChannelOp> channels) {
  for (ChannelOp channel : channels) {
    for (Operation *user : channel->getUsers()) {
      if (!isFill(user))
        continue;
      need(user);
      for (Operation *copy : user->getUsers())
        need(copy);
    }
  }
  checkOrder(kernel);
}

void CopyRole::decline(const Twine &why) {
  if (reason.empty())
    reason = why.str();
}

/// Whether one of the copies follows the op, or is in a loop with it.
bool CopyRole::isBeforeCopy(Operation *op) const {
  Block &body = op->getParentOfType<KernelOp>().getBody().front();
  Operation *place = body.findAncestorOpInBlock(*op);
  return llvm::any_of(ops, [&](Operation *copy) {
    Operation *copyPlace =
        isFill(copy) ? body.findAncestorOpInBlock(*copy) : nullptr;
    return copyPlace && !copyPlace->isBeforeInBlock(place);
  });
}

/// The role runs ahead of all that the others do.
void CopyRole::checkOrder(KernelOp kernel) {
  if (anyOpIn(kernel.getBody(), mayEndLaunch))
    decline("the copies would not wait for what the kernel asserts");
  if (anyOpIn(kernel.getBody(), [&](Operation *op) {
        return hearsOfOthers(op) && isBeforeCopy(op);
      }))
    decline("the copies would not wait until the kernel has heard of others "
            "that what they read is there");
  for (Operation *op : ops)
    for (const MemoryAccess &access : getMemoryAccesses(op))
      if (access.space == MemorySpace::Global && access.isRead &&
          mayWriteThrough(kernel, getRoot(access.base)))
        decline("the kernel may write what the copies read");
}

void CopyRole::need(Operation *op) {
  if (isa<KernelOp, ChannelOp>(op) || !ops.insert(op))
    return;
  need(op->getParentOp());
  if (isa<scf::ForOp, scf::IfOp>(op)) {
    // Bounds and conditions; what loops carry, as it is needed.
    unsigned control = isa<scf::ForOp>(op) ? 3 : 1;
    for (Value operand : op->getOperands().take_front(control))
      need(operand);
    return;
  }
  if (!isFill(op) &&
      (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || hasTiles(op)))
    decline("'" + op->getName().getStringRef() +
            "', on which the copies hang, is more than a computation "
            "with scalars");
  for (Value operand : op->getOperands())
    need(operand);
}

void CopyRole::need(Value value) {
  if (!values.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp())
    need(op);
  needCarried(value);
}

/// What a loop or a branch hands on as this value.
void CopyRole::needCarried(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop) {
      if (!isa<KernelOp>(argument.getOwner()->getParentOp()))
        decline("the copies hang on a loop that is no 'for'");
      return;
    }
    need(loop.getOperation());
    if (argument == loop.getInductionVar())
      return;
    need(loop.getTiedLoopInit(argument)->get());
    need(loop.getTiedLoopYieldedValue(argument)->get());
    return;
  }
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    need(loop.getTiedLoopRegionIterArg(result));
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      need(yield.getOperand(result.getResultNumber()));
}
