//===- Clusters.cpp - Programs that several blocks run --------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "ThreadIndex.h"
#include "VectorAccess.h"
#include "WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/MemoryTouch.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

int64_t tonvvm::getClusterBlocks(Operation *inKernel) {
  for (Operation *op = inKernel; op; op = op->getParentOp()) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      return kernel.getClusterBlocksOrOne();
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
      auto extents = function->getAttrOfType<DenseI32ArrayAttr>(
          NVVM::NVVMDialect::getClusterDimAttrName());
      return extents ? extents[0] : 1;
    }
  }
  return 1;
}

Value tonvvm::getClusterOfBlock(OpBuilder &builder, Location loc) {
  return NVVM::ClusterIdXOp::create(builder, loc, builder.getI32Type());
}

Value tonvvm::getNumClusters(OpBuilder &builder, Location loc) {
  return NVVM::ClusterDimXOp::create(builder, loc, builder.getI32Type());
}

Value tonvvm::getBlockInCluster(OpBuilder &builder, Location loc) {
  return NVVM::BlockInClusterIdXOp::create(builder, loc, builder.getI32Type());
}

Value tonvvm::mapToBlock(OpBuilder &builder, Location loc, Value pointer,
                         Value rank) {
  return NVVM::MapaOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kClusterSpace), pointer,
      rank);
}

/// All threads of a warp are here, as at any barrier of a program.
static UnitAttr isAligned(OpBuilder &builder) { return builder.getUnitAttr(); }

void tonvvm::waitForCluster(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc, isAligned(builder));
  NVVM::ClusterWaitOp::create(builder, loc, isAligned(builder));
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

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
  return kernel
      .walk([&](LocalStoreOp store) {
        return store->getParentOfType<LoopLikeOpInterface>() &&
                       !exchanged.contains(store)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
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

/// Of exchanges in one block.
static Operation *findLastLoad(ArrayRef<FoundExchange> exchanges) {
  Operation *last = exchanges.front().lastLoad;
  for (const FoundExchange &exchange : exchanges)
    if (last->isBeforeInBlock(exchange.lastLoad))
      last = exchange.lastLoad;
  return last;
}

static bool isOfPrograms(Operation *loop) {
  return loop->hasAttr(TileDialect::kProgramsAttr);
}

/// Whether warps of one program after the other meet at exchanges alone, so
/// that no barrier is there for anything else.
static bool meetAtExchangesAlone(KernelOp kernel,
                                 ArrayRef<FoundExchange> exchanges) {
  DenseSet<Value> tiles;
  for (const FoundExchange &exchange : exchanges) {
    Block *block = exchange.barrier->getBlock();
    if (!exchange.lastLoad || !isOfPrograms(block->getParentOp()) ||
        block != exchanges.front().barrier->getBlock())
      return false;
    for (Operation *store : exchange.stores)
      if (!tiles.insert(getSharedTile(store)).second)
        return false;
  }
  WalkResult others = kernel.walk([&](Operation *op) {
    std::optional<MemoryAccess> access =
        findMemoryAccess(op, MemorySpace::Shared);
    return access && !tiles.contains(access->base) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
  });
  return !others.wasInterrupted();
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
    return loop && !isOfPrograms(loop);
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
      }
      if (a.needsBarrierBefore(b) || b.needsBarrierBefore(a))
        return true;
    }
  return false;
}

void tonvvm::findExchanges(KernelOp kernel, LoweringContext &context) {
  if (!kernel.getClusterBlocks() || sharesBytes(kernel) ||
      ordersGlobalMemory(kernel))
    return;
  SmallVector<FoundExchange> found;
  kernel.getBody().walk([&](Block *block) { ::findExchanges(*block, found); });
  if (fillsOthersInLoops(kernel, found))
    return;
  for (FoundExchange &exchange : found)
    exchange.lastLoad = findLastLoad(exchange);
  if (found.empty())
    return;
  bool sayThatTheyRead = meetAtExchangesAlone(kernel, found);
  SmallVector<Exchange> &all = context.exchanges[kernel];
  for (const FoundExchange &each : found) {
    Exchange exchange;
    exchange.bytes = each.bytes;
    exchange.mbarrier =
        (kernel.getSymName() + "_exchange_" + Twine(all.size())).str();
    // All are in the body of a loop: the first one there waits until warps have
    // read all.
    if (sayThatTheyRead && all.empty()) {
      exchange.readers = (kernel.getSymName() + "_readers").str();
      exchange.numReaders = kernel.getNumWarpsOrDefault();
      context.exchangeOf[findLastLoad(found)] = exchange;
    }
    exchange.isInOrder = sayThatTheyRead;
    context.exchangeOf[each.barrier] = exchange;
    for (Operation *store : each.stores) {
      exchange.isFirst = store == each.stores.front();
      context.exchangeOf[store] = exchange;
    }
    all.push_back(exchange);
  }
  if (sayThatTheyRead)
    kernel.walk([&](BarrierOp barrier) {
      if (!context.exchangeOf.contains(barrier))
        context.needlessBarriers.insert(barrier);
    });
}

static Value getMbarrier(OpBuilder &builder, Location loc, StringRef symbol) {
  return LLVM::AddressOfOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace), symbol);
}

static Value isFirstOfBlock(OpBuilder &builder, Location loc) {
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type()),
      arith::ConstantIntOp::create(builder, loc, 0, 32));
}

//===----------------------------------------------------------------------===//
// Variables of a thread
//===----------------------------------------------------------------------===//

/// The name of a variable: of what it has the phase, or kBlocksAreThere.
static constexpr StringLiteral kVariableAttr = "tile.variable";
static constexpr StringLiteral kBlocksAreThere = "blocks are there";

/// i32, 0 at first. MLIR's mem2reg makes values of them.
static void makeVariable(OpBuilder &builder, Location loc, StringRef name) {
  auto variable = LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI32Type(), arith::ConstantIntOp::create(builder, loc, 1, 32));
  variable->setAttr(kVariableAttr, builder.getStringAttr(name));
  LLVM::StoreOp::create(builder, loc,
                        arith::ConstantIntOp::create(builder, loc, 0, 32),
                        variable);
}

static Value findVariable(OpBuilder &builder, StringRef name) {
  // The kernel, in its old or its new form.
  Region *body = builder.getInsertionBlock()->getParent();
  while (!isa<LLVM::LLVMFuncOp, KernelOp>(body->getParentOp()))
    body = body->getParentRegion();
  for (auto variable : body->front().getOps<LLVM::AllocaOp>())
    if (auto attr = variable->getAttrOfType<StringAttr>(kVariableAttr);
        attr && attr.getValue() == name)
      return variable;
  llvm_unreachable("a variable that nobody has made");
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

static void makeMbarriers(OpBuilder &builder, Location loc,
                          ArrayRef<Exchange> exchanges) {
  Value isFirst = isFirstOfBlock(builder, loc);
  auto init = [&](StringRef symbol, int64_t arrivals) {
    emitPtx(
        builder, loc, nullptr, {isFirst, getMbarrier(builder, loc, symbol)},
        llvm::formatv("@$0 mbarrier.init.shared::cta.b64 [$1], {0};", arrivals)
            .str(),
        "b,r,~{memory}");
  };
  for (const Exchange &exchange : exchanges) {
    init(exchange.mbarrier, 1);
    if (exchange.tellsReaders())
      init(exchange.readers, exchange.numReaders);
    makeVariable(builder, loc, exchange.mbarrier);
  }
  // Bytes of others do not go the way of threads.
  emitPtx(builder, loc, nullptr, isFirst,
          "@$0 fence.mbarrier_init.release.cluster;", "b,~{memory}");
}

static void makeMbarrierGlobal(OpBuilder &builder, Location loc,
                               StringRef symbol) {
  LLVM::GlobalOp::create(builder, loc, builder.getI64Type(),
                         /*isConstant=*/false, LLVM::Linkage::Internal, symbol,
                         /*value=*/Attribute(), /*alignment=*/8, kSharedSpace);
}

void tonvvm::beginExchanges(OpBuilder &builder, KernelOp kernel,
                            const LoweringContext &context) {
  Block &body = kernel.getBody().front();
  auto meetsOthers = [](Operation *op) {
    return isBarrier(op) || findMemoryAccess(op, MemorySpace::Shared)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  auto first = llvm::find_if(body, [&](Operation &op) {
    return op.walk(meetsOthers).wasInterrupted();
  });
  if (first == body.end())
    return;
  Location loc = kernel.getLoc();
  ArrayRef<Exchange> exchanges;
  if (auto found = context.exchanges.find(kernel);
      found != context.exchanges.end())
    exchanges = found->second;
  for (const Exchange &exchange : exchanges)
    for (StringRef symbol : {exchange.mbarrier, exchange.readers})
      if (!symbol.empty())
        makeMbarrierGlobal(builder, loc, symbol);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  makeVariable(builder, loc, kBlocksAreThere);
  if (!exchanges.empty())
    makeMbarriers(builder, loc, exchanges);
  NVVM::ClusterArriveRelaxedOp::create(builder, loc, isAligned(builder));
  if (llvm::none_of(exchanges, std::mem_fn(&Exchange::tellsReaders)))
    return;
  // No block leaves while others have something to say to it.
  builder.setInsertionPoint(body.getTerminator());
  awaitBlocks(builder, loc);
  waitForCluster(builder, loc);
}

void tonvvm::awaitBlocks(OpBuilder &builder, Location loc) {
  Value variable = findVariable(builder, kBlocksAreThere);
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value isFirst = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq,
      LLVM::LoadOp::create(builder, loc, i32, variable), constant(0));
  scf::IfOp::create(builder, loc, isFirst, [&](OpBuilder &, Location) {
    NVVM::ClusterWaitOp::create(builder, loc, isAligned(builder));
    scf::YieldOp::create(builder, loc);
  });
  LLVM::StoreOp::create(builder, loc, constant(1), variable);
}

/// What the variable of an exchange says: which phase is next, and whether
/// there was one.
static constexpr int64_t kParity = 1, kWasBefore = 2;

static void awaitPhase(OpBuilder &builder, Location loc, Value mbarrier,
                       Value parity) {
  emitPtx(builder, loc, nullptr, {mbarrier, parity},
          "{\n.reg .pred done;\n"
          "WAIT:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
          "@!done bra WAIT;\n}",
          "r,r,~{memory}");
}

void tonvvm::beginExchange(OpBuilder &builder, Location loc,
                           const Exchange &exchange) {
  awaitBlocks(builder, loc);
  bool isWaitedFor = exchange.isInOrder && !exchange.tellsReaders();
  if (!exchange.isFirst || isWaitedFor)
    return;
  Value state = LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                     findVariable(builder, exchange.mbarrier));
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  if (exchange.tellsReaders()) {
    // Of the exchange before; the first time that is over at once.
    Value parity =
        arith::AndIOp::create(builder, loc, state, constant(kParity));
    return awaitPhase(
        builder, loc, getMbarrier(builder, loc, exchange.readers),
        arith::XOrIOp::create(builder, loc, parity, constant(kParity)));
  }
  Value wasBefore = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, state, constant(0));
  scf::IfOp::create(builder, loc, wasBefore, [&](OpBuilder &, Location) {
    waitForCluster(builder, loc);
    scf::YieldOp::create(builder, loc);
  });
}

void tonvvm::storeExchanged(OpBuilder &builder, Location loc,
                            const Exchange &exchange, Value rank, Value pointer,
                            ArrayRef<Value> elements, Value predicate) {
  SmallVector<Value> words = pack(builder, loc, elements);
  SmallVector<Value> operands = {
      mapToBlock(builder, loc, pointer, rank),
      mapToBlock(builder, loc, getMbarrier(builder, loc, exchange.mbarrier),
                 rank)};
  llvm::append_range(operands, words);
  unsigned bits = words.front().getType().getIntOrFloatBitWidth();
  std::string vector =
      words.size() == 1 ? "" : llvm::formatv(".v{0}", words.size()).str();
  std::string text = llvm::formatv(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{0}.b{1} "
      "[$0], {2}, [$1];",
      vector, bits, listOperands(2, words.size()));
  std::string constraints = "r,r";
  for (size_t word = 0; word < words.size(); ++word)
    constraints += llvm::formatv(",{0}", getRegisterClass(bits)).str();
  if (predicate) {
    text = llvm::formatv("@${0} {1}", operands.size(), text);
    operands.push_back(predicate);
    constraints += ",b";
  }
  emitPtx(builder, loc, nullptr, operands, text, constraints + ",~{memory}");
}

void tonvvm::awaitExchange(OpBuilder &builder, Location loc,
                           const Exchange &exchange) {
  Value mbarrier = getMbarrier(builder, loc, exchange.mbarrier);
  emitPtx(builder, loc, nullptr, {isFirstOfBlock(builder, loc), mbarrier},
          llvm::formatv("@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                        "[$1], {0};",
                        exchange.bytes)
              .str(),
          "b,r,~{memory}");
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value variable = findVariable(builder, exchange.mbarrier);
  Value state =
      LLVM::LoadOp::create(builder, loc, builder.getI32Type(), variable);
  Value parity = arith::AndIOp::create(builder, loc, state, constant(kParity));
  awaitPhase(builder, loc, mbarrier, parity);
  Value next = arith::OrIOp::create(
      builder, loc,
      arith::XOrIOp::create(builder, loc, parity, constant(kParity)),
      constant(kWasBefore));
  LLVM::StoreOp::create(builder, loc, next, variable);
}

/// True, once all lanes have these words: an arrival at another block's
/// mbarrier overtakes reads that were issued before it, and so may what others
/// store there then. An H200 had other bits in one launch of three.
static Value haveRead(OpBuilder &builder, Location loc, ArrayRef<Value> read) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value bits = constant(1);
  for (Value value : read)
    bits = arith::OrIOp::create(
        builder, loc, bits,
        resizeInteger(builder, loc, toBits(builder, loc, value), 32));
  // It is never 0, but that is seen by nobody behind a shuffle.
  bits = shuffleFromLane(builder, loc, bits, constant(0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits,
                               constant(0));
}

void tonvvm::endExchange(OpBuilder &builder, Location loc,
                         const Exchange &exchange, int64_t blocks,
                         ArrayRef<Value> read) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value hasRead = haveRead(builder, loc, read);
  // What the lanes read is ordered by this alone, as PTX has it.
  NVVM::SyncWarpOp::create(builder, loc, constant(-1));
  Value lane = ThreadIndex(builder, loc).getLane();
  Value isSender = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, lane, constant(blocks));
  isSender = arith::AndIOp::create(builder, loc, isSender, hasRead);
  Value rank = arith::AndIOp::create(builder, loc, lane, constant(blocks - 1));
  // Without .cluster, which would be a fence for global memory.
  emitPtx(
      builder, loc, nullptr,
      {isSender, mapToBlock(builder, loc,
                            getMbarrier(builder, loc, exchange.readers), rank)},
      "@$0 mbarrier.arrive.shared::cluster.b64 _, [$1];", "b,r,~{memory}");
}
