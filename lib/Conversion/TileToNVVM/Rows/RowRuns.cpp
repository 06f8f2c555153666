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
//               or all of them copy words of one row after the other, as they
//               do where rows are known to lie apart
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
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

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
  /// Whether the last column comes first; whether rows are no run.
  bool isReversed, areApart;
};

/// A lane's first word of a row, and i32: how many there are from it on.
struct WordsOfRow {
  Value inGlobal, inShared, left;
};

/// What is stored, and where; where the mask is true.
struct Move {
  Value to, mask, value;
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
    if (!operands.areApart)
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
           runs.areOfFewLanes;
  }

  /// From here on rows lie anywhere, and one behind the other where the lanes
  /// read them.
  void prepareToMoveRows() {
    count = narrow(make<arith::MaxSIOp>(
        make<arith::MinSIOp>(fromIndex(operands.count), runs.columns), 0));
    Value words = hasHalves() ? add(make<arith::ShRUIOp>(count, 1), 1) : count;
    if (operands.areApart)
      words = make<arith::OrIOp>(words, 1);
    rowBytes = mul(words, bytesPerWord);
    findShared();
    behind = constant(0);
    syncWarp(builder, builder.getLoc());
  }

  void moveRows(bool isStore) {
    Location loc = builder.getLoc();
    if (isStore)
      syncWarp(builder, loc);
    SmallVector<unsigned> first = llvm::filter_to_vector(
        registers, [&](unsigned reg) { return getPart(reg, 1) == 0; });
    SmallVector<Move> ends;
    if (hasHalves())
      for (unsigned reg : first)
        addEnds(ends, reg, isStore);
    for (unsigned reg : first)
      moveRowsOf(reg, isStore);
    for (const Move &end : ends)
      storeVector(builder, loc, end.to, end.value, end.mask);
    if (isStore)
      return;
    awaitCopies(builder, loc);
    syncWarp(builder, loc);
  }

  /// Where a register's element is in shared memory.
  Value getPlace(unsigned reg) {
    auto [first, apart] = getPlaceInRow(reg);
    Value place =
        add(getPlaceOfRow(reg), mul(narrow(first), runs.elementBytes));
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
    findShared();
  }
  void findShared() {
    shared =
        addBytes(builder, builder.getLoc(), operands.scratch,
                 mul(thread.getWarp(), runs.getBytesOfWarp(operands.areApart)));
  }

  bool hasHalves() const { return runs.elementBytes < bytesPerWord; }
  /// i32: 1 where a row of halves begins within a word, else 0.
  Value isCut(Value address) {
    return both(make<arith::ShRUIOp>(narrow(address), 1), 1);
  }
  /// i32: in shared memory; where rows lie apart, as far behind a word as in
  /// memory.
  Value getPlaceOfRow(unsigned reg) {
    Value place = add(behind, mul(getRow(reg), rowBytes));
    if (!operands.areApart || !hasHalves())
      return place;
    return add(place,
               mul(isCut(getAddress(operands.rows[reg])), runs.elementBytes));
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

  /// A row of halves that begins within a word has its first one alone, and
  /// its last one where it ends within a word.
  void addEnds(SmallVectorImpl<Move> &ends, unsigned reg, bool isStore) {
    Location loc = builder.getLoc();
    Value cut = isCut(getAddress(operands.rows[reg]));
    Value isFirstLane = isAtMost(column.getThreadPart(), constant(0));
    Value hasRow = both(both(operands.active[reg], isFirstLane),
                        isLess(constant(0), count));
    Value inShared = getShared(getPlaceOfRow(reg));
    Value last = sub(count, 1), endsCut = both(add(count, cut), 1);
    for (auto [place, isAlone] :
         {std::pair(constant(0), cut), std::pair(last, endsCut)}) {
      Value mask = both(hasRow, isLess(constant(0), isAlone));
      Value bytes = mul(place, runs.elementBytes);
      Value there = addBytes(builder, loc, inShared, bytes);
      Value inGlobal = addBytes(builder, loc, operands.rows[reg], bytes);
      Value value = loadVector(builder, loc, isStore ? there : inGlobal, type,
                               1, mask)[0];
      ends.push_back({isStore ? inGlobal : there, mask, value});
    }
  }

  /// Lanes of one of so many rows: where these lie apart, each has two words of
  /// a row that fills its tile.
  int64_t getLanesOfWords(int64_t words, int64_t numRows) const {
    return operands.areApart
               ? std::clamp<int64_t>(
                     words / 2, std::max<int64_t>(lanesPerWarp / numRows, 1),
                     lanesPerWarp)
               : lanesPerWarp;
  }

  /// Moves the words of rows that lanes have in a register, some rows at once.
  void moveRowsOf(unsigned reg, bool isStore) {
    int64_t numRows = int64_t(1) << getLanesOfRows().size();
    int64_t words =
        std::max<int64_t>(runs.columns * runs.elementBytes / bytesPerWord, 1);
    int64_t lanes = getLanesOfWords(words, numRows);
    int64_t steps = llvm::divideCeil(words, lanes);
    int64_t side = lanesPerWarp / lanes;
    int64_t atOnce = std::clamp<int64_t>(
        llvm::bit_floor<uint64_t>(kWordsAtOnce / steps), 1, numRows / side);
    Value marked = markRow(reg);
    Value word = both(thread.getLane(), lanes - 1);
    auto loop = scf::ForOp::create(builder, constant(0), constant(numRows),
                                   constant(atOnce * side));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value number =
        add(loop.getInductionVar(),
            make<arith::ShRUIOp>(thread.getLane(), llvm::Log2_64(lanes)));
    SmallVector<WordsOfRow> rows;
    for (int64_t each = 0; each < atOnce; ++each)
      rows.push_back(findWords(reg, marked, add(number, each * side), word));
    moveWords(rows, lanes, steps, isStore);
  }

  /// The first word that begins in a row, i64; its lowest bits say whether half
  /// a word lies before it, and whether there is the row.
  Value markRow(unsigned reg) {
    Value address = getAddress(operands.rows[reg]);
    Value isThere = select(operands.active[reg], constant(2), constant(0));
    if (!hasHalves())
      return make<arith::OrIOp>(address, widen(isThere));
    Value begin = both(add(address, bytesPerWord - 1), -bytesPerWord);
    Value marks = make<arith::OrIOp>(isThere, isCut(address));
    return make<arith::OrIOp>(begin, widen(marks));
  }

  /// From a lane's word on, of the row with this number among those that lanes
  /// have in a register.
  WordsOfRow findWords(unsigned reg, Value marked, Value number, Value word) {
    Value lane = constant(0), row = constant(getPart(reg, 0));
    for (auto [index, bits] : llvm::enumerate(getLanesOfRows())) {
      Value bit = both(make<arith::ShRUIOp>(number, index), 1);
      lane = add(lane, mul(bit, bits.first));
      row = add(row, mul(bit, bits.second));
    }
    Value found = shuffleFromLane(builder, builder.getLoc(), marked, lane);
    Value marks = narrow(found), cut = both(marks, 1), words = count;
    if (hasHalves())
      words = make<arith::ShRSIOp>(sub(count, cut), 1);
    Value isMissing = isAtMost(both(marks, 2), constant(0));
    Value inRow = mul(word, bytesPerWord);
    Value place = add(mul(row, rowBytes), inRow);
    if (hasHalves())
      place = add(place, mul(cut, bytesPerWord));
    return {getGlobal(add(both(found, -bytesPerWord), widen(inRow))),
            getShared(place), select(isMissing, constant(0), sub(words, word))};
  }

  /// A word a lane and step, of each row.
  void moveWords(ArrayRef<WordsOfRow> rows, int64_t lanes, int64_t steps,
                 bool isStore) {
    Location loc = builder.getLoc();
    SmallVector<Move> moves;
    for (const WordsOfRow &row : rows)
      for (int64_t step = 0; step < steps; ++step) {
        Value mask = isLess(constant(step * lanes), row.left);
        auto at = [&](Value pointer) {
          return addBytes(builder, loc, pointer, step * lanes * bytesPerWord);
        };
        Value inShared = at(row.inShared), inGlobal = at(row.inGlobal);
        if (!isStore)
          AsyncCopy::emit(builder, loc, inShared, inGlobal, bytesPerWord,
                          /*inside=*/nullptr, mask);
        else
          moves.push_back({inGlobal, mask,
                           loadVector(builder, loc, inShared,
                                      builder.getI32Type(), 1, mask)[0]});
      }
    for (const Move &move : moves)
      storeVector(builder, loc, move.to, move.value, move.mask);
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
                    op.getReversed(), op.getApart()},
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
    auto loadAll = [&](auto getPointer, auto getMask) {
      SmallVector<Value> loaded;
      for (unsigned reg : run.getRegisters())
        llvm::append_range(loaded,
                           loadVector(builder, builder.getLoc(),
                                      getPointer(reg), tile.getElementType(), 1,
                                      getMask(reg), adaptor.getOther()[reg]));
      return loaded;
    };
    auto getPlace = [&](unsigned reg) { return run.getPlace(reg); };
    auto isThere = [&](unsigned reg) { return run.isThere(reg); };
    auto finish = [&](ArrayRef<Value> loaded) {
      RegisterValues registers(getRegisterLayout(tile).getLayout());
      registers.set(run.getRegisters(), loaded);
      rewriter.replaceOpWithMultiple(op, {registers.take()});
      return success();
    };
    if (op.getApart()) {
      run.prepareToMoveRows();
      run.moveRows(/*isStore=*/false);
      return finish(loadAll(getPlace, isThere));
    }
    SmallVector<Type> types(run.getRegisters().size(), tile.getElementType());
    auto branch = scf::IfOp::create(builder, types, run.isRun(),
                                    /*withElseRegion=*/true);
    auto load = [&](Block *block, auto getPointer, auto getMask) {
      builder.setInsertionPoint(block, block->end());
      scf::YieldOp::create(builder, loadAll(getPointer, getMask));
    };
    builder.setInsertionPoint(branch.thenBlock(), branch.thenBlock()->end());
    run.copyIn();
    load(branch.thenBlock(), getPlace,
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
        isThere);
    return finish(SmallVector<Value>(branch.getResults()));
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
    auto store = [&](auto getPointer, auto getMask) {
      for (unsigned reg : run.getRegisters())
        storeVector(builder, builder.getLoc(), getPointer(reg),
                    adaptor.getValue()[reg], getMask(reg));
    };
    auto getPlace = [&](unsigned reg) { return run.getPlace(reg); };
    auto isThere = [&](unsigned reg) { return run.isThere(reg); };
    if (op.getApart()) {
      run.prepareToMoveRows();
      store(getPlace, isThere);
      run.moveRows(/*isStore=*/true);
      rewriter.eraseOp(op);
      return success();
    }
    auto branch = scf::IfOp::create(builder, TypeRange(), run.isRun(),
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    run.prepareToPlace();
    store(getPlace, [&](unsigned reg) { return run.isInRun(reg); });
    run.copyOut();
    builder.setInsertionPointToStart(branch.elseBlock());
    bool movesRows = run.hasRowsOfFewLanes();
    if (movesRows)
      run.prepareToMoveRows();
    store(
        [&](unsigned reg) {
          return movesRows ? run.getPlace(reg) : run.getPointer(reg);
        },
        isThere);
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
