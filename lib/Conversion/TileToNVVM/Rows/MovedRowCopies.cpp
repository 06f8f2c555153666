//===- MovedRowCopies.cpp - Copies of rows that begin anywhere ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   copy_rows    each lane copies 16 bytes at a time, of one row after the
//                other; of short rows that are one run, of that
//   copy_sectors    the same, with rows of the next block where that is one
//
//===----------------------------------------------------------------------===//

#include "Rows/RowMover.h"
#include "Threads/Patterns.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Target/FirstLevelCache.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Past the first-level cache each two sectors of a line are a request to the
/// second one; through it a line is one. With less of it lines are gone before
/// all of their pieces are there
/// (docs/decisions/0065-rows-through-the-first-level-cache.md).
static constexpr unsigned kMinCacheBytes = 64 * 1024;
/// As much as twice a second-level cache has: where programs of a grid read
/// more, lines are better fetched whole, and where they read less, they are not
/// (docs/decisions/0087-lines-of-odd-rows.md).
static constexpr int64_t kMinBytesOfLines = 96 << 20;

namespace {

/// The lowering of `tile.copy_rows`.
class RowCopier : RowMover {
public:
  RowCopier(ImplicitLocOpBuilder &builder, RowBlock block,
            const RowBuffer &buffer, Value shared, Type elementType,
            int64_t numThreads, bool isCached, Value fetchesLines)
      : RowMover(builder, shared, elementType, numThreads),
        block(std::move(block)), buffer(buffer), isCached(isCached),
        fetchesLines(fetchesLines),
        pieces(RowBuffer::countPieces(this->block.getRowBytes())) {}

  /// Copies the rows of the block, of which there are so many; `others` are the
  /// dimensions but that of rows, as in `RowBlock::getRow`. `array`, an address
  /// or null, is where more of it may be read.
  void copy(int64_t numRows, ArrayRef<unsigned> others, Value array) {
    this->others = llvm::to_vector(others);
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
    int64_t atOnce = countPiecesAtOnce(llvm::divideCeil(all, numThreads));
    OpBuilder::InsertionGuard guard(builder);
    Value first = openLoop(index, all, atOnce * numThreads);
    for (int64_t number = 0; number < atOnce; ++number) {
      Value piece = add(first, number * numThreads);
      Value isOne = isLess(piece, constant(all));
      copyPiece(make<arith::DivUIOp>(piece, pieces),
                make<arith::RemUIOp>(piece, pieces), isOne);
    }
  }

  /// Of so many that a thread has: as few as leave the fewest over.
  static int64_t countPiecesAtOnce(int64_t pieces) {
    if (pieces <= kPiecesAtOnce || pieces % kPiecesAtOnce == 0)
      return std::min(pieces, kPiecesAtOnce);
    int64_t best = kPiecesAtOnce;
    for (int64_t count : llvm::seq_inclusive(kPiecesAtOnce, kMostPiecesAtOnce))
      if (llvm::alignTo(pieces, count) < llvm::alignTo(pieces, best))
        best = count;
    return best;
  }

  /// Copies one of the pieces that a row touches, if it does and `isOne` is
  /// true.
  void copyPiece(Value number, Value piece, Value isOne) {
    SmallVector<Value> row = block.getRow(number, others);
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
    copyWhole(getShared(dest), source, both(touched, isWhole), isCached,
              fetchesLines);
    OpBuilder::InsertionGuard guard(builder);
    openIf(both(touched, make<arith::XOrIOp>(isWhole, 1)));
    copyElements(at, source, getShared(dest), begin, end);
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
      SmallVector<Value> row = block.getRow(
          make<arith::ShRUIOp>(number, llvm::Log2_64(ofRow)), others);
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

  /// That a thread copies before it branches.
  static constexpr int64_t kPiecesAtOnce = 4, kMostPiecesAtOnce = 6;
  /// That a thread loads before it stores the first one.
  static constexpr int64_t kElementsAtOnce = 8;

  RowBlock block;
  const RowBuffer &buffer;
  SmallVector<unsigned> others;
  /// Whether copies go through the first-level cache.
  bool isCached;
  /// i1, or null, as in `copyWhole`.
  Value fetchesLines;
  /// That a row may touch.
  int64_t pieces;
  /// i64: where elements of the block lie in memory; i32: those of a row in it.
  std::pair<Value, Value> bounds;
  Value begin, end;
  /// i32: of the thread.
  Value index;
};

/// Copies `block`, with all of its rows.
template <typename Op, typename Adaptor>
void copyBlock(Op op, Adaptor adaptor, ImplicitLocOpBuilder &builder,
               const RowBlock &block, ArrayRef<int64_t> shape,
               ArrayRef<unsigned> others, unsigned registers,
               Value fetchesLines, const LoweringContext &context) {
  SharedType tile = op.getDest().getType();
  RowBuffer buffer(shape, block.getRowDim(),
                   getElementBytes(tile.getElementType()));
  int64_t numRows = 1;
  for (unsigned dim : others)
    numRows *= shape[dim];
  Value array;
  if (!adaptor.getArray().empty())
    array = LLVM::PtrToIntOp::create(builder, builder.getI64Type(),
                                     adaptor.getArray().front());
  int threads = context.computingThreads.lookup(op);
  // Short rows are one run, of which each line is touched once anyway.
  bool isCached =
      !buffer.hasShortRows() &&
      countCacheBytes(context.target, threads, tile.getSizeInBytes(),
                      registers) >= kMinCacheBytes;
  RowCopier(builder, block, buffer, adaptor.getDest().front(),
            tile.getElementType(), threads, isCached, fetchesLines)
      .copy(numRows, others, array);
  NVVM::CpAsyncCommitGroupOp::create(builder);
  NVVM::CpAsyncWaitGroupOp::create(builder, 0);
}

/// i1: whether the second-level cache is better told to fetch the lines around
/// pieces, where each program copies such a tile.
Value areLinesFetched(ImplicitLocOpBuilder &builder, SharedType tile) {
  NumberBuilder numbers(builder);
  Type type = builder.getI32Type();
  auto extend = [&](Value number) {
    return builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), number);
  };
  Value programs =
      numbers.mul(numbers.mul(extend(NVVM::GridDimXOp::create(builder, type)),
                              extend(NVVM::GridDimYOp::create(builder, type))),
                  extend(NVVM::GridDimZOp::create(builder, type)));
  return numbers.isAtMost(
      numbers.constant(
          kMinBytesOfLines /
              (tile.getNumElements() * getElementBytes(tile.getElementType())),
          64),
      programs);
}

struct CopyRowsPattern : ContextPattern<CopyRowsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(CopyRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ArrayRef<int64_t> shape = op.getDest().getType().getShape();
    RowBlock block(builder, op.getView().getType(), adaptor.getView(),
                   getSingleValues(adaptor.getOffsets()), shape);
    block.confine(getSingleValues(adaptor.getReach()));
    RowBuffer buffer(shape, block.getRowDim(),
                     getElementBytes(op.getDest().getType().getElementType()));
    copyBlock(op, adaptor, builder, block, shape,
              getOthers(buffer.order, block.getRowDim()), /*registers=*/1,
              /*fetchesLines=*/nullptr, context);
    rewriter.eraseOp(op);
    return success();
  }
};

struct CopySectorsPattern : ContextPattern<CopySectorsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(CopySectorsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SharedType tile = op.getDest().getType();
    auto dim = static_cast<unsigned>(op.getDim());
    SmallVector<int64_t> shape = getShapeBeyond(tile, dim);
    RowBlock block(builder, op.getView().getType(), adaptor.getView(),
                   getSingleValues(adaptor.getOffsets()), shape);
    Value isLast =
        arith::XOrIOp::create(builder, adaptor.getContinued().front(),
                              arith::ConstantIntOp::create(builder, 1, 1));
    block.cut(dim, isLast, tile.getDimSize(dim));
    block.confine(getSingleValues(adaptor.getReach()));
    // The dimension with more rows is the slowest one.
    RowBuffer buffer(shape, block.getRowDim(),
                     getElementBytes(tile.getElementType()));
    SmallVector<unsigned> others = getOthers(buffer.order, block.getRowDim());
    llvm::erase(others, dim);
    others.push_back(dim);
    copyBlock(op, adaptor, builder, block, shape, others,
              countSectorRegisters(tile), areLinesFetched(builder, tile),
              context);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateMovedRowCopyPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  patterns.add<CopyRowsPattern, CopySectorsPattern>(
      converter, patterns.getContext(), context);
}
