//===- Floats.cpp - Quotients that are not rounded correctly --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient of f32 with fastmath<arcp> is div.full.f32: at most 2 units in the
// last place off, for all operands (PTX ISA, div), and a third of the
// instructions of div.rn, without a branch.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct FullRangeDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !arith::bitEnumContainsAll(op.getFastmath(),
                                   arith::FastMathFlags::arcp))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.nvvm.div.full"),
        op.getOperands());
    return success();
  }
};
} // namespace

void arithnvvm::populateFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<FullRangeDivision>(patterns.getContext());
}
