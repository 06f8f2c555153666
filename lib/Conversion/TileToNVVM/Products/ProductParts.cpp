//===- ProductParts.cpp - Blocks that sum parts of products ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/Clusters.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

struct PartIdPattern : OpConversionPattern<PartIdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PartIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(
        op, op.getType(), getBlockInCluster(rewriter, op.getLoc()));
    return success();
  }
};

/// Of threads that are over, which only copy, nobody expects to arrive.
struct PartBarrierPattern : OpConversionPattern<PartBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PartBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    waitForCluster(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Threads take 16 bytes each, and blocks as many as they have threads, in
/// turn. Nobody else reads or writes what a thread does of any of the tiles, so
/// that a sum may take the place of the first block's elements.
struct AddPartsPattern : OpConversionPattern<AddPartsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AddPartsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int32_t parts = countBlocksOfCluster(op);
    SharedType tile = op.getTile().getType();
    auto bytes = static_cast<int32_t>(tile.getSizeInBytes());
    auto bytesOfBlock =
        static_cast<int32_t>(op.getWarps() * lanesPerWarp * maxBytesPerLane);
    int32_t bytesOfTurn = parts * bytesOfBlock;
    Value begin = getPlace(builder, bytesOfBlock);
    Value base = addBytes(builder, builder.getLoc(), adaptor.getTile(), begin);
    SmallVector<Value> tiles;
    for (int32_t part = 0; part < parts; ++part)
      tiles.push_back(
          mapToBlock(builder, builder.getLoc(), base, constant(builder, part)));
    for (int32_t turn = 0; turn < bytes; turn += bytesOfTurn) {
      Value isInside;
      if (turn + bytesOfTurn > bytes)
        isInside =
            arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, begin,
                                  constant(builder, bytes - turn));
      addUp(builder, tiles, tile.getElementType(), turn, isInside);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value constant(ImplicitLocOpBuilder &builder, int32_t number) {
    return arith::ConstantIntOp::create(builder, number, 32);
  }

  /// Of this thread's first bytes.
  static Value getPlace(ImplicitLocOpBuilder &builder, int32_t bytesOfBlock) {
    ThreadIndex thread(builder, builder.getLoc());
    Value number = arith::AddIOp::create(
        builder,
        arith::MulIOp::create(builder, thread.getWarp(),
                              constant(builder, lanesPerWarp)),
        thread.getLane());
    return arith::AddIOp::create(
        builder,
        arith::MulIOp::create(builder,
                              getBlockInCluster(builder, builder.getLoc()),
                              constant(builder, bytesOfBlock)),
        arith::MulIOp::create(builder, number,
                              constant(builder, maxBytesPerLane)));
  }

  static void addUp(ImplicitLocOpBuilder &builder, ArrayRef<Value> tiles,
                    Type element, int32_t offset, Value isInside) {
    unsigned count = maxBytesPerLane / getElementBytes(element);
    auto getPointer = [&](Value base) {
      return addBytes(builder, builder.getLoc(), base, offset);
    };
    auto parts = llvm::map_to_vector(tiles, [&](Value base) {
      return loadVector(builder, builder.getLoc(), getPointer(base), element,
                        count, isInside);
    });
    SmallVector<Value> sums = parts.front();
    for (ArrayRef<Value> part : ArrayRef(parts).drop_front())
      for (auto [sum, value] : llvm::zip_equal(sums, part))
        sum = isa<FloatType>(element)
                  ? Value(arith::AddFOp::create(builder, sum, value))
                  : Value(arith::AddIOp::create(builder, sum, value));
    storeVector(builder, builder.getLoc(), getPointer(tiles.front()), sums,
                isInside);
  }
};

} // namespace

void tonvvm::populateProductPartPatterns(RewritePatternSet &patterns,
                                         const TypeConverter &converter) {
  patterns.add<PartIdPattern, PartBarrierPattern, AddPartsPattern,
               RenamePattern<RenameRegistersOp>>(converter,
                                                 patterns.getContext());
}
