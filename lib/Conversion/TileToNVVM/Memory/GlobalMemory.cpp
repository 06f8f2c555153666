//===- GlobalMemory.cpp - Views, pointers, accesses through them ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows/RotatedRow.h"
#include "Rows/RowWords.h"
#include "Threads/BlockAddresses.h"
#include "Threads/Patterns.h"
#include "Threads/RegisterValues.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Conversion/TileToNVVM/Passes.h"
#include "tilewright/Dialect/Tile/Analysis/AccessByWords.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/IR/ByWords.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

SharedAccessPlan tonvvm::makePlan(GlobalAccessOpInterface access,
                                  const LoweringContext &context) {
  RankedTensorType tile = access.getTileType();
  return planGlobalAccess(getRegisterLayout(tile).getLayout(),
                          getElementBytes(tile.getElementType()),
                          context.vectorDims.lookup(access),
                          *access.getVectorWidth(), access.isStore());
}

/// Says of the instruction that these elements are taken out of that the kernel
/// does not write the array. Where the predicate never holds there is none.
static void markReadOnly(ArrayRef<Value> elements, Value predicate) {
  if (Operation *load = findLoadOfElements(elements, predicate))
    load->setAttr(kReadOnlyAttr, UnitAttr::get(load->getContext()));
}

/// What is known of where the op's block is, or null.
static const BlockRanges *findRanges(Operation *op,
                                     const LoweringContext &context) {
  auto found = context.blocks.find(op);
  return found == context.blocks.end() ? nullptr : &found->second;
}

namespace {

/// ptxas moves no load over a barrier of the warp's threads.
static void keepInOrder(Operation *load, OpBuilder &builder) {
  if (load->hasAttr(kInOrderAttr))
    syncWarp(builder, load->getLoc());
}

/// The pieces of rows of an access that moves words, one after the other.
template <typename Move>
void moveWords(GlobalAccessOpInterface access, OpBuilder &builder,
               RowWords::Elements elements, Move move) {
  Type elementType = access.getTileType().getElementType();
  elements.step = access->getAttrOfType<IntegerAttr>(kByWordsAttr).getInt();
  ImplicitLocOpBuilder located(access.getLoc(), builder);
  std::optional<WordsOfRows> words = findWordsOfThreads(access);
  assert(words && "of a layout that has none");
  for (const WordsOfRows::Piece &piece : words->pieces)
    move(RowWords(located, elementType, piece, elements));
}

/// Loads such pieces; `other` has what stands where nothing is touched, or is
/// empty.
SmallVector<Value> loadWords(GlobalAccessOpInterface access,
                             const LoweringContext &context, OpBuilder &builder,
                             RowWords::Elements elements,
                             function_ref<Value(unsigned)> other) {
  RegisterValues registers(getRegisterLayout(access.getTileType()).getLayout());
  bool isReadOnly = context.readOnly.contains(access);
  moveWords(access, builder, elements, [&](RowWords words) {
    words.load(isReadOnly, [&](unsigned reg, Value value) {
      Value inside = other ? elements.inside(reg) : Value();
      if (inside && getKnown(inside) != true)
        value = arith::SelectOp::create(builder, access.getLoc(), inside, value,
                                        other(reg));
      registers.set({reg}, {value});
    });
  });
  return registers.take();
}

void storeWords(GlobalAccessOpInterface access, OpBuilder &builder,
                RowWords::Elements elements, ValueRange values) {
  moveWords(access, builder, elements, [&](RowWords words) {
    words.store([&](unsigned reg) { return values[reg]; });
  });
}

/// A view is its base and what is dynamic of its extents and strides.
struct ViewPattern : OpConversionPattern<ViewOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ViewOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getBase());
    for (ValueRange value : adaptor.getShape())
      llvm::append_range(parts, value);
    for (ValueRange value : adaptor.getStrides())
      llvm::append_range(parts, value);
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// Whether elements are not where they would be in order, or vectors have to be
/// looked at: single elements of a row that is rotated by nothing need neither.
template <typename Op> bool isRotated(Op op) {
  return op.getRotation() && (op.getVectorWidth() != 1 ||
                              !matchPattern(op.getRotation(), m_Zero()));
}

struct LoadViewPattern : ContextPattern<LoadViewOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(LoadViewOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    keepInOrder(op, rewriter);
    Location loc = op.getLoc();
    const LinearLayout &layout =
        getRegisterLayout(op.getTileType()).getLayout();
    ThreadIndex thread(rewriter, loc);
    RegisterValues registers(layout);
    if (isRotated(op)) {
      RotatedRow row(
          rewriter, loc, thread, op.getView().getType(), adaptor.getView(),
          adaptor.getOffsets().front().front(), adaptor.getRotation().front(),
          op.getTileType().getDimSize(0), layout, findRanges(op, context));
      row.isReadOnly = context.readOnly.contains(op);
      Value other =
          adaptor.getOther().empty() ? Value() : adaptor.getOther().front();
      SharedAccessPlan plan = makePlan(op, context);
      for (auto [vector, elements] :
           llvm::zip_equal(plan.instructions,
                           row.load(plan.instructions, other, op.getShifted())))
        registers.set(vector, elements);
      keepInOrder(op, rewriter);
      rewriter.replaceOpWithMultiple(op, {registers.take()});
      return success();
    }
    BlockAddresses addresses(
        rewriter, loc, thread, op.getView().getType(), adaptor.getView(),
        getSingleValues(adaptor.getOffsets()), layout, findRanges(op, context));
    if (op->hasAttr(kByWordsAttr)) {
      auto getOther = [&](unsigned) { return adaptor.getOther().front(); };
      function_ref<Value(unsigned)> other;
      if (!adaptor.getOther().empty())
        other = getOther;
      SmallVector<Value> loaded =
          loadWords(op, context, rewriter,
                    {[&](unsigned reg) { return addresses.getPointer(reg); },
                     [&](unsigned reg) { return addresses.isInside(reg); }},
                    other);
      keepInOrder(op, rewriter);
      rewriter.replaceOpWithMultiple(op, {loaded});
      return success();
    }
    for (ArrayRef<unsigned> instruction : makePlan(op, context).instructions) {
      unsigned first = instruction.front();
      Value inside = addresses.isInside(first);
      SmallVector<Value> other;
      if (!adaptor.getOther().empty())
        other.assign(instruction.size(), adaptor.getOther().front());
      SmallVector<Value> elements = loadVector(
          rewriter, loc, addresses.getPointer(first),
          op.getTileType().getElementType(), instruction.size(), inside, other);
      if (context.readOnly.contains(op))
        markReadOnly(elements, inside);
      registers.set(instruction, elements);
    }
    keepInOrder(op, rewriter);
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }
};

struct StoreViewPattern : ContextPattern<StoreViewOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreViewOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LinearLayout &layout =
        getRegisterLayout(op.getTileType()).getLayout();
    ThreadIndex thread(rewriter, loc);
    SharedAccessPlan plan = makePlan(op, context);
    Value canonical = thread.isCanonical(plan.idleLanes, plan.idleWarps);
    ValueRange registers = adaptor.getValue();
    if (isRotated(op)) {
      RotatedRow row(
          rewriter, loc, thread, op.getView().getType(), adaptor.getView(),
          adaptor.getOffsets().front().front(), adaptor.getRotation().front(),
          op.getTileType().getDimSize(0), layout, findRanges(op, context));
      row.store(plan.instructions, llvm::to_vector(registers), canonical);
      rewriter.eraseOp(op);
      return success();
    }
    BlockAddresses addresses(
        rewriter, loc, thread, op.getView().getType(), adaptor.getView(),
        getSingleValues(adaptor.getOffsets()), layout, findRanges(op, context));
    if (op->hasAttr(kByWordsAttr)) {
      storeWords(op, rewriter,
                 {[&](unsigned reg) { return addresses.getPointer(reg); },
                  [&](unsigned reg) {
                    return combine(rewriter, loc, addresses.isInside(reg),
                                   canonical);
                  }},
                 registers);
      rewriter.eraseOp(op);
      return success();
    }
    for (ArrayRef<unsigned> instruction : plan.instructions) {
      unsigned first = instruction.front();
      auto elements = llvm::map_to_vector(
          instruction, [&](unsigned reg) { return registers[reg]; });
      storeVector(rewriter, loc, addresses.getPointer(first), elements,
                  combine(rewriter, loc, addresses.isInside(first), canonical));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadPattern : ContextPattern<LoadOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    keepInOrder(op, rewriter);
    if (!isTile(op.getResult())) {
      SmallVector<Value> loaded = load(op, adaptor, {0}, rewriter);
      keepInOrder(op, rewriter);
      rewriter.replaceOpWithMultiple(op, {loaded});
      return success();
    }
    if (op->hasAttr(kByWordsAttr)) {
      SmallVector<Value> loaded = loadWords(op, adaptor, rewriter);
      keepInOrder(op, rewriter);
      rewriter.replaceOpWithMultiple(op, {loaded});
      return success();
    }
    RegisterValues registers(getRegisterLayout(op.getTileType()).getLayout());
    SmallVector<unsigned> alike =
        context.findAlike(op, adaptor.getPtr().size());
    DenseMap<unsigned, Value> found;
    for (ArrayRef<unsigned> instruction : makePlan(op, context).instructions) {
      Value *known = instruction.size() == 1
                         ? &found[alike[instruction.front()]]
                         : nullptr;
      if (known && *known) {
        registers.set(instruction, *known);
        continue;
      }
      SmallVector<Value> elements = load(op, adaptor, instruction, rewriter);
      if (known)
        *known = elements.front();
      if (context.readOnly.contains(op) && !op.getIsVolatile())
        markReadOnly(elements, getMask(adaptor, instruction));
      registers.set(instruction, elements);
    }
    keepInOrder(op, rewriter);
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }

private:
  /// Null where there is none.
  static Value getMask(OneToNOpAdaptor adaptor, ArrayRef<unsigned> registers) {
    return adaptor.getMask().empty() ? Value()
                                     : adaptor.getMask()[registers.front()];
  }

  SmallVector<Value> loadWords(LoadOp op, OneToNOpAdaptor adaptor,
                               OpBuilder &builder) const {
    auto getOther = [&](unsigned reg) { return adaptor.getOther()[reg]; };
    function_ref<Value(unsigned)> other;
    if (!adaptor.getOther().empty() && !isZero(op.getOther()))
      other = getOther;
    return ::loadWords(op, context, builder,
                       {[&](unsigned reg) { return adaptor.getPtr()[reg]; },
                        [&](unsigned reg) { return getMask(adaptor, reg); },
                        /*step=*/1, /*mayWrap=*/true},
                       other);
  }

  /// One instruction, for these registers.
  static SmallVector<Value> load(LoadOp op, OneToNOpAdaptor adaptor,
                                 ArrayRef<unsigned> registers,
                                 OpBuilder &builder) {
    unsigned first = registers.front();
    Location loc = op.getLoc();
    Value mask = getMask(adaptor, registers);
    Value isHolder =
        op.getUnshared() ? ThreadIndex(builder, loc).isFirst() : Value();
    SmallVector<Value> other;
    if (!adaptor.getOther().empty())
      other = takeRegisters(adaptor.getOther(), registers);
    return loadVector(builder, loc, adaptor.getPtr()[first],
                      getElementTypeOrSelf(op.getResult()), registers.size(),
                      combine(builder, loc, mask, isHolder), other,
                      op.getIsVolatile());
  }
};

struct StorePattern : ContextPattern<StoreOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ValueRange pointers = adaptor.getPtr(), values = adaptor.getValue(),
               mask = adaptor.getMask();
    ThreadIndex thread(rewriter, loc);
    auto store = [&](ArrayRef<unsigned> registers, Value canonical) {
      unsigned first = registers.front();
      storeVector(rewriter, loc, pointers[first],
                  takeRegisters(values, registers),
                  combine(rewriter, loc, mask.empty() ? Value() : mask[first],
                          canonical),
                  op.getIsVolatile());
    };
    if (op->hasAttr(kByWordsAttr)) {
      SharedAccessPlan plan = makePlan(op, context);
      Value canonical = thread.isCanonical(plan.idleLanes, plan.idleWarps);
      storeWords(op, rewriter,
                 {[&](unsigned reg) { return pointers[reg]; },
                  [&](unsigned reg) {
                    return combine(rewriter, loc,
                                   mask.empty() ? Value() : mask[reg],
                                   canonical);
                  },
                  /*step=*/1, /*mayWrap=*/true},
                 values);
    } else if (isTile(op.getValue())) {
      SharedAccessPlan plan = makePlan(op, context);
      Value canonical = thread.isCanonical(plan.idleLanes, plan.idleWarps);
      for (ArrayRef<unsigned> instruction : plan.instructions)
        store(instruction, canonical);
    } else {
      store({0}, thread.isFirst());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateGlobalMemoryPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  MLIRContext *mlirContext = patterns.getContext();
  patterns.add<ViewPattern>(converter, mlirContext);
  patterns.add<LoadViewPattern, StoreViewPattern, LoadPattern, StorePattern>(
      converter, mlirContext, context);
}
