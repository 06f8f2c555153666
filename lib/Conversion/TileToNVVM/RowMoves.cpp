//===- RowMoves.cpp - Blocks whose rows begin anywhere, in words ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   copy_rows    each lane copies 16 bytes at a time, of one row after the
//                other; of short rows that are one run, of that
//   store_rows   lanes store the words of a row, in turn from where its first
//                line begins: those in front of the row store its end instead
//
// So a warp stores whole lines, which are as few requests to the second-level
// cache as can be.
// The bytes of a row that are in no whole word of it are stored in one
// instruction for four rows.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "RowBlock.h"
#include "SharedAddresses.h"
#include "ThreadIndex.h"
#include "VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

static constexpr int64_t kPieceBytes = RowBuffer::pieceBytes;

static SmallVector<Value> getSingleValues(ArrayRef<ValueRange> ranges) {
  return llvm::map_to_vector(ranges,
                             [](ValueRange range) { return range.front(); });
}

static SmallVector<unsigned> getOthers(ArrayRef<int64_t> order,
                                       unsigned rowDim) {
  SmallVector<unsigned> others;
  for (int64_t dim : order)
    if (dim != rowDim)
      others.push_back(dim);
  return others;
}

namespace {

/// What both ops have: numbers, and elements in both memories.
class RowMover : protected NumberBuilder {
protected:
  RowMover(ImplicitLocOpBuilder &builder, Value shared, Type elementType,
           int64_t numThreads)
      : NumberBuilder(builder), thread(builder, builder.getLoc()),
        shared(shared), bytes(getElementBytes(elementType)),
        type(builder.getIntegerType(8 * bytes)), numThreads(numThreads) {}

  /// The insertion point is inside then, until a guard puts it back.
  void openIf(Value condition) {
    auto branch =
        scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  /// Returns what the loop counts.
  Value openLoop(Value from, int64_t to, int64_t step) {
    auto loop = scf::ForOp::create(builder, from, constant(to), constant(step));
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(condition, a, b);
  }
  Value getShared(Value byte) {
    return addBytes(builder, builder.getLoc(), shared, byte);
  }
  Value getGlobal(Value address) {
    auto pointer =
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
    return LLVM::IntToPtrOp::create(builder, pointer, address);
  }
  Value load(Value pointer) {
    return LLVM::LoadOp::create(builder, type, pointer);
  }
  void store(Value value, Value pointer) {
    LLVM::StoreOp::create(builder, value, pointer);
  }
  Value toBytes(Value elements) { return mul(elements, bytes); }
  Value toElements(Value number) {
    return make<arith::ShRUIOp>(number, llvm::Log2_64(bytes));
  }

  ThreadIndex thread;
  Value shared;
  int64_t bytes;
  IntegerType type;
  int64_t numThreads;
};

/// The lowering of `tile.copy_rows`.
class RowCopier : RowMover {
public:
  RowCopier(ImplicitLocOpBuilder &builder, RowBlock block,
            const RowBuffer &buffer, Value shared, Type elementType,
            int64_t numThreads)
      : RowMover(builder, shared, elementType, numThreads),
        block(std::move(block)), buffer(buffer),
        pieces(RowBuffer::countPieces(this->block.getRowBytes())) {}

  /// Copies the rows of the block, of which there are so many. `array`, an
  /// address or null, is where more of it may be read.
  void copy(int64_t numRows, Value array) {
    bounds = block.getBounds(array);
    const RowBlock::Dim &row = block[block.getRowDim()];
    begin = toBytes(row.begin);
    end = toBytes(row.end);
    index = add(mul(thread.getWarp(), lanesPerWarp), thread.getLane());
    if (!mayBeRun(numRows))
      return copyAnyRows(numRows);
    OpBuilder::InsertionGuard guard(builder);
    auto branch = scf::IfOp::create(builder, block.isRun(buffer),
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    copyRun(numRows);
    builder.setInsertionPointToStart(branch.elseBlock());
    copyAnyRows(numRows);
  }

private:
  /// Whether rows are short, and follow one another along one dimension.
  bool mayBeRun(int64_t numRows) const {
    return buffer.hasShortRows() && buffer.order.size() > 1 &&
           block[buffer.order[1]].extent == numRows;
  }

  void copyWhole(Value dest, Value source, Value condition) {
    emitPtx(builder, builder.getLoc(), nullptr,
            {getShared(dest), getGlobal(source), condition},
            llvm::formatv("@$2 cp.async.cg.shared.global [$0], [$1], {0};",
                          kPieceBytes)
                .str(),
            "r,l,b,~{memory}");
  }

  /// Copies short rows, and what lies between them, as one row.
  void copyRun(int64_t numRows) {
    const RowBlock::Dim &rows = block[buffer.order[1]];
    Value last = mul(sub(rows.end, 1), narrow(rows.stride));
    Value length = select(block.hasElements(), add(last, end), constant(0));
    int64_t numPieces = RowBuffer::countPieces(numRows * block.getRowBytes());
    OpBuilder::InsertionGuard guard(builder);
    Value place = mul(openLoop(index, numPieces, numThreads), kPieceBytes);
    Value at = sub(place, block.getShift());
    Value touched = both(isLess(at, length), isLess(constant(0), length));
    copyOrTakeApart(at, add(block.getOrigin(), widen(at)), place, touched,
                    constant(0), length);
  }

  /// Copies the rows of any block.
  void copyAnyRows(int64_t numRows) {
    if (buffer.hasShortRows())
      return copyEachElement(numRows);
    int64_t all = numRows * pieces;
    int64_t atOnce =
        std::min<int64_t>(llvm::divideCeil(all, numThreads), kPiecesAtOnce);
    OpBuilder::InsertionGuard guard(builder);
    Value first = openLoop(index, all, atOnce * numThreads);
    for (int64_t number = 0; number < atOnce; ++number) {
      Value piece = add(first, number * numThreads);
      Value isOne = isLess(piece, constant(all));
      copyPiece(make<arith::DivUIOp>(piece, pieces),
                make<arith::RemUIOp>(piece, pieces), isOne);
    }
  }

  /// Copies one of the pieces that a row touches, if it does and `isOne` is
  /// true.
  void copyPiece(Value number, Value piece, Value isOne) {
    SmallVector<Value> row =
        block.getRow(number, getOthers(buffer.order, block.getRowDim()));
    Value address = block.getAddress(row);
    Value behind = both(narrow(address), kPieceBytes - 1);
    Value at = sub(mul(piece, kPieceBytes), behind);
    // A block that lies behind the view has none of a row.
    Value touched =
        both(both(both(isOne, block.isInside(row)), isLess(begin, end)),
             both(isLess(at, end), isLess(begin, add(at, kPieceBytes))));
    Value source = add(address, widen(at));
    Value dest = add(block.getByte(buffer, row), at);
    copyOrTakeApart(at, source, dest, touched, begin, end);
  }

  /// Copies a piece, so many bytes behind where a row begins, if it is touched:
  /// as a whole, or elements of it from `begin` to `end`.
  void copyOrTakeApart(Value at, Value source, Value dest, Value touched,
                       Value begin, Value end) {
    Value isWhole = both(isAtMost(bounds.first, source),
                         isAtMost(add(source, kPieceBytes), bounds.second));
    copyWhole(dest, source, both(touched, isWhole));
    OpBuilder::InsertionGuard guard(builder);
    openIf(both(touched, make<arith::XOrIOp>(isWhole, 1)));
    copyElements(at, source, dest, begin, end);
  }

  /// Copies elements of short rows, wherever these lie, some at once.
  void copyEachElement(int64_t numRows) {
    int64_t ofRow = block[block.getRowDim()].extent, all = numRows * ofRow;
    int64_t atOnce =
        std::min<int64_t>(llvm::divideCeil(all, numThreads), kElementsAtOnce);
    OpBuilder::InsertionGuard guard(builder);
    Value first = openLoop(index, all, atOnce * numThreads);
    SmallVector<Value> inside, places, elements;
    for (int64_t step = 0; step < atOnce; ++step) {
      Value number = add(first, step * numThreads);
      SmallVector<Value> row =
          block.getRow(make<arith::ShRUIOp>(number, llvm::Log2_64(ofRow)),
                       getOthers(buffer.order, block.getRowDim()));
      Value at = toBytes(both(number, ofRow - 1));
      inside.push_back(
          both(both(isLess(number, constant(all)), block.isInside(row)),
               both(isAtMost(begin, at), isLess(at, end))));
      places.push_back(add(block.getByte(buffer, row), at));
      Value pointer = getGlobal(add(block.getAddress(row), widen(at)));
      elements.push_back(
          loadVector(builder, builder.getLoc(), pointer, type, 1, inside.back())
              .front());
    }
    for (auto [place, element, is] : llvm::zip_equal(places, elements, inside))
      storeVector(builder, builder.getLoc(), getShared(place), element, is);
  }

  /// Copies elements of such a piece, all of them at once.
  void copyElements(Value at, Value source, Value dest, Value begin,
                    Value end) {
    SmallVector<Value> inside, elements;
    for (int64_t byte = 0; byte < kPieceBytes; byte += bytes) {
      Value element = add(at, byte);
      inside.push_back(both(isAtMost(begin, element), isLess(element, end)));
      Value pointer = getGlobal(add(source, byte));
      elements.push_back(
          loadVector(builder, builder.getLoc(), pointer, type, 1, inside.back())
              .front());
    }
    for (auto [index, element] : llvm::enumerate(elements))
      storeVector(builder, builder.getLoc(),
                  getShared(add(dest, index * bytes)), element, inside[index]);
  }

  /// That a thread copies before it branches.
  static constexpr int64_t kPiecesAtOnce = 4;
  /// That a thread loads before it stores the first one.
  static constexpr int64_t kElementsAtOnce = 8;

  RowBlock block;
  const RowBuffer &buffer;
  /// That a row may touch.
  int64_t pieces;
  /// i64: where elements of the block lie in memory; i32: those of a row in it.
  std::pair<Value, Value> bounds;
  Value begin, end;
  /// i32: of the thread.
  Value index;
};

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
    this->others = llvm::to_vector(others);
    const RowBlock::Dim &row = block[block.getRowDim()];
    begin = toBytes(row.begin);
    end = toBytes(row.end);
    pitch = from.getPitch(buffer, block.getRowDim());
    hasWords = both(block.hasElements(), isAtMost(add(begin, wordBytes), end));
    int64_t numWarps = numThreads / lanesPerWarp;
    int64_t steps =
        std::clamp<int64_t>(numRows / (numWarps * rowsAtOnce), 1, 4);
    int64_t group = steps * rowsAtOnce;
    // Where all of a row is inside, and lanes have a line of it at a time.
    Value isFull;
    if (lanesPerRow * wordBytes == kLineBytes)
      isFull = both(
          both(isAtMost(begin, constant(0)), isAtMost(constant(rowBytes), end)),
          block.hasElements());
    OpBuilder::InsertionGuard guard(builder);
    Value first =
        openLoop(mul(thread.getWarp(), group), numRows, numWarps * group);
    storeWords(first, steps, isFull);
    if (wordBytes > bytes)
      for (int64_t done = 0; done < group; done += rowsOfEnds)
        storeEnds(first, done, group);
  }

private:
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
                   both(narrow(address), kLineBytes - 1));
    Value rotated = both(at, rowBytes - 1);
    Value isWhole = isAtMost(rotated, constant(rowBytes - wordBytes));
    Value nearest = make<arith::MinSIOp>(rotated, rowBytes - wordBytes);
    storeElements(add(address, widen(rotated)),
                  add(column, mul(toElements(nearest), pitch)),
                  both(inside, isWhole));
    Value next = add(address, widen(at));
    Value byte =
        add(column, mul(make<arith::ShRSIOp>(at, llvm::Log2_64(bytes)), pitch));
    for (int64_t line = kLineBytes; line < rowBytes; line += kLineBytes)
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
      Value behind = both(narrow(address), std::min(kLineBytes, rowBytes) - 1);
      for (int64_t byte = 0; byte < rowBytes; byte += lanesPerRow * wordBytes) {
        Value at = both(sub(add(inRow, byte), behind), rowBytes - 1);
        storeWord(at, inside, address, column);
      }
    }
  }

  /// Stores the word so many bytes behind the beginning of a row.
  void storeWord(Value at, Value inside, Value address, Value column) {
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
      elements.push_back(loadRegister(add(byte, mul(pitch, number))));
    storeVector(builder, builder.getLoc(), getGlobal(address), pack(elements),
                condition);
  }

  /// An element, in the low bits of a register of 32 where it has fewer.
  Value loadRegister(Value byte) {
    Value value = load(getShared(byte));
    if (bytes >= 4)
      return value;
    return builder.createOrFold<arith::ExtUIOp>(builder.getI32Type(), value);
  }

  /// A word of the elements.
  Value pack(ArrayRef<Value> elements) {
    if (elements.size() == 1)
      return elements.front();
    auto permute = [&](Value a, Value b, StringRef selector) {
      return emitPurePtx(
          builder, builder.getLoc(), builder.getI32Type(), {a, b},
          llvm::formatv("prmt.b32 $0, $1, $2, {0};", selector).str(), "=r,r,r");
    };
    if (elements.size() == 2)
      return permute(elements[0], elements[1], "0x5410");
    return permute(permute(elements[0], elements[1], "0x0040"),
                   permute(elements[2], elements[3], "0x0040"), "0x5410");
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
    Value low = narrow(address);
    Value head = both(sub(constant(0), add(low, begin)), wordBytes - 1);
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

  /// Whose ends one instruction stores.
  static constexpr int64_t rowsOfEnds = 4;

  RowBlock from, block;
  const RowBuffer &buffer;
  int64_t wordBytes, rowBytes, lanesPerRow, rowsAtOnce;
  SmallVector<unsigned> others;
  /// i32: the bytes of a row that are inside of the view; from one element of
  /// it to the next in shared memory. i1: whether a row may have whole words.
  Value begin, end, pitch, hasWords;
};

struct CopyRowsPattern : ContextPattern<CopyRowsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(CopyRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SharedType tile = op.getDest().getType();
    RowBlock block(builder, op.getView().getType(), adaptor.getView(),
                   getSingleValues(adaptor.getOffsets()), tile.getShape());
    RowBuffer buffer(tile.getShape(), block.getRowDim(),
                     getElementBytes(tile.getElementType()));
    int64_t numRows =
        tile.getNumElements() / tile.getDimSize(block.getRowDim());
    Value array;
    if (!adaptor.getArray().empty())
      array = LLVM::PtrToIntOp::create(builder, builder.getI64Type(),
                                       adaptor.getArray().front());
    RowCopier(builder, block, buffer, adaptor.getDest().front(),
              tile.getElementType(), context.computingThreads.lookup(op))
        .copy(numRows, array);
    NVVM::CpAsyncCommitGroupOp::create(builder);
    NVVM::CpAsyncWaitGroupOp::create(builder, 0);
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreRowsPattern : ContextPattern<StoreRowsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(StoreRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SharedType tile = op.getSource().getType();
    RowBlock from(builder, op.getFrom().getType(), adaptor.getFrom(),
                  getSingleValues(adaptor.getFromOffsets()), tile.getShape());
    RowBuffer buffer(tile.getShape(), from.getRowDim(),
                     getElementBytes(tile.getElementType()));
    RowBlock block = getStored(op, adaptor, builder);
    ArrayRef<int64_t> order = op.getOrder();
    SmallVector<int64_t> fromLast(llvm::reverse(order));
    int64_t numRows =
        tile.getNumElements() / tile.getDimSize(block.getRowDim());
    RowStorer(builder, from, block, buffer, adaptor.getSource().front(),
              tile.getElementType(), context.computingThreads.lookup(op))
        .store(numRows, getOthers(fromLast, block.getRowDim()));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The block that is stored, with the dimensions of the tile.
  static RowBlock getStored(StoreRowsOp op, OneToNOpAdaptor adaptor,
                            ImplicitLocOpBuilder &builder) {
    ArrayRef<int64_t> shape = op.getSource().getType().getShape();
    SmallVector<int64_t> stored = llvm::map_to_vector(
        op.getOrder(), [&](int64_t dim) { return shape[dim]; });
    RowBlock block(builder, op.getView().getType(), adaptor.getView(),
                   getSingleValues(adaptor.getOffsets()), stored);
    return block.permute(op.getOrder());
  }
};

} // namespace

void tonvvm::populateRowMovePatterns(RewritePatternSet &patterns,
                                     const TypeConverter &converter,
                                     const LoweringContext &context) {
  patterns.add<CopyRowsPattern, StoreRowsPattern>(
      converter, patterns.getContext(), context);
}
