//===- Mbarriers.cpp - Waits and arrivals of hand-overs -------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Clusters.h"
#include "Threads/Patterns.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

static constexpr int64_t kMbarrierBytes = 8;

/// The address of one of a slot's pair.
static Value getBarrierOfSlot(OpBuilder &builder, Location loc, Value pair,
                              SlotBarrier which) {
  return addBytes(builder, loc, pair,
                  static_cast<int64_t>(which) * kMbarrierBytes);
}

namespace {

struct MbarrierInitPattern : OpConversionPattern<MbarrierInitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MbarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedType type = op.getBarriers().getType();
    // One branch, which the next channel's joins: ptxas makes a branch of each
    // condition, with a fence.
    Value isFirst = ThreadIndex(rewriter, loc).isFirst();
    scf::IfOp::create(rewriter, loc, isFirst, [&](OpBuilder &, Location) {
      for (int64_t slot = 0; slot < type.getNumStages(); ++slot) {
        Value pair = addBytes(rewriter, loc, adaptor.getBarriers(),
                              slot * type.getStageStride());
        init(rewriter, loc,
             getBarrierOfSlot(rewriter, loc, pair, SlotBarrier::Full), 1);
        init(rewriter, loc,
             getBarrierOfSlot(rewriter, loc, pair, SlotBarrier::Empty),
             int64_t(op.getReaders()));
      }
      // The units that copy do not go the way of threads.
      emitPtx(rewriter, loc, nullptr, {},
              "fence.mbarrier_init.release.cluster;", "~{memory}");
      scf::YieldOp::create(rewriter, loc);
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void init(OpBuilder &builder, Location loc, Value address,
                   int64_t count) {
    emitPtx(
        builder, loc, nullptr, address,
        llvm::formatv("mbarrier.init.shared::cta.b64 [$0], {0};", count).str(),
        "r,~{memory}");
  }
};

struct MbarrierWaitPattern : OpConversionPattern<MbarrierWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MbarrierWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value parity = arith::ExtUIOp::create(rewriter, loc, rewriter.getI32Type(),
                                          adaptor.getParity());
    emitPtx(
        rewriter, loc, nullptr,
        {getBarrierOfSlot(rewriter, loc, adaptor.getBarrier(), op.getWhich()),
         parity},
        "{\n.reg .pred done;\n"
        "WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
        "@!done bra WAIT;\n}",
        "r,r,~{memory}");
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierArrivePattern : OpConversionPattern<MbarrierArriveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MbarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value condition = adaptor.getCondition();
    if (op.getOfCluster()) {
      arriveInCluster(rewriter, op, adaptor, condition);
      rewriter.eraseOp(op);
      return success();
    }
    if (op.getEachWarp()) {
      // What all lanes have read is read when one of them says so.
      syncWarp(rewriter, loc);
      Value isFirst = ThreadIndex(rewriter, loc).isFirstOfWarp();
      condition = condition
                      ? arith::AndIOp::create(rewriter, loc, condition, isFirst)
                      : isFirst;
    }
    Value address =
        getBarrierOfSlot(rewriter, loc, adaptor.getBarrier(), op.getWhich());
    std::string text = "mbarrier.arrive.shared::cta.b64 _, [$0];";
    if (std::optional<int64_t> bytes = op.getBytes())
      text = llvm::formatv(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {0};", *bytes);
    SmallVector<Value> operands = {address};
    std::string constraints = "r";
    if (Value less = adaptor.getLess()) {
      Value all =
          arith::ConstantIntOp::create(rewriter, loc, *op.getBytes(), 32);
      text = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;";
      operands.push_back(arith::SubIOp::create(rewriter, loc, all, less));
      constraints += ",r";
    }
    if (condition) {
      text = "@$1 " + text;
      operands.push_back(condition);
      constraints += ",b";
    }
    emitPtx(rewriter, loc, nullptr, operands, text, constraints + ",~{memory}");
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// A lane of the warp for each block.
  static void arriveInCluster(OpBuilder &builder, MbarrierArriveOp op,
                              OpAdaptor adaptor, Value condition) {
    Location loc = op.getLoc();
    syncWarp(builder, loc);
    auto constant = [&](int64_t number) {
      return arith::ConstantIntOp::create(builder, loc, number, 32);
    };
    Value lane = ThreadIndex(builder, loc).getLane();
    int32_t blocks = countBlocksOfCluster(op);
    Value arrives = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, lane, constant(blocks));
    Value block =
        arith::AndIOp::create(builder, loc, lane, constant(blocks - 1));
    if (condition)
      arrives = arith::AndIOp::create(builder, loc, arrives, condition);
    Value address =
        getBarrierOfSlot(builder, loc, adaptor.getBarrier(), op.getWhich());
    // Without .cluster, which would be a fence for global memory.
    emitPtx(builder, loc, nullptr,
            {arrives, mapToBlock(builder, loc, address, block)},
            "@$0 mbarrier.arrive.shared::cluster.b64 _, [$1];",
            "b,r,~{memory}");
  }
};

} // namespace

void tonvvm::populateMbarrierPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter) {
  patterns.add<MbarrierInitPattern, MbarrierWaitPattern, MbarrierArrivePattern>(
      converter, patterns.getContext());
}
