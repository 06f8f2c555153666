//===- WarpgroupDot.cpp - Products that read shared tiles -------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Products/MmaFragments.h"
#include "Products/WarpgroupInstructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

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
  return passThrough(builder, loc, sums, kWaitForProducts);
}

struct WarpgroupDotPattern : OpConversionPattern<WarpgroupDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupDotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<JoinedSums> columns = {{op, adaptor.getC()}};
    for (ValueRange sums : adaptor.getBeside())
      columns.emplace_back(
          cast<WarpgroupDotOp>(columns.back().product->getNextNode()), sums);
    int64_t n = 0;
    for (const JoinedSums &sums : columns)
      n += 2 * static_cast<int64_t>(sums.registersEach);
    int64_t step = WarpgroupMma::kBytes / getElementBytes(op.getOperandType());
    WarpgroupMultiplier multiplier(
        rewriter, op, n, step, adaptor.getA().front(), adaptor.getB().front());
    std::optional<MmaFragments> left;
    if (op.isAInRegisters())
      left.emplace(rewriter, loc, adaptor.getA(),
                   cast<RankedTensorType>(op.getA().getType()), /*operand=*/0,
                   /*isA=*/true);
    if (op.addsWithinK()) {
      SmallVector<Value> sums = addParts(
          rewriter, op, adaptor.getC(),
          [&](ValueRange partial, int64_t from, int64_t to) {
            columns.front().registers = llvm::to_vector(partial);
            multiply(rewriter, multiplier, columns, left, {from, to, step},
                     /*adds=*/false);
            return waitForProducts(rewriter, loc, columns.front().registers);
          });
      rewriter.replaceOpWithMultiple(op, {sums});
      return success();
    }
    multiply(rewriter, multiplier, columns, left, {0, op.getK(), step},
             /*adds=*/true);
    for (JoinedSums &sums : columns) {
      if (!op.getAsync())
        sums.registers = waitForProducts(rewriter, loc, sums.registers);
      rewriter.replaceOpWithMultiple(sums.product, {sums.registers});
    }
    return success();
  }

private:
  /// The sums of one of the products that the same instructions make.
  struct JoinedSums {
    WarpgroupDotOp product;
    SmallVector<Value> registers;
    LinearLayout layout;
    /// Registers for the sums of an instruction.
    unsigned registersEach;

    JoinedSums(WarpgroupDotOp product, ValueRange registers)
        : product(product), registers(registers),
          layout(getRegisterLayout(product.getType()).getLayout()),
          registersEach(static_cast<unsigned>(getInstructionN(layout) / 2)) {}

    LinearLayout::Point getPoint(size_t part) const {
      return layout.apply(
          {{"register", static_cast<int64_t>(part) * registersEach}});
    }
    /// Nothing may touch sums that a loop carries under way.
    bool isUnderWay() {
      Value sums = product.getC();
      auto before = sums.getDefiningOp<WarpgroupDotOp>();
      return product.getAsync() &&
             (isa<BlockArgument>(sums) || (before && before.getAsync()));
    }
  };

  /// What one group of instructions has of K.
  struct Steps {
    int64_t from, to, step;
  };

  /// A group of instructions: the products of these steps, added to the sums or
  /// in their place.
  static void multiply(OpBuilder &builder, WarpgroupMultiplier &multiplier,
                       MutableArrayRef<JoinedSums> columns,
                       std::optional<MmaFragments> &left, Steps steps,
                       bool adds) {
    Location loc = columns.front().product.getLoc();
    // LLVM would copy sums that are constants, or used later, behind the fence.
    fence(builder, loc, columns, left);
    SmallVector<Value> parts = pack(builder, loc, columns);
    // All of K for a part of the sums, then for the next one: what describes
    // the right operand stays in uniform registers from part to part. With the
    // parts in the inner loop ptxas makes each descriptor in one and the same
    // pair, and an instruction waits until the one before has read it.
    auto multiplyAllOfK = [&](size_t begin, size_t end) {
      for (int64_t k = steps.from; k < steps.to; k += steps.step)
        for (size_t part = begin; part < end; ++part) {
          LinearLayout::Point point = columns.front().getPoint(part);
          Value &sums = parts[part];
          bool addsHere = adds || k != steps.from;
          sums = left ? multiplier.multiply(sums, addsHere,
                                            left->at(point[0], k), k, point)
                      : multiplier.multiply(sums, addsHere, k, point);
        }
    };
    size_t together = left ? parts.size() : 1;
    for (size_t part = 0; part < parts.size(); part += together)
      multiplyAllOfK(part, part + together);
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    unpack(builder, loc, parts, columns);
  }

  /// Adds up in f32 what tensor cores made of parts of K, each in the registers
  /// of the one before.
  static SmallVector<Value>
  addParts(OpBuilder &builder, WarpgroupDotOp op, ValueRange sums,
           function_ref<SmallVector<Value>(ValueRange partial, int64_t from,
                                           int64_t to)>
               multiplyPart) {
    Location loc = op.getLoc();
    SmallVector<Value> total = llvm::to_vector(sums);
    Value zero = LLVM::ConstantOp::create(
        builder, loc, builder.getZeroAttr(total.front().getType()));
    SmallVector<Value> partial(total.size(), zero);
    auto each = static_cast<int64_t>(*op.getImprecise());
    for (int64_t k = 0; k < op.getK(); k += each) {
      partial = multiplyPart(partial, k, std::min(k + each, op.getK()));
      for (auto [sum, part] : llvm::zip_equal(total, partial))
        sum = LLVM::FAddOp::create(builder, loc, sum, part);
    }
    return total;
  }

  /// Orders what was done with the registers of the sums and of A.
  static void fence(OpBuilder &builder, Location loc,
                    MutableArrayRef<JoinedSums> columns,
                    std::optional<MmaFragments> &left) {
    SmallVector<Value> passed;
    for (JoinedSums &sums : columns)
      if (!sums.isUnderWay())
        llvm::append_range(passed, sums.registers);
    if (passed.empty()) {
      NVVM::WgmmaFenceAlignedOp::create(builder, loc);
      return;
    }
    if (left)
      left->appendTo(passed);
    passed = passThrough(builder, loc, passed, "wgmma.fence.sync.aligned;");
    ArrayRef<Value> rest = passed;
    for (JoinedSums &sums : columns)
      if (!sums.isUnderWay()) {
        size_t count = sums.registers.size();
        sums.registers = llvm::to_vector(rest.take_front(count));
        rest = rest.drop_front(count);
      }
    if (left)
      left->takeFrom(rest);
  }

  /// The registers of each instruction as a value.
  static SmallVector<Value> pack(OpBuilder &builder, Location loc,
                                 ArrayRef<JoinedSums> columns) {
    const JoinedSums &first = columns.front();
    SmallVector<Value> parts;
    for (size_t part = 0; part < first.registers.size() / first.registersEach;
         ++part) {
      SmallVector<Value> registers;
      for (const JoinedSums &sums : columns)
        llvm::append_range(registers, ArrayRef(sums.registers)
                                          .slice(part * sums.registersEach,
                                                 sums.registersEach));
      Value packed = LLVM::UndefOp::create(
          builder, loc,
          getResultType(registers.front().getType(),
                        static_cast<unsigned>(registers.size())));
      for (auto [index, value] : llvm::enumerate(registers))
        packed =
            LLVM::InsertValueOp::create(builder, loc, packed, value, index);
      parts.push_back(packed);
    }
    return parts;
  }

  static void unpack(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                     MutableArrayRef<JoinedSums> columns) {
    for (JoinedSums &sums : columns)
      sums.registers.clear();
    for (Value part : parts) {
      auto type = cast<LLVM::LLVMStructType>(part.getType());
      SmallVector<Value> registers =
          unpackResults(builder, loc, part, type.getBody().size());
      ArrayRef<Value> rest = registers;
      for (JoinedSums &sums : columns) {
        llvm::append_range(sums.registers, rest.take_front(sums.registersEach));
        rest = rest.drop_front(sums.registersEach);
      }
    }
  }
};

struct DotWaitPattern : OpConversionPattern<DotWaitOp> {
  DotWaitPattern(const TypeConverter &converter, MLIRContext *context,
                 const LoweringContext &lowering)
      : OpConversionPattern(converter, context), lowering(lowering) {}

  LogicalResult
  matchAndRewrite(DotWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSums().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(
          op, lowering.groupsLeft.lookup(op));
      return success();
    }
    SmallVector<SmallVector<Value>> results;
    for (ValueRange sums : adaptor.getSums())
      results.push_back(
          waitForProducts(rewriter, op.getLoc(), llvm::to_vector(sums)));
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  const LoweringContext &lowering;
};

} // namespace

void tonvvm::populateWarpgroupDotPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  patterns.add<WarpgroupDotPattern>(converter, patterns.getContext());
  patterns.add<DotWaitPattern>(converter, patterns.getContext(), context);
}
