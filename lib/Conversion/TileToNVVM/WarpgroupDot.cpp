//===- WarpgroupDot.cpp - Products that read shared tiles -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Addresses of shared memory have 18 bits.
static constexpr int64_t kSharedAddresses = 1 << 18;

namespace {

/// The matrix descriptors of one operand.
class Descriptors {
public:
  Descriptors(OpBuilder &builder, WarpgroupDotOp op, unsigned operand,
              Value tile)
      : builder(builder), loc(op.getLoc()), operand(operand),
        kDim(op.getSummedDim(operand)), read(op.describe(operand)) {
    const LinearLayout &sums =
        getRegisterLayout(op.getResult().getType()).getLayout();
    Value address =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), tile);
    address =
        arith::AddIOp::create(builder, loc, address, getPartOfWarpgroup(sums));
    // 14 bits of a descriptor, in units of 16 bytes.
    Value start = arith::ShRUIOp::create(builder, loc, address, i32(4));
    start = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), start);
    base = arith::OrIOp::create(
        builder, loc, start, i64(static_cast<int64_t>(read.getDescriptor())));
  }

  /// Of the part that begins at step `k` of the dimension that is summed over
  /// and at `other` of the other one.
  Value get(int64_t k, int64_t other) {
    int64_t start = read.getStartBytes(makePoint(k, other));
    return arith::AddIOp::create(builder, loc, base, i64(start / 16));
  }

  NVVM::MMALayout getLayout() const {
    bool isRow = (operand == 0) != read.isTransposed();
    return isRow ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  }

private:
  Value i32(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  SmallVector<int32_t, 2> makePoint(int64_t k, int64_t other) const {
    SmallVector<int32_t, 2> point(2);
    point[kDim] = static_cast<int32_t>(k);
    point[1 - kDim] = static_cast<int32_t>(other);
    return point;
  }

  /// Where the rows (of operand 0) or columns of a thread's warpgroup begin, in
  /// bytes. The first row of the mode has no XOR, nor any 8 rows on: parts add
  /// up.
  Value getPartOfWarpgroup(const LinearLayout &sums) {
    LinearLayout::Input warps{"warp", {}};
    for (auto [bit, basis] : llvm::enumerate(sums.bases("warp"))) {
      bool isInside = bit < llvm::Log2_32(WarpgroupMma::warps);
      int64_t bytes =
          isInside ? 0 : read.getStartBytes(makePoint(0, basis[operand]));
      warps.bases.push_back({static_cast<int32_t>(bytes)});
    }
    auto toBytes =
        llvm::cantFail(LinearLayout::create({warps}, {kSharedAddresses}));
    return ThreadIndex(builder, loc).getCoordinate(toBytes, 0).getThreadPart();
  }

  OpBuilder &builder;
  Location loc;
  unsigned operand, kDim;
  WarpgroupOperand read;
  Value base;
};

/// What NVVM calls the type of operands.
NVVM::WGMMATypes getOperandType(Type element) {
  return llvm::TypeSwitch<Type, NVVM::WGMMATypes>(element)
      .Case([](Float16Type) { return NVVM::WGMMATypes::f16; })
      .Case([](BFloat16Type) { return NVVM::WGMMATypes::bf16; })
      .Case([](Float32Type) { return NVVM::WGMMATypes::tf32; })
      .Case([](IntegerType) { return NVVM::WGMMATypes::s8; })
      .Default([](Type) -> NVVM::WGMMATypes {
        llvm::reportFatalInternalError("wgmma has no such type");
      });
}

/// An instruction that the sums stand before and after, in the same registers.
SmallVector<Value> passThrough(OpBuilder &builder, Location loc,
                               ArrayRef<Value> sums, StringRef instruction) {
  Type type = sums.front().getType();
  std::string constraints;
  for (size_t index = 0; index < sums.size(); ++index)
    constraints += type.isF32() ? "=f," : "=r,";
  for (size_t index = 0; index < sums.size(); ++index)
    constraints += std::to_string(index) + ",";
  constraints.pop_back();
  Value passed = emitPtx(builder, loc, getResultType(type, sums.size()), sums,
                         instruction, constraints);
  return unpackResults(builder, loc, passed, sums.size());
}

/// LLVM sees no other reason to use the sums after the wait.
SmallVector<Value> waitForProducts(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> sums) {
  return passThrough(builder, loc, sums, "wgmma.wait_group.sync.aligned 0;");
}

struct WarpgroupDotPattern : OpConversionPattern<WarpgroupDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupDotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LinearLayout &layout =
        getRegisterLayout(op.getResult().getType()).getLayout();
    int64_t n = getInstructionN(layout);
    auto registersEach = static_cast<unsigned>(n / 2);
    Descriptors a(rewriter, op, 0, adaptor.getA().front());
    Descriptors b(rewriter, op, 1, adaptor.getB().front());
    // LLVM would copy sums that are constants, or used later, behind the fence.
    SmallVector<Value> fenced = fence(rewriter, op, adaptor.getC());
    SmallVector<Value> parts = pack(rewriter, loc, fenced, registersEach);
    int64_t step = WarpgroupMma::kBytes /
                   getElementBytes(op.getA().getType().getElementType());
    // Along K in the outer loop: independent sums follow one another.
    for (int64_t k = 0; k < op.getK(); k += step)
      for (auto [index, part] : llvm::enumerate(parts)) {
        LinearLayout::Point point = layout.apply(
            {{"register", static_cast<int64_t>(index) * registersEach}});
        part = multiply(rewriter, op, n, step, part, a, b, k, point);
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    SmallVector<Value> sums;
    for (Value part : parts)
      llvm::append_range(sums,
                         unpackResults(rewriter, loc, part, registersEach));
    if (!op.getAsync())
      sums = waitForProducts(rewriter, loc, sums);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// Orders what was done with the registers of the sums. Those that a loop
  /// carries may be under way: nothing may touch them.
  static SmallVector<Value> fence(OpBuilder &builder, WarpgroupDotOp op,
                                  ValueRange sums) {
    const char *instruction = "wgmma.fence.sync.aligned;";
    auto before = op.getC().getDefiningOp<WarpgroupDotOp>();
    bool isUnderWay = op.getAsync() && (isa<BlockArgument>(op.getC()) ||
                                        (before && before.getAsync()));
    if (!isUnderWay)
      return passThrough(builder, op.getLoc(), llvm::to_vector(sums),
                         instruction);
    NVVM::WgmmaFenceAlignedOp::create(builder, op.getLoc());
    return llvm::to_vector(sums);
  }

  /// The registers of each instruction as a value.
  static SmallVector<Value> pack(OpBuilder &builder, Location loc,
                                 ValueRange registers, unsigned each) {
    SmallVector<Value> parts;
    for (unsigned first = 0; first < registers.size(); first += each) {
      Value part = LLVM::UndefOp::create(
          builder, loc, getResultType(registers.front().getType(), each));
      for (auto [index, value] : llvm::enumerate(registers.slice(first, each)))
        part = LLVM::InsertValueOp::create(builder, loc, part, value, index);
      parts.push_back(part);
    }
    return parts;
  }

  static Value multiply(OpBuilder &builder, WarpgroupDotOp op, int64_t n,
                        int64_t kStep, Value sums, Descriptors &a,
                        Descriptors &b, int64_t k,
                        const LinearLayout::Point &point) {
    MLIRContext *context = op.getContext();
    bool isInteger = op.getA().getType().getElementType().isInteger();
    auto operand = NVVM::WGMMATypesAttr::get(
        context, getOperandType(op.getA().getType().getElementType()));
    auto result = NVVM::WGMMATypesAttr::get(
        context, isInteger ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
    auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto shape = NVVM::MMAShapeAttr::get(context, WarpgroupMma::m, n, kStep);
    return NVVM::WgmmaMmaAsyncOp::create(
        builder, op.getLoc(), sums.getType(), sums, a.get(k, point[0]),
        b.get(k, point[1]), shape, operand, operand, result,
        NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one), plus,
        plus, NVVM::MMALayoutAttr::get(context, a.getLayout()),
        NVVM::MMALayoutAttr::get(context, b.getLayout()),
        NVVM::MMAIntOverflowAttr());
  }
};

struct DotWaitPattern : OpConversionPattern<DotWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DotWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSums().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(op,
                                                              op.getPending());
      return success();
    }
    SmallVector<SmallVector<Value>> results;
    for (ValueRange sums : adaptor.getSums())
      results.push_back(
          waitForProducts(rewriter, op.getLoc(), llvm::to_vector(sums)));
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

} // namespace

void tonvvm::populateWarpgroupDotPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter) {
  patterns.add<WarpgroupDotPattern, DotWaitPattern>(converter,
                                                    patterns.getContext());
}
