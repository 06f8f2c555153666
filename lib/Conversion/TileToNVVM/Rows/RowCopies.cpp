//===- RowCopies.cpp - Rows that are copied ahead -------------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   copy_row    each thread copies 16 bytes at a time, or zeros behind the row;
//               where it begins and ends, words
//   load_ends   each thread loads the element at an end that it may have
//   load_row    a thread that has one which was not copied puts it there; each
//               reads its elements, at places that differ from row to row by
//               one number alone
//   place_row   each thread writes its elements at such places
//   store_row   each thread stores 16 bytes at a time, and some an element of
//               those that the row has only in part
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "Rows/RowBlock.h"
#include "Rows/RunEnds.h"
#include "Threads/AsyncCopy.h"
#include "Threads/KnownColumns.h"
#include "Threads/Patterns.h"
#include "Threads/RegisterValues.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// i64.
static Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) {
  return LLVM::PtrToIntOp::create(builder, builder.getI64Type(), pointer);
}

namespace {

/// The pieces of a row in memory and in the shared tile, and who moves them.
class RowPieces : protected NumberBuilder {
public:
  RowPieces(ImplicitLocOpBuilder &builder, SharedType tile,
            std::optional<int64_t> most, Value row, Value count, Value shared,
            int64_t numThreads)
      : NumberBuilder(builder), type(tile.getElementType()),
        bytes(getElementBytes(type)),
        numPieces(RowBuffer::countPieces(most.value_or(tile.getNumElements()) *
                                         bytes)),
        numThreads(numThreads), shared(shared) {
    Value address = getAddress(builder, row);
    behind = both(narrow(address), kPieceBytes - 1);
    begin = both(address, -kPieceBytes);
    count = narrow(fromIndex(count));
    end = select(isLess(constant(0), count), add(behind, mul(count, bytes)),
                 constant(0));
  }

protected:
  Value getThread() {
    ThreadIndex thread(builder, builder.getLoc());
    return add(mul(thread.getWarp(), lanesPerWarp), thread.getLane());
  }

  Type type;
  int64_t bytes, numPieces, numThreads;
  Value shared;
  /// i64: the first piece of the row. i32: where in it the row begins, and ends
  /// behind its beginning; 0 where there is none.
  Value begin, behind, end;
};

/// The lowering of `tile.copy_row`.
class CopiedRow : RowPieces {
public:
  using RowPieces::RowPieces;

  void copy() {
    Value index = getThread();
    copyEnds(index);
    for (int64_t done = 0; done < numPieces; done += numThreads)
      copyPiece(index, done);
  }

private:
  /// Copies the words that the row fills of the pieces in which it begins and
  /// ends, each by four threads: from where it fills none on these are zeros.
  /// cp.async could read a part of a word, of which compute-sanitizer knows
  /// nothing: it says that all of the word is read.
  void copyEnds(Value index) {
    constexpr int64_t inPiece = kPieceBytes / bytesPerWord;
    Value isFirst = isLess(index, constant(inPiece));
    Value last = both(end, -kPieceBytes);
    Value word = mul(both(index, inPiece - 1), bytesPerWord);
    Value place = select(isFirst, word, add(last, word));
    // Where the row begins and ends in one piece, that is the first.
    Value ofLast =
        select(isAtMost(behind, last), both(end, kPieceBytes - 1), constant(0));
    Value isCut = isLess(constant(0), select(isFirst, behind, ofLast));
    Value mask = both(both(isCut, isAtMost(behind, place)),
                      isLess(index, constant(2 * inPiece)));
    AsyncCopy::emit(builder, builder.getLoc(),
                    addBytes(builder, builder.getLoc(), shared, place),
                    getGlobal(add(begin, widen(place))), bytesPerWord,
                    /*inside=*/isAtMost(add(place, bytesPerWord), end), mask);
  }

  /// Copies a piece that is the row's, or makes zeros of one behind its end.
  void copyPiece(Value index, int64_t done) {
    Value place = add(mul(index, kPieceBytes), done * kPieceBytes);
    Value isWhole = isAtMost(add(place, kPieceBytes), end);
    Value mask = make<arith::OrIOp>(isWhole, isAtMost(end, place));
    // Only the first one may begin before the row.
    if (done == 0)
      mask = both(mask, isAtMost(behind, place));
    if (numPieces - done < numThreads)
      mask = both(mask, isLess(index, constant(numPieces - done)));
    Value source =
        add(add(begin, mul(widen(index), kPieceBytes)), done * kPieceBytes);
    AsyncCopy::emit(builder, builder.getLoc(),
                    addBytes(builder, builder.getLoc(), shared, place),
                    getGlobal(source), kPieceBytes,
                    /*inside=*/isWhole, mask);
  }
};

struct CopyRowPattern : ContextPattern<CopyRowOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(CopyRowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CopiedRow(builder, op.getDest().getType(), op.getMost(),
              adaptor.getSource(), adaptor.getCount(), adaptor.getDest(),
              context.computingThreads.lookup(op))
        .copy();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadEndsPattern : OpConversionPattern<LoadEndsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadEndsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    NumberBuilder numbers(builder);
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    Type type = tile.getElementType();
    Value parity =
        ThreadIndex(builder, op.getLoc())
            .getCoordinate(getRegisterLayout(tile).getLayout(), /*dim=*/0)
            .get(builder, op.getLoc(), 0);
    Value address = getAddress(builder, adaptor.getSource().front());
    int64_t bytes = getElementBytes(type);
    // What an address within a word and a column that is even have in common.
    Value isEven = numbers.mul(numbers.make<arith::XOrIOp>(parity, 1), bytes);
    Value isFirst = numbers.isLess(
        numbers.constant(0), numbers.both(numbers.narrow(address), isEven));
    Value count = numbers.narrow(numbers.fromIndex(adaptor.getCount().front()));
    Value toLast = numbers.sub(numbers.mul(count, bytes), bytes);
    Value distance = builder.create<arith::ExtUIOp>(
        builder.getI64Type(),
        numbers.select(isFirst, numbers.constant(0), toLast));
    rewriter.replaceOpWithMultiple(
        op, {loadVector(builder, op.getLoc(),
                        numbers.getGlobal(numbers.add(address, distance)), type,
                        1, numbers.isLess(numbers.constant(0), count))});
    return success();
  }
};

/// Where a thread has the elements of a row that lies in shared memory as far
/// behind a multiple of 16 bytes as at `row`.
class RowElements : NumberBuilder {
public:
  RowElements(ImplicitLocOpBuilder &builder, RankedTensorType tile,
              Value shared, Value row)
      : NumberBuilder(builder), layout(getRegisterLayout(tile).getLayout()),
        dim(tile.getRank() - 1), bytes(getElementBytes(tile.getElementType())),
        coordinate(
            ThreadIndex(builder, builder.getLoc()).getCoordinate(layout, dim)),
        behind(both(narrow(getAddress(builder, row)), kPieceBytes - 1)),
        begin(addBytes(builder, builder.getLoc(), shared, behind)),
        ofThread(computePointer(0)) {}

  int32_t getColumn(unsigned reg) const {
    return layout.apply({{"register", reg}})[dim];
  }
  /// Whether no thread has an element of the row in that register.
  bool isBehind(unsigned reg, std::optional<int64_t> most) const {
    return most && getCoordinates(layout, reg, dim).first >= *most;
  }
  /// Whether some threads have one there, and others do not.
  bool isEnd(unsigned reg, std::optional<int64_t> most) const {
    return most && getCoordinates(layout, reg, dim).second >= *most;
  }
  /// Whether the last element of a row may be there, of as many at the least
  /// and the most.
  bool mayBeLast(unsigned reg, std::optional<int64_t> least,
                 std::optional<int64_t> most) const {
    auto [lowest, highest] = getCoordinates(layout, reg, dim);
    return highest >= least.value_or(1) - 1 && (!most || lowest < *most);
  }
  Value getCoordinate(int32_t column) {
    return coordinate.get(builder, builder.getLoc(), column);
  }
  /// Whether the column is that many behind the thread's first one.
  bool isDisjoint(int32_t column) const {
    return coordinate.isDisjoint(column);
  }
  Value getPointer(int32_t column) {
    return isDisjoint(column)
               ? addBytes(builder, builder.getLoc(), ofThread, column * bytes)
               : computePointer(column);
  }
  Value getBehind() const { return behind; }

private:
  Value computePointer(int32_t column) {
    return addBytes(builder, builder.getLoc(), begin,
                    mul(getCoordinate(column), bytes));
  }

  const LinearLayout &layout;
  unsigned dim;
  int64_t bytes;
  ThreadCoordinate coordinate;
  Value behind, begin, ofThread;
};

/// The lowering of `tile.load_row`.
class LoadedRow : NumberBuilder {
public:
  LoadedRow(ImplicitLocOpBuilder &builder, LoadRowOp op,
            LoadRowOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor)
      : NumberBuilder(builder), op(op),
        tile(cast<RankedTensorType>(op.getResult().getType())),
        layout(getRegisterLayout(tile).getLayout()),
        row(builder, tile, adaptor.getSource().front(),
            adaptor.getFrom().front()),
        end(adaptor.getEnds().front()) {
    Value count = narrow(fromIndex(adaptor.getCount().front()));
    begin = row.getBehind();
    behind = add(begin, mul(count, getElementBytes(tile.getElementType())));
    lastColumn = sub(count, 1);
  }

  SmallVector<Value> load() {
    RegisterValues registers(layout);
    SmallVector<unsigned> ends;
    for (unsigned reg : llvm::SmallSetVector<unsigned, 32>(
             llvm::from_range, canonicalRegisters(layout)))
      if (row.isBehind(reg, op.getMost()))
        registers.set(reg, getZero());
      else if (row.getColumn(reg) == 0 ||
               row.mayBeLast(reg, op.getLeast(), op.getMost()))
        ends.push_back(reg);
      else
        registers.set(reg, loadElement(reg));
    placeEnd();
    for (unsigned reg : ends)
      registers.set(reg, loadElement(reg));
    return registers.take();
  }

private:
  SmallVector<Value> loadElement(unsigned reg) {
    int32_t column = row.getColumn(reg);
    Value isOfRow;
    if (row.isEnd(reg, op.getMost()))
      isOfRow = isLess(row.getCoordinate(column), constant(*op.getMost()));
    return loadVector(builder, builder.getLoc(), row.getPointer(column),
                      tile.getElementType(), 1, isOfRow);
  }

  /// Puts what is left out to where the same thread reads it: the first element
  /// or the last one, of which it has one at the most.
  void placeEnd() {
    Location loc = builder.getLoc();
    int32_t threadBits = getColumnBitsOfThreads(layout);
    Value ofThread = row.getCoordinate(0);
    auto place = [&](Value at, Value column, Value distance) {
      Value isThere = isEqual(ofThread, both(column, threadBits));
      storeVector(builder, loc,
                  distance ? addBytes(builder, loc, row.getPointer(0), distance)
                           : row.getPointer(0),
                  end, isLeftOut(at, isThere));
    };
    int64_t bytes = getElementBytes(tile.getElementType());
    place(begin, constant(0), nullptr);
    place(behind, lastColumn, mul(both(lastColumn, ~threadBits), bytes));
  }

  /// Whether an end of the row, which is there, is within a word.
  Value isLeftOut(Value place, Value isThere) {
    return both(isLess(constant(0), both(place, bytesPerWord - 1)), isThere);
  }
  Value getZero() {
    return arith::ConstantOp::create(
        builder, builder.getZeroAttr(tile.getElementType()));
  }

  LoadRowOp op;
  RankedTensorType tile;
  const LinearLayout &layout;
  RowElements row;
  /// An end of the row: the one that is left out, if the thread has one such.
  Value end;
  /// i32: how far behind a piece the row begins, and ends, and its last column.
  Value begin, behind, lastColumn;
};

struct LoadRowPattern : OpConversionPattern<LoadRowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadRowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(op,
                                   {LoadedRow(builder, op, adaptor).load()});
    return success();
  }
};

struct PlaceRowPattern : OpConversionPattern<PlaceRowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PlaceRowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    const LinearLayout &layout = getRegisterLayout(tile).getLayout();
    RowElements row(builder, tile, adaptor.getDest().front(),
                    adaptor.getTo().front());
    Value isHolder = ThreadIndex(builder, builder.getLoc())
                         .isCanonical(layout.zeroBasisMask("lane"),
                                      layout.zeroBasisMask("warp"));
    for (unsigned reg : llvm::SmallSetVector<unsigned, 32>(
             llvm::from_range, canonicalRegisters(layout)))
      if (!row.isBehind(reg, op.getMost()))
        storeVector(builder, builder.getLoc(),
                    row.getPointer(row.getColumn(reg)), adaptor.getValue()[reg],
                    isHolder);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The lowering of `tile.store_row`.
class PlacedRow : RowPieces {
public:
  using RowPieces::RowPieces;

  void store() {
    Value index = getThread();
    for (int64_t done = 0; done < numPieces; done += numThreads) {
      Value place = add(mul(index, kPieceBytes), done * kPieceBytes);
      Value isWhole = isAtMost(add(place, kPieceBytes), end);
      // Only the first one may begin before the row.
      if (done == 0)
        isWhole = both(isWhole, isAtMost(behind, place));
      move(place, builder.getI32Type(), kPieceBytes / bytesPerWord, isWhole);
    }
    storeEnds(index);
  }

private:
  /// An element a thread, of the pieces in which the row begins and ends.
  void storeEnds(Value index) {
    RunEnd ofThread = findRunEnd(builder, index, behind, end, bytes);
    move(ofThread.place, type, 1, ofThread.mask);
  }

  void move(Value place, Type element, unsigned count, Value mask) {
    Location loc = builder.getLoc();
    SmallVector<Value> parts =
        loadVector(builder, loc, addBytes(builder, loc, shared, place), element,
                   count, mask);
    storeVector(builder, loc, getGlobal(add(begin, widen(place))), parts, mask);
  }
};

struct StoreRowPattern : ContextPattern<StoreRowOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(StoreRowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    PlacedRow(builder, op.getSource().getType(), op.getMost(),
              adaptor.getDest(), adaptor.getCount(), adaptor.getSource(),
              context.computingThreads.lookup(op))
        .store();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateRowCopyPatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<CopyRowPattern, StoreRowPattern>(converter,
                                                patterns.getContext(), context);
  patterns.add<LoadEndsPattern, LoadRowPattern, PlaceRowPattern>(
      converter, patterns.getContext());
}
