//===- CheckLoops.cpp - Loops that never end --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECHECKLOOPS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

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
  return success();
}

namespace {
struct CheckLoops : tilewright::tile::impl::TileCheckLoopsBase<CheckLoops> {
  using TileCheckLoopsBase::TileCheckLoopsBase;

  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk(
        [&](scf::ForOp loop) { failedAny |= failed(check(loop)); });
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
