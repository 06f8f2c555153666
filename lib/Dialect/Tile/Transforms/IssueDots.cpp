//===- IssueDots.cpp - Products under way over iterations -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/IR/HandOverCount.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEISSUEDOTS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// As many as a wait can leave under way (PTX ISA, wgmma.wait_group).
constexpr size_t kMostUnderWay = 7;

/// The products of a loop, and what they read.
class LoopOfProducts {
public:
  explicit LoopOfProducts(LoopLikeOpInterface loop)
      : loop(loop), body(&loop.getLoopRegions().front()->front()) {}

  /// Decides on the unchanged program whether all products can be under way
  /// while those of the next iteration are issued.
  bool match() {
    if (loop.getLoopRegions().size() != 1)
      return false;
    body->walk(
        [&](SharedProductOpInterface product) { products.push_back(product); });
    return !products.empty() && products.size() <= kMostUnderWay &&
           llvm::all_of(products,
                        [&](SharedProductOpInterface product) {
                          return onlyAddsUp(product) &&
                                 llvm::all_of(ArrayRef{0, 1}, [&](int i) {
                                   return staysReadable(
                                       product.getOperandTile(i));
                                 });
                        }) &&
           llvm::all_of(waits, [&](WaitOp wait) { return matchFills(wait); });
  }

  void run() {
    for (SharedProductOpInterface product : products)
      product.setUnderWay();
    OpBuilder builder(loop.getContext());
    auto releases = llvm::map_to_vector(
        waits, [](WaitOp wait) { return wait.getRelease(); });
    builder.setInsertionPointAfter(products.back());
    DotWaitOp::create(builder, products.back()->getLoc(), TypeRange(),
                      products.size(), ValueRange());
    for (auto [wait, release] : llvm::zip_equal(waits, releases))
      releaseLate(builder, wait, release->getLoc());
    for (Operation *fill : fills)
      fill->moveBefore(builder.getInsertionBlock(),
                       builder.getInsertionPoint());
    for (ReleaseOp release : releases)
      release.erase();
    waitBehind(builder);
  }

private:
  /// Whether the sums go round the loop, and nobody else sees them.
  bool onlyAddsUp(SharedProductOpInterface product) {
    auto sums = dyn_cast<BlockArgument>(product.getSums());
    if (product->getBlock() != body || !sums || !sums.hasOneUse() ||
        sums.getOwner() != body)
      return false;
    OpOperand *yielded = loop.getTiedLoopYieldedValue(sums);
    return yielded && product->hasOneUse() &&
           yielded->get() == product->getResult(0);
  }

  /// Whether the tile may be read until the products of the next iteration are
  /// issued: nobody writes it, or it is a slot that can be released then.
  /// Registers are others' by then.
  bool staysReadable(TypedValue<SharedType> tile) {
    if (!tile)
      return false;
    if (auto wait = tile.getDefiningOp<WaitOp>()) {
      waits.insert(wait);
      ReleaseOp release = wait.getRelease();
      return wait->getBlock() == body && release &&
             release->getBlock() == body && isCountedFrom0(wait.getCount());
    }
    AllocSharedOp allocation = getAllocation(tile);
    return allocation && llvm::none_of(getAccesses(allocation),
                                       [&](SharedAccessOpInterface access) {
                                         return access.isStore() &&
                                                loop->isAncestor(access);
                                       });
  }

  /// Whether the first iteration has no slot of one before it to release.
  bool isCountedFrom0(Value count) {
    return getCountBehindLoop(count) &&
           Count::of(loop.getTiedLoopInit(cast<BlockArgument>(count))->get()) ==
               Count{};
  }

  /// Finds the copies that want a slot an iteration before it is free; they
  /// must not have to stay before anything that comes behind.
  bool matchFills(WaitOp wait) {
    Count count = Count::of(wait.getCount());
    auto channel = wait.getChannel().getDefiningOp<ChannelOp>();
    for (Operation *user : channel->getUsers()) {
      auto acquire = dyn_cast<AcquireOp>(user);
      Operation *fill =
          acquire ? body->findAncestorOpInBlock(*acquire) : nullptr;
      if (!fill)
        continue;
      Count filled = Count::of(acquire.getCount());
      int64_t ahead = channel.getType().getNumStages() - 1;
      if (filled.base != count.base || filled.offset > count.offset + ahead)
        return false;
      if (filled.offset < count.offset + ahead ||
          products.back()->isBeforeInBlock(fill))
        continue;
      if (fill->getNumResults() != 0 || fill == acquire || !isFree(fill))
        return false;
      fills.insert(fill);
    }
    return true;
  }

  /// Whether nothing between the copies and their new place waits for them, or
  /// may write what they read.
  bool isFree(Operation *fill) {
    for (Operation *op = fill; op != products.back(); op = op->getNextNode())
      if (isa<WaitOp>(op) || mayWriteGlobalMemory(op))
        return false;
    return true;
  }

  static Value before(OpBuilder &builder, Location loc, Value count) {
    Value minusOne = arith::ConstantIntOp::create(builder, loc, -1, 32);
    return arith::AddIOp::create(builder, loc, count, minusOne);
  }

  /// At the insertion point, and behind the loop.
  void releaseLate(OpBuilder &builder, WaitOp wait, Location loc) {
    Value channel = wait.getChannel();
    ReleaseOp::create(builder, loc, channel,
                      before(builder, loc, wait.getCount()));
    OpBuilder behind(loop);
    behind.setInsertionPointAfter(loop);
    Value last = before(behind, loc, getCountBehindLoop(wait.getCount()));
    ReleaseOp::create(behind, loc, channel, last);
  }

  void waitBehind(OpBuilder &builder) {
    builder.setInsertionPointAfter(loop);
    SmallVector<Value> sums =
        llvm::map_to_vector(products, [&](SharedProductOpInterface product) {
          return Value(
              loop.getTiedLoopResult(cast<BlockArgument>(product.getSums())));
        });
    auto wait = DotWaitOp::create(builder, products.back()->getLoc(),
                                  ValueRange(sums).getTypes(), 0, sums);
    for (auto [sum, done] : llvm::zip_equal(sums, wait.getResults()))
      sum.replaceAllUsesExcept(done, wait);
  }

  LoopLikeOpInterface loop;
  Block *body;
  SmallVector<SharedProductOpInterface> products;
  llvm::SetVector<WaitOp> waits;
  llvm::SetVector<Operation *> fills;
};

struct IssueDots : tilewright::tile::impl::TileIssueDotsBase<IssueDots> {
  void runOnOperation() override {
    SmallVector<LoopOfProducts> loops;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      LoopOfProducts matched(loop);
      if (matched.match())
        loops.push_back(std::move(matched));
    });
    for (LoopOfProducts &matched : loops)
      matched.run();
  }
};

} // namespace
