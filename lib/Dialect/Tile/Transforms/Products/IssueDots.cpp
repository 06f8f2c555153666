//===- IssueDots.cpp - Products under way over iterations -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/RunAhead.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
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
  /// The op in the body of the loop.
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
  }

  /// Decides on the unchanged program whether products can be under way while
  /// those of the next iteration are issued: all, or those that follow one
  /// that is waited for.
  bool isMatch() {
    if (loop.getLoopRegions().size() != 1 || products.empty() ||
        products.size() > kMostUnderWay ||
        !llvm::all_of(products, [](SharedProductOpInterface product) {
          return product.mayBeUnderWay();
        }))
      return false;
    if (llvm::all_of(products, [&](SharedProductOpInterface product) {
          return onlyAddsUp(product) &&
                 (!isInRegisters(product, 0) || isReadAnew(product));
        })) {
      anchor = products.back();
      return canStayUnderWay() && canReadUnderWay();
    }
    splitAtWait();
    return anchor && canStayUnderWay();
  }

  /// Words that products have at once, where that is more than a thread has
  /// registers, although the loop carries some of the sums only; else 0.
  int64_t countWordsTooMany() {
    std::optional<GpuTarget> target =
        getTarget(loop->getParentOfType<KernelOp>());
    bool carriesSome =
        llvm::any_of(products, [&](auto each) { return getCarried(each); }) &&
        !llvm::all_of(products, [&](auto each) { return getCarried(each); });
    if (!target || !carriesSome)
      return 0;
    int64_t words = countWords(products);
    return words > getRegisters(*target) ? words : 0;
  }

  /// Warns at the last product, beside whose sums all the others are made.
  void warnOfSpills(int64_t words) {
    auto kernel = loop->getParentOfType<KernelOp>();
    products.back()->emitWarning("the products of this loop take ")
        << words << " registers of each thread for sums and left operands, "
        << "and a thread of " << kernel.getNumWarpsOrDefault() << " warps has "
        << getRegisters(*getTarget(kernel))
        << " for all it does: some will spill to memory, and each product may "
           "wait for the one before; use smaller tiles or more warps";
  }

  void run() {
    llvm::SetVector<Operation *> lateFills = getLateFills();
    for (SharedProductOpInterface product : products)
      product.setUnderWay();
    OpBuilder builder(loop.getContext());
    auto releases = llvm::map_to_vector(
        waits, [](WaitOp wait) { return wait.getRelease(); });
    builder.setInsertionPointAfter(anchor);
    waitInLoop(builder);
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
  int64_t getRegisters(const GpuTarget &target) {
    return target.registersPerThread(
        loop->getParentOfType<KernelOp>().getNumThreads());
  }

  bool canStayUnderWay() {
    for (SharedProductOpInterface product : products)
      for (unsigned operand : {0, 1})
        if (auto wait = getOperandWait(product, operand))
          waits.insert(wait);
    return llvm::all_of(products,
                        [&](SharedProductOpInterface product) {
                          return staysReadable(product, 0) &&
                                 staysReadable(product, 1);
                        }) &&
           llvm::all_of(waits, [&](WaitOp wait) { return canFillLate(wait); });
  }

  static bool isInRegisters(SharedProductOpInterface product,
                            unsigned operand) {
    return !product.getOperandTile(operand);
  }

  static WaitOp getOperandWait(SharedProductOpInterface product,
                               unsigned operand) {
    TypedValue<SharedType> tile = product.getOperandTile(operand);
    return tile ? tile.getDefiningOp<WaitOp>() : WaitOp();
  }

  /// What the loop carries, where it is all that becomes of the sums.
  BlockArgument getCarried(SharedProductOpInterface product) {
    if (product->getBlock() != body || !product->hasOneUse())
      return nullptr;
    for (BlockArgument carried : loop.getRegionIterArgs())
      if (loop.getTiedLoopYieldedValue(carried)->get() == product->getResult(0))
        return carried;
    return nullptr;
  }

  /// Whether the sums go round the loop, and nobody else sees them.
  bool onlyAddsUp(SharedProductOpInterface product) {
    BlockArgument carried = getCarried(product);
    return carried && carried == product.getSums() && carried.hasOneUse();
  }

  /// Whether the registers of a tile are written behind `op` in each iteration:
  /// a cast to another width makes new ones, and what else there is may have
  /// those of what it is made from.
  bool isWrittenBehind(Value tile, Operation *op) {
    Operation *made = tile.getDefiningOp();
    if (made == op)
      return true;
    if (!made || made->getBlock() != body || !op->isBeforeInBlock(made))
      return false;
    auto getBits = [](Value value) {
      Type type = getElementTypeOrSelf(value.getType());
      return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
    };
    return made->getNumOperands() != 0 &&
           llvm::all_of(made->getOperands(), [&](Value operand) {
             return isTile(operand) && (getBits(operand) != getBits(tile) ||
                                        isWrittenBehind(operand, op));
           });
  }

  /// Whether each iteration reads the left operand from shared memory.
  bool isReadAnew(SharedProductOpInterface product) {
    Operation *made = product->getOperand(0).getDefiningOp();
    while (isa_and_nonnull<DimensionMapOpInterface>(made))
      made = made->getOperand(0).getDefiningOp();
    auto access = dyn_cast_or_null<SharedAccessOpInterface>(made);
    return access && !access.isStore() && access->getBlock() == body;
  }

  /// Registers of a thread for the sums of all products, and the left operands
  /// of some.
  int64_t countWords(ArrayRef<SharedProductOpInterface> late) {
    int64_t bytes = 0;
    auto count = [&](Value tile) {
      bytes += getByteSize(cast<RankedTensorType>(tile.getType()));
    };
    for (SharedProductOpInterface product : products)
      count(product->getResult(0));
    for (SharedProductOpInterface product : late)
      if (isInRegisters(product, 0))
        count(product->getOperand(0));
    auto kernel = loop->getParentOfType<KernelOp>();
    return llvm::divideCeil(bytes, kernel.getNumThreads() * bytesPerWord);
  }

  /// Whether a thread has room for what it computes beside the sums of all
  /// products and the left operands of the last ones: registers of products
  /// under way are not free for others. Where these alone are too many, ptxas
  /// makes the last ones one by one and computes their operands in between,
  /// which is faster than to wait for all (docs/decisions/0064).
  bool haveRegisters(ArrayRef<SharedProductOpInterface> late) {
    auto kernel = loop->getParentOfType<KernelOp>();
    std::optional<GpuTarget> target = getTarget(kernel);
    if (!target)
      return true;
    int64_t words = countWords(late), registers = getRegisters(*target);
    return words + kRegistersBesideProducts <= registers || words > registers;
  }

  /// Where left operands are in registers, whether it pays to read those of the
  /// next iteration while products are under way: other blocks on the
  /// multiprocessor would multiply meanwhile, and where registers are short,
  /// which narrow copies take for their addresses, more is stored and read
  /// again than is won (docs/decisions/0151-two-left-operands.md).
  bool canReadUnderWay() {
    std::optional<GpuTarget> target =
        getTarget(loop->getParentOfType<KernelOp>());
    int64_t sums = countWords({}), left = countWords(products) - sums;
    if (left == 0 || !target)
      return true;
    constexpr int64_t besideTwo = 88;
    int64_t slotBytes = 0;
    for (WaitOp wait : waits)
      for (Type slot : wait->getResultTypes())
        slotBytes += wait.getChannel().getType().getNumStages() *
                     getByteSize(cast<SharedType>(slot));
    return sums + 2 * left + besideTwo <= getRegisters(*target) &&
           isAlone(*target, slotBytes) && llvm::all_of(waits, [&](WaitOp wait) {
             return hasWideCopies(wait);
           });
  }

  /// Whether of the copies that fill a slot some are as wide as can be: those
  /// of rows that begin anywhere are all narrow.
  bool hasWideCopies(WaitOp wait) {
    return llvm::all_of(getFills(wait), [](Fill fill) {
      return llvm::any_of(fill.acquire->getUsers(), [](Operation *user) {
        auto copy = dyn_cast<SharedAccessOpInterface>(user);
        return copy &&
               copy.getVectorWidth().value_or(1) *
                       getElementBytes(copy.getTileType().getElementType()) >=
                   maxBytesPerLane;
      });
    });
  }

  /// Products are made in order: who waits for one has waited for those before
  /// it. So the last ones of an iteration need no wait of their own, where the
  /// next one waits for its first before it asks for their sums.
  void splitAtWait() {
    auto isLate = [&](SharedProductOpInterface product) {
      return getCarried(product) != nullptr;
    };
    auto late = llvm::find_if(products, isLate);
    if (late == products.begin() || late == products.end() ||
        !std::all_of(late, products.end(), isLate) ||
        (*std::prev(late))->getBlock() != body)
      return;
    Operation *waited = *std::prev(late);
    bool isAskedLate = std::all_of(late, products.end(), [&](auto product) {
      return llvm::all_of(getCarried(product).getUsers(), [&](Operation *user) {
        Operation *use = body->findAncestorOpInBlock(*user);
        return use && waited->isBeforeInBlock(use);
      });
    });
    bool isWrittenLate = std::all_of(late, products.end(), [&](auto product) {
      return !isInRegisters(product, 0) ||
             isWrittenBehind(product->getOperand(0), waited);
    });
    if (!isAskedLate || !isWrittenLate ||
        !haveRegisters(ArrayRef(late, products.end())))
      return;
    anchor = waited;
    products.erase(products.begin(), late);
  }

  /// Whether the tile may be read until the products of the next iteration are
  /// issued: nobody writes it, or it is a slot that can be released then.
  /// Registers of a left operand are written anew behind the wait alone.
  bool staysReadable(SharedProductOpInterface product, unsigned operand) {
    TypedValue<SharedType> tile = product.getOperandTile(operand);
    if (!tile)
      return true;
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
  /// stand before the wait for these.
  bool wantsLateSlot(Fill fill, WaitOp wait) {
    return Count::of(fill.acquire.getCount()) == getFurthest(wait) &&
           !anchor->isBeforeInBlock(fill.op);
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
  /// behind that wait: nothing that follows them has to wait for them.
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
    for (Operation *op = fill; op != anchor; op = op->getNextNode())
      if (isa<WaitOp>(op) || mayWriteGlobalMemory(op))
        return false;
    return true;
  }

  static Value before(OpBuilder &builder, Location loc, Value count) {
    Value minusOne = arith::ConstantIntOp::create(builder, loc, -1, 32);
    return arith::AddIOp::create(builder, loc, count, minusOne);
  }

  /// Releases slots at the insertion point, and behind the loop.
  void releaseLate(OpBuilder &builder, WaitOp wait, Location loc) {
    Value channel = wait.getChannel();
    ReleaseOp::create(builder, loc, channel,
                      before(builder, loc, wait.getCount()));
    OpBuilder behind(loop);
    behind.setInsertionPointAfter(loop);
    Value last = before(behind, loc, getCountBehindLoop(wait.getCount()));
    ReleaseOp::create(behind, loc, channel, last);
  }

  /// Waits for the products of the iteration before.
  void waitInLoop(OpBuilder &builder) {
    Location loc = products.back()->getLoc();
    if (anchor == products.back()) {
      DotWaitOp::create(builder, loc, TypeRange(), products.size(),
                        ValueRange());
      return;
    }
    SmallVector<Value> carried =
        llvm::map_to_vector(products, [&](SharedProductOpInterface product) {
          return Value(getCarried(product));
        });
    wait(builder, carried);
  }

  void waitBehind(OpBuilder &builder) {
    builder.setInsertionPointAfter(loop);
    SmallVector<Value> sums =
        llvm::map_to_vector(products, [&](SharedProductOpInterface product) {
          return Value(loop.getTiedLoopResult(getCarried(product)));
        });
    wait(builder, sums);
  }

  /// Who asks for these sums asks behind it.
  void wait(OpBuilder &builder, ArrayRef<Value> sums) {
    auto wait = DotWaitOp::create(builder, products.back()->getLoc(),
                                  ValueRange(sums).getTypes(), 0, sums);
    builder.setInsertionPointAfter(wait);
    for (auto [sum, done] : llvm::zip_equal(sums, wait.getResults()))
      Value(sum).replaceAllUsesExcept(done, wait);
  }

  LoopLikeOpInterface loop;
  Block *body;
  /// The products that can be under way, in their order.
  SmallVector<SharedProductOpInterface> products;
  /// The op behind which the products of the iteration before are waited for.
  Operation *anchor = nullptr;
  /// The waits for slots that products read.
  llvm::SetVector<WaitOp> waits;
};

struct IssueDots : tilewright::tile::impl::TileIssueDotsBase<IssueDots> {
  void runOnOperation() override {
    SmallVector<LoopOfProducts> loops;
    int64_t most = 0;
    getOperation().walk([&](LoopLikeOpInterface loop) {
      LoopOfProducts matched(loop);
      // Once for loops that are alike.
      if (int64_t words = matched.countWordsTooMany(); words > most) {
        matched.warnOfSpills(words);
        most = words;
      }
      if (matched.isMatch())
        loops.push_back(std::move(matched));
    });
    for (LoopOfProducts &matched : loops)
      matched.run();
  }
};

} // namespace
