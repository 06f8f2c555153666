//===- RowRuns.cpp - Rows of a warp that are one run of memory ------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   load_run    if the rows of the warp are one run of memory, its lanes copy
//               16 bytes at a time, and elements at both ends; then each reads
//               its elements at their places. If not, each loads its elements,
//               or all of them copy one row of words after the other
//   store_run   the other way round
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/IR/RowCopies.h"

#include "Rows/RowBlock.h"
#include "Rows/RunEnds.h"
#include "Slots/SlotCopies.h"
#include "Threads/AsyncCopy.h"
#include "Threads/Patterns.h"
#include "Threads/RegisterValues.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Layout/Banks/BankModel.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Words of a lane that are moved together, of rows that are no run.
static constexpr int64_t kWordsAtOnce = 8;

namespace {

/// What a run of rows is made of.
struct RunOperands {
  ValueRange rows, active, inside;
  Value count, scratch;
  /// Whether the last column comes first.
  bool isReversed;
};

/// Where a row is, and i32: of how many columns.
struct RowOfRegister {
  Value inGlobal, inShared, columns;
};

/// The rows of a warp, and where a thread has its elements.
class RunOfWarp : NumberBuilder {
public:
  RunOfWarp(ImplicitLocOpBuilder &builder, RankedTensorType tile,
            RunOperands operands, int64_t leastColumns, int64_t mostColumns,
            int64_t numWarps)
      : NumberBuilder(builder), type(tile.getElementType()),
        runs(*RunsOfWarps::find(tile, numWarps)), leastColumns(leastColumns),
        mostColumns(mostColumns), layout(getRegisterLayout(tile).getLayout()),
        operands(operands), thread(builder, builder.getLoc()),
        row(thread.getCoordinate(layout, 0)),
        column(thread.getCoordinate(layout, 1)) {
    for (unsigned reg : canonicalRegisters(layout))
      if (!llvm::is_contained(registers, reg))
        registers.push_back(reg);
    Value wide = fromIndex(operands.count);
    last = operands.isReversed ? sub(wide, 1) : Value();
    // One that is none of a run stays so with 32 bits.
    count = narrow(
        make<arith::MaxSIOp>(make<arith::MinSIOp>(wide, mostColumns + 1), 0));
    rowBytes = mul(count, runs.elementBytes);
    findBegin();
  }

  ArrayRef<unsigned> getRegisters() const { return registers; }

  /// i1, the same for all lanes: whether the rows are one run of memory.
  Value isRun() {
    Value holds = both(isAtMost(constant(leastColumns), count),
                       isAtMost(count, constant(mostColumns)));
    for (unsigned reg : registers) {
      if (getPart(reg, 1) != 0)
        continue;
      Value wanted = add(begin, widen(mul(getRow(reg), rowBytes)));
      Value follows = builder.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::eq, getAddress(operands.rows[reg]), wanted);
      holds = both(holds, both(operands.active[reg], follows));
    }
    return NVVM::VoteSyncOp::create(builder, builder.getI1Type(), constant(-1),
                                    holds, NVVM::VoteSyncKind::all);
  }

  /// Copies the run to where the lanes read it.
  void copyIn() {
    findPlaces();
    syncWarp(builder, builder.getLoc());
    movePieces([&](Value inShared, Value inGlobal, Value mask) {
      AsyncCopy::emit(builder, builder.getLoc(), inShared, inGlobal,
                      kPieceBytes, /*inside=*/nullptr, mask);
    });
    moveEnds(/*isStore=*/false);
    awaitCopies(builder, builder.getLoc());
    syncWarp(builder, builder.getLoc());
  }

  /// Stores the run from where the lanes have put it.
  void copyOut() {
    syncWarp(builder, builder.getLoc());
    movePieces([&](Value inShared, Value inGlobal, Value mask) {
      SmallVector<Value> words =
          loadVector(builder, builder.getLoc(), inShared, builder.getI32Type(),
                     kPieceBytes / bytesPerWord, mask);
      storeVector(builder, builder.getLoc(), inGlobal, words, mask);
    });
    moveEnds(/*isStore=*/true);
  }

  void prepareToPlace() {
    findPlaces();
    syncWarp(builder, builder.getLoc());
  }

  /// Whether few lanes share a row of words, which would move single elements
  /// of many rows at a time: all of them had better move one after the other.
  /// Of narrower elements the code for that costs what it would save.
  bool hasRowsOfFewLanes() const {
    return runs.elementBytes == bytesPerWord && !operands.isReversed &&
           !getLanesOfRows().empty();
  }

  /// From here on rows lie anywhere, and one behind the other where the lanes
  /// read them.
  void prepareToMoveRows() {
    count = narrow(make<arith::MaxSIOp>(
        make<arith::MinSIOp>(fromIndex(operands.count), runs.columns), 0));
    rowBytes = mul(count, runs.elementBytes);
    findPlaces();
    behind = constant(0);
    syncWarp(builder, builder.getLoc());
  }

  void moveRows(bool isStore) {
    Location loc = builder.getLoc();
    if (isStore)
      syncWarp(builder, loc);
    for (unsigned reg : registers)
      if (getPart(reg, 1) == 0)
        moveRowsOf(reg, isStore);
    if (isStore)
      return;
    awaitCopies(builder, loc);
    syncWarp(builder, loc);
  }

  /// Where a register's element is in shared memory.
  Value getPlace(unsigned reg) {
    auto [first, apart] = getPlaceInRow(reg);
    Value place = add(add(behind, mul(getRow(reg), rowBytes)),
                      mul(narrow(first), runs.elementBytes));
    return addBytes(builder, builder.getLoc(), getShared(place),
                    apart * runs.elementBytes);
  }

  /// Where it is in global memory.
  Value getPointer(unsigned reg) {
    Type bits = builder.getIntegerType(8 * runs.elementBytes);
    Value pointer = operands.rows[reg];
    auto move = [&](Value from, LLVM::GEPArg by) -> Value {
      return LLVM::GEPOp::create(builder, from.getType(), bits, from,
                                 ArrayRef<LLVM::GEPArg>{by});
    };
    auto [first, apart] = getPlaceInRow(reg);
    Value begin = move(pointer, first);
    return apart == 0 ? begin : move(begin, apart);
  }

  /// Whether an element of a run is there; null for always.
  Value isInRun(unsigned reg) {
    int64_t last = getPart(reg, 1);
    for (const LinearLayout::Point &basis : layout.bases("lane"))
      last |= basis[1];
    return last < leastColumns ? Value() : operands.inside[reg];
  }
  Value isThere(unsigned reg) {
    return both(operands.active[reg], operands.inside[reg]);
  }

private:
  Value getAddress(Value pointer) {
    return LLVM::PtrToIntOp::create(builder, builder.getI64Type(), pointer);
  }
  int32_t getPart(unsigned reg, unsigned dim) const {
    return layout.apply({{"register", reg}})[dim];
  }
  /// Where in memory a register's element is in its row, which may have any
  /// length where it is none of a run: an i64 of the thread, and how far from
  /// there.
  std::pair<Value, int32_t> getPlaceInRow(unsigned reg) {
    int32_t part = getPart(reg, 1);
    int32_t apart = column.isDisjoint(part) ? part : 0;
    Value first = widen(getColumn(part - apart));
    if (!last)
      return {first, apart};
    return {sub(last, first), -apart};
  }
  Value getColumn(int32_t part) {
    return column.get(builder, builder.getLoc(), part);
  }
  /// The number of the register's row among those of the warp.
  Value getRow(unsigned reg) {
    return both(row.get(builder, builder.getLoc(), getPart(reg, 0)),
                runs.rows - 1);
  }

  /// The address of the warp's first row, which its first lane has.
  void findBegin() {
    const auto *first = llvm::find_if(
        registers, [&](unsigned reg) { return getPart(reg, 0) == 0; });
    begin = getAddress(operands.rows[*first]);
    bool isShared = llvm::any_of(
        layout.bases("lane"),
        [](const LinearLayout::Point &basis) { return basis[0] != 0; });
    if (isShared)
      begin = shuffleFromLane(builder, builder.getLoc(), begin, constant(0));
  }

  void findPlaces() {
    behind = both(narrow(begin), kPieceBytes - 1);
    firstPiece = both(begin, -kPieceBytes);
    end = add(behind, mul(rowBytes, runs.rows));
    shared = addBytes(builder, builder.getLoc(), operands.scratch,
                      mul(thread.getWarp(), runs.getBytesOfWarp()));
  }

  Value getShared(Value place) {
    return addBytes(builder, builder.getLoc(), shared, place);
  }
  Value getSource(Value place) {
    return getGlobal(add(firstPiece, widen(place)));
  }

  /// What a lane has of its register's row, by bits of its number: which bits
  /// of that of the row.
  SmallVector<std::pair<int64_t, int64_t>> getLanesOfRows() const {
    SmallVector<std::pair<int64_t, int64_t>> found;
    for (auto [bit, basis] : llvm::enumerate(layout.bases("lane")))
      if (basis[0] != 0)
        found.push_back({int64_t(1) << bit, basis[0]});
    return found;
  }

  /// Moves the rows that lanes have in a register, one after the other.
  void moveRowsOf(unsigned reg, bool isStore) {
    SmallVector<std::pair<int64_t, int64_t>> lanes = getLanesOfRows();
    Value address = getAddress(operands.rows[reg]);
    Value columns = select(operands.active[reg], count, constant(0));
    int64_t numRows = int64_t(1) << lanes.size();
    int64_t steps = llvm::divideCeil(runs.columns, lanesPerWarp);
    int64_t atOnce = std::clamp<int64_t>(
        llvm::bit_floor<uint64_t>(kWordsAtOnce / steps), 1, numRows);
    auto loop = scf::ForOp::create(builder, constant(0), constant(numRows),
                                   constant(atOnce));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<RowOfRegister> rows;
    for (int64_t each = 0; each < atOnce; ++each) {
      Value number = add(loop.getInductionVar(), each);
      Value lane = constant(0), row = constant(getPart(reg, 0));
      for (auto [index, bits] : llvm::enumerate(lanes)) {
        Value bit = both(make<arith::ShRUIOp>(number, index), 1);
        lane = add(lane, mul(bit, bits.first));
        row = add(row, mul(bit, bits.second));
      }
      auto fromLane = [&](Value value) {
        return shuffleFromLane(builder, builder.getLoc(), value, lane);
      };
      rows.push_back({getGlobal(fromLane(address)),
                      getShared(mul(row, rowBytes)), fromLane(columns)});
    }
    moveColumns(rows, steps, isStore);
  }

  /// An element a lane, of each row.
  void moveColumns(ArrayRef<RowOfRegister> rows, int64_t steps, bool isStore) {
    Location loc = builder.getLoc();
    Value ofLane = mul(thread.getLane(), runs.elementBytes);
    struct Element {
      Value to, mask, value;
    };
    SmallVector<Element> elements;
    for (const RowOfRegister &row : rows) {
      Value inShared = addBytes(builder, loc, row.inShared, ofLane);
      Value inGlobal = addBytes(builder, loc, row.inGlobal, ofLane);
      for (int64_t step = 0; step < steps; ++step) {
        int64_t first = step * lanesPerWarp;
        Value mask = isLess(thread.getLane(), sub(row.columns, first));
        auto at = [&](Value pointer) {
          return addBytes(builder, loc, pointer, first * runs.elementBytes);
        };
        Value to = at(isStore ? inGlobal : inShared),
              from = at(isStore ? inShared : inGlobal);
        if (!isStore)
          AsyncCopy::emit(builder, loc, to, from, bytesPerWord,
                          /*inside=*/nullptr, mask);
        else
          elements.push_back(
              {to, mask, loadVector(builder, loc, from, type, 1, mask)[0]});
      }
    }
    for (const Element &element : elements)
      storeVector(builder, loc, element.to, element.value, element.mask);
  }

  /// Each piece that the run has all of, one a lane.
  void movePieces(function_ref<void(Value, Value, Value)> move) {
    int64_t numPieces =
        RowBuffer::countPieces(runs.rows * mostColumns * runs.elementBytes);
    Value ofLane = mul(thread.getLane(), kPieceBytes);
    Value inShared = getShared(ofLane), inGlobal = getSource(ofLane);
    auto behindFirst = [&](Value pointer, int64_t bytes) {
      return addBytes(builder, builder.getLoc(), pointer, bytes);
    };
    for (int64_t done = 0; done < numPieces * kPieceBytes;
         done += kPieceBytes * lanesPerWarp) {
      Value isWhole = isAtMost(ofLane, sub(end, kPieceBytes + done));
      // Only the first one may begin before the run.
      if (done == 0)
        isWhole = both(isWhole, isAtMost(behind, ofLane));
      move(behindFirst(inShared, done), behindFirst(inGlobal, done), isWhole);
    }
  }

  /// An element a lane, of the pieces in which the run begins and ends.
  void moveEnds(bool isStore) {
    auto [place, mask] =
        findRunEnd(builder, thread.getLane(), behind, end, runs.elementBytes);
    Location loc = builder.getLoc();
    Value inShared = getShared(place), inGlobal = getSource(place);
    SmallVector<Value> parts =
        loadVector(builder, loc, isStore ? inShared : inGlobal, type, 1, mask);
    storeVector(builder, loc, isStore ? inGlobal : inShared, parts, mask);
  }

  Type type;
  RunsOfWarps runs;
  int64_t leastColumns, mostColumns;
  const LinearLayout &layout;
  RunOperands operands;
  ThreadIndex thread;
  ThreadCoordinate row, column;
  SmallVector<unsigned> registers;
  /// i32: columns of a row, and its bytes. i64: where the run begins.
  Value count, rowBytes, begin;
  /// i64: the last column's number, where it comes first; else null.
  Value last;
  /// i64: the first piece. i32: where in it the run begins, and ends behind its
  /// beginning. The warp's shared memory.
  Value firstPiece, behind, end, shared;
};

/// The rows of one of both ops.
template <typename Op>
RunOfWarp
makeRun(ImplicitLocOpBuilder &builder, Op op, RankedTensorType tile,
        typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
        const LoweringContext &context) {
  return RunOfWarp(builder, tile,
                   {adaptor.getRows(), adaptor.getActive(), adaptor.getInside(),
                    adaptor.getCount().front(), adaptor.getScratch().front(),
                    op.getReversed()},
                   op.getLeast(), op.getMost(),
                   context.computingThreads.lookup(op) / lanesPerWarp);
}

struct LoadRunPattern : ContextPattern<LoadRunOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(LoadRunOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    RunOfWarp run = makeRun(builder, op, tile, adaptor, context);
    SmallVector<Type> types(run.getRegisters().size(), tile.getElementType());
    auto branch = scf::IfOp::create(builder, types, run.isRun(),
                                    /*withElseRegion=*/true);
    auto load = [&](Block *block, auto getPointer, auto getMask) {
      builder.setInsertionPoint(block, block->end());
      SmallVector<Value> loaded;
      for (unsigned reg : run.getRegisters())
        llvm::append_range(loaded,
                           loadVector(builder, builder.getLoc(),
                                      getPointer(reg), tile.getElementType(), 1,
                                      getMask(reg), adaptor.getOther()[reg]));
      scf::YieldOp::create(builder, loaded);
    };
    builder.setInsertionPoint(branch.thenBlock(), branch.thenBlock()->end());
    run.copyIn();
    load(
        branch.thenBlock(), [&](unsigned reg) { return run.getPlace(reg); },
        [&](unsigned reg) { return run.isInRun(reg); });
    builder.setInsertionPoint(branch.elseBlock(), branch.elseBlock()->end());
    bool movesRows = run.hasRowsOfFewLanes();
    if (movesRows) {
      run.prepareToMoveRows();
      run.moveRows(/*isStore=*/false);
    }
    load(
        branch.elseBlock(),
        [&](unsigned reg) {
          return movesRows ? run.getPlace(reg) : run.getPointer(reg);
        },
        [&](unsigned reg) { return run.isThere(reg); });
    RegisterValues registers(getRegisterLayout(tile).getLayout());
    SmallVector<Value> loaded(branch.getResults());
    registers.set(run.getRegisters(), loaded);
    rewriter.replaceOpWithMultiple(op, {registers.take()});
    return success();
  }
};

struct StoreRunPattern : ContextPattern<StoreRunOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(StoreRunOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    RunOfWarp run = makeRun(builder, op, tile, adaptor, context);
    auto branch = scf::IfOp::create(builder, TypeRange(), run.isRun(),
                                    /*withElseRegion=*/true);
    auto store = [&](auto getPointer, auto getMask) {
      for (unsigned reg : run.getRegisters())
        storeVector(builder, builder.getLoc(), getPointer(reg),
                    adaptor.getValue()[reg], getMask(reg));
    };
    builder.setInsertionPointToStart(branch.thenBlock());
    run.prepareToPlace();
    store([&](unsigned reg) { return run.getPlace(reg); },
          [&](unsigned reg) { return run.isInRun(reg); });
    run.copyOut();
    builder.setInsertionPointToStart(branch.elseBlock());
    bool movesRows = run.hasRowsOfFewLanes();
    if (movesRows)
      run.prepareToMoveRows();
    store(
        [&](unsigned reg) {
          return movesRows ? run.getPlace(reg) : run.getPointer(reg);
        },
        [&](unsigned reg) { return run.isThere(reg); });
    if (movesRows)
      run.moveRows(/*isStore=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tonvvm::populateRowRunPatterns(RewritePatternSet &patterns,
                                    const TypeConverter &converter,
                                    const LoweringContext &context) {
  patterns.add<LoadRunPattern, StoreRunPattern>(converter,
                                                patterns.getContext(), context);
}
