//===- BulkCopies.cpp - Boxes of views, copied by the hardware ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "SharedAddresses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Shared/TensorBoxes.h"
#include "tilewright/Spec/TensorMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// A coordinate of a box, 32 bits with a sign: where it does not fit, the box
/// is outside of any view all the same.
static Value toCoordinate(OpBuilder &builder, Location loc, Value offset) {
  auto limit = [&](int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  // Far enough from the ends of 32 bits for what later boxes of a tile add.
  constexpr int64_t most = int64_t(1) << 30;
  offset = arith::MinSIOp::create(builder, loc, offset,
                                  limit(spec::TensorMap::maxExtent));
  offset = arith::MaxSIOp::create(builder, loc, offset, limit(-most));
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), offset);
}

namespace {

struct TensorMapPattern : OpConversionPattern<TensorMapOp> {
  TensorMapPattern(const TypeConverter &converter, MLIRContext *mlirContext,
                   const LoweringContext &context)
      : OpConversionPattern(converter, mlirContext), context(context) {}

  LogicalResult
  matchAndRewrite(TensorMapOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    if (!function)
      return rewriter.notifyMatchFailure(op, "its kernel is no function yet");
    unsigned number = context.tensorMaps.lookup(op);
    unsigned first = function.getNumArguments() -
                     context.numTensorMaps.lookup(function.getSymNameAttr());
    rewriter.replaceOp(op, function.getArgument(first + number));
    return success();
  }

  const LoweringContext &context;
};

struct CopyTmaPattern : OpConversionPattern<CopyTmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyTmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarrier())
      return op.emitOpError("has no mbarrier to arrive at: run "
                            "tile-lower-mbarriers first");
    Location loc = op.getLoc();
    SharedType tile = op.getDest().getType();
    unsigned bytes = getElementBytes(tile.getElementType());
    TensorBoxes boxes = *TensorBoxes::of(tile.getLayout().getLayout(), bytes);
    SmallVector<Value> starts =
        llvm::map_to_vector(adaptor.getOffsets(), [&](Value offset) {
          return toCoordinate(rewriter, loc, offset);
        });
    SmallVector<unsigned> order =
        TensorBoxes::getOrder(starts.size(), boxes.rowDim);
    for (const TensorBoxes::Box &box : boxes.boxes) {
      SmallVector<Value> operands = {
          addBytes(rewriter, loc, adaptor.getDest(), box.byte),
          adaptor.getMap(), adaptor.getBarrier()};
      for (unsigned dim : order)
        operands.push_back(arith::AddIOp::create(
            rewriter, loc, starts[dim],
            arith::ConstantIntOp::create(rewriter, loc, box.start[dim], 32)));
      copyBox(rewriter, loc, operands);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Of where to, the map, the mbarrier, and the coordinates.
  static void copyBox(OpBuilder &builder, Location loc, ValueRange operands) {
    size_t rank = operands.size() - 3;
    std::string constraints = "r,l,r";
    for (size_t dim = 0; dim < rank; ++dim)
      constraints += ",r";
    // Of a vector of one PTX wants the braces, too.
    std::string coordinates = listOperands(3, rank);
    if (rank == 1)
      coordinates = "{" + coordinates + "}";
    emitPtx(builder, loc, nullptr, operands,
            llvm::formatv("cp.async.bulk.tensor.{0}d.shared::cluster.global."
                          "tile.mbarrier::complete_tx::bytes [$0], [$1, {1}], "
                          "[$2];",
                          rank, coordinates)
                .str(),
            constraints + ",~{memory}");
  }
};

} // namespace

void tonvvm::populateBulkCopyPatterns(RewritePatternSet &patterns,
                                      const TypeConverter &converter,
                                      const LoweringContext &context) {
  patterns.add<TensorMapPattern>(converter, patterns.getContext(), context);
  patterns.add<CopyTmaPattern>(converter, patterns.getContext());
}
