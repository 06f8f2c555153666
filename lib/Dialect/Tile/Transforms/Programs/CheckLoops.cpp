//===- CheckLoops.cpp - Loops that never end --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKLOOPS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

/// Whether the counter, of constant bounds, would wrap around before it reaches
/// the upper one, or has further to go than its type counts: MLIR takes the
/// distance for one below zero, and the loop for one that is never entered.
static bool isTooFar(APInt low, APInt high, APInt step, bool isSigned) {
  unsigned bits = step.getBitWidth();
  APInt most =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  // Wide enough for what follows.
  unsigned wide = 2 * bits + 2;
  for (APInt *value : {&low, &high, &step})
    *value = isSigned ? value->sext(wide) : value->zext(wide);
  most = most.zext(wide);
  APInt distance = high - low;
  if (!distance.isStrictlyPositive())
    return false;
  APInt trips =
      llvm::APIntOps::RoundingUDiv(distance, step, APInt::Rounding::UP);
  return distance.sgt(most) || (low + trips * step).sgt(most);
}

static LogicalResult checkBounds(scf::ForOp loop, const APInt &step) {
  APInt low, high;
  bool isSigned = !loop.getUnsignedCmp();
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&high)) ||
      !isTooFar(low, high, step, isSigned))
    return success();
  auto print = [&](const APInt &value) {
    return llvm::toString(value, /*Radix=*/10, isSigned);
  };
  return loop.emitOpError("counts from ")
         << print(low) << " to " << print(high) << " by " << print(step)
         << ", which is too far for " << step.getBitWidth()
         << " bits: give it nearer bounds or a wider type";
}

static LogicalResult check(scf::ForOp loop) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return success();
  if (step.isZero())
    return loop.emitOpError("has a step of 0, with which it never ends: give "
                            "it a step of 1 or more");
  if (step.isNegative() && !loop.getUnsignedCmp())
    return loop.emitOpError("has a step of ")
           << llvm::toString(step, /*Radix=*/10, /*Signed=*/true)
           << ": loops count up; give it a step of 1 or more, and "
           << "compute what counts down from its index";
  return checkBounds(loop, step);
}

/// Gives a loop that may never end an effect, where nothing in it has one. MLIR
/// takes all loops for ones that end, and leaves such a one out where nobody
/// asks for its results, or they are known: what follows would run. LLVM does
/// not, without `mustprogress`.
static void keep(scf::WhileOp loop) {
  if (!wouldOpBeTriviallyDead(loop))
    return;
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointToStart(loop.getAfterBody());
  Location loc = loop.getLoc();
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  tile::AssertOp::create(builder, loc, yes, /*mask=*/Value(),
                         "the loop goes on");
}

namespace {
struct CheckLoops : tilewright::tile::impl::TileCheckLoopsBase<CheckLoops> {
  using TileCheckLoopsBase::TileCheckLoopsBase;

  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk(
        [&](scf::ForOp loop) { failedAny |= failed(check(loop)); });
    if (failedAny)
      return signalPassFailure();
    getOperation()->walk(keep);
  }
};
} // namespace
