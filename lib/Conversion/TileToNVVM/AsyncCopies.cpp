//===- AsyncCopies.cpp - Copies that run ahead ----------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAddresses.h"
#include "Patterns.h"
#include "SharedAddresses.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

void tonvvm::copyAsync(OpBuilder &builder, Location loc, Value dest,
                       Value source, unsigned bytes, Value inside, Value mask) {
  // Not the predicate that cp.async can take instead: fewer instructions, and
  // up to 5 % slower (docs/decisions/0003-gemm.md).
  Value count = arith::ConstantIntOp::create(builder, loc, bytes, 32);
  if (inside) {
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
    count = arith::SelectOp::create(builder, loc, inside, count, none);
  }
  // Whole 16-byte pieces pass by the first-level cache, which has no use of
  // them.
  std::string text = llvm::formatv(
      "{0}cp.async.{1}.shared.global [$0], [$1], {2}, $2;", mask ? "@$3 " : "",
      bytes == kMaxVectorBytes ? "cg" : "ca", bytes);
  SmallVector<Value> operands = {dest, source, count};
  std::string constraints = "r,l,r";
  if (mask) {
    operands.push_back(mask);
    constraints += ",b";
  }
  emitPtx(builder, loc, nullptr, operands, text, constraints + ",~{memory}");
}

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
    SmallVector<Value> starts = llvm::map_to_vector(
        adaptor.getOffsets(), [](ValueRange range) { return range.front(); });
    block.emplace(builder, op.getLoc(), thread, view, adaptor.getSource(),
                  starts, registers);
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
      copyAsync(rewriter, loc, dests.get(first), sources.getPointer(first),
                bytes, sources.isInside(first), mask);
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
