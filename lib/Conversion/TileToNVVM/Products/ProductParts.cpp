//===- ProductParts.cpp - Blocks that sum parts of products ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/Clusters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

} // namespace

void tonvvm::populateProductPartPatterns(RewritePatternSet &patterns,
                                         const TypeConverter &converter) {
  patterns
      .add<PartIdPattern, PartBarrierPattern, RenamePattern<RenameRegistersOp>>(
          converter, patterns.getContext());
}
