//===- FmaDot.cpp - Products by fused multiply-add --------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

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

/// A sum of a thread: its register, and its point in thread 0.
struct Sum {
  size_t reg;
  LinearLayout::Point point;
};

/// The sums by columns, down one and up the next. So an FMA has a row or a
/// column with the one before it, whose register a GPU need not read again: it
/// reads two registers a cycle, of an even and an odd number, where an FMA has
/// three. ptxas keeps this order.
SmallVector<Sum> getOrder(const LinearLayout &layout, size_t count) {
  SmallVector<Sum> order;
  for (size_t reg = 0; reg < count; ++reg)
    order.push_back(
        {reg, layout.apply({{"register", static_cast<int64_t>(reg)}})});
  llvm::sort(order, [](const Sum &one, const Sum &other) {
    return std::tuple(one.point[1], one.point[0], one.reg) <
           std::tuple(other.point[1], other.point[0], other.reg);
  });
  bool isDown = true;
  for (auto *first = order.begin(); first != order.end(); isDown = !isDown) {
    auto *last = std::find_if(first, order.end(), [&](const Sum &sum) {
      return sum.point[1] != first->point[1];
    });
    if (!isDown)
      std::reverse(first, last);
    first = last;
  }
  return order;
}

struct FmaDotPattern : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getEngineOrDefault() != Engine::Fma)
      return failure();
    SmallVector<Value> sums = multiplyEach(
        op, adaptor.getA(), adaptor.getB(), adaptor.getC(),
        [&](const auto &matrix) { return multiply(op, matrix, rewriter); });
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
    SmallVector<Sum> order = getOrder(layout, sums.size());
    // Along K in the outer loop: independent sums follow one another, and what
    // is read for one step is done with after it.
    auto steps = static_cast<int32_t>(op.getK());
    for (int32_t k = 0; k < steps; ++k)
      for (const auto &[reg, point] : order)
        sums[reg] =
            LLVM::FMAOp::create(builder, op.getLoc(), a.at({point[0], k}),
                                b.at({k, point[1]}), sums[reg]);
    return sums;
  }
};

} // namespace

void tonvvm::populateFmaDotPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter) {
  patterns.add<FmaDotPattern>(converter, patterns.getContext());
}
