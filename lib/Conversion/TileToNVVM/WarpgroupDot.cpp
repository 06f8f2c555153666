//===- WarpgroupDot.cpp - Products that read shared tiles -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "MmaFragments.h"
#include "ThreadIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

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

/// An instruction that values stand before and after, in the same registers.
SmallVector<Value> passThrough(OpBuilder &builder, Location loc,
                               ArrayRef<Value> values, StringRef instruction) {
  std::string constraints;
  for (Value value : values)
    constraints += value.getType().isF32() ? "=f," : "=r,";
  for (size_t index = 0; index < values.size(); ++index)
    constraints += std::to_string(index) + ",";
  constraints.pop_back();
  Type result = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), llvm::to_vector(ValueRange(values).getTypes()));
  Value passed =
      emitPtx(builder, loc, result, values, instruction, constraints);
  return unpackResults(builder, loc, passed, values.size());
}

/// LLVM sees no other reason to use the sums after the wait.
SmallVector<Value> waitForProducts(OpBuilder &builder, Location loc,
                                   ArrayRef<Value> sums) {
  return passThrough(builder, loc, sums, "wgmma.wait_group.sync.aligned 0;");
}

/// Makes the instructions of a product.
class Multiplier {
public:
  Multiplier(OpBuilder &builder, WarpgroupDotOp op, int64_t n, int64_t kStep,
             Value a, Value b)
      : builder(builder), loc(op.getLoc()), n(n), kStep(kStep),
        element(op.getOperandType()), right(builder, op, 1, b) {
    if (!op.isAInRegisters())
      left.emplace(builder, op, 0, a);
  }

  /// sums + a * b, of the parts that begin at `k` and at `point` of the sums.
  Value multiply(Value sums, int64_t k, const LinearLayout::Point &point) {
    MLIRContext *context = builder.getContext();
    auto operand = NVVM::WGMMATypesAttr::get(context, getOperandType(element));
    auto result = NVVM::WGMMATypesAttr::get(
        context,
        element.isInteger() ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
    auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
    auto shape = NVVM::MMAShapeAttr::get(context, WarpgroupMma::m, n, kStep);
    return NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, sums.getType(), sums, left->get(k, point[0]),
        right.get(k, point[1]), shape, operand, operand, result,
        NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one), plus,
        plus, NVVM::MMALayoutAttr::get(context, left->getLayout()),
        NVVM::MMALayoutAttr::get(context, right.getLayout()),
        NVVM::MMAIntOverflowAttr());
  }

  /// The same with `words` of A, for which NVVM has no op.
  Value multiply(Value sums, ArrayRef<Value> words, int64_t k,
                 const LinearLayout::Point &point) {
    auto type = cast<LLVM::LLVMStructType>(sums.getType());
    auto count = static_cast<unsigned>(type.getBody().size());
    SmallVector<Value> operands = unpackResults(builder, loc, sums, count);
    llvm::append_range(operands, words);
    operands.push_back(right.get(k, point[1]));
    std::string constraints;
    for (unsigned index = 0; index < count; ++index)
      constraints += element.isInteger() ? "=r," : "=f,";
    for (unsigned index = 0; index < count; ++index)
      constraints += std::to_string(index) + ",";
    constraints += "r,r,r,r,l";
    return emitPtx(builder, loc, type, operands, getText(count), constraints);
  }

private:
  /// Of count sums, which are given and taken, four words and a descriptor.
  std::string getText(unsigned count) const {
    StringRef name = NVVM::stringifyWGMMATypes(getOperandType(element));
    StringRef sum = element.isInteger() ? "s32" : "f32";
    std::string scales = element.isInteger() ? "" : ", 1, 1";
    if (getElementBytes(element) == 2)
      scales += right.getLayout() == NVVM::MMALayout::row ? ", 1" : ", 0";
    return llvm::formatv("{{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
                         "wgmma.mma_async.sync.aligned.m{0}n{1}k{2}.{3}.{4}.{4}"
                         " {5}, {6}, ${7}, p{8};\n}",
                         WarpgroupMma::m, n, kStep, sum, name,
                         listOperands(0, count),
                         listOperands(2 * count, MmaShape::wordsOfA),
                         2 * count + MmaShape::wordsOfA, scales);
  }

  OpBuilder &builder;
  Location loc;
  int64_t n, kStep;
  Type element;
  std::optional<Descriptors> left;
  Descriptors right;
};

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
    int64_t step = WarpgroupMma::kBytes / getElementBytes(op.getOperandType());
    Multiplier multiplier(rewriter, op, n, step, adaptor.getA().front(),
                          adaptor.getB().front());
    std::optional<MmaFragments> left;
    if (op.isAInRegisters())
      left.emplace(rewriter, loc, adaptor.getA(),
                   cast<RankedTensorType>(op.getA().getType()), /*operand=*/0,
                   /*isA=*/true);
    // LLVM would copy sums that are constants, or used later, behind the fence.
    SmallVector<Value> fenced = fence(rewriter, op, adaptor.getC(), left);
    SmallVector<Value> parts = pack(rewriter, loc, fenced, registersEach);
    // Along K in the outer loop: independent sums follow one another.
    for (int64_t k = 0; k < op.getK(); k += step)
      for (auto [index, part] : llvm::enumerate(parts)) {
        LinearLayout::Point point = layout.apply(
            {{"register", static_cast<int64_t>(index) * registersEach}});
        part = left ? multiplier.multiply(part, left->at(point[0], k), k, point)
                    : multiplier.multiply(part, k, point);
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
  /// Orders what was done with the registers of the sums and of A. Sums that a
  /// loop carries may be under way: nothing may touch them.
  static SmallVector<Value> fence(OpBuilder &builder, WarpgroupDotOp op,
                                  ValueRange sums,
                                  std::optional<MmaFragments> &left) {
    auto before = op.getC().getDefiningOp<WarpgroupDotOp>();
    bool isUnderWay = op.getAsync() && (isa<BlockArgument>(op.getC()) ||
                                        (before && before.getAsync()));
    if (isUnderWay) {
      NVVM::WgmmaFenceAlignedOp::create(builder, op.getLoc());
      return llvm::to_vector(sums);
    }
    SmallVector<Value> passed = llvm::to_vector(sums);
    if (left)
      left->appendTo(passed);
    passed =
        passThrough(builder, op.getLoc(), passed, "wgmma.fence.sync.aligned;");
    if (left)
      left->takeFrom(ArrayRef(passed).drop_front(sums.size()));
    passed.truncate(sums.size());
    return passed;
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
