//===- FindExchanges.cpp - Which stores are exchanges ---------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges/Exchanges.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Dialect/Tile/IR/ProgramLoops.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Bytes that come to each block where all warps store this, in words; none
/// otherwise.
static std::optional<int64_t> countExchangedBytes(LocalStoreOp store) {
  int64_t bytes = getElementBytes(store.getTileType().getElementType());
  SharedAccessPlan plan =
      planSharedAccess(describeSharedAccess(store),
                       store.getSharedTile().getType().getLayout().getLayout());
  if (plan.idleWarps != 0)
    return std::nullopt;
  int64_t ofThread = 0;
  for (ArrayRef<unsigned> instruction : plan.instructions) {
    int64_t ofInstruction = bytes * instruction.size();
    if (ofInstruction < 4)
      return std::nullopt;
    ofThread += ofInstruction;
  }
  int64_t warps = store->getParentOfType<KernelOp>().getNumWarpsOrDefault();
  int64_t threads =
      warps * (lanesPerWarp >> llvm::popcount(uint64_t(plan.idleLanes)));
  return ofThread * threads;
}

namespace {
/// Stores that one barrier ends, with nothing else between.
struct FoundExchange {
  SmallVector<Operation *> stores;
  Operation *barrier = nullptr;
  int64_t bytes = 0;
  /// What loads it last, where nobody loads it elsewhere; or null.
  Operation *lastLoad = nullptr;
};
} // namespace

static void findExchanges(Block &block, SmallVectorImpl<FoundExchange> &found) {
  FoundExchange exchange;
  // Whether the barrier orders something that is not counted.
  bool ordersMore = false;
  for (Operation &op : block) {
    if (isPure(&op))
      continue;
    if (auto store = dyn_cast<LocalStoreOp>(op)) {
      std::optional<int64_t> more = countExchangedBytes(store);
      ordersMore |= !more;
      exchange.stores.push_back(store);
      exchange.bytes += more.value_or(0);
      continue;
    }
    bool hasStores = !exchange.stores.empty();
    if (isa<BarrierOp>(op)) {
      if (hasStores && !ordersMore) {
        exchange.barrier = &op;
        found.push_back(exchange);
      }
      ordersMore = false;
    } else {
      ordersMore |= hasStores;
    }
    exchange = FoundExchange();
  }
}

/// Whether a loop fills shared tiles that are not exchanged: what keeps them
/// until they were read are the barriers of what is.
static bool fillsOthersInLoops(KernelOp kernel,
                               ArrayRef<FoundExchange> exchanges) {
  llvm::SmallPtrSet<Operation *, 8> exchanged;
  for (const FoundExchange &exchange : exchanges)
    exchanged.insert(exchange.stores.begin(), exchange.stores.end());
  return anyOpIn(kernel, [&](LocalStoreOp store) {
    return store->getParentOfType<LoopLikeOpInterface>() &&
           !exchanged.contains(store);
  });
}

static Value getSharedTile(Operation *access) {
  return findMemoryAccess(access, MemorySpace::Shared)->base;
}

/// The last load of what is exchanged, in the block of the barrier and behind
/// it; null where others use these tiles.
static Operation *findLastLoad(const FoundExchange &exchange) {
  Operation *last = nullptr;
  for (Operation *store : exchange.stores)
    for (Operation *user : getSharedTile(store).getUsers()) {
      if (llvm::is_contained(exchange.stores, user))
        continue;
      if (!isa<LocalLoadOp>(user) ||
          user->getBlock() != exchange.barrier->getBlock() ||
          user->isBeforeInBlock(exchange.barrier))
        return nullptr;
      if (!last || last->isBeforeInBlock(user))
        last = user;
    }
  return last;
}

/// Of the exchanges that are made in the block.
static Operation *findLastLoad(ArrayRef<FoundExchange> exchanges,
                               Block *block) {
  Operation *last = nullptr;
  for (const FoundExchange &exchange : exchanges)
    if (exchange.barrier->getBlock() == block &&
        (!last || last->isBeforeInBlock(exchange.lastLoad)))
      last = exchange.lastLoad;
  return last;
}

/// Of exchanges that are made once, or in one loop over programs: its body, if
/// there is one; null for others.
static Block *findRepeated(ArrayRef<FoundExchange> exchanges) {
  Block *repeated = nullptr;
  for (const FoundExchange &exchange : exchanges) {
    Block *block = exchange.barrier->getBlock();
    if (block == repeated || isa<KernelOp>(block->getParentOp()))
      continue;
    if (repeated || !isOverPrograms(block->getParentOp()))
      return nullptr;
    repeated = block;
  }
  return repeated;
}

/// Whether warps meet at exchanges alone, so that no barrier is there for
/// anything else.
static bool meetAtExchangesAlone(KernelOp kernel,
                                 ArrayRef<FoundExchange> exchanges) {
  DenseSet<Value> tiles;
  for (const FoundExchange &exchange : exchanges) {
    if (!exchange.lastLoad)
      return false;
    for (Operation *store : exchange.stores)
      if (!tiles.insert(getSharedTile(store)).second)
        return false;
  }
  return !anyOpIn(kernel, [&](Operation *op) {
    std::optional<MemoryAccess> access =
        findMemoryAccess(op, MemorySpace::Shared);
    return access && !tiles.contains(access->base);
  });
}

/// Whether two shared tiles have bytes in common, so that barriers order more
/// than who reads what was just stored.
static bool sharesBytes(KernelOp kernel) {
  SmallVector<std::pair<int64_t, int64_t>> tiles;
  kernel.walk([&](AllocSharedOp tile) {
    auto begin = static_cast<int64_t>(tile.getOffset().value_or(0));
    tiles.push_back({begin, begin + tile.getType().getSizeInBytes()});
  });
  llvm::sort(tiles);
  return llvm::any_of(
      llvm::zip(tiles, llvm::drop_begin(tiles)), [](const auto &pair) {
        return std::get<1>(pair).first < std::get<0>(pair).second;
      });
}

/// What loads a program's row ahead names the elements that it stores in place,
/// though by what another iteration computes.
static void nameInPlace(Operation *load, MemoryTouch &loaded,
                        const MemoryTouch &other) {
  if (load->hasAttr(kInPlaceAttr) && other.isWrite &&
      loaded.root == other.root && loaded.extents == other.extents)
    loaded.place = other.place;
}

/// Whether barriers may be there for global memory, too, which an exchange does
/// not order. From one iteration of a loop to the next the barrier of the
/// cluster does, which stands in front of an exchange that is made again;
/// programs that follow each other have no order.
static bool ordersGlobalMemory(KernelOp kernel) {
  SmallVector<std::pair<Operation *, MemoryTouch>> touches;
  kernel.walk([&](Operation *op) {
    for (const MemoryTouch &touch : getTouches(op))
      if (!touch.allocation)
        touches.push_back({op, touch});
  });
  auto isInLoop = [](Operation *op) {
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    return loop && !isOverPrograms(loop);
  };
  auto isBehindBarrier = [](Operation *op) {
    return llvm::any_of(
        op->getBlock()->getOps<BarrierOp>(),
        [&](BarrierOp barrier) { return barrier->isBeforeInBlock(op); });
  };
  for (auto [index, first] : llvm::enumerate(touches))
    for (const auto &[op, touch] : llvm::drop_begin(touches, index)) {
      if (op == first.first && (!isInLoop(op) || isBehindBarrier(op)))
        continue;
      MemoryTouch a = first.second, b = touch;
      if (isInLoop(op) || isInLoop(first.first)) {
        a.forgetPlace();
        b.forgetPlace();
      } else {
        nameInPlace(first.first, a, b);
        nameInPlace(op, b, a);
      }
      if (a.needsBarrierBefore(b) || b.needsBarrierBefore(a))
        return true;
    }
  return false;
}

/// Whether each warp stores one word, in the order of warps.
static bool storesWordsOfWarps(LocalStoreOp store, int64_t warps) {
  RankedTensorType tile = store.getTileType();
  SharedLayout shared = store.getSharedTile().getType().getLayout().getLayout();
  const LinearLayout &registers = getRegisterLayout(tile).getLayout();
  if (tile.getNumElements() != warps ||
      getElementBytes(tile.getElementType()) != bytesPerWord ||
      shared != SharedLayout::rowMajor(shared.shape()))
    return false;
  return llvm::all_of(
      llvm::enumerate(registers.bases("warp")), [&](const auto &basis) {
        return registers.flatten(basis.value()) == uint64_t(1) << basis.index();
      });
}

/// In clusters of more blocks than these a block has 128 messages and more of
/// each exchange, and waits for them.
static constexpr int64_t kFewBlocks = 8;

/// Whether blocks send what their warps have stored to the others: a message
/// for each vector, not for each warp.
static bool areSentByBlocks(KernelOp kernel,
                            ArrayRef<FoundExchange> exchanges) {
  int64_t warps = kernel.getNumWarpsOrDefault();
  int64_t blocks = kernel.getClusterBlocksOrOne();
  return blocks > kFewBlocks &&
         warps / blocks * bytesPerWord % maxBytesPerLane == 0 &&
         llvm::all_of(exchanges, [&](const FoundExchange &exchange) {
           return llvm::all_of(exchange.stores, [&](Operation *store) {
             return storesWordsOfWarps(cast<LocalStoreOp>(store), warps);
           });
         });
}

static Exchange makeExchange(KernelOp kernel, const FoundExchange &found,
                             size_t number, bool isSent) {
  Exchange exchange;
  exchange.bytes = found.bytes;
  exchange.mbarrier =
      getSymbolOf(kernel.getSymNameAttr(), "exchange" + Twine(number));
  if (!isSent)
    return exchange;
  // A block has its own part already.
  exchange.bytes -= found.bytes / kernel.getClusterBlocksOrOne();
  for (Operation *store : found.stores)
    exchange.sentTiles.push_back(cast<LocalStoreOp>(store).getDest());
  return exchange;
}

/// Tells the ops that make an exchange which one it is.
static void tellOps(const FoundExchange &found, Exchange exchange,
                    LoweringContext &context) {
  context.exchangeOf[found.barrier] = exchange;
  for (Operation *store : found.stores) {
    exchange.isFirst = store == found.stores.front();
    context.exchangeOf[store] = exchange;
  }
}

void tonvvm::findExchanges(KernelOp kernel, LoweringContext &context) {
  if (!kernel.getClusterBlocks() || sharesBytes(kernel) ||
      ordersGlobalMemory(kernel))
    return;
  SmallVector<FoundExchange> found;
  kernel.getBody().walk([&](Block *block) { ::findExchanges(*block, found); });
  if (found.empty() || fillsOthersInLoops(kernel, found))
    return;
  for (FoundExchange &exchange : found)
    exchange.lastLoad = findLastLoad(exchange);
  Block *repeated = findRepeated(found);
  bool areInOrder = repeated && meetAtExchangesAlone(kernel, found);
  bool areSent = areInOrder && areSentByBlocks(kernel, found);
  // Where readers tell that they have read, the first one in the body of the
  // loop waits until all of them have.
  const auto *waiting = llvm::find_if(found, [&](const FoundExchange &each) {
    return areInOrder && each.barrier->getBlock() == repeated;
  });
  SmallVector<Exchange> &all = context.exchanges[kernel];
  for (const FoundExchange &each : found) {
    Exchange exchange = makeExchange(kernel, each, all.size(), areSent);
    exchange.isInOrder = areInOrder;
    if (&each == waiting) {
      exchange.readers = getSymbolOf(kernel.getSymNameAttr(), "readers");
      exchange.numReaders = areSent ? kernel.getClusterBlocksOrOne()
                                    : kernel.getNumWarpsOrDefault();
      context.exchangeOf[findLastLoad(found, repeated)] = exchange;
    }
    tellOps(each, exchange, context);
    all.push_back(exchange);
  }
  if (areInOrder)
    kernel.walk([&](BarrierOp barrier) {
      if (!context.exchangeOf.contains(barrier))
        context.needlessBarriers.insert(barrier);
    });
}
