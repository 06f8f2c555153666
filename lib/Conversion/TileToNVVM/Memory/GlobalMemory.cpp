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

/// Where elements of an access are whose tile is rotated, and of any other.
template <typename Op, typename Adaptor>
RotatedRow findRow(OpBuilder &builder, ThreadIndex &thread, Op op,
                   Adaptor adaptor, const LoweringContext &context) {
  RankedTensorType tile = op.getTileType();
  return RotatedRow(builder, op.getLoc(), thread, op.getView().getType(),
                    adaptor.getView(), adaptor.getOffsets().front().front(),
                    adaptor.getRotation().front(), tile.getDimSize(0),
                    getRegisterLayout(tile).getLayout(),
                    findRanges(op, context));
}
template <typename Op, typename Adaptor>
BlockAddresses findBlock(OpBuilder &builder, ThreadIndex &thread, Op op,
                         Adaptor adaptor, const LoweringContext &context) {
  return BlockAddresses(
      builder, op.getLoc(), thread, op.getView().getType(), adaptor.getView(),
      getSingleValues(adaptor.getOffsets()),
      getRegisterLayout(op.getTileType()).getLayout(), findRanges(op, context));
}

struct LoadViewPattern : ContextPattern<LoadViewOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(LoadViewOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    keepInOrder(op, rewriter);
    SmallVector<Value> loaded = load(op, adaptor, rewriter);
    keepInOrder(op, rewriter);
    rewriter.replaceOpWithMultiple(op, {loaded});
    return success();
  }

private:
  SmallVector<Value> load(LoadViewOp op, OneToNOpAdaptor adaptor,
                          OpBuilder &builder) const {
    ThreadIndex thread(builder, op.getLoc());
    Value other =
        adaptor.getOther().empty() ? Value() : adaptor.getOther().front();
    if (isRotated(op))
      return loadRow(op, findRow(builder, thread, op, adaptor, context), other);
    BlockAddresses block = findBlock(builder, thread, op, adaptor, context);
    return op->hasAttr(kByWordsAttr) ? loadWords(op, block, other, builder)
                                     : loadVectors(op, block, other, builder);
  }

  SmallVector<Value> loadRow(LoadViewOp op, RotatedRow row, Value other) const {
    RegisterValues registers(getRegisterLayout(op.getTileType()).getLayout());
    row.isReadOnly = context.readOnly.contains(op);
    SharedAccessPlan plan = makePlan(op, context);
    for (auto [vector, elements] :
         llvm::zip_equal(plan.instructions,
                         row.load(plan.instructions, other, op.getShifted())))
      registers.set(vector, elements);
    return registers.take();
  }

  SmallVector<Value> loadWords(LoadViewOp op, BlockAddresses &block,
                               Value other, OpBuilder &builder) const {
    auto getOther = [&](unsigned) { return other; };
    return ::loadWords(op, context, builder,
                       {[&](unsigned reg) { return block.getPointer(reg); },
                        [&](unsigned reg) { return block.isInside(reg); }},
                       other ? function_ref<Value(unsigned)>(getOther)
                             : nullptr);
  }

  SmallVector<Value> loadVectors(LoadViewOp op, BlockAddresses &block,
                                 Value other, OpBuilder &builder) const {
    RegisterValues registers(getRegisterLayout(op.getTileType()).getLayout());
    for (ArrayRef<unsigned> instruction : makePlan(op, context).instructions) {
      unsigned first = instruction.front();
      Value inside = block.isInside(first);
      SmallVector<Value> others(other ? instruction.size() : 0, other);
      SmallVector<Value> elements =
          loadVector(builder, op.getLoc(), block.getPointer(first),
                     op.getTileType().getElementType(), instruction.size(),
                     inside, others);
      if (context.readOnly.contains(op))
        markReadOnly(elements, inside);
      registers.set(instruction, elements);
    }
    return registers.take();
  }
};

struct StoreViewPattern : ContextPattern<StoreViewOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreViewOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadIndex thread(rewriter, op.getLoc());
    SharedAccessPlan plan = makePlan(op, context);
    Value canonical = thread.isCanonical(plan.idleLanes, plan.idleWarps);
    ValueRange registers = adaptor.getValue();
    if (isRotated(op))
      findRow(rewriter, thread, op, adaptor, context)
          .store(plan.instructions, llvm::to_vector(registers), canonical);
    else
      store(op, plan, findBlock(rewriter, thread, op, adaptor, context),
            registers, canonical, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void store(StoreViewOp op, const SharedAccessPlan &plan,
                    BlockAddresses block, ValueRange registers, Value canonical,
                    OpBuilder &builder) {
    Location loc = op.getLoc();
    auto getPointer = [&](unsigned reg) { return block.getPointer(reg); };
    auto mayStore = [&](unsigned reg) {
      return combine(builder, loc, block.isInside(reg), canonical);
    };
    if (op->hasAttr(kByWordsAttr)) {
      storeWords(op, builder, {getPointer, mayStore}, registers);
      return;
    }
    for (ArrayRef<unsigned> instruction : plan.instructions) {
      unsigned first = instruction.front();
      Value pointer = getPointer(first);
      storeVector(builder, loc, pointer, takeRegisters(registers, instruction),
                  mayStore(first));
    }
  }
};

struct LoadPattern : ContextPattern<LoadOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    keepInOrder(op, rewriter);
    SmallVector<Value> loaded =
        !isTile(op.getResult())     ? load(op, adaptor, {0}, rewriter)
        : op->hasAttr(kByWordsAttr) ? loadWords(op, adaptor, rewriter)
                                    : loadVectors(op, adaptor, rewriter);
    keepInOrder(op, rewriter);
    rewriter.replaceOpWithMultiple(op, {loaded});
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

  /// Loads by an instruction for each vector; elements of equal pointers once.
  SmallVector<Value> loadVectors(LoadOp op, OneToNOpAdaptor adaptor,
                                 OpBuilder &builder) const {
    RegisterValues registers(getRegisterLayout(op.getTileType()).getLayout());
    SmallVector<unsigned> alike =
        context.findAlike(op, adaptor.getPtr().size());
    DenseMap<unsigned, SmallVector<Value>> found;
    for (ArrayRef<unsigned> instruction : makePlan(op, context).instructions) {
      SmallVector<Value> none;
      SmallVector<Value> &elements =
          instruction.size() == 1 ? found[alike[instruction.front()]] : none;
      if (elements.empty()) {
        elements = load(op, adaptor, instruction, builder);
        if (context.readOnly.contains(op) && !op.getIsVolatile())
          markReadOnly(elements, getMask(adaptor, instruction));
      }
      registers.set(instruction, elements);
    }
    return registers.take();
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
