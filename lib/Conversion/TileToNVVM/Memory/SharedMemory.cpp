//===- SharedMemory.cpp - Shared tiles and barriers -----------------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads/Patterns.h"

#include "Exchanges/Exchanges.h"
#include "Threads/Clusters.h"
#include "Threads/RegisterValues.h"
#include "Threads/SharedAddresses.h"
#include "Threads/ThreadIndex.h"
#include "Threads/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Conversion/InlinePtx.h"
#include "tilewright/Dialect/Tile/Analysis/SharedTiles.h"
#include "tilewright/Dialect/Tile/Analysis/VectorWidth.h"
#include "tilewright/Dialect/Tile/IR/ProductParts.h"
#include "tilewright/Layout/Conversion/LayoutConversion.h"
#include "tilewright/Layout/Registers/WarpgroupMma.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using namespace tilewright::tonvvm;

/// Whether narrower vectors are asked for than the layout allows. LLVM and
/// ptxas would merge them, and the report would not be of what runs.
static bool isKeptNarrow(const SharedAccess &access,
                         const SharedLayout &layout) {
  SharedAccess anyWidth = access;
  anyWidth.requiredVector = 0;
  return !isMatrixAccess(access.kind) &&
         widestVector(anyWidth, layout) != widestVector(access, layout);
}

/// Padding can leave some vectors aligned and others not. LLVM would merge two
/// where it can tell, so it is not told what the base is a multiple of.
static Value hideAlignment(OpBuilder &builder, Location loc, Value base,
                           const SharedAccess &access,
                           const SharedLayout &layout) {
  unsigned bytes = widestVector(access, layout) * access.elementBytes;
  if (isMatrixAccess(access.kind) || !layout.isPadded() ||
      bytes >= maxBytesPerLane)
    return base;
  return emitPtx(builder, loc, base.getType(), base, "mov.b32 $0, $1;", "=r,r");
}

namespace {

/// The plan of an access and the means to carry it out.
struct AccessLowering {
  AccessLowering(SharedAccessOpInterface access, Value base, OpBuilder &builder)
      : loc(access.getLoc()), thread(builder, loc),
        description(describeSharedAccess(access)),
        layout(access.getSharedTile().getType().getLayout().getLayout()),
        plan(planSharedAccess(description, layout)),
        isVolatile(isKeptNarrow(description, layout)),
        addresses(builder, loc, thread,
                  hideAlignment(builder, loc, base, description, layout),
                  plan.addresses, layout, description.elementBytes) {}

  Location loc;
  ThreadIndex thread;
  SharedAccess description;
  SharedLayout layout;
  SharedAccessPlan plan;
  bool isVolatile;
  SharedAddresses addresses;
};

struct AllocSharedPattern : OpConversionPattern<AllocSharedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AllocSharedOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The function around is the kernel's, in its old or its new form.
    Operation *function = op->getParentOfType<KernelOp>();
    if (!function)
      function = op->getParentOfType<LLVM::LLVMFuncOp>();
    Value block = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(),
        LLVM::LLVMPointerType::get(getContext(), kSharedSpace),
        getSharedSymbol(function));
    rewriter.replaceOp(op, addBytes(rewriter, op.getLoc(), block,
                                    static_cast<int64_t>(*op.getOffset())));
    return success();
  }
};

struct SubviewPattern : OpConversionPattern<SubviewOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SubviewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value stage = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getI32Type(), adaptor.getStage());
    Value bytes = arith::MulIOp::create(
        rewriter, loc, stage,
        arith::ConstantIntOp::create(
            rewriter, loc, op.getSource().getType().getStageStride(), 32));
    rewriter.replaceOp(op, addBytes(rewriter, loc, adaptor.getSource(), bytes));
    return success();
  }
};

/// To the tile of each block that runs the program.
struct LocalStorePattern : ContextPattern<LocalStoreOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(LocalStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AccessLowering access(op, adaptor.getDest().front(), rewriter);
    Value predicate =
        access.thread.isCanonical(access.plan.idleLanes, access.plan.idleWarps);
    ValueRange registers = adaptor.getValue();
    int64_t blocks = getClusterBlocks(op);
    bool isSentLater = false;
    if (blocks > 1) {
      if (auto exchange = context.exchangeOf.find(op);
          exchange != context.exchangeOf.end()) {
        beginExchange(rewriter, access.loc, exchange->second);
        isSentLater = exchange->second.isSentByBlocks();
      } else {
        awaitBlocks(rewriter, access.loc);
      }
      // What a lane tells others is that all of its warp are here.
      if (!isSentLater)
        syncWarp(rewriter, access.loc);
    }
    for (ArrayRef<unsigned> instruction : access.plan.instructions) {
      auto elements = llvm::map_to_vector(
          instruction, [&](unsigned reg) { return registers[reg]; });
      Value pointer = access.addresses.get(instruction.front());
      if (blocks == 1 || isSentLater)
        storeVector(rewriter, access.loc, pointer, elements, predicate,
                    access.isVolatile);
      else
        storeToBlocks(op, access, pointer, elements, blocks, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Lanes that have the same elements store to one block each, if there are as
  /// many.
  void storeToBlocks(LocalStoreOp op, AccessLowering &access, Value pointer,
                     ArrayRef<Value> elements, int64_t blocks,
                     OpBuilder &builder) const {
    ThreadIndex &thread = access.thread;
    int64_t rankBits = blocks - 1;
    if ((access.plan.idleLanes & rankBits) == rankBits) {
      Value rank = arith::AndIOp::create(
          builder, access.loc, thread.getLane(),
          arith::ConstantIntOp::create(builder, access.loc, rankBits, 32));
      Value predicate = thread.isCanonical(access.plan.idleLanes & ~rankBits,
                                           access.plan.idleWarps);
      return storeTo(op, access, rank, pointer, elements, predicate, builder);
    }
    Value predicate =
        thread.isCanonical(access.plan.idleLanes, access.plan.idleWarps);
    for (int64_t rank = 0; rank < blocks; ++rank)
      storeTo(op, access,
              arith::ConstantIntOp::create(builder, access.loc, rank, 32),
              pointer, elements, predicate, builder);
  }

  void storeTo(LocalStoreOp op, AccessLowering &access, Value rank,
               Value pointer, ArrayRef<Value> elements, Value predicate,
               OpBuilder &builder) const {
    auto exchange = context.exchangeOf.find(op);
    if (exchange != context.exchangeOf.end())
      storeExchanged(builder, access.loc, exchange->second, rank, pointer,
                     elements, predicate);
    else
      storeVector(builder, access.loc,
                  mapToBlock(builder, access.loc, pointer, rank), elements,
                  predicate, access.isVolatile);
  }
};

static SmallVector<Value> loadTile(SharedAccessOpInterface op,
                                   AccessLowering &access, OpBuilder &builder) {
  Type elementType = op.getTileType().getElementType();
  RegisterValues registers(access.description.registers);
  unsigned wordElements = std::max(1u, 4 / access.description.elementBytes);
  for (ArrayRef<unsigned> instruction : access.plan.instructions) {
    Value pointer = access.addresses.get(instruction.front());
    registers.set(instruction,
                  op.getMatrix()
                      ? loadMatrices(builder, access.loc, pointer, elementType,
                                     instruction.size() / wordElements,
                                     access.plan.transposed)
                      : loadVector(builder, access.loc, pointer, elementType,
                                   instruction.size(),
                                   /*predicate=*/nullptr, /*other=*/{},
                                   access.isVolatile));
  }
  return registers.take();
}

struct LocalLoadPattern : ContextPattern<LocalLoadOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(LocalLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AccessLowering access(op, adaptor.getSource().front(), rewriter);
    SmallVector<Value> values = loadTile(op, access, rewriter);
    if (auto exchange = context.exchangeOf.find(op);
        exchange != context.exchangeOf.end()) {
      auto read =
          llvm::map_to_vector(access.plan.instructions, [&](const auto &each) {
            return values[each.front()];
          });
      endExchange(rewriter, access.loc, exchange->second, getClusterBlocks(op),
                  read);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Nothing is read where the tile has no element of that number.
struct LocalGatherPattern : OpConversionPattern<LocalGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LocalGatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    SharedType tile = op.getSource().getType();
    Value extent = arith::ConstantIntOp::create(rewriter, loc,
                                                tile.getShape().front(), 32);
    SmallVector<Value> values;
    for (Value number : adaptor.getIndex()) {
      Value isThere = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, number, extent);
      Value pointer =
          addElements(rewriter, loc, adaptor.getSource().front(), number,
                      tile.getLayout().getLayout(), getElementBytes(element));
      values.push_back(
          loadVector(rewriter, loc, pointer, element, 1, isThere).front());
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Lanes side by side take counters side by side.
struct LocalCountPattern : OpConversionPattern<LocalCountOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LocalCountOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SharedType tile = op.getCounts().getType();
    const LinearLayout &numbers =
        getRegisterLayout(op.getNumbers().getType()).getLayout();
    ThreadIndex thread(builder, builder.getLoc());
    Value isHolder = thread.isCanonical(numbers.zeroBasisMask("lane"),
                                        numbers.zeroBasisMask("warp"));
    Value rows = constant(builder, tile.getShape()[0]);
    Value columns = constant(builder, tile.getShape()[1]);
    Value column = arith::RemUIOp::create(builder, thread.getLane(), columns);
    bool areApart = tile.getShape()[1] >= lanesPerWarp;
    for (unsigned reg : llvm::SmallSetVector<unsigned, 32>(
             llvm::from_range, canonicalRegisters(numbers))) {
      Value row = adaptor.getNumbers()[reg];
      Value isThere =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, row, rows);
      Value counts = combine(builder, builder.getLoc(), isHolder, isThere);
      if (areApart)
        row = choose(builder, counts, row, 0);
      Value counter = arith::AddIOp::create(
          builder, arith::MulIOp::create(builder, row, columns), column);
      Value pointer =
          addElements(builder, builder.getLoc(), adaptor.getCounts().front(),
                      counter, tile.getLayout().getLayout(), kCounterBytes);
      count(builder, pointer, counts, areApart);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static constexpr unsigned kCounterBytes = 4;

  /// ptxas branches around an addition that some lanes have no part in. Lanes
  /// that have a bank each add 0 as fast; of others that meet in a counter the
  /// hardware counts how many they are, where each adds a constant 1.
  static void count(ImplicitLocOpBuilder &builder, Value pointer, Value counts,
                    bool areApart) {
    if (areApart)
      emitPtx(builder, builder.getLoc(), Type(),
              {pointer, choose(builder, counts, constant(builder, 1), 0)},
              "red.relaxed.cta.shared.add.u32 [$0], $1;", "r,r,~{memory}");
    else
      emitPtx(builder, builder.getLoc(), Type(), {counts, pointer},
              "@$0 red.relaxed.cta.shared.add.u32 [$1], 1;", "b,r,~{memory}");
  }

  static Value choose(ImplicitLocOpBuilder &builder, Value condition,
                      Value value, int64_t other) {
    return arith::SelectOp::create(builder, condition, value,
                                   constant(builder, other));
  }
  static Value constant(ImplicitLocOpBuilder &builder, int64_t number) {
    return arith::ConstantIntOp::create(builder, number, 32);
  }
};

/// Loads from the tile of another block, which is in the same place there.
struct LoadPartPattern : OpConversionPattern<LoadPartOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadPartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value rank = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getI32Type(), adaptor.getPart().front());
    Value base = mapToBlock(rewriter, loc, adaptor.getSource().front(), rank);
    AccessLowering access(op, base, rewriter);
    rewriter.replaceOpWithMultiple(op, {loadTile(op, access, rewriter)});
    return success();
  }
};

struct BarrierPattern : ContextPattern<BarrierOp> {
  using ContextPattern::ContextPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (context.needlessBarriers.contains(op)) {
      rewriter.eraseOp(op);
      return success();
    }
    if (op.getAsyncProxy())
      NVVM::FenceProxyOp::create(
          rewriter, op.getLoc(), NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(getContext(),
                                     NVVM::SharedSpace::shared_cta));
    auto exchange = context.exchangeOf.find(op);
    if (exchange != context.exchangeOf.end()) {
      if (exchange->second.isSentByBlocks())
        sendTiles(op, exchange->second, rewriter);
      awaitExchange(rewriter, op.getLoc(), exchange->second);
    } else if (getClusterBlocks(op) > 1) {
      awaitBlocks(rewriter, op.getLoc());
      waitForCluster(rewriter, op.getLoc());
    } else if (op.getEachWarp())
      syncWarp(rewriter, op.getLoc());
    else if (op.getEachWarpgroup())
      waitInWarpgroup(rewriter, op.getLoc());
    else if (std::optional<int32_t> warps = op.getWarps())
      waitFor(rewriter, op.getLoc(), *warps);
    else
      NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void sendTiles(BarrierOp op, const Exchange &exchange,
                        ConversionPatternRewriter &rewriter) {
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    int64_t blocks = getClusterBlocks(op);
    for (Value tile : exchange.sentTiles) {
      int64_t bytes = cast<SharedType>(tile.getType()).getSizeInBytes();
      sendPart(rewriter, op.getLoc(), exchange, rewriter.getRemappedValue(tile),
               bytes / blocks, blocks);
    }
  }

  /// Number 0 is of all threads, 1 of those that compute, and those from 2 on
  /// are of warpgroups: with the most threads of a block, 8.
  static void waitFor(OpBuilder &builder, Location loc, int32_t warps) {
    waitAt(builder, loc, constant(builder, loc, 1), warps);
  }
  static void waitInWarpgroup(OpBuilder &builder, Location loc) {
    Value group = ThreadIndex(builder, loc).getWarpgroupOfBlock();
    waitAt(
        builder, loc,
        arith::AddIOp::create(builder, loc, group, constant(builder, loc, 2)),
        WarpgroupMma::warps);
  }

  static void waitAt(OpBuilder &builder, Location loc, Value number,
                     int64_t warps) {
    NVVM::BarrierOp::create(builder, loc, TypeRange(), number,
                            constant(builder, loc, warps * lanesPerWarp),
                            NVVM::BarrierReductionAttr(), Value());
  }
  static Value constant(OpBuilder &builder, Location loc, int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  }
};

} // namespace

void tonvvm::populateSharedMemoryPatterns(RewritePatternSet &patterns,
                                          const TypeConverter &converter,
                                          const LoweringContext &context) {
  patterns.add<AllocSharedPattern, SubviewPattern, LocalGatherPattern,
               LocalCountPattern, LoadPartPattern>(converter,
                                                   patterns.getContext());
  patterns.add<LocalLoadPattern, LocalStorePattern, BarrierPattern>(
      converter, patterns.getContext(), context);
}
