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

/// Copies into a slot of a channel that is filled ahead.
struct Fill {
  /// In the body of the loop.
  Operation *op;
  AcquireOp acquire;
};

/// The products of a loop, and what they read.
class LoopOfProducts {
public:
  explicit LoopOfProducts(LoopLikeOpInterface loop)
      : loop(loop), body(&loop.getLoopRegions().front()->front()) {
    body->walk(
        [&](SharedProductOpInterface product) { products.push_back(product); });
    for (SharedProductOpInterface product : products)
      for (unsigned operand : {0, 1})
        if (auto wait = product.getOperandTile(operand).getDefiningOp<WaitOp>())
          waits.insert(wait);
  }

  /// Decides on the unchanged program whether all products can be under way
  /// while those of the next iteration are issued.
  bool isMatch() {
    return loop.getLoopRegions().size() == 1 && !products.empty() &&
           products.size() <= kMostUnderWay &&
           llvm::all_of(products,
                        [&](SharedProductOpInterface product) {
                          return onlyAddsUp(product) &&
                                 staysReadable(product.getOperandTile(0)) &&
                                 staysReadable(product.getOperandTile(1));
                        }) &&
           llvm::all_of(waits, [&](WaitOp wait) { return canFillLate(wait); });
  }

  void run() {
    llvm::SetVector<Operation *> lateFills = getLateFills();
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
    for (Operation *fill : lateFills)
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

  /// The copies into slots of a channel that the loop makes.
  SmallVector<Fill> getFills(WaitOp wait) {
    SmallVector<Fill> fills;
    for (Operation *user : wait.getChannel().getUsers())
      if (auto acquire = dyn_cast<AcquireOp>(user))
        if (Operation *op = body->findAncestorOpInBlock(*acquire))
          fills.push_back({op, acquire});
    return fills;
  }

  /// The hand-over that the last free slot is for, while that of the wait and
  /// all between them have theirs.
  static Count getFurthest(WaitOp wait) {
    int64_t stages = wait.getChannel().getType().getNumStages();
    return Count::of(wait.getCount()).plus(stages - 1);
  }

  /// Whether the copies want a slot an iteration before it is free now, and
  /// stand before the products.
  bool wantsLateSlot(Fill fill, WaitOp wait) {
    return Count::of(fill.acquire.getCount()) == getFurthest(wait) &&
           !products.back()->isBeforeInBlock(fill.op);
  }

  llvm::SetVector<Operation *> getLateFills() {
    llvm::SetVector<Operation *> late;
    for (WaitOp wait : waits)
      for (Fill fill : getFills(wait))
        if (wantsLateSlot(fill, wait))
          late.insert(fill.op);
    return late;
  }

  /// Whether all copies that want a slot that is not free yet can be made
  /// behind the products: nothing that follows them has to wait for them.
  bool canFillLate(WaitOp wait) {
    Count furthest = getFurthest(wait);
    return llvm::all_of(getFills(wait), [&](Fill fill) {
      Count count = Count::of(fill.acquire.getCount());
      if (count.base != furthest.base || count.offset > furthest.offset)
        return false;
      return !wantsLateSlot(fill, wait) ||
             (fill.op->getNumResults() == 0 && fill.op != fill.acquire &&
              isFree(fill.op));
    });
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
  /// For the slots that products read.
  llvm::SetVector<WaitOp> waits;
};

struct IssueDots : tilewright::tile::impl::TileIssueDotsBase<IssueDots> {
  void runOnOperation() override {
    SmallVector<LoopOfProducts> loops;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      LoopOfProducts matched(loop);
      if (matched.isMatch())
        loops.push_back(std::move(matched));
    });
    for (LoopOfProducts &matched : loops)
      matched.run();
  }
};

} // namespace
