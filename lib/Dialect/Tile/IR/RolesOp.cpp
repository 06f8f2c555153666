//===- RolesOp.cpp - Warps that do different things -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether what only one thread does may have this op.
static LogicalResult verifyInCopy(Operation *op) {
  if (hasTiles(op))
    return op->emitOpError("has tiles: what only copies computes with scalars");
  if (isBarrier(op))
    return op->emitOpError("is a barrier: a role that copies meets the others "
                           "at hand-overs only");
  return success();
}

LogicalResult OneThreadOp::verifyRegions() {
  WalkResult result = getBody().walk(
      [](Operation *op) -> WalkResult { return verifyInCopy(op); });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyInMain(Operation *op, int numWarps) {
  auto barrier = dyn_cast<BarrierOp>(op);
  if (!barrier || !barrier.isOfAll() || barrier.getWarps() == numWarps)
    return success();
  return op->emitOpError("is one of all warps, of which some copy: with warps "
                         "= ")
         << numWarps << " it is one of those that compute";
}

/// setmaxnreg takes multiples of 8 from 24 on, and is of a warpgroup.
static LogicalResult verifyRegisters(RolesOp op, KernelOp kernel) {
  std::optional<int32_t> main = op.getMainRegisters();
  std::optional<int32_t> copy = op.getCopyRegisters();
  std::optional<int32_t> blocks = op.getBlocks();
  if (!main && !copy && !blocks)
    return success();
  if (!main || !copy || !blocks)
    return op.emitOpError("has main_registers, copy_registers and blocks, or "
                          "none of them");
  for (int32_t registers : {*main, *copy})
    if (registers % 8 != 0 || registers < RolesOp::kLeastRegisters ||
        registers > RolesOp::kMostRegisters)
      return op.emitOpError("numbers of registers are multiples of 8 from ")
             << RolesOp::kLeastRegisters << " to " << RolesOp::kMostRegisters
             << ", not " << registers;
  if (*blocks < 1)
    return op.emitOpError("there is 1 block or more, not ") << *blocks;
  for (int32_t warps : {kernel.getNumWarpsOrDefault(),
                        static_cast<int>(*kernel.getCopyWarps())})
    if (warps % int(WarpgroupMma::warps) != 0)
      return op.emitOpError("registers are those of whole warpgroups, of 4 "
                            "warps each; a role has ")
             << warps;
  return success();
}

LogicalResult RolesOp::verifyRegions() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel.getCopyWarps())
    return emitOpError("needs warps that copy: copy_warps of the kernel");
  if (failed(verifyRegisters(*this, kernel)))
    return failure();
  if (!isa_and_nonnull<ReturnOp>((*this)->getNextNode()))
    return emitOpError("is the last that a kernel does");
  int numWarps = kernel.getNumWarpsOrDefault();
  WalkResult main = getMain().walk(
      [&](Operation *op) -> WalkResult { return verifyInMain(op, numWarps); });
  WalkResult copy = getCopy().walk(
      [](Operation *op) -> WalkResult { return verifyInCopy(op); });
  return failure(main.wasInterrupted() || copy.wasInterrupted());
}
