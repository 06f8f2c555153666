//===- ArithToNVVM.cpp - Arithmetic without undefined results -------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/ArithToNVVM/Passes.h"

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "tilewright/Dialect/Tile/IR/TileDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTARITHTONVVM
#include "tilewright/Conversion/ArithToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

static LogicalResult checkRounding(Operation *op) {
  auto rounded = dyn_cast<arith::ArithRoundingModeInterface>(op);
  if (!rounded || !rounded.getRoundingModeAttr() ||
      rounded.getRoundingModeAttr().getValue() ==
          arith::RoundingMode::to_nearest_even)
    return success();
  return op->emitOpError(
      "rounds to the nearest, ties to even: there is no other rounding mode");
}

namespace {
struct ConvertArithToNVVM
    : tilewright::impl::ConvertArithToNVVMBase<ConvertArithToNVVM> {
  void runOnOperation() override {
    GpuTarget target = tile::getTargetOrDefault(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      return failed(arithnvvm::checkConversion(op, target)) ||
                     failed(checkRounding(op))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    arithnvvm::populateConversionPatterns(patterns, target);
    arithnvvm::populateFloatPatterns(patterns);
    arithnvvm::populateIntegerPatterns(patterns);
    // Each op once: a division that was written for another one is right as it
    // is.
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
