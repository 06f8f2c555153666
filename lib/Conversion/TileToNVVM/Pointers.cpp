//===- Pointers.cpp - Arithmetic and casts of pointers --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

struct AddPtrPattern : OpConversionPattern<AddPtrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AddPtrOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointee =
        cast<PtrType>(getElementTypeOrSelf(op.getType())).getElementType();
    Type elementType = rewriter.getIntegerType(8 * getElementBytes(pointee));
    SmallVector<Value> pointers;
    for (auto [pointer, offset] :
         llvm::zip_equal(adaptor.getPtr(), adaptor.getOffset())) {
      Value wide = offset;
      Type i64 = rewriter.getI64Type();
      if (offset.getType().isIndex())
        wide = arith::IndexCastOp::create(rewriter, loc, i64, offset);
      else if (offset.getType().getIntOrFloatBitWidth() < 64)
        wide = arith::ExtSIOp::create(rewriter, loc, i64, offset);
      pointers.push_back(LLVM::GEPOp::create(rewriter, loc, pointer.getType(),
                                             elementType, pointer,
                                             ArrayRef<LLVM::GEPArg>{wide}));
    }
    rewriter.replaceOpWithMultiple(op, {pointers});
    return success();
  }
};

/// An address is 64 bits, whatever it is of.
template <typename Op, typename LLVMOp>
struct CastPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getType()));
    SmallVector<Value> values =
        llvm::map_to_vector(adaptor.getSource(), [&](Value value) -> Value {
          return LLVMOp::create(rewriter, op.getLoc(), type, value);
        });
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Pointers of the lowered program do not say to what.
struct PtrCastPattern : OpConversionPattern<PtrCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(PtrCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return success();
  }
};

} // namespace

void tonvvm::populatePointerPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter) {
  patterns.add<AddPtrPattern, PtrCastPattern,
               CastPattern<PtrToIntOp, LLVM::PtrToIntOp>,
               CastPattern<IntToPtrOp, LLVM::IntToPtrOp>>(
      converter, patterns.getContext());
}
