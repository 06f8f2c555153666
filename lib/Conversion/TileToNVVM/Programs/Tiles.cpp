//===- Tiles.cpp - Making, renaming and repeating registers ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/RegisterValues.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"
#include "tilewright/Layout/Algebra/LayoutHalves.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

struct IotaPattern : OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(IotaOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LinearLayout &layout = getRegisterLayout(op.getType()).getLayout();
    Type type = cast<RankedTensorType>(op.getType()).getElementType();
    ThreadIndex thread(rewriter, loc);
    ThreadCoordinate coordinate = thread.getCoordinate(layout, 0);
    SmallVector<Value> registers;
    for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg) {
      Value point =
          coordinate.get(rewriter, loc, layout.apply({{"register", reg}})[0]);
      if (type.isIndex())
        point = arith::IndexCastUIOp::create(rewriter, loc, type, point);
      else if (type.getIntOrFloatBitWidth() > 32)
        point = arith::ExtUIOp::create(rewriter, loc, type, point);
      else if (type.getIntOrFloatBitWidth() < 32)
        point = arith::TruncIOp::create(rewriter, loc, type, point);
      if (op.getStart() != 0) {
        Value start = arith::ConstantOp::create(
            rewriter, loc,
            rewriter.getIntegerAttr(type, static_cast<int64_t>(op.getStart())));
        point = arith::AddIOp::create(rewriter, loc, point, start);
      }
      registers.push_back(point);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct SplatPattern : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t numRegisters = getRegisterLayout(op.getType()).getNumRegisters();
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(numRegisters, adaptor.getSource().front())});
    return success();
  }
};

struct BroadcastPattern : OpConversionPattern<BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto map = mapRepeated(op.getSource().getType(), op.getType());
    if (!map)
      return op.emitOpError("a thread lacks elements that it repeats");
    rewriter.replaceOpWithMultiple(op,
                                   {takeRegisters(adaptor.getSource(), *map)});
    return success();
  }
};

struct SplitPattern : OpConversionPattern<SplitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SplitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LayoutHalves halves = getHalves(op, op.getSource().getType());
    SmallVector<SmallVector<Value>> values = {
        takeRegisters(adaptor.getSource(), halves.lower),
        takeRegisters(adaptor.getSource(), halves.upper)};
    rewriter.replaceOpWithMultiple(op, std::move(values));
    return success();
  }

  template <typename Op> static LayoutHalves getHalves(Op op, Type whole) {
    // Verified.
    return *halveLayout(getRegisterLayout(whole).getLayout(), op.getAxis(),
                        op.getStride());
  }
};

struct JoinPattern : OpConversionPattern<JoinOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(JoinOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LayoutHalves halves = SplitPattern::getHalves(op, op.getType());
    SmallVector<Value> registers(halves.lower.size() + halves.upper.size());
    for (auto [reg, value] : llvm::zip_equal(halves.lower, adaptor.getLower()))
      registers[reg] = value;
    for (auto [reg, value] : llvm::zip_equal(halves.upper, adaptor.getUpper()))
      registers[reg] = value;
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Takes both halves of a word at once, where the target can.
template <typename Op, typename Extreme>
struct PairPattern : OpConversionPattern<Op> {
  /// Before the pattern of all that goes element by element.
  PairPattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}
  using Adaptor = typename Op::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type word = rewriter.getI32Type();
    Type pair = VectorType::get(2, rewriter.getIntegerType(16));
    SmallVector<Value> registers;
    for (auto [lhs, rhs] :
         llvm::zip_equal(adaptor.getLhs(), adaptor.getRhs())) {
      Value extreme = Extreme::create(
          rewriter, loc, LLVM::BitcastOp::create(rewriter, loc, pair, lhs),
          LLVM::BitcastOp::create(rewriter, loc, pair, rhs));
      registers.push_back(
          LLVM::BitcastOp::create(rewriter, loc, word, extreme));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

} // namespace

void tonvvm::populateTilePatterns(RewritePatternSet &patterns,
                                  const TypeConverter &converter) {
  patterns.add<IotaPattern, SplatPattern, RenamePattern<TransOp>,
               RenamePattern<ReshapeOp>, RenamePattern<ExpandDimsOp>,
               RenamePattern<AnyOrderOp>, PairPattern<PairMinOp, LLVM::SMinOp>,
               PairPattern<PairMaxOp, LLVM::SMaxOp>, BroadcastPattern,
               SplitPattern, JoinPattern>(converter, patterns.getContext());
}
