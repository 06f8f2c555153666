//===- MmaDot.cpp - Products on tensor cores --------------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Products/MmaFragments.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/ProductLayout.h"
#include "tilewright/Dialect/Tile/IR/ProductEngines.h"
#include "tilewright/Layout/Registers/MmaLayout.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// An instruction, by LLVM's name for it, and the type of its operands' words.
struct Instruction {
  std::string intrinsic;
  Type word;
};

StringRef nameFloat8(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3" : "e5m2";
}

/// `isTransposed`: B is the instruction's A.
Instruction getInstruction(DotOp op, const MmaShape &mma, bool isTransposed) {
  Type type = op.getOperandType();
  MLIRContext *context = op.getContext();
  Type i32 = IntegerType::get(context, 32);
  auto make = [&](StringRef types, Type word) {
    return Instruction{llvm::formatv("llvm.nvvm.mma.m{0}n{1}k{2}.row.col.{3}",
                                     mma.m, mma.n, mma.k, types),
                       word};
  };
  return llvm::TypeSwitch<Type, Instruction>(type)
      .Case([&](Float16Type half) {
        return make("f32.f32", VectorType::get(2, half));
      })
      .Case([&](BFloat16Type) { return make("bf16", i32); })
      .Case([&](Float32Type) { return make("tf32", i32); })
      .Case([&](Float64Type) { return make("f64", type); })
      .Case<Float8E4M3FNType, Float8E5M2Type>([&](Type) {
        StringRef a = nameFloat8(type);
        StringRef b = nameFloat8(getElementTypeOrSelf(op.getB().getType()));
        if (isTransposed)
          std::swap(a, b);
        return make(llvm::formatv("f32.{0}.{1}.f32", a, b).str(), i32);
      })
      .Case([&](IntegerType) { return make("s8", i32); })
      .Default([](Type) -> Instruction {
        llvm::reportFatalInternalError("mma.sync has no such type");
      });
}

/// Multiplies one fragment with another.
class Multiplier {
public:
  Multiplier(OpBuilder &builder, DotOp op, const MmaShape &mma,
             bool isTransposed, const GpuTarget &target)
      : builder(builder), loc(op.getLoc()),
        instruction(getInstruction(op, mma, isTransposed)),
        inQuarters(instruction.word.isF64() && !target.f64ProductsOf16x8x8) {
    if (inQuarters)
      instruction.intrinsic = "llvm.nvvm.mma.m8n8k4.row.col.f64";
  }

  /// sums += a * b.
  void multiply(ArrayRef<Value> a, ArrayRef<Value> b,
                MutableArrayRef<Value> sums) {
    if (!inQuarters)
      return issue(a, b, sums);
    // Words of A: upper rows, lower rows, and again for the second half of K.
    for (size_t half : {0, 1})
      for (size_t rows : {0, 1})
        issue(a[2 * half + rows], b[half], sums.slice(2 * rows, 2));
  }

private:
  void issue(ArrayRef<Value> a, ArrayRef<Value> b,
             MutableArrayRef<Value> sums) {
    SmallVector<Value> operands;
    for (Value word : llvm::concat<const Value>(a, b))
      operands.push_back(
          word.getType() == instruction.word
              ? word
              : LLVM::BitcastOp::create(builder, loc, instruction.word, word));
    llvm::append_range(operands, sums);
    Value product =
        LLVM::CallIntrinsicOp::create(
            builder, loc, getResultType(sums[0].getType(), sums.size()),
            builder.getStringAttr(instruction.intrinsic), operands)
            .getResult(0);
    llvm::copy(unpackResults(builder, loc, product, sums.size()), sums.begin());
  }

  OpBuilder &builder;
  Location loc;
  Instruction instruction;
  /// Older GPUs have f64 as m8n8k4 only, a quarter of m16n8k8.
  bool inQuarters;
};

/// Fragments of sums that keep tensor cores busy.
constexpr size_t kFragmentsInTurn = 8;

struct MmaDotPattern : OpConversionPattern<DotOp> {
  MmaDotPattern(const TypeConverter &converter, MLIRContext *context,
                const GpuTarget &target)
      : OpConversionPattern(converter, context), target(target) {}

  LogicalResult
  matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getEngineOrDefault() == Engine::Fma)
      return failure();
    SmallVector<Value> sums = multiplyEach(
        op, adaptor.getA(), adaptor.getB(), adaptor.getC(),
        [&](const auto &matrix) { return multiply(op, matrix, rewriter); });
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// The fragments of sums of which one step along K follows the other. A left
  /// operand that is made of another product is there as a whole: all steps of
  /// a few columns take the fewest words of the right one.
  static SmallVector<ArrayRef<size_t>>
  takeInParts(DotOp op, const LinearLayout &layout,
              MutableArrayRef<size_t> firsts) {
    if (!isMadeOfProduct(op))
      return {firsts};
    llvm::sort(firsts, [&](size_t one, size_t other) {
      auto getKey = [&](size_t first) {
        return std::pair(
            layout.apply({{"register", static_cast<int64_t>(first)}})[1],
            first);
      };
      return getKey(one) < getKey(other);
    });
    SmallVector<ArrayRef<size_t>> parts;
    for (ArrayRef<size_t> left = firsts; !left.empty();) {
      parts.push_back(left.take_front(kFragmentsInTurn));
      left = left.drop_front(parts.back().size());
    }
    return parts;
  }

  SmallVector<Value> multiply(DotOp op, const MatrixRegisters &matrix,
                              OpBuilder &builder) const {
    Location loc = op.getLoc();
    RankedTensorType a = op.getMatrixType(0), b = op.getMatrixType(1);
    MmaShape mma = MmaShape::get(getElementBytes(a.getElementType()));
    const LinearLayout &layout =
        getRegisterLayout(op.getMatrixType(2)).getLayout();
    bool isTransposed = isTransposedMmaAccumulator(layout);
    MmaFragments fragmentsOfA(builder, loc, matrix.a, a, 0, !isTransposed);
    MmaFragments fragmentsOfB(builder, loc, matrix.b, b, 1, isTransposed);
    Multiplier multiplier(builder, op, mma, isTransposed, target);
    SmallVector<Value> sums = llvm::to_vector(matrix.c);
    SmallVector<size_t> firsts;
    for (size_t first = 0; first < sums.size(); first += MmaShape::registersOfD)
      firsts.push_back(first);
    // Along K in the outer loop: independent sums follow one another.
    for (ArrayRef<size_t> part : takeInParts(op, layout, firsts))
      for (int64_t k = 0; k < op.getK(); k += mma.k)
        for (size_t first : part) {
          LinearLayout::Point point =
              layout.apply({{"register", static_cast<int64_t>(first)}});
          ArrayRef<Value> left = fragmentsOfA.at(point[0], k);
          ArrayRef<Value> right = fragmentsOfB.at(k, point[1]);
          if (isTransposed)
            std::swap(left, right);
          multiplier.multiply(
              left, right,
              MutableArrayRef(sums).slice(first, MmaShape::registersOfD));
        }
    return sums;
  }

  GpuTarget target;
};

} // namespace

SmallVector<Value> tonvvm::multiplyEach(
    DotOp dot, ValueRange a, ValueRange b, ValueRange c,
    function_ref<SmallVector<Value>(const MatrixRegisters &)> multiply) {
  // Where a thread has several, each has its registers in a row.
  size_t each = getRegisterLayout(dot.getMatrixType(2)).getNumRegisters();
  size_t count = c.size() / each;
  auto part = [&](ValueRange registers, size_t number) {
    size_t size = registers.size() / count;
    return registers.slice(number * size, size);
  };
  SmallVector<Value> sums;
  for (size_t number = 0; number < count; ++number)
    llvm::append_range(
        sums, multiply({part(a, number), part(b, number), part(c, number)}));
  return sums;
}

LogicalResult tonvvm::checkDot(DotOp dot, const GpuTarget &target) {
  const ProductType &type = getProductType(dot);
  if (!type.feature || target.*type.feature)
    return success();
  return checkFloat8Target(dot, "products",
                           getElementTypeOrSelf(dot.getA().getType()), target);
}

void tonvvm::populateMmaDotPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const LoweringContext &context) {
  patterns.add<MmaDotPattern>(converter, patterns.getContext(), context.target);
}
