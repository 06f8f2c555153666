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

/// Quotients by one number from which on its reciprocal is a value of its own.
static constexpr size_t kManyQuotients = 4;

static bool dividesMany(Value divisor) {
  size_t count = 0;
  for (Operation *user : divisor.getUsers()) {
    // What the others have become takes the magnitude.
    if (isa<LLVM::FAbsOp>(user))
      return true;
    auto quotient = dyn_cast<arith::DivFOp>(user);
    count += quotient && quotient.getRhs() == divisor;
  }
  return count >= kManyQuotients;
}

/// As div.full does it: operands are scaled so that the reciprocal is no
/// subnormal number, and multiplied. ptxas scales each dividend twice, behind
/// predicates; here all are multiplied by one factor.
static Value divideByShared(PatternRewriter &rewriter, Location loc,
                            Value dividend, Value divisor) {
  Type type = divisor.getType();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getFloatAttr(type, value));
  };
  auto select = [&](arith::CmpFPredicate than, double limit, double factor,
                    Value other) -> Value {
    Value magnitude = LLVM::FAbsOp::create(rewriter, loc, divisor);
    Value holds =
        arith::CmpFOp::create(rewriter, loc, than, magnitude, constant(limit));
    return arith::SelectOp::create(rewriter, loc, holds, constant(factor),
                                   other);
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(rewriter, loc, a, b);
  };
  Value factor =
      select(arith::CmpFPredicate::OLT, 0x1p-126, 0x1p24, constant(1));
  factor = select(arith::CmpFPredicate::OGT, 0x1p126, 0x1p-2, factor);
  Value reciprocal = LLVM::CallIntrinsicOp::create(
                         rewriter, loc, type,
                         rewriter.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"),
                         ValueRange(multiply(divisor, factor)))
                         .getResult(0);
  return multiply(multiply(dividend, factor), reciprocal);
}

namespace {
struct FullRangeDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !arith::bitEnumContainsAll(op.getFastmath(),
                                   arith::FastMathFlags::arcp))
      return failure();
    if (dividesMany(op.getRhs())) {
      rewriter.replaceOp(
          op, divideByShared(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
      return success();
    }
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
