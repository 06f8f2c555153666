//===- Conversions.cpp - From one kind of number to another ---------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every conversion rounds once, to the nearest, ties to even; integers saturate
// and NaN becomes 0. Which instructions do that, with what stands between:
//
//   from            to          by
//   integer, N bits             extended to 32 or 64 bits, by sign or by zeros
//   i32, i64        f32, f64    cvt.rn
//                   f16         cvt.rn.f32, cvt.rn.f16: what f32 rounds (above
//                               2^24) is infinity in f16 anyway
//                   bf16, fp8   cvt.rz.f32 made odd, cvt.rn
//   f64             fp8         cvt.rz.f32 made odd, cvt.rn.satfinite
//   f32, f16, bf16  fp8         (exact in f32,) cvt.rn.satfinite
//   bf16            f32         its bits, and 16 zeros behind them, but where
//                               sums of both are one instruction
//   fp8             float       cvt.rn.f16x2, then as from f16
//   f64             integer     cvt.rzi to 32 or 64 bits, which saturates; NaN
//                               is no 0 there, so it is chosen; then clamped
//   other floats    integer     the same from f32, in which they are exact
//
// "Made odd": a number rounded toward zero whose lowest bit is set if anything
// was lost. Rounded again to at least two bits less, it gives what one rounding
// would have given (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
//
// The conversions are PTX text, not LLVM's instructions: InstCombine, the SLP
// vectorizer and the instruction selection each got some of those wrong. LLVM's
// intrinsics for `cvt` are no way out, since InstCombine makes its instructions
// of them (docs/decisions/0010-what-llvm-does-behind-us.md).
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Conversion/InlinePtx.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// Whether an integer has a sign.
enum class Sign : bool { No, Yes };

/// Writes conversions of scalars.
class Converter {
public:
  Converter(Location loc, RewriterBase &rewriter) : b(loc, rewriter) {}

  Value integerToFloat(Value in, Sign sign, FloatType to) {
    // What f32 holds without rounding needs no care.
    unsigned width = in.getType().getIntOrFloatBitWidth();
    bool isExactInF32 = width <= 24;
    in = extendInteger(in, sign, width <= 32 ? 32 : 64);
    if (to.isF64())
      return cvt("rn", in, to, sign);
    if (to.isF32() || to.isF16() || isExactInF32)
      return floatToFloat(cvt("rn", in, f32(), sign), to);
    Value cut = cvt("rz", in, f32(), sign);
    Value back = cvt("rzi", cut, in.getType(), sign);
    Value inexact =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, back, in);
    return floatToFloat(makeOdd(cut, inexact), to);
  }

  Value floatToInteger(Value in, Sign sign, IntegerType to) {
    if (!in.getType().isF64())
      in = floatToFloat(in, f32());
    IntegerType wide = b.getIntegerType(to.getWidth() <= 32 ? 32 : 64);
    Value out = cvt("rzi", in, wide, sign);
    if (in.getType().isF64() || wide.getWidth() == 64) {
      Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, in, in);
      out = arith::SelectOp::create(b, isNaN, constant(wide, 0), out);
    }
    return clamp(out, sign, to);
  }

  Value floatToFloat(Value in, FloatType to) {
    Type from = in.getType();
    if (from == to)
      return in;
    if (from.isFloat(8))
      return floatToFloat(extendFloat8(in), to);
    if (to.isFloat(8))
      return truncateToFloat8(in, to);
    unsigned fromBits = from.getIntOrFloatBitWidth();
    if (fromBits == to.getWidth()) // f16 and bf16 meet in f32.
      return floatToFloat(floatToFloat(in, f32()), to);
    if (fromBits < to.getWidth())
      return arith::ExtFOp::create(b, to, in);
    return arith::TruncFOp::create(b, to, in);
  }

private:
  FloatType f32() { return b.getF32Type(); }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }

  Value call(const Twine &name, Type result, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(
               b, result, b.getStringAttr("llvm.nvvm." + name), operands)
        .getResults();
  }

  /// PTX's name for a number of 32 or 64 bits, and the letter of its registers.
  static std::pair<std::string, char> describe(Type type, Sign sign) {
    bool isWide = type.getIntOrFloatBitWidth() == 64;
    std::string bits = isWide ? "64" : "32";
    if (isa<FloatType>(type))
      return {"f" + bits, isWide ? 'd' : 'f'};
    return {(sign == Sign::Yes ? "s" : "u") + bits, isWide ? 'l' : 'r'};
  }

  /// Between numbers of 32 and 64 bits.
  Value cvt(StringRef rounding, Value in, Type to, Sign sign) {
    auto [from, source] = describe(in.getType(), sign);
    auto [result, target] = describe(to, sign);
    std::string text =
        ("cvt." + rounding + "." + result + "." + from + " $0, $1;").str();
    std::string constraints{'=', target, ',', source};
    return tonvvm::emitPurePtx(b, b.getLoc(), to, in, text, constraints);
  }

  Value extendInteger(Value in, Sign sign, unsigned width) {
    Type type = b.getIntegerType(width);
    if (in.getType() == type)
      return in;
    if (sign == Sign::Yes)
      return arith::ExtSIOp::create(b, type, in);
    return arith::ExtUIOp::create(b, type, in);
  }

  /// Clamps a wider integer, or one of that type.
  Value clamp(Value in, Sign sign, IntegerType to) {
    unsigned wide = in.getType().getIntOrFloatBitWidth(), width = to.getWidth();
    if (wide == width)
      return in;
    auto limit = [&](const llvm::APInt &value) -> Value {
      return arith::ConstantOp::create(b,
                                       b.getIntegerAttr(in.getType(), value));
    };
    if (sign == Sign::No) {
      in = arith::MinUIOp::create(
          b, in, limit(llvm::APInt::getMaxValue(width).zext(wide)));
    } else {
      in = arith::MaxSIOp::create(
          b, in, limit(llvm::APInt::getSignedMinValue(width).sext(wide)));
      in = arith::MinSIOp::create(
          b, in, limit(llvm::APInt::getSignedMaxValue(width).sext(wide)));
    }
    return arith::TruncIOp::create(b, to, in);
  }

  /// The f32 with its lowest bit set if something was lost.
  Value makeOdd(Value cut, Value inexact) {
    Type i32 = b.getI32Type();
    Value bits = arith::BitcastOp::create(b, i32, cut);
    bits =
        arith::OrIOp::create(b, bits, arith::ExtUIOp::create(b, i32, inexact));
    return arith::BitcastOp::create(b, f32(), bits);
  }

  static StringRef format(Type small) {
    return isa<Float8E4M3FNType>(small) ? "e4m3x2" : "e5m2x2";
  }

  /// To f16, in which every fp8 is exact.
  Value extendFloat8(Value in) {
    Type f16 = b.getF16Type();
    Value byte = arith::BitcastOp::create(b, b.getI8Type(), in);
    Value bits = arith::ExtUIOp::create(b, b.getI16Type(), byte);
    Value both = call(format(in.getType()) + ".to.f16x2.rn",
                      VectorType::get(2, f16), bits);
    Value zero = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
    return LLVM::ExtractElementOp::create(b, both, zero);
  }

  Value truncateToFloat8(Value in, Type to) {
    if (in.getType().isF64()) {
      Value cut = cvt("rz", in, f32(), Sign::Yes);
      Value back = arith::ExtFOp::create(b, b.getF64Type(), cut);
      Value inexact =
          arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, back, in);
      in = makeOdd(cut, inexact);
    }
    in = floatToFloat(in, f32());
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    Value both = call("ff.to." + format(to) + ".rn", b.getI16Type(),
                      ValueRange{zero, in});
    Value byte = arith::TruncIOp::create(b, b.getI8Type(), both);
    return arith::BitcastOp::create(b, to, byte);
  }

  ImplicitLocOpBuilder b;
};

template <typename Op, Sign sign> struct IntegerToFloat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Converter(op.getLoc(), rewriter)
                               .integerToFloat(op.getIn(), sign,
                                               cast<FloatType>(op.getType())));
    return success();
  }
};

template <typename Op, Sign sign> struct FloatToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op,
        Converter(op.getLoc(), rewriter)
            .floatToInteger(op.getIn(), sign, cast<IntegerType>(op.getType())));
    return success();
  }
};

/// Conversions from and to fp8, which LLVM has no types for.
template <typename Op> struct Float8Conversion : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isFloat(8) && !op.getType().isFloat(8))
      return failure();
    rewriter.replaceOp(
        op, Converter(op.getLoc(), rewriter)
                .floatToFloat(op.getIn(), cast<FloatType>(op.getType())));
    return success();
  }
};

/// Makes the f32 by its bits, which are those of the bf16 and 16 zeros.
/// LLVM finds that the upper half of a word only needs a mask, where ptxas
/// makes two instructions of its cvt.
struct BF16Extension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isBF16() || !op.getType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type();
    Value bits = LLVM::BitcastOp::create(b, b.getI16Type(), op.getIn());
    bits = LLVM::ZExtOp::create(b, i32, bits);
    bits = LLVM::ShlOp::create(
        b, bits, LLVM::ConstantOp::create(b, b.getI32IntegerAttr(16)));
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};
} // namespace

static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp>(op);
}

LogicalResult arithnvvm::checkConversion(Operation *op,
                                         const GpuTarget &target) {
  if (!isConversion(op))
    return success();
  for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
    if (!type.isFloat(8))
      continue;
    if (!isa<Float8E4M3FNType, Float8E5M2Type>(type))
      return op->emitOpError("converts ")
             << type << ", which PTX does not; it does f8E4M3FN and f8E5M2";
    if (!target.float8)
      return op->emitOpError("converts ")
             << type << ", which needs sm_89 or newer; the target is "
             << target.name;
  }
  return success();
}

void arithnvvm::populateConversionPatterns(RewritePatternSet &patterns,
                                           const GpuTarget &target) {
  MLIRContext *context = patterns.getContext();
  patterns
      .add<IntegerToFloat<arith::SIToFPOp, Sign::Yes>,
           IntegerToFloat<arith::UIToFPOp, Sign::No>,
           FloatToInteger<arith::FPToSIOp, Sign::Yes>,
           FloatToInteger<arith::FPToUIOp, Sign::No>,
           Float8Conversion<arith::ExtFOp>, Float8Conversion<arith::TruncFOp>>(
          context);
  // Sums of bf16 and f32 are one instruction there, with their conversion.
  if (!target.mixedArithmetic)
    patterns.add<BF16Extension>(context);
}
