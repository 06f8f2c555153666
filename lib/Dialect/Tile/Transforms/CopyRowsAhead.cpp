//===- CopyRowsAhead.cpp - Rows that begin anywhere, some ahead -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "tilewright/Layout/Shared/RowBuffer.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOPYROWSAHEAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Of these a word has two. Elements of a word or more are loaded in whole
/// lines of a warp.
static constexpr int64_t kElementBytes = 2;
/// Of a row with fewer bytes most threads would copy nothing.
static constexpr int64_t kMinRowBytes = 1024;
/// Iterations from the copy of a row to its use, which is as many slots: fewer
/// than two are what registers hold, three are what was best by hand.
static constexpr int64_t kLeastAhead = 2, kMostAhead = 3;
/// So many threads are to have room on a multiprocessor, as for keep-in-slots.
static constexpr int64_t kThreadsPerSM = 512;

//===----------------------------------------------------------------------===//
// Rows in memory
//===----------------------------------------------------------------------===//

/// Whether threads load a row, whose elements stand side by side from the
/// beginning of the view's row on, by less than a word at a time.
static bool loadsNarrowRow(GlobalAccessOpInterface load) {
  if (!load || load.isStore() || !load.isCopyable() || !isPlainLoad(load))
    return false;
  MemoryAccess access = *findMemoryAccess(load, MemorySpace::Global);
  auto view = access.base.getDefiningOp<ViewOp>();
  RankedTensorType tile = load.getTileType();
  int64_t bytes = getElementBytes(tile.getElementType());
  return view && view.getType().getContiguousDim() == tile.getRank() - 1 &&
         tile.getNumElements() == tile.getShape().back() &&
         tile.getNumElements() * bytes >= kMinRowBytes &&
         bytes == kElementBytes && load.getVectorWidth() == 1 &&
         isConstantIntValue(OpFoldResult(access.indices.back()), 0);
}

namespace {
/// A row of memory, as `tile.copy_row` takes it.
struct RowInMemory {
  TypedValue<PtrType> pointer;
  /// Elements that the view has of it, at most those of the tile.
  Value count;
};

/// Finds where a load has its row, at the insertion point.
class RowFinder {
public:
  RowFinder(OpBuilder &builder, Location loc, MemoryAccess access,
            int64_t rowElements)
      : builder(builder), loc(loc), access(std::move(access)),
        view(this->access.base.getDefiningOp<ViewOp>()),
        rowElements(rowElements) {}

  /// Without elements where `exists` is given and false.
  RowInMemory find(Value exists) { return {getPointer(), getCount(exists)}; }

  TypedValue<PtrType> getPointer() {
    SmallVector<OpFoldResult> strides = getMixedValues(
        view.getType().getStrides(), view.getStrides(), builder.getContext());
    Value pointer = view.getBase();
    for (auto [index, stride] : llvm::zip_equal(access.indices, strides)) {
      if (isConstantIntValue(OpFoldResult(index), 0))
        continue;
      Value elements =
          arith::MulIOp::create(builder, loc, index, getIndex(stride));
      Value wide = arith::IndexCastOp::create(builder, loc,
                                              builder.getI64Type(), elements);
      pointer =
          AddPtrOp::create(builder, loc, pointer.getType(), pointer, wide);
    }
    return cast<TypedValue<PtrType>>(pointer);
  }

private:
  Value getCount(Value exists) {
    SmallVector<OpFoldResult> extents = getMixedValues(
        view.getType().getShape(), view.getShape(), builder.getContext());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value most = arith::ConstantIndexOp::create(builder, loc, rowElements);
    Value count = arith::MinSIOp::create(
        builder, loc,
        arith::MaxSIOp::create(builder, loc, getIndex(extents.back()), zero),
        most);
    for (auto [index, extent] :
         llvm::drop_end(llvm::zip_equal(access.indices, extents))) {
      // Negative coordinates are large ones.
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, index, getIndex(extent));
      Value isThere = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sgt, getIndex(extent), zero);
      inside = arith::AndIOp::create(builder, loc, inside, isThere);
      count = arith::SelectOp::create(builder, loc, inside, count, zero);
    }
    if (exists)
      count = arith::SelectOp::create(builder, loc, exists, count, zero);
    return count;
  }

  Value getIndex(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  }

  OpBuilder &builder;
  Location loc;
  MemoryAccess access;
  ViewOp view;
  int64_t rowElements;
};

/// A row that each iteration loads for the next one, which has it by what the
/// loop carries.
struct CarriedRow {
  GlobalAccessOpInterface load;
  /// What the body computes its address by, in order.
  SmallVector<Operation *> slice;
  /// Of what the loop carries, and what the first iteration gets.
  unsigned index;
  GlobalAccessOpInterface first;
  /// The slots for it.
  TypedValue<SharedType> slots = {};

  int64_t getElements() { return load.getTileType().getNumElements(); }
};
} // namespace

/// The value, loaded by an op of the block that does nothing else.
static GlobalAccessOpInterface findLoad(Value value, Block *block) {
  auto load = value.getDefiningOp<GlobalAccessOpInterface>();
  return load && load->getBlock() == block && value.hasOneUse() &&
                 loadsNarrowRow(load)
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
    if (!row.load || !row.first || !loop.getResult(index).use_empty())
      continue;
    auto isWritten = [&](GlobalAccessOpInterface load) {
      Value root = getRoot(findMemoryAccess(load, MemorySpace::Global)->base);
      return mayWriteThrough(kernel, root);
    };
    auto slice = getCoordinatesAhead(row.load);
    if (!slice || isWritten(row.load) || isWritten(row.first))
      continue;
    row.slice = std::move(*slice);
    rows.push_back(std::move(row));
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The first op of the body that reads from a shared tile what the body has
/// stored there: a barrier stands before it.
static Operation *findMeeting(Block &body) {
  DenseSet<Operation *> stored;
  for (Operation &op : body)
    for (const MemoryAccess &access : getMemoryAccesses(&op)) {
      if (access.space != MemorySpace::Shared)
        continue;
      AllocSharedOp tile = getAllocation(access.base);
      if (access.isRead && stored.contains(tile))
        return &op;
      if (access.isWrite)
        stored.insert(tile);
    }
  return nullptr;
}

/// Whether something of the kernel is over when something else says so, or its
/// threads are not all that there are.
static bool hasOtherOrder(KernelOp kernel) {
  auto isOther = [](Operation *op) {
    bool isUnderWay =
        llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
          return access.end != AccessEnd::WithOp;
        });
    return isUnderWay || isa<ProductOpInterface, RolesOp, ChannelOp>(op) ||
           (isa<MemoryOrderOpInterface>(op) && !isBarrier(op));
  };
  return kernel.getClusterBlocksOrOne() != 1 ||
         kernel
             .walk([&](Operation *op) {
               return isOther(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
             })
             .wasInterrupted();
}

namespace {
/// Rewrites a loop so that its rows are copied into slots of shared memory.
class RowRing {
public:
  RowRing(KernelOp kernel, scf::ForOp loop, SmallVector<CarriedRow> rows,
          Operation *meeting, int64_t numSlots)
      : kernel(kernel), loop(loop), rows(std::move(rows)), meeting(meeting),
        numSlots(numSlots), rewriter(kernel.getContext()), loc(loop.getLoc()) {}

  void make() {
    rewriter.setInsertionPoint(loop);
    for (CarriedRow &row : rows)
      row.slots = AllocSharedOp::create(rewriter, loc, getSlotsType(row),
                                        IntegerAttr(), StringAttr());
    for (int64_t number = 0; number < numSlots; ++number)
      copyFirst(number);
    AsyncWaitOp::create(rewriter, loc, numSlots - 1);
    copyInBody();
    replaceLoop();
    for (CarriedRow &row : rows)
      rewriter.eraseOp(row.first);
  }

  static SharedType getSlotType(CarriedRow &row) {
    RankedTensorType tile = row.load.getTileType();
    Type type = tile.getElementType();
    RowBuffer buffer(tile.getShape(), tile.getRank() - 1,
                     getElementBytes(type));
    return SharedType::get(
        row.load->getContext(), tile.getShape(), type,
        SharedLayoutAttr::get(row.load->getContext(), *buffer.getLayout()));
  }

private:
  SharedType getSlotsType(CarriedRow &row) {
    SharedType one = getSlotType(row);
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
        RowFinder(rewriter, loc, access, row.getElements()).find(exists);
    CopyRowOp::create(rewriter, loc, found.pointer, found.count, slot);
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
  void copyInBody() {
    rewriter.setInsertionPoint(meeting);
    AsyncWaitOp::create(rewriter, loc, numSlots - 2);
    rewriter.setInsertionPointAfter(meeting);
    slot = getConstant(0); // For now.
    auto [at, exists] = getIteration(loop.getInductionVar(), numSlots - 1);
    for (CarriedRow &row : rows)
      copyOf(row, at, exists, getSlot(row, slot));
    AsyncCommitOp::create(rewriter, loc);
  }

  /// What a loop carries in place of a row: where it begins, and its first
  /// element, which is not copied where it fills no word.
  struct RowAt {
    Value pointer, first;
  };

  RowAt getRowAt(GlobalAccessOpInterface load) {
    rewriter.setInsertionPoint(load);
    RankedTensorType tile = load.getTileType();
    auto [pointer, count] =
        RowFinder(rewriter, loc, *findMemoryAccess(load, MemorySpace::Global),
                  tile.getNumElements())
            .find(/*exists=*/nullptr);
    Type type = tile.getElementType();
    Value hasOne = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::sgt, count, getConstant(0));
    Value zero = arith::ConstantOp::create(rewriter, loc, type,
                                           rewriter.getZeroAttr(type));
    Value first = LoadOp::create(rewriter, loc, type, pointer, hasOne, zero,
                                 /*is_volatile=*/false, /*unshared=*/false,
                                 /*vector_width=*/IntegerAttr());
    return {pointer, first};
  }

  /// Carries the number of a slot, too.
  void replaceLoop() {
    SmallVector<Value> inits(loop.getInitArgs()),
        yields(loop.getYieldedValues());
    for (CarriedRow &row : rows) {
      RowAt atFirst = getRowAt(row.first), next = getRowAt(row.load);
      inits[row.index] = atFirst.pointer;
      yields[row.index] = next.pointer;
      inits.push_back(atFirst.first);
      yields.push_back(next.first);
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
          carrying.getRegionIterArg(numCarried + index));
    }
    rewriter.replaceAllUsesWith(slot, number);
    Operation *yield = loop.getBody()->getTerminator();
    rewriter.setInsertionPoint(yield);
    yields.push_back(getNext(number));
    yield->setOperands(yields);
    for (CarriedRow &row : rows)
      rewriter.eraseOp(row.load);
    rewriter.mergeBlocks(loop.getBody(), carrying.getBody(), arguments);
    rewriter.replaceOp(loop, carrying.getResults().take_front(numCarried));
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
  /// Which stands for the slot of this iteration.
  Value slot;
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
    SmallVector<CarriedRow> rows = findCarriedRows(kernel, loop);
    int64_t bytes = 0;
    for (CarriedRow &row : rows)
      bytes += RowRing::getSlotType(row).getSizeInBytes();
    int64_t threads = int64_t(kernel.getNumWarpsOrDefault()) * lanesPerWarp;
    int64_t blocks = std::max<int64_t>(kThreadsPerSM / threads, 1);
    int64_t ahead = rows.empty() ? 0 : getRoom(blocks) / bytes;
    if (ahead < kLeastAhead)
      return false;
    RowRing(kernel, loop, std::move(rows), meeting, std::min(ahead, kMostAhead))
        .make();
    if (blocks > 1 && !kernel->hasAttr(TileDialect::kBlocksPerSMAttr))
      kernel->setAttr(TileDialect::kBlocksPerSMAttr,
                      Builder(kernel.getContext()).getI32IntegerAttr(blocks));
    return true;
  }

  /// Bytes for rows beside the kernel's other tiles, if a third stays for what
  /// registers do not hold.
  int64_t getRoom(int64_t blocks) {
    GpuTarget target = getTargetOrDefault(getOperation());
    int64_t ofBlock = std::min<int64_t>(target.sharedBytesPerSM / blocks -
                                            target.reservedSharedBytesPerBlock,
                                        target.maxSharedBytesPerBlock);
    int64_t others =
        planSharedMemory(getSharedRequests(getOperation()), /*freeBytes=*/0)
            .total;
    return std::min<int64_t>(2 * ofBlock / 3, ofBlock - others);
  }
};
} // namespace
