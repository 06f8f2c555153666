//===- StoreRowsBehind.cpp - Rows that begin anywhere, as vectors ---------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Rows/NarrowRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Dialect/Tile/Analysis/ProgramDifferences.h"
#include "tilewright/Dialect/Tile/Analysis/RowTiles.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESTOREROWSBEHIND
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

/// Whether the op does nothing but store a whole row, less what is outside of
/// its view.
static bool isPlainStore(GlobalAccessOpInterface op) {
  SmallVector<MemoryAccess, 2> accesses = getMemoryAccesses(op);
  return accesses.size() == 1 && accesses[0].isWrite &&
         !accesses[0].talksToOthers() && !accesses[0].mask &&
         !accesses[0].isRotated && accesses[0].end == AccessEnd::WithOp &&
         op->getNumResults() == 0 && op->getNumRegions() == 0;
}

static Value getRootOf(GlobalAccessOpInterface op) {
  return getRoot(findMemoryAccess(op, MemorySpace::Global)->base);
}

/// Whether nothing else of the loop touches what the op may store, so that
/// nobody sees that it is stored an iteration later.
static bool isAlone(GlobalAccessOpInterface store, scf::ForOp loop) {
  Value root = getRootOf(store);
  auto touches = [&](const MemoryAccess &access) {
    return access.space == MemorySpace::Global &&
           mayOverlap(getRoot(access.base), root);
  };
  return !anyOpIn(loop, [&](Operation *op) {
    return op != store.getOperation() &&
           llvm::any_of(getMemoryAccesses(op), touches);
  });
}

/// Whether the loop loads tiles for its next iteration. What all threads load
/// alike ptxas keeps in uniform registers, where registers are short, and waits
/// for it (docs/decisions/0056-short-rows-in-turn.md). The ends of rows that
/// are copied are no tiles of a program, and threads load different ones.
static bool loadsAhead(scf::ForOp loop) {
  return llvm::any_of(loop.getYieldedValues(), [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return maker && maker->getBlock() == loop.getBody() &&
           isTileType(value.getType()) && isa<GlobalAccessOpInterface>(maker) &&
           isPlainLoad(maker);
  });
}

namespace {
/// Rewrites a loop so that a row which it stores goes through shared memory.
class RowBehind {
public:
  /// `place`: behind which an iteration stores the row of the one before.
  RowBehind(scf::ForOp loop, GlobalAccessOpInterface store, Operation *place)
      : loop(loop), store(store), place(place), tile(store.getTileType()),
        most(getMostOfRows(store)), rewriter(loop.getContext()),
        loc(store.getLoc()) {}

  void make() {
    rewriter.setInsertionPoint(loop);
    Value buffer = AllocSharedOp::create(rewriter, loc, getRowBufferType(tile),
                                         IntegerAttr(), StringAttr());
    Value nowhere = getRootOf(store);
    Value none = arith::ConstantIndexOp::create(rewriter, loc, 0);
    rewriter.setInsertionPoint(store);
    RowInMemory row =
        findRow(rewriter, loc, *findMemoryAccess(store, MemorySpace::Global),
                tile.getNumElements());
    PlaceRowOp::create(rewriter, loc, getStored(), buffer, row.pointer, most);
    rewriter.eraseOp(store);
    LoopLikeOpInterface carrying = *loop.replaceWithAdditionalYields(
        rewriter, {nowhere, none}, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return SmallVector<Value>{row.pointer, row.count};
        });
    rewriter.setInsertionPointAfter(place);
    write(buffer, carrying.getRegionIterArgs().take_back(2));
    rewriter.setInsertionPointAfter(carrying);
    write(buffer, carrying->getResults().take_back(2));
  }

private:
  Value getStored() {
    return *llvm::find_if(store->getOperands(), [&](Value operand) {
      return operand.getType() == tile;
    });
  }

  void write(Value buffer, ValueRange row) {
    StoreRowOp::create(rewriter, loc, buffer, row[0], row[1], most);
  }

  scf::ForOp loop;
  GlobalAccessOpInterface store;
  Operation *place;
  RankedTensorType tile;
  IntegerAttr most;
  IRRewriter rewriter;
  Location loc;
};

struct StoreRowsBehind
    : tilewright::tile::impl::TileStoreRowsBehindBase<StoreRowsBehind> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!combinesRows(kernel) || !isDoneByThreads(kernel) ||
        mayWaitForOthers(kernel))
      return;
    SmallVector<GlobalAccessOpInterface> stores;
    kernel.walk([&](GlobalAccessOpInterface op) {
      if (isPlainStore(op) && isNarrowRow(op))
        stores.push_back(op);
    });
    for (GlobalAccessOpInterface store : stores)
      storeBehind(store);
  }

private:
  void storeBehind(GlobalAccessOpInterface store) {
    auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
    if (!loop || loadsAhead(loop) || !isAlone(store, loop) ||
        !hasRoom(store.getTileType()))
      return;
    auto root = dyn_cast_or_null<TypedValue<PtrType>>(getRootOf(store));
    if (!root ||
        root.getType().getElementType() != store.getTileType().getElementType())
      return;
    // The row of the iteration before has come where warps meet first, and has
    // left where they meet again.
    Operation *first = findMeeting(*loop.getBody());
    Operation *second = first ? findMeeting(*loop.getBody(), first) : nullptr;
    if (second && second->isBeforeInBlock(store))
      RowBehind(loop, store, findLastCopy(first, second)).make();
  }

  /// Between both: copies that begin there do not wait for what is stored.
  static Operation *findLastCopy(Operation *first, Operation *second) {
    Operation *last = first;
    for (Operation *op = first; op != second; op = op->getNextNode())
      if (auto order = dyn_cast<MemoryOrderOpInterface>(op);
          order && order.getMemoryOrder().kind == MemoryOrder::Kind::CloseGroup)
        last = op;
    return last;
  }

  /// Beside the other tiles, if a third stays for what registers do not hold.
  bool hasRoom(RankedTensorType tile) {
    KernelOp kernel = getOperation();
    std::optional<int64_t> asked = getAskedBlocks(kernel);
    int64_t blocks = asked ? *asked : countBlocksOfRows(kernel, /*numTiles=*/1);
    return countSharedBytes(kernel) + getRowBufferType(tile).getSizeInBytes() <=
           2 * getSharedBytesOfBlock(kernel, blocks) / 3;
  }
};
} // namespace
