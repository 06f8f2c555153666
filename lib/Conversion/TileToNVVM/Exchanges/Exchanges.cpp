//===- Exchanges.cpp - How warps of several blocks tell each other --------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges/Exchanges.h"

#include "Threads/Clusters.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "Threads/WarpShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/IR/AnyOpIn.h"
#include "tilewright/Layout/Banks/BankModel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// What a message to another block moves: words of one vector.
static constexpr int64_t kMessageWords = maxBytesPerLane / bytesPerWord;

static Value getMbarrier(OpBuilder &builder, Location loc, StringRef symbol) {
  return LLVM::AddressOfOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace), symbol);
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
    return isBarrier(op) || findMemoryAccess(op, MemorySpace::Shared);
  };
  auto first = llvm::find_if(
      body, [&](Operation &op) { return anyOpIn(op, meetsOthers); });
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
  NVVM::ClusterArriveRelaxedOp::create(builder, loc,
                                       /*aligned=*/builder.getUnitAttr());
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
    NVVM::ClusterWaitOp::create(builder, loc,
                                /*aligned=*/builder.getUnitAttr());
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

void tonvvm::sendPart(OpBuilder &builder, Location loc,
                      const Exchange &exchange, Value tile, int64_t bytes,
                      int64_t blocks) {
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  // Neighbours send to different blocks.
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  Value rank =
      arith::AndIOp::create(builder, loc, thread, constant(blocks - 1));
  Value vector = arith::ShRUIOp::create(builder, loc, thread,
                                        constant(llvm::Log2_64(blocks)));
  Value self = getBlockInCluster(builder, loc);
  Value isVector =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, vector,
                            constant(bytes / maxBytesPerLane));
  Value isOther =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rank, self);
  Value isSender = arith::AndIOp::create(builder, loc, isVector, isOther);
  Value offset = arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, self, constant(bytes)),
      arith::MulIOp::create(builder, loc, vector, constant(maxBytesPerLane)));
  Value place = addBytes(builder, loc, tile, offset);
  SmallVector<Value> words =
      loadVector(builder, loc, place, i32, kMessageWords, isSender);
  storeExchanged(builder, loc, exchange, rank, place, words, isSender);
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

/// The same of all warps of the block, which meet.
static Value haveAllRead(OpBuilder &builder, Location loc, Value hasRead) {
  Type i32 = builder.getI32Type();
  Value all =
      NVVM::BarrierOp::create(
          builder, loc, i32, /*barrierId=*/Value(), /*numberOfThreads=*/Value(),
          NVVM::BarrierReductionAttr::get(builder.getContext(),
                                          NVVM::BarrierReduction::AND),
          arith::ExtUIOp::create(builder, loc, i32, hasRead))
          .getRes();
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, all,
      arith::ConstantIntOp::create(builder, loc, 0, 32));
}

void tonvvm::endExchange(OpBuilder &builder, Location loc,
                         const Exchange &exchange, int64_t blocks,
                         ArrayRef<Value> read) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  Value hasRead = haveRead(builder, loc, read);
  Value lane = ThreadIndex(builder, loc).getLane();
  if (exchange.isSentByBlocks()) {
    hasRead = haveAllRead(builder, loc, hasRead);
    // The lanes of the first warp.
    lane = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  } else {
    // What the lanes read is ordered by this alone, as PTX has it.
    syncWarp(builder, loc);
  }
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
