//===- MovedRowWalks.cpp - Walks along rows that begin anywhere -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   walk_rows    copies are some granules ahead of stores:
//
//   for step = 0 to granules + ahead:
//     if step >= ahead: wait for the granules of the columns of step - ahead
//     copy granule `step` of each row, a group
//     if step >= ahead: store the columns
//
// The barrier behind the wait has two ends: what all threads have copied is
// there, and nobody still reads the granule whose place the next one takes.
//
//===----------------------------------------------------------------------===//

#include "Rows/RowMover.h"
#include "Threads/Patterns.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Registers/GlobalAccess.h"
#include "tilewright/Layout/Shared/RowRing.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

namespace {

class RowWalker : RowMover {
public:
  /// `from` has the elements of sectors beyond the block along `along`; `to`
  /// has none of them, and names its dimensions as `from` does.
  RowWalker(ImplicitLocOpBuilder &builder, RowBlock from, RowBlock to,
            unsigned along, RowRing ring, Value shared, Type elementType,
            int64_t numThreads)
      : RowMover(builder, shared, elementType, numThreads),
        from(std::move(from)), to(std::move(to)), along(along),
        rowDim(this->from.getRowDim()), ring(ring),
        granule(ring.getGranuleBytes()) {}

  void walk(Value array, Value continues, Value continued) {
    this->continues = continues;
    this->continued = continued;
    bounds = from.getBounds(array);
    Value room =
        LLVM::PtrToIntOp::create(builder, builder.getI32Type(), shared);
    rings = both(add(room, ring.ringBytes - 1), -ring.ringBytes);
    Value has = both(from.hasElements(), to.hasElements());
    Value inside = make<arith::MinSIOp>(from[rowDim].end, to[rowDim].end);
    columns = select(has, inside, constant(0));
    length = toBytes(columns);
    last =
        make<arith::ShRUIOp>(add(length, granule - 1), llvm::Log2_64(granule));
    rowsRead = from[along].end;
    OpBuilder::InsertionGuard guard(builder);
    constexpr int64_t ahead = RowRing::granulesAhead;
    auto loop = scf::ForOp::create(
        builder, constant(0),
        select(isLess(constant(0), last), add(last, ahead), constant(0)),
        constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    step(loop.getInductionVar(), ahead);
  }

private:
  /// Of shared memory, by its address.
  Value getPointer(Value address) {
    return LLVM::IntToPtrOp::create(builder, shared.getType(), address);
  }

  void step(Value number, int64_t ahead) {
    Value stores = isAtMost(constant(ahead), number);
    {
      OpBuilder::InsertionGuard guard(builder);
      openIf(stores);
      // The columns of a granule's width lie in two of them.
      NVVM::CpAsyncWaitGroupOp::create(builder, ahead - 2);
      NVVM::Barrier0Op::create(builder);
    }
    {
      OpBuilder::InsertionGuard guard(builder);
      openIf(isAtMost(number, last));
      copyGranule(number);
    }
    NVVM::CpAsyncCommitGroupOp::create(builder);
    OpBuilder::InsertionGuard guard(builder);
    openIf(stores);
    storeColumns(sub(number, ahead));
  }

  //===--------------------------------------------------------------------===//
  // Copies
  //===--------------------------------------------------------------------===//

  /// All pieces of a granule lie in a row, but for those of the first one and
  /// of the last two.
  void copyGranule(Value number) {
    OpBuilder::InsertionGuard guard(builder);
    Value isInner =
        both(isLess(constant(0), number), isLess(number, sub(last, 1)));
    auto branch = scf::IfOp::create(builder, isInner, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    copyPieces(number, /*isInner=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    copyPieces(number, /*isInner=*/false);
  }

  /// Lanes that follow one another have the pieces of a granule.
  void copyPieces(Value number, bool isInner) {
    int64_t ofGranule = granule / kPieceBytes, atOnce = numThreads / ofGranule;
    Value index = add(mul(thread.getWarp(), lanesPerWarp), thread.getLane());
    Value row = make<arith::ShRUIOp>(index, llvm::Log2_64(ofGranule));
    Value place =
        add(mul(number, granule), mul(both(index, ofGranule - 1), kPieceBytes));
    Value stride = from[along].stride;
    Value address = add(from.getOrigin(), mul(widen(row), stride));
    Value ringOfRow = add(rings, mul(row, ring.ringBytes));
    int64_t rows = from[along].extent;
    for (int64_t done = 0; done < rows; done += atOnce) {
      Value begin = both(address, -granule);
      Value piece = add(begin, widen(place));
      Value isRow = isLess(add(row, done), rowsRead);
      Value dest = getPointer(make<arith::OrIOp>(
          both(narrow(piece), ring.ringBytes - 1), ringOfRow));
      if (isInner)
        copyWhole(dest, piece, isRow, /*isCached=*/true);
      else
        copyIfTouched(narrow(sub(piece, address)), piece, dest, isRow);
      address = add(address, mul(stride, atOnce));
      ringOfRow = add(ringOfRow, atOnce * ring.ringBytes);
    }
  }

  /// Copies a piece, so many bytes behind where a row begins, if that has some
  /// of it: as a whole, where nothing else than the array can be touched.
  void copyIfTouched(Value at, Value piece, Value dest, Value isRow) {
    Value touched = both(
        isRow, both(isLess(constant(-kPieceBytes), at), isLess(at, length)));
    Value isWhole = both(isAtMost(bounds.first, piece),
                         isAtMost(add(piece, kPieceBytes), bounds.second));
    copyWhole(dest, piece, both(touched, isWhole), /*isCached=*/true);
    OpBuilder::InsertionGuard guard(builder);
    openIf(both(touched, make<arith::XOrIOp>(isWhole, 1)));
    copyElements(at, piece, dest, constant(0), length);
  }

  //===--------------------------------------------------------------------===//
  // Stores
  //===--------------------------------------------------------------------===//

  /// Of a row that is stored, which is a column in shared memory.
  struct Column {
    /// i1: whether it is one of those that are moved.
    Value isMoved;
    /// i64, and i32: where it lies in memory, and the address of its first
    /// element in `from`, whose low bits say where that is in its ring.
    Value address, source;
  };

  int64_t getStoredBytes() const { return to[along].extent * bytes; }

  /// So many that follow one another, from one on.
  SmallVector<Column> getColumns(Value first, int64_t count) {
    Value address = add(to.getOrigin(), mul(widen(first), to[rowDim].stride));
    Value origin = narrow(from.getOrigin()), last = sub(columns, 1);
    SmallVector<Column> group;
    for (int64_t index = 0; index < count; ++index) {
      Value column = add(first, index);
      // What is not stored is read somewhere else.
      Value nearest = toBytes(make<arith::MinSIOp>(column, last));
      group.push_back({isLess(column, columns), address, add(origin, nearest)});
      address = add(address, to[rowDim].stride);
    }
    return group;
  }

  void storeColumns(Value number) {
    int64_t width = granule / bytes, warps = numThreads / lanesPerWarp;
    int64_t ofLane = getStoredBytes() / bytes / lanesPerWarp;
    int64_t atOnce = std::clamp<int64_t>(
        std::min(kElementsAtOnce / ofLane, width / warps), 1, kMostColumns);
    Value begin = mul(number, width);
    OpBuilder::InsertionGuard guard(builder);
    Value first =
        openLoop(mul(thread.getWarp(), atOnce), width, warps * atOnce);
    SmallVector<Column> group = getColumns(add(begin, first), atOnce);
    Value isFull =
        both(continued, isAtMost(constant(from[along].extent), rowsRead));
    {
      OpBuilder::InsertionGuard guard(builder);
      auto branch = scf::IfOp::create(builder, isFull, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(branch.thenBlock());
      storeWords(group, /*areWhole=*/true);
      builder.setInsertionPointToStart(branch.elseBlock());
      storeEnds(group);
    }
    openIf(make<arith::XOrIOp>(continues, 1));
    storeFronts(group);
  }

  /// Up to the first sector that begins in a column.
  Value countInFront(const Column &column) {
    return both(sub(constant(0), narrow(column.address)), bytesPerSector - 1);
  }

  /// Elements of a column in rows of rings that follow one another, from so
  /// many behind a row on.
  SmallVector<Value> loadElements(const Column &column, Value row,
                                  int64_t behind, int64_t count) {
    Value stride = narrow(from[along].stride);
    Value first = add(column.source, mul(row, stride));
    Value ringOfRow = add(rings, mul(row, ring.ringBytes));
    SmallVector<Value> elements;
    for (int64_t index = behind; index < behind + count; ++index) {
      Value address = add(first, mul(stride, index));
      Value byte =
          make<arith::OrIOp>(both(address, ring.ringBytes - 1), ringOfRow);
      elements.push_back(
          loadRegister(addBytes(builder, builder.getLoc(), getPointer(byte),
                                index * ring.ringBytes)));
    }
    return elements;
  }

  /// A word of elements that begins so many rows behind a row.
  Value loadWord(const Column &column, Value row, int64_t behind = 0) {
    return pack(loadElements(column, row, behind, kWordBytes / bytes));
  }

  /// The words of columns from their first sectors on, a word a lane; those
  /// that end in front of the end of a column, where not all are whole. All are
  /// read before the first one is stored, so that a warp waits once.
  void storeWords(ArrayRef<Column> group, bool areWhole) {
    constexpr int64_t step = lanesPerWarp * kWordBytes;
    SmallVector<Value> addresses, words, conditions;
    for (const Column &column : group) {
      Value at = add(countInFront(column), mul(thread.getLane(), kWordBytes));
      Value address = add(column.address, widen(at)), row = toElements(at);
      Value last = areWhole ? Value() : sub(getEnd(column), kWordBytes);
      for (int64_t done = 0; done < getStoredBytes(); done += step) {
        addresses.push_back(add(address, done));
        conditions.push_back(column.isMoved);
        if (areWhole) {
          words.push_back(loadWord(column, row, done / bytes));
          continue;
        }
        Value next = add(at, done);
        words.push_back(
            loadWord(column, toElements(make<arith::MinSIOp>(next, last))));
        conditions.back() = both(column.isMoved, isAtMost(next, last));
      }
    }
    for (auto [address, word, condition] :
         llvm::zip_equal(addresses, words, conditions))
      storeVector(builder, builder.getLoc(), getGlobal(address), word,
                  condition);
  }

  /// Behind the last byte that is stored of a column.
  Value getEnd(const Column &column) {
    Value behind = add(countInFront(column), getStoredBytes());
    return select(continued, make<arith::MinSIOp>(behind, toBytes(rowsRead)),
                  toBytes(to[along].end));
  }

  /// What is stored of columns with which no other program goes on, or one that
  /// has few rows.
  void storeEnds(ArrayRef<Column> group) {
    {
      OpBuilder::InsertionGuard guard(builder);
      openIf(isAtMost(constant(kWordBytes), toBytes(to[along].end)));
      storeWords(group, /*areWhole=*/false);
    }
    storeTails(group);
  }

  /// The elements in front of the first sectors, one a lane.
  void storeFronts(ArrayRef<Column> group) {
    Value at = toBytes(thread.getLane());
    SmallVector<Value> elements, conditions;
    for (const Column &column : group) {
      Value end = make<arith::MinSIOp>(countInFront(column), getEnd(column));
      conditions.push_back(both(column.isMoved, isLess(at, end)));
      elements.push_back(loadElement(column, at, conditions.back()));
    }
    for (auto [column, element, condition] :
         llvm::zip_equal(group, elements, conditions))
      storeVector(builder, builder.getLoc(),
                  getGlobal(add(column.address, widen(at))), element,
                  condition);
  }

  /// The elements behind the last whole word, as many lanes a column as a word
  /// may have.
  void storeTails(ArrayRef<Column> group) {
    Value lane = thread.getLane();
    int64_t lanes = lanesPerWarp / llvm::PowerOf2Ceil(group.size());
    Value which = make<arith::ShRUIOp>(lane, llvm::Log2_64(lanes));
    Column column = group.front();
    for (auto [index, other] : llvm::enumerate(group.drop_front())) {
      Value is = isLess(constant(int64_t(index)), which);
      column = {select(is, other.isMoved, column.isMoved),
                select(is, other.address, column.address),
                select(is, other.source, column.source)};
    }
    Value end = getEnd(column);
    Value tail = both(add(narrow(column.address), end), kWordBytes - 1);
    Value begin = make<arith::MaxSIOp>(sub(end, tail), countInFront(column));
    Value at = add(begin, toBytes(both(lane, lanes - 1)));
    Value isOne =
        both(isLess(at, end), isLess(which, constant(int64_t(group.size()))));
    isOne = both(column.isMoved, isOne);
    storeVector(builder, builder.getLoc(),
                getGlobal(add(column.address, widen(at))),
                loadElement(column, at, isOne), isOne);
  }

  /// An element so many bytes behind where a column begins, or, if it is none,
  /// its first one.
  Value loadElement(const Column &column, Value at, Value isOne) {
    Value row = select(isOne, toElements(at), constant(0));
    return builder.createOrFold<arith::TruncIOp>(
        type, loadElements(column, row, 0, 1).front());
  }

  static constexpr int64_t kWordBytes = bytesPerWord;
  /// That a lane reads before it stores the first one.
  static constexpr int64_t kElementsAtOnce = 32, kMostColumns = 4;

  RowBlock from, to;
  unsigned along, rowDim;
  RowRing ring;
  /// Bytes of one.
  int64_t granule;
  /// i64: where elements of the view lie in memory.
  std::pair<Value, Value> bounds;
  /// i32: where the first ring lies; the columns, and the bytes that they have
  /// of a row; the last granule that has some of them; the rows that are read.
  Value rings, columns, length, last, rowsRead;
  /// i1.
  Value continues, continued;
};

struct WalkRowsPattern : ContextPattern<WalkRowsOp> {
  using ContextPattern::ContextPattern;
  LogicalResult
  matchAndRewrite(WalkRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SharedType tile = op.getRing().getType();
    unsigned along = op.getStoredDim();
    unsigned rowDim = *op.getFrom().getType().getContiguousDim();
    int64_t bytes = getElementBytes(tile.getElementType());
    RowRing ring{tile.getDimSize(rowDim) * bytes};
    // Rows end with the view.
    SmallVector<int64_t> shape(tile.getShape());
    shape[rowDim] = std::numeric_limits<int32_t>::max() / bytes;
    SmallVector<int64_t> stored = llvm::map_to_vector(
        op.getOrder(), [&](int64_t dim) { return shape[dim]; });
    RowBlock to = RowBlock(builder, op.getView().getType(), adaptor.getView(),
                           getSingleValues(adaptor.getOffsets()), stored)
                      .permute(op.getOrder());
    shape[along] = getShapeBeyond(tile, along)[along];
    RowBlock from(builder, op.getFrom().getType(), adaptor.getFrom(),
                  getSingleValues(adaptor.getFromOffsets()), shape);
    Value continued = adaptor.getContinued().front();
    from.cut(along,
             arith::XOrIOp::create(builder, continued,
                                   arith::ConstantIntOp::create(builder, 1, 1)),
             tile.getDimSize(along));
    Value array;
    if (!adaptor.getArray().empty())
      array = LLVM::PtrToIntOp::create(builder, builder.getI64Type(),
                                       adaptor.getArray().front());
    Value count = arith::IndexCastOp::create(builder, builder.getI32Type(),
                                             adaptor.getCount().front());
    from.cut(rowDim, count);
    to.cut(rowDim, count);
    from.confine(getSingleValues(adaptor.getReach()));
    RowWalker(builder, from, to, along, ring, adaptor.getRing().front(),
              tile.getElementType(), context.computingThreads.lookup(op))
        .walk(array, adaptor.getContinues().front(), continued);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateMovedRowWalkPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  patterns.add<WalkRowsPattern>(converter, patterns.getContext(), context);
}
