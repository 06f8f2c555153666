//===- ClusterPrograms.cpp - Blocks that run neighbours -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/Clusters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Dialect/Tile/IR/ClusterPrograms.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

struct PlaceInClusterPattern : ContextPattern<PlaceInClusterOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(PlaceInClusterOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->getParentOfType<LLVM::LLVMFuncOp>())
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(
        op, op.getType(),
        getPlaceInCluster(rewriter, op.getLoc(),
                          context.getLaunchedPrograms(op), op.getAxis()));
    return success();
  }
};

struct ClusterBarrierPattern : OpConversionPattern<ClusterBarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ClusterBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    waitForCluster(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateClusterPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<PlaceInClusterPattern>(converter, patterns.getContext(),
                                      context);
  patterns.add<ClusterBarrierPattern>(converter, patterns.getContext());
}
