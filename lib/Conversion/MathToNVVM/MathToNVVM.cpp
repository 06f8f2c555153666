//===- MathToNVVM.cpp - Math functions from what PTX has ------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Conversion/MathToNVVM/Passes.h"

#include "DoubleFunctions.h"
#include "Functions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace tilewright {
#define GEN_PASS_DEF_CONVERTMATHTONVVM
#include "tilewright/Conversion/MathToNVVM/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using mathfn::Scalar;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Functions for which MLIR has an approximation that is as good as ours.
static bool isApproximatedUpstream(StringRef op) { return op == "math.erfc"; }

/// Functions that are computed in f32 for f16 and bf16: all but those whose
/// result is exact.
static bool isComputedInF32(StringRef op) {
  return !llvm::is_contained(
      {"math.ceil", "math.floor", "math.round", "math.roundeven", "math.trunc"},
      op);
}

/// What LLVM's NVPTX target compiles.
static bool isNative(Operation *op) {
  Type type = op->getOperand(0).getType();
  if (isa<math::AbsIOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp,
          math::CtPopOp>(op))
    return true;
  if (isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
          math::FmaOp, math::IsFiniteOp, math::IsNaNOp, math::RoundEvenOp,
          math::RoundOp, math::TruncOp>(op))
    return true;
  if (isa<math::SqrtOp, math::RsqrtOp>(op))
    return type.isF32() || type.isF64();
  return isa<math::Exp2Op>(op) && type.isF32();
}

/// Whether an op computes with fp8, not only moves it. PTX converts fp8, and
/// has no arithmetic of it.
static bool computesInFloat8(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op))
    return false;
  auto isFloat8 = [](Type type) { return type.isFloat(8); };
  return llvm::any_of(op->getOperandTypes(), isFloat8) ||
         llvm::any_of(op->getResultTypes(), isFloat8);
}

namespace {
/// A function of one or two floats of so many bits, by its formula.
template <typename Op, auto formula, unsigned bits = 32>
struct FormulaPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() && !op.getType().isF64())
      return failure();
    if (op.getType().getIntOrFloatBitWidth() != bits)
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto operand = [&](unsigned index) {
      return Scalar(builder, op->getOperand(index));
    };
    if constexpr (std::is_invocable_v<decltype(formula), Scalar>)
      rewriter.replaceOp(op, Value(formula(operand(0))));
    else
      rewriter.replaceOp(op, Value(formula(operand(0), operand(1))));
    return success();
  }
};

/// Raised to the lower bound, then lowered to the upper one. (MLIR 22 documents
/// and expands the two the other way round, which gives the upper bound for
/// every number.)
struct ClampPattern : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value raised = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                             op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax());
    return success();
  }
};

/// Whether |x| is infinite.
struct IsInfPattern : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getOperand().getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Scalar x(builder, op.getOperand());
    rewriter.replaceOp(op, Value(abs(x) == infinity));
    return success();
  }
};

/// Whether |x| is from the smallest normal number up to the largest one.
struct IsNormalPattern : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getOperand().getType()))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Scalar x(builder, op.getOperand());
    Scalar magnitude = abs(x);
    const llvm::fltSemantics &format =
        cast<FloatType>(op.getOperand().getType()).getFloatSemantics();
    Scalar smallest =
        x.constant(APFloat::getSmallestNormalized(format).convertToDouble());
    Scalar isLarge = compare(arith::CmpFPredicate::OGE, magnitude, smallest);
    rewriter.replaceOp(
        op, Value(isLarge.apply<arith::AndIOp>(magnitude < infinity)));
    return success();
  }
};

/// What may be approximate, and takes what is subnormal for 0, is one
/// instruction: a power of two would be four, a root that is rounded correctly
/// ten and a branch.
template <typename Op> struct ApproximatePattern : OpRewritePattern<Op> {
  ApproximatePattern(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<Op>(context), intrinsic(intrinsic) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic), op.getOperand());
    return success();
  }

private:
  StringRef intrinsic;
};

/// One instruction within the bound, in place of a root and a quotient that are
/// rounded correctly, with a branch each.
struct ApproximateRsqrtPattern : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.nvvm.rsqrt.approx.f"),
        op.getOperand());
    return success();
  }
};

struct ConvertMathToNVVM
    : tilewright::impl::ConvertMathToNVVMBase<ConvertMathToNVVM> {
  void runOnOperation() override {
    bool hasFunctions = false;
    getOperation().walk([&](Operation *op) {
      hasFunctions |= isa<math::MathDialect>(op->getDialect());
    });
    if (failed(checkArithmetic()))
      return signalPassFailure();
    if (hasFunctions) {
      takeSinesWithCosines();
      writeFormulas();
    }
    if (failed(checkFunctions()))
      return signalPassFailure();
    takeExtremes();
  }

private:
  /// Where a block has both of one angle.
  void takeSinesWithCosines() {
    SmallVector<math::CosOp> cosines;
    getOperation().walk([&](math::CosOp op) { cosines.push_back(op); });
    for (math::CosOp cosine : cosines)
      for (Operation *user : cosine.getOperand().getUsers())
        if (isa<math::SinOp>(user) && cosine.getType().isF32() &&
            user->getBlock() == cosine->getBlock()) {
          takeBoth(cosine, user);
          break;
        }
  }

  static void takeBoth(math::CosOp cosine, Operation *sine) {
    IRRewriter rewriter(cosine->isBeforeInBlock(sine) ? cosine : sine);
    ImplicitLocOpBuilder builder(cosine.getLoc(), rewriter);
    mathfn::SineAndCosine both =
        mathfn::sincos(Scalar(builder, cosine.getOperand()));
    rewriter.replaceOp(sine, Value(both.sine));
    rewriter.replaceOp(cosine, Value(both.cosine));
  }

  void writeFormulas() {
    RewritePatternSet patterns(&getContext());
    patterns.add<ApproximatePattern<math::Exp2Op>>(
        &getContext(), "llvm.nvvm.ex2.approx.ftz.f32");
    patterns.add<ApproximatePattern<math::SqrtOp>>(
        &getContext(), "llvm.nvvm.sqrt.approx.ftz.f");
    patterns.add<ClampPattern, ApproximateRsqrtPattern, IsInfPattern,
                 IsNormalPattern, FormulaPattern<math::ExpOp, mathfn::exp>,
                 FormulaPattern<math::ExpM1Op, mathfn::expm1>,
                 FormulaPattern<math::LogOp, mathfn::log>,
                 FormulaPattern<math::Log2Op, mathfn::log2>,
                 FormulaPattern<math::Log10Op, mathfn::log10>,
                 FormulaPattern<math::Log1pOp, mathfn::log1p>,
                 FormulaPattern<math::TanhOp, mathfn::tanh>,
                 FormulaPattern<math::ErfOp, mathfn::erf>,
                 FormulaPattern<math::PowFOp, mathfn::pow>,
                 FormulaPattern<math::SinOp, mathfn::sin>,
                 FormulaPattern<math::CosOp, mathfn::cos>,
                 FormulaPattern<math::TanOp, mathfn::tan>,
                 FormulaPattern<math::AtanOp, mathfn::atan>,
                 FormulaPattern<math::Atan2Op, mathfn::atan2>,
                 FormulaPattern<math::AsinOp, mathfn::asin>,
                 FormulaPattern<math::AcosOp, mathfn::acos>>(&getContext());
    addDoubleFormulas(patterns);
    populateMathF32ExpansionPatterns(patterns, isComputedInF32);
    populateMathPolynomialApproximationPatterns(patterns,
                                                isApproximatedUpstream);
    // MLIR's folders have functions of the host, and NaN for atan2 of two
    // zeros.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }

  static void addDoubleFormulas(RewritePatternSet &patterns) {
    patterns.add<FormulaPattern<math::ExpOp, mathfn::f64::exp, 64>,
                 FormulaPattern<math::Exp2Op, mathfn::f64::exp2, 64>,
                 FormulaPattern<math::LogOp, mathfn::f64::log, 64>,
                 FormulaPattern<math::Log2Op, mathfn::f64::log2, 64>,
                 FormulaPattern<math::Log10Op, mathfn::f64::log10, 64>,
                 FormulaPattern<math::TanhOp, mathfn::f64::tanh, 64>,
                 FormulaPattern<math::ErfOp, mathfn::f64::erf, 64>,
                 FormulaPattern<math::PowFOp, mathfn::pow, 64>,
                 FormulaPattern<math::SinOp, mathfn::f64::sin, 64>,
                 FormulaPattern<math::CosOp, mathfn::f64::cos, 64>,
                 FormulaPattern<math::TanOp, mathfn::f64::tan, 64>>(
        patterns.getContext());
  }

  /// Maxima and minima are instructions, which know NaN and the sign of zero.
  /// MLIR would expand them to comparisons, which do not.
  void takeExtremes() {
    getOperation().walk([](Operation *op) {
      // LLVM's maxnum of a signalling NaN and a number is a NaN where LLVM
      // folds it, and the number where PTX computes it.
      replaceExtreme<arith::MaximumFOp>(op, "llvm.maximum") ||
          replaceExtreme<arith::MinimumFOp>(op, "llvm.minimum") ||
          replaceExtreme<arith::MaxNumFOp>(op, "llvm.maximumnum") ||
          replaceExtreme<arith::MinNumFOp>(op, "llvm.minimumnum");
    });
  }

  template <typename Op>
  static bool replaceExtreme(Operation *op, StringRef intrinsic) {
    if (!isa<Op>(op))
      return false;
    IRRewriter rewriter(op);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op->getResult(0).getType(), rewriter.getStringAttr(intrinsic),
        op->getOperands());
    return true;
  }

  /// What no GPU computes.
  LogicalResult checkArithmetic() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      // LLVM's is x - y * trunc(x / y), far off where x / y is large.
      if (isa<arith::RemFOp>(op))
        return op->emitOpError(
            "no GPU has a remainder of floats; where x / y is small, compute "
            "x - y * math.trunc(x / y)");
      if (computesInFloat8(op))
        return op->emitOpError("no GPU computes ")
               << op->getName()
               << " of fp8: convert to a wider float (arith.extf), and back "
                  "(arith.truncf)";
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Nothing is left that would fail in LLVM, where no place is known.
  LogicalResult checkFunctions() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa<math::MathDialect>(op->getDialect()) || isNative(op))
        return WalkResult::advance();
      return op->emitOpError("no GPU has ")
             << op->getName() << " of " << op->getOperand(0).getType()
             << "; there are, of f32, f16 and bf16: acos asin atan atan2 cos "
                "erf erfc exp exp2 expm1 log log10 log1p log2 powf sin tan "
                "tanh, and of f64 cos erf exp exp2 log log10 log2 powf rsqrt "
                "sin sqrt tan tanh";
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
