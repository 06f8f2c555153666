//===- JoinExchanges.cpp - Warps that meet once for several results -------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/MemoryAccess.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEJOINEXCHANGES
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
class Exchanges {
public:
  Exchanges(Block &block, int64_t numThreads)
      : block(block), numThreads(numThreads) {}

  /// Brings forward what later exchanges store, to where an earlier one reads.
  void join() {
    for (Operation &op : block)
      if (auto read = dyn_cast<SharedAccessOpInterface>(op);
          read && !read.isStore() && isSmall(read))
        joinWith(read);
  }

  /// Has what is stored together in an iteration of a loop in other bytes than
  /// that of the one before, which some warp may still read: warps meet once
  /// then.
  void takeTurns() {
    auto loop = dyn_cast<LoopLikeOpInterface>(block.getParentOp());
    if (joined.empty() || !loop)
      return;
    IRRewriter rewriter(loop);
    Location loc = loop.getLoc();
    Value first = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value last = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto makeNext = [&](OpBuilder &builder, Location,
                        ArrayRef<BlockArgument> turn) -> SmallVector<Value> {
      return {arith::SubIOp::create(builder, loc, last, turn.front())};
    };
    FailureOr<LoopLikeOpInterface> turning = loop.replaceWithAdditionalYields(
        rewriter, first, /*replaceInitOperandUsesInLoop=*/false, makeNext);
    if (failed(turning))
      return;
    Value turn = turning->getRegionIterArgs().back();
    for (AllocSharedOp tile : joined) {
      rewriter.setInsertionPoint(*turning);
      Value both = AllocSharedOp::create(rewriter, tile.getLoc(),
                                         getTwoOf(tile.getType()),
                                         IntegerAttr(), StringAttr());
      rewriter.setInsertionPoint(tile);
      rewriter.replaceOp(tile, SubviewOp::create(rewriter, tile.getLoc(),
                                                 tile.getType(), both, turn));
    }
  }

private:
  static SharedType getTwoOf(SharedType one) {
    SmallVector<int64_t> shape = {2};
    llvm::append_range(shape, one.getShape());
    return SharedType::get(one.getContext(), shape, one.getElementType(),
                           one.getLayout());
  }

  /// An element a thread at the most, in bytes of its own.
  bool isSmall(SharedAccessOpInterface access) const {
    auto tile = access.getSharedTile().getDefiningOp<AllocSharedOp>();
    return tile && tile->getBlock() == &block && !tile.getOffset() &&
           access.getTileType().getNumElements() <= numThreads;
  }

  void joinWith(SharedAccessOpInterface read) {
    SmallVector<SharedAccessOpInterface> stores;
    for (Operation &op :
         llvm::make_range(std::next(read->getIterator()), block.end())) {
      // What is computed meanwhile would be kept for long.
      if (op.getNumRegions() > 0 && !isa<CombineOpInterface>(op))
        break;
      auto store = dyn_cast<SharedAccessOpInterface>(op);
      if (store && store.isStore() && isSmall(store) && isFirst(store))
        stores.push_back(store);
    }
    SmallVector<Operation *> together = {findStore(read)};
    if (!together.front())
      return;
    for (SharedAccessOpInterface store : stores) {
      std::optional<SetVector<Operation *>> slice = findWhatMakes(store, read);
      if (!slice)
        continue;
      for (Operation *op : *slice)
        op->moveBefore(read);
      // Side by side: ptxas stores them in one branch, over which it moves
      // nothing.
      for (Operation *earlier : together)
        earlier->moveBefore(store);
      together.push_back(store);
    }
    if (together.size() > 1)
      for (Operation *store : together)
        joined.insert(getAllocation(
            cast<SharedAccessOpInterface>(store).getSharedTile()));
  }

  /// What stores the tile that is read, if nobody else touches it before; or
  /// null.
  Operation *findStore(SharedAccessOpInterface read) {
    Operation *found = nullptr;
    for (Operation *user : getAllocation(read.getSharedTile())->getUsers()) {
      if (user->getBlock() != &block)
        return nullptr;
      if (!user->isBeforeInBlock(read))
        continue;
      auto store = dyn_cast<SharedAccessOpInterface>(user);
      if (found || !store || !store.isStore())
        return nullptr;
      found = user;
    }
    return found;
  }

  /// Whether nobody touches the tile before.
  static bool isFirst(SharedAccessOpInterface store) {
    return llvm::all_of(getAllocation(store.getSharedTile())->getUsers(),
                        [&](Operation *user) {
                          return user == store.getOperation() ||
                                 (user->getBlock() == store->getBlock() &&
                                  store->isBeforeInBlock(user));
                        });
  }

  static bool mayMove(Operation *op) {
    return isa<AllocSharedOp>(op) || isPure(op);
  }

  /// Whether what is stored hangs on what may not go in front of the read.
  /// Mostly that is near, and all that is in front of it is not looked at: of a
  /// chain of reductions each would be, for each pair of them.
  bool waitsFor(Operation *store, Operation *read) {
    llvm::SmallSetVector<Operation *, 16> open;
    open.insert(store);
    for (size_t index = 0; index < open.size(); ++index)
      for (Value operand : open[index]->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        if (!maker || maker->getBlock() != &block ||
            maker->isBeforeInBlock(read))
          continue;
        if (!mayMove(maker))
          return true;
        open.insert(maker);
      }
    return false;
  }

  /// The store and what stands behind the read to make it, in order, if none of
  /// that waits for the read.
  std::optional<SetVector<Operation *>> findWhatMakes(Operation *store,
                                                      Operation *read) {
    if (waitsFor(store, read))
      return std::nullopt;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.omitUsesFromAbove = false;
    options.filter = [&](Operation *op) {
      return op->getBlock() == &block && !op->isBeforeInBlock(read);
    };
    SetVector<Operation *> slice;
    if (failed(getBackwardSlice(store, &slice, options)) ||
        !llvm::all_of(slice, mayMove))
      return std::nullopt;
    slice.insert(store);
    return slice;
  }

  Block &block;
  int64_t numThreads;
  /// Tiles of what is stored together. One that waits for an earlier exchange
  /// may be joined with another that was joined with that.
  llvm::SetVector<AllocSharedOp> joined;
};

struct JoinExchanges
    : tilewright::tile::impl::TileJoinExchangesBase<JoinExchanges> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (hasProducts(kernel))
      return;
    // Blocks of a cluster tell each other when all have read.
    bool hasCluster = kernel.getClusterBlocksOrOne() > 1;
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      Exchanges exchanges(*block, kernel.getNumThreads());
      exchanges.join();
      if (!hasCluster)
        exchanges.takeTurns();
    }
  }
};
} // namespace
