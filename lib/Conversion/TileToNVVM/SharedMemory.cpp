//===- SharedMemory.cpp - Shared tiles and barriers ------------------ -*- C++
//-*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "RegisterValues.h"
#include "ThreadIndex.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

static Value getConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

/// `base` + `offset` bytes, inside of the object that base points into.
static Value addBytes(OpBuilder &builder, Location loc, Value base,
                      Value offset) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(),
                             base, ArrayRef<LLVM::GEPArg>{offset},
                             LLVM::GEPNoWrapFlags::inbounds);
}

static Value addBytes(OpBuilder &builder, Location loc, Value base,
                      int64_t offset) {
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(
      builder, loc, base.getType(), builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)},
      LLVM::GEPNoWrapFlags::inbounds);
}

namespace {

/// Where the instructions of one access to a shared tile go.
class SharedAddresses {
public:
  SharedAddresses(OpBuilder &builder, Location loc, ThreadIndex &thread,
                  Value base, const LinearLayout &registers,
                  const SharedLayout &layout, unsigned elementBytes)
      : builder(builder), loc(loc), base(base), layout(layout),
        elementBytes(elementBytes),
        toOffset(registers.compose(layout.pointToOffset())),
        offset(thread.getCoordinate(toOffset, 0)) {}

  /// The address of a register's element.
  Value get(unsigned reg) {
    int32_t part = toOffset.apply({{"register", reg}})[0];
    // Bits in which the thread has no say are added as a constant, which
    // becomes part of the instruction; only the others need an XOR.
    int32_t folded = 0;
    for (int bit = 0; bit < 31; ++bit)
      if (part >> bit & 1 && offset.isDisjoint(1 << bit))
        folded |= 1 << bit;
    // Sums of disjoint bits have no carry, so padding them is padding each.
    return addBytes(builder, loc, getThreadPointer(part & ~folded),
                    layout.pad(folded) * elementBytes);
  }

private:
  /// The address for the bits of a register's offset that the thread's own
  /// change.
  Value getThreadPointer(int32_t part) {
    Value &pointer = threadPointers[part];
    if (pointer)
      return pointer;
    Value elements = offset.get(builder, loc, part);
    if (layout.isPadded()) {
      int shift = llvm::Log2_64(layout.padInterval());
      Value rows = arith::ShRUIOp::create(builder, loc, elements,
                                          getConstant(builder, loc, shift));
      Value padding = arith::MulIOp::create(
          builder, loc, rows, getConstant(builder, loc, layout.padAmount()));
      elements = arith::AddIOp::create(builder, loc, elements, padding);
    }
    Value bytes = arith::MulIOp::create(
        builder, loc, elements, getConstant(builder, loc, elementBytes));
    return pointer = addBytes(builder, loc, base, bytes);
  }

  OpBuilder &builder;
  Location loc;
  Value base;
  const SharedLayout &layout;
  unsigned elementBytes;
  LinearLayout toOffset;
  ThreadCoordinate offset;
  std::map<int32_t, Value> threadPointers;
};

/// The plan of an access and the means to carry it out.
struct AccessLowering {
  AccessLowering(SharedAccessOpInterface access, Value base, OpBuilder &builder)
      : loc(access.getLoc()), thread(builder, loc),
        description(describeSharedAccess(access)),
        layout(access.getSharedTile().getType().getLayout().getLayout()),
        plan(planSharedAccess(description, layout)),
        addresses(builder, loc, thread, base, description.registers, layout,
                  description.elementBytes) {}

  Location loc;
  ThreadIndex thread;
  SharedAccess description;
  SharedLayout layout;
  SharedAccessPlan plan;
  SharedAddresses addresses;
};

struct AllocSharedPattern : OpConversionPattern<AllocSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocSharedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The function around is the kernel's, in its old or its new form.
    Operation *function = op->getParentOfType<KernelOp>();
    if (!function)
      function = op->getParentOfType<LLVM::LLVMFuncOp>();
    Value block = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(),
        LLVM::LLVMPointerType::get(getContext(), kSharedSpace),
        getSharedSymbol(function));
    rewriter.replaceOp(op, addBytes(rewriter, op.getLoc(), block,
                                    static_cast<int64_t>(*op.getOffset())));
    return success();
  }
};

struct SubviewPattern : OpConversionPattern<SubviewOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SubviewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value stage = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getI32Type(), adaptor.getStage());
    Value bytes = arith::MulIOp::create(
        rewriter, loc, stage,
        getConstant(rewriter, loc, op.getType().getStageBytes()));
    rewriter.replaceOp(op, addBytes(rewriter, loc, adaptor.getSource(), bytes));
    return success();
  }
};

struct LocalStorePattern : OpConversionPattern<LocalStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LocalStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AccessLowering access(op, adaptor.getDest().front(), rewriter);
    Value predicate =
        access.thread.isCanonical(access.plan.idleLanes, access.plan.idleWarps);
    ValueRange registers = adaptor.getValue();
    for (ArrayRef<unsigned> instruction : access.plan.instructions) {
      auto elements = llvm::map_to_vector(
          instruction, [&](unsigned reg) { return registers[reg]; });
      storeVector(rewriter, access.loc,
                  access.addresses.get(instruction.front()), elements,
                  predicate);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoadPattern : OpConversionPattern<LocalLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(LocalLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AccessLowering access(op, adaptor.getSource().front(), rewriter);
    Type elementType = op.getTileType().getElementType();
    RegisterValues registers(access.description.registers);
    for (ArrayRef<unsigned> instruction : access.plan.instructions)
      registers.set(instruction,
                    loadVector(rewriter, access.loc,
                               access.addresses.get(instruction.front()),
                               elementType, instruction.size(),
                               /*predicate=*/nullptr));
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }
};

struct BarrierPattern : OpConversionPattern<BarrierOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateSharedMemoryPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter) {
  patterns.add<AllocSharedPattern, SubviewPattern, LocalStorePattern,
               LocalLoadPattern, BarrierPattern>(converter,
                                                 patterns.getContext());
}
