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
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

/// Quotients by one number from which on its reciprocal is a value of its own,
/// and from which on dividends are scaled behind a branch.
static constexpr size_t kManyQuotients = 5, kQuotientsBehindBranch = 8;

static bool isFullRange(arith::DivFOp op) {
  return op.getType().isF32() &&
         arith::bitEnumContainsAll(op.getFastmath(),
                                   arith::FastMathFlags::arcp);
}

/// This quotient and those behind it by the same number, as far as their
/// dividends are there before all of them.
static SmallVector<arith::DivFOp> findQuotients(arith::DivFOp first) {
  SmallVector<arith::DivFOp> quotients;
  for (Operation *user : first.getRhs().getUsers()) {
    auto quotient = dyn_cast<arith::DivFOp>(user);
    if (!quotient || quotient.getRhs() != first.getRhs() ||
        quotient->getBlock() != first->getBlock() || !isFullRange(quotient) ||
        quotient->use_empty() || quotient->isBeforeInBlock(first))
      continue;
    Operation *dividend = quotient.getLhs().getDefiningOp();
    if (!dividend || dividend->getBlock() != first->getBlock() ||
        dividend->isBeforeInBlock(first))
      quotients.push_back(quotient);
  }
  llvm::sort(quotients, [](arith::DivFOp a, arith::DivFOp b) {
    return a->isBeforeInBlock(b);
  });
  return quotients;
}

/// Multiplies many dividends by the factor where it is not 1, which takes a
/// branch, in place of an instruction for each.
static SmallVector<Value> scale(PatternRewriter &rewriter, Location loc,
                                ArrayRef<Value> dividends, Value factor) {
  auto multiply = [&](OpBuilder &builder) {
    return llvm::map_to_vector(dividends, [&](Value dividend) -> Value {
      return arith::MulFOp::create(builder, loc, dividend, factor);
    });
  };
  if (dividends.size() < kQuotientsBehindBranch)
    return multiply(rewriter);
  Value one =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(1));
  Value isOutOfRange = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::UNE, factor, one);
  auto branch = scf::IfOp::create(
      rewriter, loc, isOutOfRange,
      [&](OpBuilder &builder, Location) {
        scf::YieldOp::create(builder, loc, multiply(builder));
      },
      [&](OpBuilder &builder, Location) {
        scf::YieldOp::create(builder, loc, dividends);
      });
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// As div.full does it: operands are scaled so that the reciprocal is no
/// subnormal number, and multiplied. ptxas scales each dividend twice, behind
/// predicates; here all are multiplied by one factor, if it is not 1.
static SmallVector<Value> divideByShared(PatternRewriter &rewriter,
                                         Location loc,
                                         ArrayRef<Value> dividends,
                                         Value divisor) {
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
  Value factor =
      select(arith::CmpFPredicate::OLT, 0x1p-126, 0x1p24, constant(1));
  factor = select(arith::CmpFPredicate::OGT, 0x1p126, 0x1p-2, factor);
  Value scaled = arith::MulFOp::create(rewriter, loc, divisor, factor);
  Value reciprocal =
      LLVM::CallIntrinsicOp::create(
          rewriter, loc, type,
          rewriter.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"), scaled)
          .getResult(0);
  return llvm::map_to_vector(
      scale(rewriter, loc, dividends, factor), [&](Value dividend) -> Value {
        return arith::MulFOp::create(rewriter, loc, dividend, reciprocal);
      });
}

namespace {
struct FullRangeDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isFullRange(op))
      return failure();
    if (op->use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<arith::DivFOp> quotients = findQuotients(op);
    if (quotients.size() >= kManyQuotients) {
      SmallVector<Value> dividends = llvm::map_to_vector(
          quotients, [](arith::DivFOp quotient) { return quotient.getLhs(); });
      SmallVector<Value> results =
          divideByShared(rewriter, op.getLoc(), dividends, op.getRhs());
      // The others are erased when it is their turn.
      for (auto [quotient, result] : llvm::zip_equal(quotients, results))
        rewriter.replaceAllUsesWith(quotient.getResult(), result);
      rewriter.eraseOp(op);
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
