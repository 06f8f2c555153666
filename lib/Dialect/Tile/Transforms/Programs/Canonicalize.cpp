//===- Canonicalize.cpp - Simplify without changing a result --------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilewright/Dialect/Tile/IR/CombineRegion.h"
#include "tilewright/Dialect/Tile/IR/LoopCounters.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECANONICALIZE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether MLIR's result may be another than ours: functions of math it
/// computes by the host's library (NaN for atan2 of two zeros), what is too
/// large for fp8 it takes for infinity or NaN, and a signalling NaN wins its
/// maxnumf.
static bool mayFoldWrong(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
         isa<arith::MaxNumFOp, arith::MinNumFOp>(op) ||
         (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op) &&
          getElementTypeOrSelf(op->getResult(0)).isFloat(8));
}

namespace {
/// Folds all else.
struct FoldPattern : RewritePattern {
  explicit FoldPattern(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/10, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (mayFoldWrong(op) || op->hasTrait<OpTrait::ConstantLike>())
      return failure();
    SmallVector<Value> results;
    if (failed(rewriter.tryFold(op, results)))
      return failure();
    // Without results it was folded in place.
    if (!results.empty())
      rewriter.replaceOp(op, results);
    return success();
  }
};

/// A tile of an integer that is known is a constant, by which arith folds.
struct KnownTilePattern : OpInterfaceRewritePattern<DimensionMapOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(DimensionMapOpInterface op,
                                PatternRewriter &rewriter) const override {
    APInt number;
    if (!matchPattern(op->getOperand(0), m_ConstantInt(&number)))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto element = rewriter.getIntegerAttr(type.getElementType(), number);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, SplatElementsAttr::get(type, element));
    return success();
  }
};

/// No integer without a sign is negative, infinite or NaN as a float: times
/// zero, as filters have it among their weights, it is zero.
struct TimesZeroPattern : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [number, other] : {std::pair(op.getLhs(), op.getRhs()),
                                 std::pair(op.getRhs(), op.getLhs())})
      if (isFiniteInteger(number) && isZero(other)) {
        rewriter.replaceOp(op, other);
        return success();
      }
    return failure();
  }

private:
  static bool isFiniteInteger(Value number) {
    auto cast = number.getDefiningOp<arith::UIToFPOp>();
    if (!cast)
      return false;
    auto type = llvm::cast<FloatType>(getElementTypeOrSelf(cast.getType()));
    int most = APFloat::semanticsMaxExponent(type.getFloatSemantics());
    Type from = getElementTypeOrSelf(cast.getIn().getType());
    return from.getIntOrFloatBitWidth() <= unsigned(most);
  }
};

/// Numbers of rows of which a program takes one at a time.
struct IotaOfOnePattern : OpRewritePattern<IotaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IotaOp iota,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(iota.getType());
    if (type.getNumElements() != 1)
      return failure();
    auto number =
        rewriter.getIntegerAttr(type.getElementType(), iota.getStart());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        iota, SplatElementsAttr::get(type, static_cast<Attribute>(number)));
    return success();
  }
};

/// A sum of elements to each of which 0.0 is added, as in the only trip of a
/// loop, is their sum and 0.0. No bit changes: partial sums that are not zero
/// are the same, and of zeros only negative ones have a sum that is negative.
struct SumOfZerosPattern : OpInterfaceRewritePattern<CombineOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CombineOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto added = op->getOperand(0).getDefiningOp<arith::AddFOp>();
    // Constants stand on the right, once FoldPattern was there.
    if (!isSum(op) || !added || !matchPattern(added.getRhs(), m_PosZeroFloat()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, added.getLhs()); });
    rewriter.setInsertionPointAfter(op);
    Location loc = op.getLoc();
    Value sum = op->getResult(0);
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(sum.getType()));
    auto total = arith::AddFOp::create(rewriter, loc, sum, zero,
                                       added.getFastmathAttr());
    rewriter.replaceAllUsesExcept(sum, total, total);
    return success();
  }

private:
  static bool isSum(CombineOpInterface op) {
    Operation *yield = op.getCombineRegion().front().getTerminator();
    auto sum = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
    return op.combinesInAnyOrder() && yield->getNumOperands() == 1 && sum &&
           isa<BlockArgument>(sum.getLhs()) &&
           isa<BlockArgument>(sum.getRhs()) &&
           CombineRegion(op).isCommutative();
  }
};

/// The counter of a loop is below the loop's end, however both are cast and
/// spread: rows of a loop over them need no mask that says so.
struct CounterBelowEndPattern : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp compare,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    Value counter = compare.getLhs(), end = compare.getRhs();
    if (predicate == Predicate::sgt || predicate == Predicate::sle)
      std::swap(counter, end);
    else if (predicate != Predicate::slt && predicate != Predicate::sge)
      return failure();
    if (!isCounterBelow(counter, end))
      return failure();
    bool result = predicate == Predicate::slt || predicate == Predicate::sgt;
    TypedAttr value = rewriter.getBoolAttr(result);
    if (auto tile = dyn_cast<RankedTensorType>(compare.getType()))
      value = SplatElementsAttr::get(tile, static_cast<Attribute>(value));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(compare, value);
    return success();
  }
};

/// Bits that are loaded only to be taken for another type are loaded as that:
/// copies to shared memory, and products that read them there, see no cast.
struct LoadedBitsPattern : OpRewritePattern<arith::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::BitcastOp cast,
                                PatternRewriter &rewriter) const override {
    auto load = cast.getIn().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getIsVolatile())
      return failure();
    Type element = getElementTypeOrSelf(cast.getType());
    rewriter.setInsertionPoint(load);
    Value pointers = castPointers(rewriter, load.getPtr(), element);
    Value other = load.getOther();
    if (other)
      other = arith::BitcastOp::create(rewriter, load.getLoc(), cast.getType(),
                                       other);
    rewriter.replaceOp(
        cast, LoadOp::create(rewriter, load.getLoc(), cast.getType(), pointers,
                             load.getMask(), other, UnitAttr(), UnitAttr(),
                             load.getVectorWidthAttr()));
    rewriter.eraseOp(load);
    return success();
  }

private:
  /// Pointers to the other type. Where they come from is cast, so that they are
  /// found to be a block of a view as before.
  static Value castPointers(PatternRewriter &rewriter, Value pointers,
                            Type element) {
    Type pointer = PtrType::get(element.getContext(), element);
    Type type = pointer;
    if (auto tile = dyn_cast<RankedTensorType>(pointers.getType()))
      type = tile.clone(pointer);
    Operation *op = pointers.getDefiningOp();
    if (!isa_and_nonnull<AddPtrOp, DimensionMapOpInterface>(op))
      return PtrCastOp::create(rewriter, pointers.getLoc(), type, pointers);
    IRMapping mapping;
    mapping.map(op->getOperand(0),
                castPointers(rewriter, op->getOperand(0), element));
    Operation *clone = rewriter.clone(*op, mapping);
    clone->getResult(0).setType(type);
    return clone->getResult(0);
  }
};

struct Canonicalize
    : tilewright::tile::impl::TileCanonicalizeBase<Canonicalize> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (isa<TileDialect, scf::SCFDialect>(name.getDialect()))
        name.getCanonicalizationPatterns(owned, context);
    owned.add<FoldPattern, KnownTilePattern, TimesZeroPattern, IotaOfOnePattern,
              SumOfZerosPattern, CounterBelowEndPattern, LoadedBitsPattern>(
        context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // From above, so that what is used is simple before its users are.
    config.setUseTopDownTraversal();
    config.enableFolding(false);
    // Another round would only find less: no pass behind this one needs it.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
