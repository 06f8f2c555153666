//===- AsyncCopies.cpp - Copies that run ahead ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/AsyncCopy.h"
#include "Threads/BlockAddresses.h"
#include "Threads/Patterns.h"
#include "Threads/SharedAddresses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// Where the registers of a copy come from: a block of a view, or a pointer for
/// each.
class CopySources {
public:
  CopySources(OpBuilder &builder, ThreadIndex &thread, CopyAsyncOp op,
              CopyAsyncOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor,
              const LinearLayout &registers) {
    ViewType view = op.getViewType();
    if (!view) {
      pointers = adaptor.getSource();
      inside = adaptor.getInside();
      return;
    }
    block.emplace(builder, op.getLoc(), thread, view, adaptor.getSource(),
                  getSingleValues(adaptor.getOffsets()), registers);
  }

  Value getPointer(unsigned reg) {
    return block ? block->getPointer(reg) : pointers[reg];
  }
  /// Null for always.
  Value isInside(unsigned reg) {
    if (block)
      return block->isInside(reg);
    return inside.empty() ? Value() : inside[reg];
  }

private:
  std::optional<BlockAddresses> block;
  ValueRange pointers, inside;
};

struct CopyAsyncPattern : OpConversionPattern<CopyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedAccess description = describeSharedAccess(op);
    SharedLayout layout = op.getDest().getType().getLayout().getLayout();
    SharedAccessPlan plan = planSharedAccess(description, layout);
    ThreadIndex thread(rewriter, loc);
    CopySources sources(rewriter, thread, op, adaptor, description.registers);
    SharedAddresses dests(rewriter, loc, thread, adaptor.getDest().front(),
                          plan.addresses, layout, description.elementBytes);
    Value mask = thread.isCanonical(plan.idleLanes, plan.idleWarps);
    if (!adaptor.getMask().empty()) {
      Value given = adaptor.getMask().front();
      mask = mask ? arith::AndIOp::create(rewriter, loc, mask, given) : given;
    }
    unsigned bytes = plan.vectorElements * description.elementBytes;
    for (ArrayRef<unsigned> instruction : plan.instructions) {
      unsigned first = instruction.front();
      AsyncCopy::emit(rewriter, loc, dests.get(first),
                      sources.getPointer(first), bytes, sources.isInside(first),
                      mask);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCommitPattern : OpConversionPattern<AsyncCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AsyncCommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct AsyncWaitPattern : OpConversionPattern<AsyncWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AsyncWaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

} // namespace

void tonvvm::populateAsyncCopyPatterns(RewritePatternSet &patterns,
                                       const TypeConverter &converter) {
  patterns.add<CopyAsyncPattern, AsyncCommitPattern, AsyncWaitPattern>(
      converter, patterns.getContext());
}
