//===- ConvertLayout.cpp - Conversions inside of warps --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Threads/RegisterValues.h"
#include "Threads/ThreadIndex.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Dialect/Tile/Analysis/LayoutConversions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// Carries out a plan on the registers of a tile. Words are integers of 32 or
/// 64 bits.
class PlanLowering {
public:
  PlanLowering(const ShufflePlan &plan, OpBuilder &builder, Location loc)
      : plan(plan), builder(builder), loc(loc), thread(builder, loc),
        isButterfly(plan.isButterfly()) {
    if (!isButterfly)
      lane = thread.getCoordinate(plan.threads, 0);
    for (unsigned dim = 1; dim < plan.threads.rank(); ++dim) {
      Value parity =
          thread.getCoordinate(plan.threads, dim).get(builder, loc, 0);
      Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
      conditions.push_back(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ne, parity, zero));
    }
  }

  SmallVector<Value> run(ValueRange registers) {
    for (const ShufflePlan::Step &step : plan.steps)
      words.push_back(carryOut(step, registers));
    Type type = registers.front().getType();
    return llvm::map_to_vector(plan.results,
                               [&](const ShufflePlan::Result &result) {
                                 return getElement(result, type);
                               });
  }

private:
  unsigned elementBits() const { return 8 * plan.elementBytes; }
  unsigned wordBits() const {
    return std::max(32u, elementBits() * plan.elementsPerWord);
  }

  Value carryOut(const ShufflePlan::Step &step, ValueRange registers) {
    switch (step.kind) {
    case ShufflePlan::StepKind::Pack:
      return pack(takeRegisters(registers, step.registers));
    case ShufflePlan::StepKind::Select:
      return arith::SelectOp::create(builder, loc, conditions[step.condition],
                                     words[step.ifOdd], words[step.ifEven]);
    case ShufflePlan::StepKind::Shuffle:
      if (isButterfly)
        return shuffleButterfly(builder, loc, words[step.ifOdd], step.laneXor);
      return shuffleFromLane(
          builder, loc, words[step.ifOdd],
          lane.get(builder, loc, static_cast<int32_t>(step.laneXor)));
    }
    llvm_unreachable("a plan has three kinds of steps");
  }

  Value position(unsigned number) {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI32IntegerAttr(number));
  }

  Type getVectorType() {
    return VectorType::get(plan.elementsPerWord,
                           builder.getIntegerType(elementBits()));
  }

  Value pack(ArrayRef<Value> elements) {
    SmallVector<Value> parts = llvm::map_to_vector(elements, [&](Value value) {
      return resizeInteger(builder, loc, toBits(builder, loc, value),
                           elementBits());
    });
    if (parts.size() == 1)
      return resizeInteger(builder, loc, parts.front(), wordBits());
    Value vector = LLVM::PoisonOp::create(builder, loc, getVectorType());
    for (auto [number, part] : llvm::enumerate(parts))
      vector = LLVM::InsertElementOp::create(builder, loc, vector, part,
                                             position(number));
    Type integer = builder.getIntegerType(elementBits() * parts.size());
    return resizeInteger(builder, loc,
                         LLVM::BitcastOp::create(builder, loc, integer, vector),
                         wordBits());
  }

  Value getElement(const ShufflePlan::Result &result, Type type) {
    Value bits = resizeInteger(builder, loc, words[result.step],
                               elementBits() * plan.elementsPerWord);
    if (plan.elementsPerWord > 1)
      bits = LLVM::ExtractElementOp::create(
          builder, loc,
          LLVM::BitcastOp::create(builder, loc, getVectorType(), bits),
          position(result.position));
    unsigned width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
    return fromBits(builder, loc, resizeInteger(builder, loc, bits, width),
                    type);
  }

  const ShufflePlan &plan;
  OpBuilder &builder;
  Location loc;
  ThreadIndex thread;
  bool isButterfly;
  ThreadCoordinate lane;
  SmallVector<Value> conditions;
  /// The word of each step.
  SmallVector<Value> words;
};

struct ConvertLayoutPattern : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (auto map = mapRegisters(op)) {
      rewriter.replaceOpWithMultiple(
          op, {takeRegisters(adaptor.getSource(), *map)});
      return success();
    }
    std::optional<ShufflePlan> plan = planShuffles(op);
    if (!plan)
      return op.emitOpError(
          "moves data between warps: run tile-lower-conversions "
          "first");
    PlanLowering lowering(*plan, rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, {lowering.run(adaptor.getSource())});
    return success();
  }
};

} // namespace

void tonvvm::populateConvertLayoutPatterns(RewritePatternSet &patterns,
                                           const TypeConverter &converter) {
  patterns.add<ConvertLayoutPattern>(converter, patterns.getContext());
}
