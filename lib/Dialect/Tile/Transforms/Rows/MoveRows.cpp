//===- MoveRows.cpp - Blocks whose rows begin anywhere, in words ----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "Rows/MovedBlocks.h"
#include "Rows/WalkLoop.h"
#include "tilewright/Dialect/Tile/Analysis/ProductEngine.h"
#include "tilewright/Dialect/Tile/Analysis/SharedAllocation.h"
#include "tilewright/Dialect/Tile/IR/AskedBlocks.h"
#include "tilewright/Dialect/Tile/IR/RowCopies.h"
#include "tilewright/Layout/Shared/RowBuffer.h"
#include "tilewright/Layout/Shared/RowRing.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEMOVEROWS
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Bytes of a thread, of a block that whole sectors are stored of: with no
/// more, threads need few registers.
static constexpr int64_t kFewBytesOfThread = 32;
static constexpr unsigned kRegistersOfFewBytes = 32;
/// Bytes of a row that 32 bits count, with what lies around it.
static constexpr int64_t kMostWalkBytes = 1 << 30;

namespace {
struct MoveRows : tilewright::tile::impl::TileMoveRowsBase<MoveRows> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bytes = 0;
    // Stages of products may take all shared memory.
    if (hasProducts(kernel) || kernel.getClusterBlocksOrOne() != 1)
      return;
    for (MovedBlock &move : findMovedBlocks(kernel))
      rewrite(move);
  }

private:
  /// The room of a move.
  SharedType getSharedType(MovedBlock &move) {
    RankedTensorType tile = move.load.getTileType();
    auto type = SharedType::get(&getContext(), tile.getShape(),
                                tile.getElementType(), SharedLayoutAttr());
    SmallVector<int64_t> shape = move.neighbours
                                     ? getShapeBeyond(type, move.getStoredDim())
                                     : llvm::to_vector(tile.getShape());
    RowBuffer buffer(shape, move.getReadDim(),
                     getElementBytes(tile.getElementType()));
    return SharedType::get(
        &getContext(), tile.getShape(), tile.getElementType(),
        SharedLayoutAttr::get(&getContext(),
                              *buffer.getLayout(tile.getShape())));
  }

  /// The room of a walk; none where the target has too little.
  std::optional<SharedType> getRingType(MovedBlock &move) {
    RankedTensorType tile = move.load.getTileType();
    auto type = SharedType::get(&getContext(), tile.getShape(),
                                tile.getElementType(), SharedLayoutAttr());
    int64_t rows =
        getShapeBeyond(type, move.getStoredDim())[move.getStoredDim()];
    std::optional<RowRing> ring = RowRing::choose(
        rows, getTargetOrDefault(getOperation()).maxSharedBytesPerBlock);
    if (!ring)
      return std::nullopt;
    int64_t elementBytes = getElementBytes(tile.getElementType());
    unsigned rowDim = move.getReadDim();
    SmallVector<int64_t> shape(tile.getShape());
    shape[rowDim] = ring->ringBytes / elementBytes;
    SharedLayout layout = ring->getLayout(shape, rowDim, elementBytes, rows);
    return SharedType::get(&getContext(), shape, tile.getElementType(),
                           SharedLayoutAttr::get(&getContext(), layout));
  }

  /// Makes blocks walk, if there is room for it.
  bool walk(MovedBlock &move) {
    std::optional<SharedType> type = getRingType(move);
    if (!type)
      return false;
    MemoryAccess read = move.getRead(), write = move.getWrite();
    OpBuilder builder(move.store);
    Location loc = move.store.getLoc();
    auto [continues, continued] = move.neighbours->compare(builder);
    Value ring =
        AllocSharedOp::create(builder, loc, *type, IntegerAttr(), StringAttr());
    Value extent =
        arith::ConstantIndexOp::create(builder, loc, move.onwards->getExtent());
    auto walk = WalkRowsOp::create(builder, loc, read.base, read.indices,
                                   getReach(move, builder), getRoot(read.base),
                                   write.base, write.indices, ring, extent,
                                   continues, continued, move.order);
    erase(move);
    // Else ptxas has registers for more blocks than there is room for.
    askForBlocks(*type, /*registers=*/1);
    int64_t columnBytes = getElementBytes(type->getElementType());
    Value programs = makeWalkLoop(
        getOperation(), move.onwards->getAxis(),
        kMostWalkBytes / (move.onwards->getExtent() * columnBytes));
    builder.setInsertionPoint(walk);
    walk.getCountMutable().assign(
        arith::MulIOp::create(builder, loc, programs, extent));
    return true;
  }

  /// Has ptxas leave as many registers as so many blocks have that are resident
  /// with such tiles, and so many registers a thread.
  void askForBlocks(SharedType type, unsigned registers) {
    KernelOp kernel = getOperation();
    unsigned blocks =
        getTargetOrDefault(kernel)
            .occupancy(kernel.getNumThreads(), registers, type.getSizeInBytes())
            .blocksPerSM;
    tile::askForBlocks(kernel, blocks);
  }

  /// How many elements programs read from the block on, along each dimension of
  /// what is loaded, if the view has them.
  static SmallVector<Value> getReach(MovedBlock &move, OpBuilder &builder) {
    Location loc = move.store.getLoc();
    size_t rank = move.load.getTileType().getRank();
    SmallVector<Value> reach(rank,
                             arith::ConstantIndexOp::create(builder, loc, 1));
    reach[move.getStoredDim()] = move.neighbours->countLeft(builder);
    reach[move.getReadDim()] = move.onwards->countLeft(builder);
    return reach;
  }

  static void erase(MovedBlock &move) {
    move.store->erase();
    for (Operation *op : move.between)
      op->erase();
    move.load->erase();
  }

  void rewrite(MovedBlock &move) {
    if (move.onwards && walk(move))
      return;
    MemoryAccess read = move.getRead(), write = move.getWrite();
    SharedType type = getSharedType(move);
    if (bytes + type.getSizeInBytes() >
        getTargetOrDefault(getOperation()).maxSharedBytesPerBlock)
      return;
    bytes += type.getSizeInBytes();
    OpBuilder builder(move.load);
    Location loc = move.load.getLoc();
    Value shared =
        AllocSharedOp::create(builder, loc, type, IntegerAttr(), StringAttr());
    // Masks may say more than programs of the grid read.
    SmallVector<Value> reach =
        llvm::map_to_vector(move.along, [&](const NeighbourPrograms &programs) {
          return programs.countLeft(builder);
        });
    if (move.neighbours) {
      // Else it may have more, and one block less has room.
      int64_t perThread = type.getNumElements() *
                          getElementBytes(type.getElementType()) /
                          getOperation().getNumThreads();
      askForBlocks(type, perThread <= kFewBytesOfThread
                             ? kRegistersOfFewBytes
                             : countSectorRegisters(type));
      auto [continues, continued] = move.neighbours->compare(builder);
      CopySectorsOp::create(builder, loc, read.base, read.indices, reach,
                            getRoot(read.base), shared, continued,
                            move.getStoredDim());
      builder.setInsertionPoint(move.store);
      StoreSectorsOp::create(builder, move.store.getLoc(), shared, read.base,
                             read.indices, write.base, write.indices, continues,
                             continued, move.order);
    } else {
      CopyRowsOp::create(builder, loc, read.base, read.indices, reach,
                         getRoot(read.base), shared);
      builder.setInsertionPoint(move.store);
      StoreRowsOp::create(builder, move.store.getLoc(), shared, read.base,
                          read.indices, write.base, write.indices, move.order);
    }
    erase(move);
  }

  /// Bytes of the tiles that there are by now.
  int64_t bytes = 0;
};
} // namespace
