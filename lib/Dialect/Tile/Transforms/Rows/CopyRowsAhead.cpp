//===- CopyRowsAhead.cpp - Rows that begin anywhere, some ahead -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Rows/BranchedLoads.h"
#include "Rows/NarrowRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOPYROWSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// As kLeastRowsAhead; three were best by hand.
static constexpr int64_t kMostRowsAhead = 3;

//===----------------------------------------------------------------------===//
// What is loaded
//===----------------------------------------------------------------------===//

namespace {
/// A row that each iteration loads for the next one, which has it by what the
/// loop carries.
struct CarriedRow {
  GlobalAccessOpInterface load;
  /// What the body computes its address by, in order.
  SmallVector<Operation *> slice;
  /// Its number among what the loop carries, and what the first iteration gets.
  unsigned index;
  GlobalAccessOpInterface first;
  /// The slots for it, and how many elements rows have at the most and least.
  TypedValue<SharedType> slots = {};
  IntegerAttr most = {}, least = {};
  /// Elements of each row, the same in all iterations.
  Value length = {};

  int64_t getElements() { return load.getTileType().getNumElements(); }
};
} // namespace

static bool canBeCopied(GlobalAccessOpInterface load) {
  return load.isCopyable() && isNarrowRow(load);
}

/// The row, loaded by an op of the block that does nothing else.
static GlobalAccessOpInterface findLoad(Value value, Block *block) {
  auto load = value.getDefiningOp<GlobalAccessOpInterface>();
  return load && load->getBlock() == block && value.hasOneUse() &&
                 isPlainLoad(load) && canBeCopied(load)
             ? load
             : GlobalAccessOpInterface();
}

/// Rows of arrays that the kernel does not write.
static SmallVector<CarriedRow> findCarriedRows(KernelOp kernel,
                                               scf::ForOp loop) {
  SmallVector<CarriedRow> rows;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index) {
    CarriedRow row;
    row.index = index;
    row.load = findLoad(loop.getYieldedValues()[index], loop.getBody());
    row.first = findLoad(loop.getInitArgs()[index], loop->getBlock());
    if (!row.load || !row.first || !loop.getResult(index).use_empty() ||
        getColumnsOfRows(row.load) != getColumnsOfRows(row.first) ||
        !getParityOfColumns(getRegisterLayout(row.load.getTileType())))
      continue;
    auto isWritten = [&](GlobalAccessOpInterface load) {
      Value root = getRoot(findMemoryAccess(load, MemorySpace::Global)->base);
      return mayWriteThrough(kernel, root);
    };
    auto slice = getCoordinatesAhead(row.load);
    if (!slice || llvm::any_of(*slice, isPlainLoad) || isWritten(row.load) ||
        isWritten(row.first))
      continue;
    row.slice = std::move(*slice);
    rows.push_back(std::move(row));
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Whether something of the kernel is over when something else says so, or its
/// threads are not all that there are.
static bool hasOtherOrder(KernelOp kernel) {
  auto isOther = [](Operation *op) {
    return llvm::any_of(getMemoryAccesses(op),
                        [](const MemoryAccess &access) {
                          return access.end != AccessEnd::WithOp;
                        }) ||
           (isa<MemoryOrderOpInterface>(op) && !isBarrier(op));
  };
  return !isDoneByThreads(kernel) || anyOpIn(kernel, isOther);
}

/// Tiles that the loop carries, but for these rows, or takes from loads in
/// front of it.
static int64_t countOtherTiles(scf::ForOp loop,
                               MutableArrayRef<CarriedRow> rows) {
  SetVector<Value> loaded;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && !loop->isAncestor(maker) && isPlainLoad(maker))
        loaded.insert(operand);
  });
  auto isLarge = [&](Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile && tile.getNumElements() >= rows.front().getElements();
  };
  return llvm::count_if(loaded, isLarge) +
         llvm::count_if(loop.getRegionIterArgs(), isLarge) - rows.size();
}

namespace {
/// Rewrites a loop so that its rows are copied into slots of shared memory.
class CarriedRowCopies {
public:
  CarriedRowCopies(KernelOp kernel, scf::ForOp loop,
                   SmallVector<CarriedRow> rows, Operation *meeting,
                   int64_t numSlots)
      : kernel(kernel), loop(loop), rows(std::move(rows)), meeting(meeting),
        numSlots(numSlots), rewriter(kernel.getContext()), loc(loop.getLoc()) {}

  void make() {
    for (CarriedRow &row : rows) {
      rewriter.setInsertionPoint(row.first);
      row.length = findLengthOfRows(rewriter, loc, row.first);
      rewriter.setInsertionPoint(loop);
      row.slots = AllocSharedOp::create(rewriter, loc, getSlotsType(row),
                                        IntegerAttr(), StringAttr());
      row.most = getMostOfRows({row.first, row.load});
      row.least = getLeastOfRows({row.first, row.load});
    }
    for (int64_t number = 0; number < numSlots; ++number)
      copyFirst(number);
    AsyncWaitOp::create(rewriter, loc, numSlots - 1);
    Value slot = replaceLoop();
    copyInBody(slot);
    for (CarriedRow &row : rows) {
      rewriter.eraseOp(row.first);
      rewriter.eraseOp(row.load);
    }
  }

private:
  SharedType getSlotsType(CarriedRow &row) {
    SharedType one = getRowBufferType(row.load.getTileType());
    SmallVector<int64_t> shape = {numSlots};
    llvm::append_range(shape, one.getShape());
    return SharedType::get(rewriter.getContext(), shape, one.getElementType(),
                           one.getLayout());
  }

  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  Value getSlot(CarriedRow &row, Value number) {
    return SubviewOp::create(rewriter, loc, row.slots.getType().getStageType(),
                             row.slots, number);
  }

  /// The number of the iteration so many behind one, and whether there is one.
  std::pair<Value, Value> getIteration(Value from, int64_t distance) {
    Value far = arith::MulIOp::create(rewriter, loc, loop.getStep(),
                                      getConstant(distance));
    Value number = arith::AddIOp::create(rewriter, loc, from, far);
    Value exists = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::slt, number, loop.getUpperBound());
    return {number, exists};
  }

  void copy(CarriedRow &row, const MemoryAccess &access, Value exists,
            Value slot) {
    RowInMemory found =
        findRow(rewriter, loc, access, row.getElements(), exists);
    CopyRowOp::create(rewriter, loc, found.pointer, found.count, slot,
                      row.most);
  }

  /// Copies what an iteration loads for its next one.
  void copyOf(CarriedRow &row, Value number, Value exists, Value slot) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), number);
    for (Operation *op : row.slice)
      rewriter.clone(*op, mapping);
    MemoryAccess access = *findMemoryAccess(row.load, MemorySpace::Global);
    Value root = getRoot(access.base);
    access.base = mapping.lookupOrDefault(access.base);
    for (Value &index : access.indices)
      index = mapping.lookupOrDefault(index);
    assert(getRoot(access.base) == root && "moved to another array");
    (void)root;
    copy(row, access, exists, slot);
  }

  /// Before the loop, a row for each slot: that of the first iteration, and
  /// those that the next ones would load.
  void copyFirst(int64_t number) {
    Value slot = getConstant(number);
    for (CarriedRow &row : rows) {
      Value part = getSlot(row, slot);
      if (number == 0) {
        copy(row, *findMemoryAccess(row.first, MemorySpace::Global),
             /*exists=*/nullptr, part);
        continue;
      }
      auto [at, exists] = getIteration(loop.getLowerBound(), number - 1);
      copyOf(row, at, exists, part);
    }
    AsyncCommitOp::create(rewriter, loc);
  }

  /// Where warps meet, the next row is to have come; behind that nobody reads
  /// the slot of this one, so that it gets the row of `numSlots` iterations on.
  void copyInBody(Value slot) {
    rewriter.setInsertionPoint(meeting);
    AsyncWaitOp::create(rewriter, loc, numSlots - 2);
    rewriter.setInsertionPointAfter(meeting);
    auto [at, exists] = getIteration(loop.getInductionVar(), numSlots - 1);
    for (CarriedRow &row : rows)
      copyOf(row, at, exists, getSlot(row, slot));
    AsyncCommitOp::create(rewriter, loc);
  }

  /// What a loop carries in place of a row: where it begins, and what is not
  /// copied of it.
  struct RowAt {
    Value pointer, ends;
  };

  RowAt getRowAt(GlobalAccessOpInterface row) {
    rewriter.setInsertionPoint(row);
    RankedTensorType tile = row.getTileType();
    RowInMemory found =
        findRow(rewriter, loc, *findMemoryAccess(row, MemorySpace::Global),
                tile.getNumElements());
    auto type =
        RankedTensorType::get({2}, tile.getElementType(),
                              getParityOfColumns(getRegisterLayout(tile)));
    Value ends =
        LoadEndsOp::create(rewriter, loc, type, found.pointer, found.count);
    return {found.pointer, ends};
  }

  /// Carries the number of a slot, too: that of the iteration's row, which is
  /// returned.
  Value replaceLoop() {
    SmallVector<Value> inits(loop.getInitArgs()),
        yields(loop.getYieldedValues());
    for (CarriedRow &row : rows) {
      RowAt atFirst = getRowAt(row.first), next = getRowAt(row.load);
      inits[row.index] = atFirst.pointer;
      yields[row.index] = next.pointer;
      inits.push_back(atFirst.ends);
      yields.push_back(next.ends);
    }
    rewriter.setInsertionPoint(loop);
    inits.push_back(getConstant(0));
    auto carrying =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    carrying->setAttrs(loop->getAttrs());
    AsyncWaitOp::create(rewriter, loc, 0);
    Value number = carrying.getRegionIterArgs().back();
    rewriter.setInsertionPointToStart(carrying.getBody());
    unsigned numCarried = loop.getNumRegionIterArgs();
    SmallVector<Value> arguments(
        carrying.getBody()->getArguments().take_front(numCarried + 1));
    for (auto [index, row] : llvm::enumerate(rows)) {
      Value &argument = arguments[row.index + 1];
      argument = LoadRowOp::create(
          rewriter, loc, row.load.getTileType(), getSlot(row, number), argument,
          carrying.getRegionIterArg(numCarried + index), row.length, row.most,
          row.least);
    }
    Operation *yield = loop.getBody()->getTerminator();
    rewriter.setInsertionPoint(yield);
    yields.push_back(getNext(number));
    yield->setOperands(yields);
    rewriter.mergeBlocks(loop.getBody(), carrying.getBody(), arguments);
    rewriter.replaceOp(loop, carrying.getResults().take_front(numCarried));
    loop = carrying;
    return number;
  }

  Value getNext(Value number) {
    Value next = arith::AddIOp::create(rewriter, loc, number, getConstant(1));
    Value isOver = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, next, getConstant(numSlots));
    return arith::SelectOp::create(rewriter, loc, isOver, getConstant(0), next);
  }

  KernelOp kernel;
  scf::ForOp loop;
  SmallVector<CarriedRow> rows;
  Operation *meeting;
  int64_t numSlots;
  IRRewriter rewriter;
  Location loc;
};

struct CopyRowsAhead
    : tilewright::tile::impl::TileCopyRowsAheadBase<CopyRowsAhead> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel) || hasOtherOrder(kernel))
      return;
    // One of them, which has all the shared memory that there is room for.
    for (auto loop :
         llvm::make_early_inc_range(kernel.getBody().getOps<scf::ForOp>()))
      if (copyRowsOf(loop))
        return;
  }

private:
  bool copyRowsOf(scf::ForOp loop) {
    KernelOp kernel = getOperation();
    Operation *meeting = findMeeting(*loop.getBody());
    if (!meeting || !loop.getInductionVar().getType().isIndex() ||
        loop.getUnsignedCmp())
      return false;
    SmallVector<Value> carried(loop.getInitArgs());
    llvm::append_range(carried, loop.getYieldedValues());
    SetVector<Operation *> makers;
    for (Value value : carried)
      if (Operation *maker = value.getDefiningOp())
        makers.insert(maker);
    for (Operation *maker : makers)
      if (auto branch = dyn_cast<scf::IfOp>(maker))
        loadWithoutBranch(branch, canBeCopied);
    SmallVector<CarriedRow> rows = findCarriedRows(kernel, loop);
    if (rows.empty())
      return false;
    int64_t bytes = 0;
    for (CarriedRow &row : rows)
      bytes += getRowBufferType(row.load.getTileType()).getSizeInBytes();
    int64_t blocks = countBlocksOfRows(kernel, 1 + countOtherTiles(loop, rows));
    int64_t ahead = getRoomForRows(kernel, blocks) / bytes;
    if (ahead < kLeastRowsAhead)
      return false;
    CarriedRowCopies(kernel, loop, std::move(rows), meeting,
                     std::min(ahead, kMostRowsAhead))
        .make();
    if (blocks > 1 && !getAskedBlocks(kernel))
      askForBlocks(kernel, blocks);
    return true;
  }
};
} // namespace
