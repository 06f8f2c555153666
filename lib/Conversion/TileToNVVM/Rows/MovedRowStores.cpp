//===- MovedRowStores.cpp - Stores of rows that begin anywhere, in words --===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   store_rows   lanes store the words of a row, in turn from where its first
//                line begins: those in front of the row store its end instead
//   store_sectors    lanes store the words of a row, from the first sector on
//                that begins in it
//
// So a warp stores whole lines, which are as few requests to the second-level
// cache as can be.
// The bytes of a row that are in no whole word of it are stored in one
// instruction for four rows.
//
//===----------------------------------------------------------------------===//

#include "Rows/RowMover.h"
#include "Threads/Patterns.h"
#include "Threads/VectorAccess.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

/// The lowering of `tile.store_rows`.
class RowStorer : RowMover {
public:
  RowStorer(ImplicitLocOpBuilder &builder, RowBlock from, RowBlock block,
            const RowBuffer &buffer, Value shared, Type elementType,
            int64_t numThreads)
      : RowMover(builder, shared, elementType, numThreads),
        from(std::move(from)), block(std::move(block)), buffer(buffer),
        wordBytes(std::max<int64_t>(bytes, 4)),
        rowBytes(this->block.getRowBytes()),
        lanesPerRow(std::min<int64_t>(rowBytes / wordBytes, lanesPerWarp)),
        rowsAtOnce(lanesPerWarp / lanesPerRow) {}

  /// `others` are the dimensions but that of rows, as in `RowBlock::getRow`.
  void store(int64_t numRows, ArrayRef<unsigned> others) {
    prepare(numRows, others);
    // Where all of a row is inside, and lanes have a line of it at a time.
    Value isFull;
    if (lanesPerRow * wordBytes == bytesPerLine)
      isFull = both(
          both(isAtMost(begin, constant(0)), isAtMost(constant(rowBytes), end)),
          block.hasElements());
    OpBuilder::InsertionGuard guard(builder);
    Value first = openLoopOfGroups(numRows);
    storeWords(first, steps, isFull);
    storeEndsOfGroup(first);
  }

  /// Stores the sectors that begin in each row; `wide` is the block with the
  /// elements beyond. i1: whether other programs store what is in front of
  /// these, and what is behind them.
  void storeSectors(int64_t numRows, ArrayRef<unsigned> others,
                    const RowBlock &wide, Value continues, Value continued) {
    prepare(numRows, others);
    const RowBlock::Dim &row = wide[block.getRowDim()];
    sectors = Sectors{continues, continued, toBytes(row.end)};
    Value isFull = both(
        both(continued, isAtMost(constant(row.extent * bytes), sectors->end)),
        both(continues, block.hasElements()));
    OpBuilder::InsertionGuard guard(builder);
    Value first = openLoopOfGroups(numRows);
    auto branch = scf::IfOp::create(builder, isFull, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (int64_t step = 0; step < steps; ++step)
      storeFullSectors(add(first, step));
    builder.setInsertionPointToStart(branch.elseBlock());
    storeSomeSectors(first);
    storeEndsOfGroup(first);
  }

private:
  void prepare(int64_t numRows, ArrayRef<unsigned> dims) {
    others = llvm::to_vector(dims);
    const RowBlock::Dim &row = block[block.getRowDim()];
    begin = toBytes(row.begin);
    end = toBytes(row.end);
    pitch = from.getPitch(buffer, block.getRowDim());
    hasWords = both(block.hasElements(), isAtMost(add(begin, wordBytes), end));
    int64_t atOnce = numThreads / lanesPerWarp * rowsAtOnce;
    steps = std::clamp<int64_t>(numRows / atOnce, 1, 4);
  }

  /// Over the rows of the warp, some at a time. Returns the first of them.
  Value openLoopOfGroups(int64_t numRows) {
    int64_t group = steps * rowsAtOnce;
    return openLoop(mul(thread.getWarp(), group), numRows,
                    numThreads / lanesPerWarp * group);
  }

  /// The words of a row whose sectors are all there, as a rule.
  void storeFullSectors(Value number) {
    SmallVector<Value> row = block.getRow(number, others);
    Value inside = block.isInside(row);
    Value address = block.getAddress(row);
    Value at = add(getFirstSector(address), mul(thread.getLane(), wordBytes));
    Value next = add(address, widen(at));
    Value byte =
        add(from.getByte(buffer, block.clamp(row)), mul(toElements(at), pitch));
    int64_t step = lanesPerWarp * wordBytes;
    for (int64_t done = 0; done < rowBytes; done += step)
      storeElements(add(next, done), add(byte, mul(pitch, done / bytes)),
                    inside);
  }

  /// Those of rows that other programs do not go on with, at either end.
  void storeSomeSectors(Value first) {
    OpBuilder::InsertionGuard guard(builder);
    openIf(hasWords);
    for (int64_t step = 0; step < steps; ++step)
      storeSomeSectorsOfRow(add(first, step));
  }

  void storeSomeSectorsOfRow(Value number) {
    SmallVector<Value> row = block.getRow(number, others);
    Value inside = block.isInside(row);
    Value address = block.getAddress(row);
    Value column = from.getByte(buffer, block.clamp(row));
    Part part = getPart(address);
    Value at = add(add(part.begin, countBehind(address, part.begin, wordBytes)),
                   mul(thread.getLane(), wordBytes));
    int64_t step = lanesPerWarp * wordBytes;
    for (int64_t done = 0; done < rowBytes; done += step)
      storeWord(add(at, done), inside, address, column, part.end);
    // As much as begins in front of the first sector.
    OpBuilder::InsertionGuard guard(builder);
    openIf(make<arith::XOrIOp>(sectors->continues, 1));
    storeWord(add(at, rowBytes), inside, address, column, part.end);
  }

  /// What is stored of a row, in bytes.
  struct Part {
    Value begin, end;
  };
  Part getPart(Value address) {
    if (!sectors)
      return {begin, end};
    Value first = getFirstSector(address);
    Value last = make<arith::MinSIOp>(add(first, rowBytes), sectors->end);
    return {select(sectors->continues, first, begin),
            select(sectors->continued, last, end)};
  }
  Value getFirstSector(Value address) {
    return add(begin, countBehind(address, begin, bytesPerSector));
  }
  /// How many bytes behind a byte of the row a multiple of so many follows.
  Value countBehind(Value address, Value byte, int64_t multiple) {
    return both(sub(constant(0), add(narrow(address), byte)), multiple - 1);
  }

  /// Stores the words of so many rows, or times as many as are stored at once.
  void storeWords(Value first, int64_t steps, Value isFull) {
    if (!isFull)
      return storeWords(first, steps);
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, isFull, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (int64_t step = 0; step < steps; ++step)
      storeFullRow(add(first, step));
    builder.setInsertionPointToStart(branch.elseBlock());
    storeWords(first, steps);
  }

  /// Stores the words of a row that has all of its elements. All but a lane's
  /// first one lie inside, at distances that are known.
  void storeFullRow(Value number) {
    SmallVector<Value> row = block.getRow(number, others);
    Value inside = block.isInside(row);
    Value address = block.getAddress(row);
    Value column = from.getByte(buffer, block.clamp(row));
    // From the line in which the row begins on.
    Value at = sub(mul(thread.getLane(), wordBytes),
                   both(narrow(address), bytesPerLine - 1));
    Value rotated = both(at, rowBytes - 1);
    Value isWhole = isAtMost(rotated, constant(rowBytes - wordBytes));
    Value nearest = make<arith::MinSIOp>(rotated, rowBytes - wordBytes);
    storeElements(add(address, widen(rotated)),
                  add(column, mul(toElements(nearest), pitch)),
                  both(inside, isWhole));
    Value next = add(address, widen(at));
    Value byte =
        add(column, mul(make<arith::ShRSIOp>(at, llvm::Log2_64(bytes)), pitch));
    for (int64_t line = bytesPerLine; line < rowBytes; line += bytesPerLine)
      storeElements(add(next, line), add(byte, mul(pitch, line / bytes)),
                    inside);
  }

  /// Stores the words of so many rows, or times as many as are stored at once.
  void storeWords(Value first, int64_t steps) {
    OpBuilder::InsertionGuard guard(builder);
    openIf(hasWords);
    Value inRow = mul(both(thread.getLane(), lanesPerRow - 1), wordBytes);
    Value behindFirst =
        make<arith::ShRUIOp>(thread.getLane(), llvm::Log2_64(lanesPerRow));
    for (int64_t step = 0; step < steps; ++step) {
      Value number = add(add(first, step * rowsAtOnce), behindFirst);
      SmallVector<Value> row = block.getRow(number, others);
      Value inside = block.isInside(row);
      Value address = block.getAddress(row);
      // What is not stored is read somewhere else.
      Value column = from.getByte(buffer, block.clamp(row));
      Value behind =
          both(narrow(address), std::min(bytesPerLine, rowBytes) - 1);
      for (int64_t byte = 0; byte < rowBytes; byte += lanesPerRow * wordBytes) {
        Value at = both(sub(add(inRow, byte), behind), rowBytes - 1);
        storeWord(at, inside, address, column, end);
      }
    }
  }

  /// Stores the word so many bytes behind the beginning of a row, if it ends
  /// where `end` is.
  void storeWord(Value at, Value inside, Value address, Value column,
                 Value end) {
    Value last = sub(end, wordBytes);
    Value isWhole = both(inside, isAtMost(at, last));
    Value nearest = make<arith::MinSIOp>(at, last);
    if (!block[block.getRowDim()].beginsInside) {
      isWhole = both(isWhole, isAtMost(begin, at));
      nearest = make<arith::MaxSIOp>(nearest, begin);
    }
    storeElements(add(address, widen(at)),
                  add(column, mul(toElements(nearest), pitch)), isWhole);
  }

  /// Stores the word of the elements that begin at this byte.
  void storeElements(Value address, Value byte, Value condition) {
    SmallVector<Value> elements;
    for (int64_t number = 0; number < wordBytes / bytes; ++number)
      elements.push_back(
          loadRegister(getShared(add(byte, mul(pitch, number)))));
    storeVector(builder, builder.getLoc(), getGlobal(address), pack(elements),
                condition);
  }

  /// Of rows that are stored before the next round.
  void storeEndsOfGroup(Value first) {
    int64_t group = steps * rowsAtOnce;
    if (wordBytes > bytes)
      for (int64_t done = 0; done < group; done += rowsOfEnds)
        storeEnds(first, done, group);
  }

  /// Stores the elements in front of the first whole word of rows, and behind
  /// the last one: eight lanes a row, half of them for either end.
  void storeEnds(Value first, int64_t done, int64_t group) {
    OpBuilder::InsertionGuard guard(builder);
    int64_t perEnd = lanesPerWarp / rowsOfEnds / 2;
    Value lane = thread.getLane();
    Value inGroup =
        add(make<arith::ShRUIOp>(lane, llvm::Log2_64(2 * perEnd)), done);
    SmallVector<Value> row = block.getRow(add(first, inGroup), others);
    Value address = block.getAddress(row);
    auto [begin, end] = getPart(address);
    Value low = narrow(address);
    Value head = countBehind(address, begin, wordBytes);
    head = make<arith::MinSIOp>(head, sub(end, begin));
    Value tail = both(add(low, end), wordBytes - 1);
    Value element = toBytes(both(lane, perEnd - 1));
    Value isTail = builder.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ne, both(lane, perEnd), constant(0));
    Value at = add(select(isTail, sub(end, tail), begin), element);
    Value isTailElement =
        both(isLess(element, tail), isAtMost(add(begin, head), at));
    Value isOne = select(isTail, isTailElement, isLess(element, head));
    isOne = both(isOne,
                 both(block.isInside(row), isLess(inGroup, constant(group))));
    openIf(both(isOne, block.hasElements()));
    Value byte = add(from.getByte(buffer, row), mul(toElements(at), pitch));
    RowMover::store(load(getShared(byte)), getGlobal(add(address, widen(at))));
  }

  static constexpr int64_t rowsOfEnds = RowBuffer::rowsOfEnds;

  /// Of sectors that are shared with other programs.
  struct Sectors {
    /// i1: whether others store what is in front of the first one of the block,
    /// and what is behind the last one.
    Value continues, continued;
    /// i32: the bytes of a row that are inside of the view, with those beyond.
    Value end;
  };

  RowBlock from, block;
  const RowBuffer &buffer;
  std::optional<Sectors> sectors;
  /// How many times a warp stores before the next round of its loop.
  int64_t steps = 1;
  int64_t wordBytes, rowBytes, lanesPerRow, rowsAtOnce;
  SmallVector<unsigned> others;
  /// i32: the bytes of a row that are inside of the view; from one element of
  /// it to the next in shared memory. i1: whether a row may have whole words.
  Value begin, end, pitch, hasWords;
};

/// The block that is stored, of a tile with that shape, whose dimensions it
/// has.
template <typename Op, typename Adaptor>
RowBlock getStored(Op op, Adaptor adaptor, ArrayRef<int64_t> shape,
                   ImplicitLocOpBuilder &builder) {
  SmallVector<int64_t> stored = llvm::map_to_vector(
      op.getOrder(), [&](int64_t dim) { return shape[dim]; });
  RowBlock block(builder, op.getView().getType(), adaptor.getView(),
                 getSingleValues(adaptor.getOffsets()), stored);
  return block.permute(op.getOrder());
}

/// Calls `store` with what stores a block, which was copied with that shape,
/// the number of its rows and the order of the other dimensions.
template <typename Op, typename Adaptor>
void storeBlock(
    Op op, Adaptor adaptor, ArrayRef<int64_t> shape, int64_t numThreads,
    ImplicitLocOpBuilder &builder,
    function_ref<void(RowStorer &, int64_t, ArrayRef<unsigned>)> store) {
  SharedType tile = op.getSource().getType();
  RowBlock from(builder, op.getFrom().getType(), adaptor.getFrom(),
                getSingleValues(adaptor.getFromOffsets()), shape);
  RowBuffer buffer(shape, from.getRowDim(),
                   getElementBytes(tile.getElementType()));
  RowBlock block = getStored(op, adaptor, tile.getShape(), builder);
  SmallVector<int64_t> fromLast(llvm::reverse(op.getOrder()));
  int64_t numRows = tile.getNumElements() / tile.getDimSize(block.getRowDim());
  RowStorer storer(builder, from, block, buffer, adaptor.getSource().front(),
                   tile.getElementType(), numThreads);
  store(storer, numRows, getOthers(fromLast, block.getRowDim()));
}

struct StoreRowsPattern : ContextPattern<StoreRowsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    storeBlock(
        op, adaptor, op.getSource().getType().getShape(),
        context.computingThreads.lookup(op), builder,
        [](RowStorer &storer, int64_t numRows, ArrayRef<unsigned> others) {
          storer.store(numRows, others);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreSectorsPattern : ContextPattern<StoreSectorsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreSectorsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> shape =
        getShapeBeyond(op.getSource().getType(), op.getStoredDim());
    RowBlock wide = getStored(op, adaptor, shape, builder);
    Value continues = adaptor.getContinues().front();
    Value continued = adaptor.getContinued().front();
    storeBlock(
        op, adaptor, shape, context.computingThreads.lookup(op), builder,
        [&](RowStorer &storer, int64_t numRows, ArrayRef<unsigned> others) {
          storer.storeSectors(numRows, others, wide, continues, continued);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateMovedRowStorePatterns(RewritePatternSet &patterns,
                                           const TypeConverter &converter,
                                           const LoweringContext &context) {
  patterns.add<StoreRowsPattern, StoreSectorsPattern>(
      converter, patterns.getContext(), context);
}
