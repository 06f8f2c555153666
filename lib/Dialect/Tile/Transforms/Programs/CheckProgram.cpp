//===- CheckProgram.cpp - The door of the compiler ------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/Combiner.h"
#include "tilewright/Dialect/Tile/Analysis/Language.h"
#include "tilewright/Dialect/Tile/IR/OverflowFlags.h"
#include "tilewright/Layout/Banks/BankModel.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKPROGRAM
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// What of the promises on floats has a meaning in the language: sums and
/// products may be fused, quotients and roots may be off by 2 units in the last
/// place, and powers of two need not be subnormal.
static arith::FastMathFlags getAllowedFlags(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return arith::FastMathFlags::contract;
  if (isa<arith::DivFOp>(op))
    return arith::FastMathFlags::arcp;
  if (isa<math::Exp2Op, math::SqrtOp>(op))
    return arith::FastMathFlags::afn;
  return arith::FastMathFlags::none;
}

/// Takes away what allows folders and LLVM to leave a result open, or to round
/// it less often than the language says.
static void dropPromises(Operation *op) {
  dropOverflowFlags(op);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    op->removeAttr("isExact");
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr())
    return;
  arith::FastMathFlags kept =
      fast.getFastMathFlagsAttr().getValue() & getAllowedFlags(op);
  op->setAttr(fast.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), kept));
}

static LogicalResult checkCombiner(CombineOpInterface op) {
  std::optional<std::string> example = findOrderMatters(op);
  if (!example)
    return success();
  bool isInAnyOrder = op.combinesInAnyOrder();
  return op->emitOpError("has a region whose result depends on ")
         << (isInAnyOrder ? "the order of the elements"
                          : "how the elements are grouped")
         << ", which is not said: " << *example
         << (isInAnyOrder ? "; a scan combines in order, and its last element "
                            "is that of all"
                          : "; write a loop");
}

/// How many registers of 32 bits a thread has for the largest tile that the op
/// makes, where that is what must be kept: not for what can be made anew.
static int64_t countRegisters(Operation *op, int numWarps) {
  if (!isa<GlobalAccessOpInterface, LoopLikeOpInterface>(op))
    return 0;
  int64_t most = 0;
  for (Type type : op->getResultTypes())
    if (auto tile = dyn_cast<RankedTensorType>(type))
      most = std::max(most, getByteSize(tile) /
                                (bytesPerWord * lanesPerWarp * numWarps));
  return most;
}

/// Says of the op with the largest tile that it spills, where it surely does.
static void warnOfSpills(KernelOp kernel, int numWarps) {
  int64_t registersPerThread = getTargetOrDefault(kernel).maxRegistersPerThread;
  Operation *largest = nullptr;
  int64_t most = 2 * registersPerThread;
  kernel.walk([&](Operation *op) {
    int64_t registers = countRegisters(op, numWarps);
    if (registers > most) {
      largest = op;
      most = registers;
    }
  });
  if (largest)
    largest->emitWarning("'")
        << largest->getName() << "' op makes a tile of " << most
        << " registers a thread, of which there are " << registersPerThread
        << ": the rest goes to slow memory; use smaller tiles or more warps";
}

/// Makes constants those of arith, which folders and analyses know.
static void writeConstants(KernelOp kernel) {
  kernel.walk([](tile::ConstantOp op) {
    OpBuilder builder(op);
    Value value =
        arith::ConstantOp::create(builder, op.getLoc(), op.getValue());
    op.replaceAllUsesWith(value);
    op.erase();
  });
}

namespace {
struct CheckProgram
    : tilewright::tile::impl::TileCheckProgramBase<CheckProgram> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int numWarps = kernel.getNumWarpsOrDefault();
    kernel.walk(dropPromises);
    // In the order of the source: an op before what is in its regions.
    WalkResult result =
        kernel->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          if (failed(checkInLanguage(op, numWarps)))
            return WalkResult::interrupt();
          if (auto combine = dyn_cast<CombineOpInterface>(op))
            return checkCombiner(combine);
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    warnOfSpills(kernel, numWarps);
    writeConstants(kernel);
  }
};
} // namespace
