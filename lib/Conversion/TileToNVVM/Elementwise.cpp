//===- Elementwise.cpp - Arithmetic on tiles, register by register --- -*- C++
//-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilewright/Target/Features.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

bool tonvvm::isFloat8Conversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
         (getElementTypeOrSelf(op->getOperand(0)).isFloat(8) ||
          getElementTypeOrSelf(op->getResult(0)).isFloat(8));
}

LogicalResult tonvvm::checkFloat8Target(Operation *op, StringRef what,
                                        Type type, int capability) {
  if (capability >= features::kFloat8)
    return success();
  return op->emitError() << what << " of " << type << " need sm_"
                         << features::kFloat8 << " or newer; the target is sm_"
                         << capability;
}

LogicalResult tonvvm::checkFloat8Conversion(Operation *op, int capability) {
  for (Value value : {op->getOperand(0), Value(op->getResult(0))}) {
    Type small = getElementTypeOrSelf(value);
    if (!small.isFloat(8))
      continue;
    if (!isa<Float8E4M3FNType, Float8E5M2Type>(small))
      return op->emitError("conversions of ")
             << small << " are not in PTX; f8E4M3FN and f8E5M2 are";
    if (failed(checkFloat8Target(op, "conversions", small, capability)))
      return failure();
  }
  return success();
}

namespace {

/// Any elementwise op on tiles: the same op on each register. A choice between
/// pointers or views is one for each of their parts.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        !isa<RankedTensorType, PtrType, ViewType>(op->getResult(0).getType()))
      return failure();
    SmallVector<Type> types;
    if (failed(
            getTypeConverter()->convertType(op->getResult(0).getType(), types)))
      return failure();
    SmallVector<Value> results;
    for (auto [index, type] : llvm::enumerate(types)) {
      OperationState state(op->getLoc(), op->getName());
      state.addTypes(type);
      state.addAttributes(op->getAttrs());
      for (auto [operand, values] :
           llvm::zip_equal(op->getOperands(), operands))
        // arith.select may choose by one scalar.
        state.operands.push_back(
            values.size() == types.size() ? values[index] : values.front());
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// A constant tile of one value.
struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RegisterLayoutAttr layout = getRegisterLayout(op.getType());
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!layout || !dense)
      return failure();
    if (!dense.isSplat())
      return op.emitError("a constant tile holds one value everywhere; load a "
                          "table from memory instead");
    Value scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(layout.getNumRegisters(), scalar)});
    return success();
  }
};

/// Conversions from and to fp8, which LLVM has no types for, on scalars.
template <typename Op> struct Float8Pattern : OpConversionPattern<Op> {
  Float8Pattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!from.isFloat(8) && !to.isFloat(8))
      return failure();
    Location loc = op.getLoc();
    rewriter.replaceOp(op, from.isFloat(8)
                               ? extend(rewriter, loc, adaptor.getIn(), to)
                               : truncate(rewriter, loc, adaptor.getIn(), to));
    return success();
  }

private:
  static StringRef getFormat(Type small) {
    return isa<Float8E4M3FNType>(small) ? "e4m3x2" : "e5m2x2";
  }

  static Value extend(ConversionPatternRewriter &rewriter, Location loc,
                      Value in, Type to) {
    Type i16 = rewriter.getI16Type(), f16 = rewriter.getF16Type();
    Type pair = VectorType::get(2, f16);
    Value byte =
        arith::BitcastOp::create(rewriter, loc, rewriter.getI8Type(), in);
    Value bits = arith::ExtUIOp::create(rewriter, loc, i16, byte);
    std::string name =
        ("llvm.nvvm." + getFormat(in.getType()) + ".to.f16x2.rn").str();
    Value both = LLVM::CallIntrinsicOp::create(rewriter, loc, pair,
                                               rewriter.getStringAttr(name),
                                               ValueRange{bits})
                     .getResults();
    Value zero =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
    Value half = LLVM::ExtractElementOp::create(rewriter, loc, both, zero);
    return convertFloat(rewriter, loc, half, to);
  }

  static Value truncate(ConversionPatternRewriter &rewriter, Location loc,
                        Value in, Type to) {
    Value wide = convertFloat(rewriter, loc, in, rewriter.getF32Type());
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getF32FloatAttr(0.0f));
    std::string name = ("llvm.nvvm.ff.to." + getFormat(to) + ".rn").str();
    Value both = LLVM::CallIntrinsicOp::create(
                     rewriter, loc, rewriter.getI16Type(),
                     rewriter.getStringAttr(name), ValueRange{zero, wide})
                     .getResults();
    Value byte =
        arith::TruncIOp::create(rewriter, loc, rewriter.getI8Type(), both);
    return arith::BitcastOp::create(rewriter, loc, to, byte);
  }

  static Value convertFloat(ConversionPatternRewriter &rewriter, Location loc,
                            Value value, Type to) {
    Type from = value.getType();
    if (from == to)
      return value;
    unsigned fromBits = from.getIntOrFloatBitWidth();
    unsigned toBits = to.getIntOrFloatBitWidth();
    if (fromBits == toBits) // f16 and bf16 meet in f32.
      value =
          arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), value);
    if (fromBits < toBits)
      return arith::ExtFOp::create(rewriter, loc, to, value);
    return arith::TruncFOp::create(rewriter, loc, to, value);
  }
};

} // namespace

void tonvvm::populateElementwisePatterns(RewritePatternSet &patterns,
                                         const TypeConverter &converter) {
  patterns.add<ElementwisePattern, ConstantPattern,
               Float8Pattern<arith::ExtFOp>, Float8Pattern<arith::TruncFOp>>(
      converter, patterns.getContext());
}
