//===- RowCopies.cpp - Rows that are copied ahead -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   copy_row    each thread copies 16 bytes at a time, so many as the row has
//               there, of which the rest are zeros; where it begins, words
//   load_row    each thread reads its elements, at places that differ from row
//               to row by one number alone
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "AsyncCopy.h"
#include "Patterns.h"
#include "RegisterValues.h"
#include "RowBlock.h"
#include "SharedAddresses.h"
#include "ThreadIndex.h"
#include "VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

static constexpr int64_t kPieceBytes = RowBuffer::pieceBytes;

/// i64.
static Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) {
  return LLVM::PtrToIntOp::create(builder, builder.getI64Type(), pointer);
}

namespace {

/// The lowering of `tile.copy_row`.
class RowPieces : NumberBuilder {
public:
  RowPieces(ImplicitLocOpBuilder &builder, SharedType tile, Value row,
            Value count, Value shared, int64_t numThreads)
      : NumberBuilder(builder),
        numPieces(RowBuffer::countPieces(getRowBytes(tile))),
        numThreads(numThreads), shared(shared) {
    Value address = getAddress(builder, row);
    behind = both(narrow(address), kPieceBytes - 1);
    begin = both(address, -kPieceBytes);
    count = narrow(fromIndex(count));
    Value bytes = mul(count, getElementBytes(tile.getElementType()));
    end = builder.createOrFold<arith::SelectOp>(
        isLess(constant(0), count), add(behind, bytes), constant(0));
  }

  void copy() {
    ThreadIndex thread(builder, builder.getLoc());
    Value index = add(mul(thread.getWarp(), lanesPerWarp), thread.getLane());
    copyHead(index);
    // Whole pieces: the first one too, where the row begins with it.
    Value isWhole = isLess(behind, add(mul(index, kPieceBytes), 1));
    for (int64_t done = 0; done < numPieces; done += numThreads) {
      Value mask = done == 0 ? isWhole : Value();
      if (numPieces - done < numThreads)
        mask = combine(builder, builder.getLoc(), mask,
                       isLess(index, constant(numPieces - done)));
      copyPart(index, done, kPieceBytes, mask);
    }
  }

private:
  static int64_t getRowBytes(SharedType tile) {
    return tile.getNumElements() * getElementBytes(tile.getElementType());
  }

  /// Copies the words that the row has of a piece in which it begins.
  void copyHead(Value index) {
    Value isOfRow = isAtMost(behind, mul(index, bytesPerWord));
    Value isInPiece = isLess(index, constant(kPieceBytes / bytesPerWord));
    copyPart(index, /*done=*/0, bytesPerWord,
             both(both(isOfRow, isInPiece), isLess(constant(0), behind)));
  }

  /// One part of so many bytes a thread, of which the row may have fewer.
  void copyPart(Value index, int64_t done, int64_t bytes, Value mask) {
    Value place = add(mul(index, bytes), done * bytes);
    Value left =
        make<arith::MinSIOp>(make<arith::MaxSIOp>(sub(end, place), 0), bytes);
    Value source = add(add(begin, mul(widen(index), bytes)), done * bytes);
    auto pointer =
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
    AsyncCopy::emitPart(builder, builder.getLoc(),
                        addBytes(builder, builder.getLoc(), shared, place),
                        LLVM::IntToPtrOp::create(builder, pointer, source),
                        bytes, left, mask);
  }

  int64_t numPieces, numThreads;
  Value shared;
  /// i64: the first piece of the row. i32: where in it the row begins, and ends
  /// behind its beginning; 0 where there is none.
  Value begin, behind, end;
};

struct CopyRowPattern : OpConversionPattern<CopyRowOp> {
  CopyRowPattern(const TypeConverter &converter, MLIRContext *mlirContext,
                 const LoweringContext &context)
      : OpConversionPattern(converter, mlirContext), context(context) {}

  LogicalResult
  matchAndRewrite(CopyRowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RowPieces(builder, op.getDest().getType(), adaptor.getSource(),
              adaptor.getCount(), adaptor.getDest(),
              context.computingThreads.lookup(op))
        .copy();
    rewriter.eraseOp(op);
    return success();
  }

  const LoweringContext &context;
};

struct LoadRowPattern : OpConversionPattern<LoadRowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadRowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    NumberBuilder numbers(builder);
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    const LinearLayout &layout = getRegisterLayout(tile).getLayout();
    unsigned dim = tile.getRank() - 1;
    int64_t bytes = getElementBytes(tile.getElementType());
    ThreadIndex thread(builder, builder.getLoc());
    ThreadCoordinate coordinate = thread.getCoordinate(layout, dim);
    Value address = getAddress(builder, adaptor.getFrom().front());
    Value behind = numbers.both(numbers.narrow(address), kPieceBytes - 1);
    Value row = addBytes(builder, builder.getLoc(), adaptor.getSource().front(),
                         behind);
    auto getPointer = [&](int32_t column) {
      return addBytes(
          builder, builder.getLoc(), row,
          numbers.mul(coordinate.get(builder, builder.getLoc(), column),
                      bytes));
    };
    Value ofThread = getPointer(0);
    RegisterValues registers(layout);
    for (unsigned reg : llvm::SmallSetVector<unsigned, 32>(
             llvm::from_range, canonicalRegisters(layout))) {
      int32_t column = layout.apply({{"register", reg}})[dim];
      Value pointer =
          coordinate.isDisjoint(column)
              ? addBytes(builder, builder.getLoc(), ofThread, column * bytes)
              : getPointer(column);
      Value isCopied;
      if (column == 0 || !coordinate.isDisjoint(column))
        isCopied = mayRead(
            builder, coordinate.get(builder, builder.getLoc(), column), behind);
      SmallVector<Value> other;
      if (isCopied)
        llvm::append_range(other, adaptor.getFirst());
      registers.set(reg, loadVector(builder, builder.getLoc(), pointer,
                                    tile.getElementType(), 1, isCopied, other));
    }
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }

private:
  /// Whether the element of that column was copied: the first one is not, where
  /// the row begins within a word.
  static Value mayRead(ImplicitLocOpBuilder &builder, Value column,
                       Value behind) {
    NumberBuilder numbers(builder);
    auto isZero = [&](Value number) {
      return numbers.isLess(number, numbers.constant(1));
    };
    Value isFirst = isZero(column);
    Value isWord = isZero(numbers.both(behind, bytesPerWord - 1));
    return numbers.make<arith::OrIOp>(isWord,
                                      numbers.make<arith::XOrIOp>(isFirst, 1));
  }
};

} // namespace

void tonvvm::populateRowCopyPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<CopyRowPattern>(converter, patterns.getContext(), context);
  patterns.add<LoadRowPattern>(converter, patterns.getContext());
}
