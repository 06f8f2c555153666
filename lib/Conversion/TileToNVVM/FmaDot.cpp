//===- FmaDot.cpp - Products by fused multiply-add --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// An operand's registers, by their points in thread 0.
std::map<LinearLayout::Point, Value> getPoints(ValueRange registers,
                                               RankedTensorType tile) {
  const LinearLayout &layout = getRegisterLayout(tile).getLayout();
  std::map<LinearLayout::Point, Value> points;
  for (auto [reg, value] : llvm::enumerate(registers))
    points[layout.apply({{"register", static_cast<int64_t>(reg)}})] = value;
  return points;
}

struct FmaDotPattern : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getEngineOrDefault() != Engine::Fma)
      return failure();
    SmallVector<Value> sums;
    for (const MatrixRegisters &matrix :
         splitMatrices(op, adaptor.getA(), adaptor.getB(), adaptor.getC()))
      llvm::append_range(sums, multiply(op, matrix, rewriter));
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  static SmallVector<Value> multiply(DotOp op, const MatrixRegisters &matrix,
                                     OpBuilder &builder) {
    auto a = getPoints(matrix.a, op.getMatrixType(0));
    auto b = getPoints(matrix.b, op.getMatrixType(1));
    const LinearLayout &layout =
        getRegisterLayout(op.getMatrixType(2)).getLayout();
    SmallVector<Value> sums = llvm::to_vector(matrix.c);
    // Along K in the outer loop: independent sums follow one another, and what
    // is read for one step is done with after it.
    auto steps = static_cast<int32_t>(op.getK());
    for (int32_t k = 0; k < steps; ++k)
      for (auto [reg, sum] : llvm::enumerate(sums)) {
        LinearLayout::Point point =
            layout.apply({{"register", static_cast<int64_t>(reg)}});
        sum = LLVM::FMAOp::create(builder, op.getLoc(), a.at({point[0], k}),
                                  b.at({k, point[1]}), sum);
      }
    return sums;
  }
};

} // namespace

void tonvvm::populateFmaDotPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter) {
  patterns.add<FmaDotPattern>(converter, patterns.getContext());
}
