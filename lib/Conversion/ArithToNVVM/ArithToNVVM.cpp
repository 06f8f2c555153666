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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// A thread computes with numbers; of two halves in a word it takes the greater
/// ones at once.
static bool isOfThread(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || (isa<VectorType>(type) && shaped.getNumElements() == 2 &&
                     isa<Float16Type, BFloat16Type>(shaped.getElementType()));
}

static LogicalResult checkIsOfThread(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return success();
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isOfThread(type))
      return op->emitOpError("is of ")
             << type << ", and not of a thread: convert-tile-to-nvvm makes it "
             << "that";
  return success();
}

namespace {
struct ConvertArithToNVVM
    : tilewright::impl::ConvertArithToNVVMBase<ConvertArithToNVVM> {
  void runOnOperation() override {
    GpuTarget target = tile::getTargetOrDefault(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      return failed(checkIsOfThread(op)) ||
                     failed(arithnvvm::checkConversion(op, target)) ||
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
