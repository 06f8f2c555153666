//===- Dot.cpp - Products on tensor cores -----------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Layout/MmaLayout.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// mma.sync of 8-bit floats came with Ada (PTX ISA, mma).
static constexpr int kFloat8Capability = 89;

/// How PTX names an operand's elements.
static StringRef getTypeName(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float32Type) { return "tf32"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Case([](IntegerType) { return "s8"; });
}

namespace {

/// An operand's fragments: each as 32-bit words, by the point of its first
/// element.
class Fragments {
public:
  Fragments(OpBuilder &builder, Location loc, ValueRange registers,
            const LinearLayout &layout, int64_t registersEach) {
    for (int64_t first = 0; first < layout.inputSize("register");
         first += registersEach) {
      SmallVector<Value> elements(registers.slice(first, registersEach).begin(),
                                  registers.slice(first, registersEach).end());
      words[layout.apply({{"register", first}})] =
          packWords(builder, loc, elements);
    }
  }
  ArrayRef<Value> at(int64_t row, int64_t column) const {
    return words
        .find({static_cast<int32_t>(row), static_cast<int32_t>(column)})
        ->second;
  }

private:
  std::map<LinearLayout::Point, SmallVector<Value>> words;
};

struct DotPattern : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto a = cast<RankedTensorType>(op.getA().getType());
    auto b = cast<RankedTensorType>(op.getB().getType());
    unsigned bytes = getElementBytes(a.getElementType());
    MmaShape mma = MmaShape::get(bytes);
    Fragments fragmentsOfA(rewriter, loc, adaptor.getA(),
                           getRegisterLayout(a).getLayout(),
                           mma.registersOfA());
    Fragments fragmentsOfB(rewriter, loc, adaptor.getB(),
                           getRegisterLayout(b).getLayout(),
                           mma.registersOfB());
    const LinearLayout &layout = getRegisterLayout(op.getType()).getLayout();
    SmallVector<Value> sums;
    for (ValueRange range : {ValueRange(adaptor.getC())})
      llvm::append_range(sums, range);
    // Along K in the outer loop: independent sums follow one another.
    for (int64_t k = 0; k < a.getDimSize(1); k += mma.k)
      for (size_t first = 0; first < sums.size(); first += mma.registersOfD()) {
        LinearLayout::Point point =
            layout.apply({{"register", static_cast<int64_t>(first)}});
        multiply(rewriter, loc, op, mma, fragmentsOfA.at(point[0], k),
                 fragmentsOfB.at(k, point[1]),
                 MutableArrayRef(sums).slice(first, mma.registersOfD()));
      }
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// sums += a * b, for one fragment each.
  static void multiply(OpBuilder &builder, Location loc, DotOp op,
                       const MmaShape &mma, ArrayRef<Value> a,
                       ArrayRef<Value> b, MutableArrayRef<Value> sums) {
    Type sumType = sums[0].getType();
    bool isInteger = sumType.isInteger(32);
    StringRef operandName =
        getTypeName(getElementTypeOrSelf(op.getA().getType()));
    StringRef sumName = isInteger ? "s32" : "f32";
    std::string text =
        llvm::formatv("mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{2}.{1} "
                      "{{$0, $1, $2, $3}, {{$4, $5, $6, $7}, {{$8, $9}, "
                      "{{$10, $11, $12, $13};",
                      mma.k, sumName, operandName);
    StringRef constraints = isInteger ? "=r,=r,=r,=r,r,r,r,r,r,r,0,1,2,3"
                                      : "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3";
    SmallVector<Value> operands(a.begin(), a.end());
    llvm::append_range(operands, b);
    llvm::append_range(operands, sums);
    Type result = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(sums.size(), sumType));
    Value product = LLVM::InlineAsmOp::create(
                        builder, loc, result, operands, text, constraints,
                        /*has_side_effects=*/false, /*is_align_stack=*/false,
                        LLVM::tailcallkind::TailCallKind::None,
                        LLVM::AsmDialectAttr::get(builder.getContext(),
                                                  LLVM::AsmDialect::AD_ATT),
                        /*operand_attrs=*/ArrayAttr())
                        .getResult(0);
    for (auto [index, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(builder, loc, product, index);
  }
};

} // namespace

LogicalResult tonvvm::checkDot(DotOp dot, int capability) {
  Type type = getElementTypeOrSelf(dot.getA().getType());
  bool isFloat8 = isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  if (!isFloat8 || capability >= kFloat8Capability)
    return success();
  return dot.emitError("products of ")
         << type << " need sm_" << kFloat8Capability
         << " or newer; the target is sm_" << capability;
}

void tonvvm::populateDotPatterns(RewritePatternSet &patterns,
                                 const TypeConverter &converter) {
  patterns.add<DotPattern>(converter, patterns.getContext());
}
